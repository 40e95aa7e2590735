"""The croupier: one table at a time, asks the rules, appends, remembers.

A command is decided on what its streams will be once their queued entries are written, and answered when its own are
durable. A refusal, or a view, is told only when what it was decided on proves durable and current. On any failure the
stream is dropped, and read again by whoever comes next.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, Literal, TypeVar

import msgspec
import structlog
from msgspec import Struct

from schemas.accounts import AccountOpened, FundsDeposited, FundsFromTable, FundsToTable, FundsWithdrawn
from schemas.events import AnyEvent, BetsClosed, ShoeClosed, ShoeCommitted, ShoeVoided
from services.table.command import (
    Answered,
    Appended,
    Command,
    Committed,
    KeyUsedError,
    OutrunError,
    Sealed,
    UnavailableError,
)
from services.table.game import shoes
from services.table.game.deeds import BySystem
from services.table.game.grade import Entropy
from services.table.game.reader import IrregularError
from services.table.game.refusal import RefusedError
from services.table.game.shoe import Shoe
from services.table.game.state import Committed as AwaitingShuffle
from services.table.game.state import Frozen, Table
from services.table.held import Held
from services.table.journal import End, Journal
from services.table.outsiders import Ingredient, Outsiders
from services.table.stream import AccountStream, AnyStream, TableStream
from services.table.under_way import UnderWay
from services.table.vault import FreshSeed, SeedLostError, Vault

SYSTEM = "system:table"
# Somebody who writes to the same table through another service wins now and then, not time and again.
TRIES = 5
ANSWERS_REMEMBERED = 10_000
ON_ACCOUNTS = (AccountOpened, FundsDeposited, FundsWithdrawn, FundsToTable, FundsFromTable)

Viewed = TypeVar("Viewed")
_log = structlog.get_logger("croupier")
_encode = msgspec.json.Encoder().encode


class Order(Struct, frozen=True, gc=False):
    """Who asks, under which idempotency key, for what: `request` is the SHA-256 of method, path and body."""

    actor: str
    key: str
    request: bytes

    @property
    def before(self) -> "Order":
        """The order of what must be done before it, under a key that follows from its own."""
        return Order(self.actor, "before-" + sha256(self.key.encode()).hexdigest()[:32], self.request)


class Taken(Struct, frozen=True, gc=False):
    """A command that is durable: its answer, the place in the log of its last entry, and how many entries it has."""

    answer: bytes
    position: int
    entries: int


class About(Struct, frozen=True, gc=False):
    """What a command needs before it can be decided: streams by name, and cards or a fresh seed.

    `mix`: whether its mix may still change; `last`: the last ingredient too, which somebody outside is asked for.
    """

    table: str | None = None
    patron: str | None = None
    shoe: Literal["", "cards", "fresh", "mix", "last"] = ""
    may_be_new: bool = False

    @property
    def needs_a_table_alone(self) -> bool:
        """Whether a table that is held is all it needs, as for a bet."""
        return self.patron is None and not self.shoe and not self.may_be_new


class At:
    """The streams that a command is about, as they will be once everything queued is written.

    `table` and `account` are there when the command says that it is about them. `fresh` is a seed that nobody has seen;
    `derived` the seed and cards that hold once the events do; `is_mixed` that nothing more may be contributed;
    `last` what somebody outside adds to the shuffle; `entropy` the grade of a shoe that ends; `irregular` a real card
    that cannot have come, for which all is held.
    """

    __slots__ = ("account", "derived", "entropy", "fresh", "irregular", "is_mixed", "last", "streams", "table")

    table: TableStream
    account: AccountStream

    def __init__(self, table: TableStream | None, account: AccountStream | None, fresh: FreshSeed | None) -> None:
        self.streams: list[AnyStream] = []
        if account is not None:
            self.account = account
            self.streams.append(account)
        if table is not None:
            self.table = table
            self.streams.append(table)
        self.fresh = fresh
        self.derived: tuple[bytes, Shoe | None] | None = None
        self.is_mixed = False
        self.last: Ingredient | RefusedError | None = None
        self.entropy: Entropy | None = None
        self.irregular: IrregularError | None = None

    @property
    def cards(self) -> Shoe:
        """The cards of the shoe in play, when the command is about them; at no other table are they looked at."""
        return self.table.cards  # type: ignore[return-value]  # the rules refuse before they look

    @property
    def seed(self) -> bytes:
        """The seed of the shoe in play, as `cards` are."""
        return self.table.seed  # type: ignore[return-value]  # the rules refuse before they look

    def of(self, event: AnyEvent) -> AnyStream:
        """Give the stream that an event belongs to."""
        return self.account if isinstance(event, ON_ACCOUNTS) else self.table


Decide = Callable[[At], Sequence[AnyEvent | BySystem]]
Answer = Callable[[At, Sequence[AnyEvent]], Any]


class KeyReusedError(Exception):
    """The idempotency key stands for another request."""


class UnknownTableError(Exception):
    """No such table was ever opened."""

    def __init__(self, table: str) -> None:
        super().__init__(table)
        self.table = table


class Croupier:
    """All tables and accounts of one service, each held from the first command that needs it."""

    def __init__(self, journal: Journal, vault: Vault, outsiders: Outsiders | None = None) -> None:
        self._journal = journal
        self._vault = vault
        self._outsiders = outsiders or Outsiders()
        self._held = Held(journal)
        self._under_way: dict[tuple[str, str], UnderWay[Taken]] = {}
        self._answered: OrderedDict[tuple[str, str], tuple[bytes, Taken]] = OrderedDict()

    async def take(self, order: Order, about: About, decide: Decide, answer: Answer) -> Taken:
        """Carry a command out, once per idempotency key: `decide` gives its events or refuses, `answer` what to say.

        Raises RefusedError, KeyReusedError, UnknownTableError; OutrunError when somebody else is faster time and again;
        UnavailableError when the database is.
        """
        name = (order.actor, order.key)
        while (beside := self._under_way.get(name)) is not None:
            if beside.request == order.request:
                return await asyncio.shield(beside.promise)
            await asyncio.wait([beside.promise])
        if (before := self._answered.get(name)) is not None:
            return _same(order, *before)
        under_way: UnderWay[Taken] = UnderWay(order.request)
        self._under_way[name] = under_way
        try:
            taken = await self._try(order, about, decide, answer)
        except BaseException as error:
            under_way.fail(error if isinstance(error, Exception) else OutrunError())
            raise
        else:
            under_way.keep(taken)
            if taken.entries:  # else nothing was done, and may be yet
                self._remember(name, order.request, taken)
            return taken
        finally:
            del self._under_way[name]

    async def view(self, about: About, show: Callable[[At], Viewed]) -> Viewed:
        """Show what is durable and current."""
        for _ in range(TRIES):
            at = await self._at(about)
            shown = show(at)
            if await self._is_true(at):
                return shown
        raise OutrunError

    async def view_at(self, end: End, show: Callable[[At], Viewed]) -> Viewed:
        """Show a table of which it was just read where it ends: one that is held there is not asked about again."""
        held = self._held.known_table(end.table)
        if held is not None and (held.tip.version, held.tip.prev) == (end.version, end.leaf.hex()):
            return show(At(held, None, None))
        return await self.view(About(table=end.table), show)

    def players_bank(self) -> list[TableStream]:
        """Give the tables held at which a player banks and a coup is open, as they will be."""
        return self._held.players_bank()

    def is_level(self, table: str, version: int) -> bool:
        """Whether a table is held, and as far as this version of its stream."""
        held = self._held.known_table(table)
        return held is not None and held.tip.version >= version

    async def _try(self, order: Order, about: About, decide: Decide, answer: Answer) -> Taken:
        """Decide and append; when somebody else wrote first, read and decide again."""
        if about.shoe == "last" and (kept := await self._journal.find_command(order.actor, order.key)) is not None:
            return _kept(order, kept)  # nobody outside is asked for what is done
        for _ in range(TRIES):
            try:
                at = await self._at(about)
                return await self._append(order, at, decide(at), answer)
            except RefusedError:
                is_true = await self._is_true(at)
                if (kept := await self._journal.find_command(order.actor, order.key)) is not None:
                    return _kept(order, kept)
                if is_true:
                    raise
            except KeyUsedError as used:
                return _kept(order, used.answered)
            except OutrunError:
                continue
        raise OutrunError

    async def _append(self, order: Order, at: At, deeds: Sequence[AnyEvent | BySystem], answer: Answer) -> Taken:
        """Let the events be true, queue them, and wait until they are durable; when there are none, only answer."""
        if not deeds:
            return await self._answer(order, at, answer)
        try:
            events, said, future = self._queue(order, at, deeds, answer)
            appended = await future
        except asyncio.CancelledError:
            raise  # the request went away; the command did not: the appender writes it all the same
        except BaseException:
            self._held.drop(*at.streams)
            raise
        for event in events:
            if isinstance(event, ShoeClosed | ShoeVoided):
                await self._forget_seed(at.table, event.shoe)
        return Taken(said, appended.first_position + len(events) - 1, len(events))

    async def _answer(self, order: Order, at: At, answer: Answer) -> Taken:
        """Answer a command that changes nothing now, from what is durable and current, and keep no answer."""
        said, tip = _encode(answer(at, ())), (at.table.tip.stream, at.table.tip.version)
        if (kept := await self._journal.find_command(order.actor, order.key)) is not None:
            return _kept(order, kept)  # it did, when it was sent first
        if not await self._is_true(at):
            raise OutrunError
        return Taken(said, await self._journal.position(*tip) or 0, 0)

    def _queue(
        self, order: Order, at: At, deeds: Sequence[AnyEvent | BySystem], answer: Answer
    ) -> tuple[list[AnyEvent], bytes, asyncio.Future[Appended]]:
        """Seal the events and queue them, all without a pause: the order of calls is the order of the log."""
        sealed: list[Sealed] = []
        events: list[AnyEvent] = []
        for deed in deeds:
            event: AnyEvent = deed.event if isinstance(deed, BySystem) else deed
            if isinstance(event, BetsClosed):
                event = at.table.counted(event)
            held = at.of(event)
            actor = SYSTEM if isinstance(deed, BySystem) else order.actor
            entry = held.tip.seal(event, actor=actor, key=order.key)
            held.apply(event, entry.leaf)
            sealed.append(entry)
            events.append(event)
        if at.derived is not None:
            at.table.seed, at.table.cards = at.derived
        said = _encode(answer(at, events))
        future = self._journal.enqueue(
            Command(
                actor=order.actor,
                key=order.key,
                request=order.request,
                answer=said,
                entries=tuple(sealed),
                shoe=self._committed(at, events[0], sealed[0]),
            )
        )
        for held in at.streams:
            self._held.queue(held, future)
        return events, said, future

    def _committed(self, at: At, first: AnyEvent, entry: Sealed) -> Committed | None:
        """Give the seed that goes, sealed, into the same append as its `shoe-committed`."""
        if not isinstance(first, ShoeCommitted):
            return None
        assert (at.fresh is None) == (first.source == "scanned"), "a shoe is committed to by its seed, or it is real"
        seed = None if at.fresh is None else self._vault.seal(at.fresh)
        return Committed(stream=entry.stream, shoe=first.shoe, version=entry.version, sealed=seed)

    async def _forget_seed(self, held: TableStream, shoe: int) -> None:
        """Forget a seed that is revealed. It does no harm when that fails: everybody can read it in the log."""
        try:
            await self._journal.forget_seed(held.tip.stream, shoe)
        except UnavailableError:
            _log.warning("revealed seed not forgotten", table=held.name, shoe=shoe)

    async def _at(self, about: About) -> At:
        """Hold every stream that a command is about, all of them read and none dropped since."""
        if about.needs_a_table_alone and (held := self._held.known_table(about.table)) is not None:
            return At(held, None, None)
        while True:
            table = account = fresh = None
            if about.table is not None:
                table = await self._held.table(about.table)
                if table.table is None and not about.may_be_new:
                    self._held.drop(table)
                    raise UnknownTableError(about.table)
                if about.shoe in ("cards", "last"):
                    await self._open_shoe(table)
                elif about.shoe == "fresh":
                    fresh = self._vault.fresh(table)
            if about.patron is not None:
                account = await self._held.account(about.patron)
            at = At(table, account, fresh)
            if about.shoe in ("mix", "last"):
                await self._look_outside(about, at)
            if all(map(self._held.has, at.streams)):
                return at

    async def _is_true(self, at: At) -> bool:
        """Tell whether what was just read from these streams is durable and current."""
        stood = [(held, held.tip.version, held.tip.prev) for held in at.streams]
        for held, version, prev in stood:
            if not await self._held.is_true(held, version=version, prev=prev):
                return False
        return True

    async def _open_shoe(self, held: TableStream) -> None:
        """Have the shoe's seed and cards at hand; freeze a shoe that does not come out as it was committed."""
        while (shoe := held.sealed_shoe) is not None:
            sealed = await self._journal.seed(held.tip.stream, shoe.number)
            if held.sealed_shoe is not shoe:
                continue  # the table has gone on meanwhile
            try:
                self._vault.open(held, sealed)
            except SeedLostError as lost:
                if not isinstance(held.here.phase, Frozen):
                    await self._freeze(held, held.here, lost.reason)
                return

    async def _look_outside(self, about: About, at: At) -> None:
        """See whether a shuffle waits for somebody outside, who is asked once all other ingredients are durable."""
        held, phase = at.table, at.table.here.phase
        if not isinstance(phase, AwaitingShuffle) or held.here.suspended is not None:
            return
        if about.shoe == "mix":
            at.is_mixed = self._outsiders.have_been_asked(held.name, phase.shoe)
        elif (ask := self._outsiders.whom_to_ask(held.name, phase.shoe)) is not None:
            if not await self._held.is_true(held, version=held.tip.version, prev=held.tip.prev):
                raise OutrunError
            at.last = await ask()

    async def _freeze(self, held: TableStream, table: Table, reason: str) -> None:
        _log.error("shoe frozen", table=held.name, shoe=held.shoe.number, reason=reason)
        key = f"freeze-{held.tip.version}-{sha256(held.name.encode()).hexdigest()[:16]}"
        order = Order(actor=SYSTEM, key=key, request=sha256(key.encode()).digest())
        try:
            await self._append(order, At(held, None, None), shoes.freeze(table, reason=reason), lambda *_: {})
        except KeyUsedError:
            raise OutrunError from None

    def _remember(self, name: tuple[str, str], request: bytes, taken: Taken) -> None:
        self._answered[name] = (request, taken)
        if len(self._answered) > ANSWERS_REMEMBERED:
            self._answered.popitem(last=False)


def _same(order: Order, request: bytes, taken: Taken) -> Taken:
    """Give the first answer to a repeat; the same key with another request is no repeat."""
    if request != order.request:
        raise KeyReusedError
    return taken


def _kept(order: Order, kept: Answered) -> Taken:
    return _same(order, kept.request, Taken(kept.answer, kept.first_position + kept.entries - 1, kept.entries))
