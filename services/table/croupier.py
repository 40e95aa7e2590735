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
from msgspec import Struct

from schemas.accounts import AccountOpened, FundsDeposited, FundsFromTable, FundsToTable, FundsWithdrawn
from schemas.events import AnyEvent, ShoeClosed, ShoeCommitted, ShoeVoided
from services.table.command import Answered, Appended, Command, Committed, KeyUsedError, OutrunError, Sealed
from services.table.game import shoes
from services.table.game.refusal import RefusedError
from services.table.game.state import Closed, Frozen, Idle, Table
from services.table.journal import Journal
from services.table.stream import AccountStream, AnyStream, TableStream, read
from services.table.vault import FreshSeed, SeedLostError, Vault

SYSTEM = "system:table"
TRIES = 3
ANSWERS_REMEMBERED = 10_000
STREAMS_HELD = 20_000
ON_ACCOUNTS = (AccountOpened, FundsDeposited, FundsWithdrawn, FundsToTable, FundsFromTable)

Viewed = TypeVar("Viewed")


class Order(Struct, frozen=True, gc=False):
    """Who asks, under which idempotency key, for what: `request` is the SHA-256 of method, path and body."""

    actor: str
    key: str
    request: bytes


class Taken(Struct, frozen=True):
    """A command that is durable: its answer, and the place in the log of its last entry."""

    answer: bytes
    position: int


class At:
    """The streams that a command is about, as they will be once everything queued is written."""

    __slots__ = ("_account", "_table", "fresh")

    def __init__(self, table: TableStream | None, account: AccountStream | None, fresh: FreshSeed | None) -> None:
        self._table = table
        self._account = account
        self.fresh = fresh

    @property
    def table(self) -> TableStream:
        """The table's stream."""
        assert self._table is not None, "this command is not about a table"
        return self._table

    @property
    def account(self) -> AccountStream:
        """The patron's stream."""
        assert self._account is not None, "this command is not about an account"
        return self._account

    @property
    def streams(self) -> list[AnyStream]:
        """Those that the command is about."""
        return [held for held in (self._account, self._table) if held is not None]

    def of(self, event: AnyEvent) -> AnyStream:
        """Give the stream that an event belongs to."""
        return self.account if isinstance(event, ON_ACCOUNTS) else self.table


class About(Struct, frozen=True):
    """What a command needs before it can be decided: streams by name, and cards or a fresh seed."""

    table: str | None = None
    patron: str | None = None
    shoe: Literal["", "cards", "fresh"] = ""
    may_be_new: bool = False


Decide = Callable[[At], Sequence[AnyEvent]]
Answer = Callable[[At, Sequence[AnyEvent]], Any]


class KeyReusedError(Exception):
    """The idempotency key stands for another request."""


class UnknownTableError(Exception):
    """No such table was ever opened."""

    def __init__(self, table: str) -> None:
        super().__init__(table)
        self.table = table


class UnknownPatronError(Exception):
    """No account of that patron was ever opened."""

    def __init__(self, patron: str) -> None:
        super().__init__(patron)
        self.patron = patron


class Croupier:
    """All tables and accounts of one service, each held from the first command that needs it."""

    def __init__(self, journal: Journal, vault: Vault) -> None:
        self._journal = journal
        self._vault = vault
        self._held: dict[str, AnyStream] = {}
        self._reading: dict[str, asyncio.Task[AnyStream]] = {}
        self._queued: dict[str, asyncio.Future[Appended]] = {}
        self._under_way: dict[tuple[str, str], tuple[bytes, asyncio.Future[Taken]]] = {}
        self._answered: OrderedDict[tuple[str, str], tuple[bytes, Taken]] = OrderedDict()

    async def take(self, order: Order, about: About, decide: Decide, answer: Answer) -> Taken:
        """Carry a command out, once per idempotency key: `decide` gives its events or refuses, `answer` what to say.

        Raises RefusedError, KeyReusedError, UnknownTableError; OutrunError when somebody else is faster time and again;
        UnavailableError when the database is.
        """
        name = (order.actor, order.key)
        if (before := self._answered.get(name)) is not None:
            return _same(order, *before)
        if (beside := self._under_way.get(name)) is not None:
            return _same(order, beside[0], await asyncio.shield(beside[1]))
        promise: asyncio.Future[Taken] = asyncio.get_running_loop().create_future()
        self._under_way[name] = (order.request, promise)
        try:
            taken = await self._try(order, about, decide, answer)
        except BaseException as error:
            promise.set_exception(error if isinstance(error, Exception) else OutrunError())
            promise.exception()  # whoever waits beside raises it too; nobody has to
            raise
        else:
            promise.set_result(taken)
            self._remember(name, order.request, taken)
            return taken
        finally:
            del self._under_way[name]

    async def view(self, about: About, show: Callable[[At], Viewed]) -> Viewed:
        """Show what is durable and current."""
        for _ in range(TRIES):
            at = await self._at(about)
            shown = show(at)
            if await self._holds(at):
                return shown
        raise OutrunError

    def drop(self, *streams: AnyStream) -> None:
        """Forget what was held, unless it has been read anew already."""
        for held in streams:
            if self._held.get(held.tip.stream) is held:
                del self._held[held.tip.stream]

    async def _try(self, order: Order, about: About, decide: Decide, answer: Answer) -> Taken:
        """Decide and append; when somebody else wrote first, read and decide again."""
        for _ in range(TRIES):
            try:
                at = await self._at(about)
                return await self._append(order, at, decide(at), answer)
            except RefusedError:
                is_true = await self._holds(at)
                if (kept := await self._journal.find_command(order.actor, order.key)) is not None:
                    return _kept(order, kept)
                if is_true:
                    raise
            except KeyUsedError as used:
                return _kept(order, used.answered)
            except OutrunError:
                continue
        raise OutrunError

    async def _append(self, order: Order, at: At, events: Sequence[AnyEvent], answer: Answer) -> Taken:
        """Seal the events, let them be true, queue them, and wait until they are durable."""
        try:
            sealed: list[Sealed] = []
            for event in events:
                held = at.of(event)
                entry = held.tip.seal(event, actor=order.actor, key=order.key)
                held.apply(event, entry.leaf)
                sealed.append(entry)
            said = msgspec.json.encode(answer(at, events))
            future = self._journal.enqueue(
                Command(
                    actor=order.actor,
                    key=order.key,
                    request=order.request,
                    answer=said,
                    entries=tuple(sealed),
                    shoe=self._committed(at, events, sealed),
                )
            )
            for held in at.streams:
                self._queued[held.tip.stream] = future
            appended = await asyncio.shield(future)
        except asyncio.CancelledError:
            raise  # the request went away; the command did not
        except BaseException:
            self.drop(*at.streams)
            raise
        await self._after(at, events)
        return Taken(said, appended.first_position + len(sealed) - 1)

    def _committed(self, at: At, events: Sequence[AnyEvent], sealed: Sequence[Sealed]) -> Committed | None:
        """Give the seed that goes, sealed, into the same append as its `shoe-committed`."""
        for event, entry in zip(events, sealed, strict=True):
            if isinstance(event, ShoeCommitted) and at.fresh is not None:
                return Committed(
                    stream=entry.stream, shoe=event.shoe, version=entry.version, sealed=self._vault.seal(at.fresh)
                )
        return None

    async def _after(self, at: At, events: Sequence[AnyEvent]) -> None:
        """Keep a fresh seed at hand; forget one that is revealed."""
        for event in events:
            if isinstance(event, ShoeClosed | ShoeVoided):
                await self._journal.forget_seed(at.table.tip.stream, event.shoe)

    async def _at(self, about: About) -> At:
        """Hold every stream that a command is about, all of them read and none dropped since."""
        while True:
            table = account = None
            if about.table is not None:
                table = await self._table(about.table, may_be_new=about.may_be_new)
                if about.shoe == "cards":
                    await self._open_shoe(table)
            if about.patron is not None:
                account = await self._hold(f"patron/{about.patron}")
            fresh = self._vault.fresh(table) if table is not None and about.shoe == "fresh" else None
            at = At(table, account if isinstance(account, AccountStream) else None, fresh)
            if all(self._held.get(held.tip.stream) is held for held in at.streams):
                return at

    async def _table(self, name: str, *, may_be_new: bool) -> TableStream:
        held = await self._hold(f"table/{name}")
        assert isinstance(held, TableStream), "what the name says"
        if held.table is None and not may_be_new:
            self.drop(held)
            raise UnknownTableError(name)
        return held

    async def _hold(self, stream: str) -> AnyStream:
        """Give a stream, reading it when it is not held; many who ask at once wait for one reading."""
        if (held := self._held.get(stream)) is not None:
            return held
        if (reading := self._reading.get(stream)) is None:
            reading = asyncio.ensure_future(self._read(stream))
            self._reading[stream] = reading
            reading.add_done_callback(lambda _: self._reading.pop(stream, None))
        return await asyncio.shield(reading)

    async def _read(self, stream: str) -> AnyStream:
        """Read a stream's chapter, after whatever this service has queued on it has been answered."""
        if (queued := self._queued.get(stream)) is not None:
            await asyncio.wait([queued])
        held = read(stream, await self._journal.chapter(stream))
        if isinstance(held, TableStream) and held.table is not None and not held.table.name:
            held.entitle(await self._journal.opening(stream))
        if len(self._held) >= STREAMS_HELD:
            self._held.clear()
            self._queued = {name: queued for name, queued in self._queued.items() if not queued.done()}
        self._held[stream] = held
        return held

    async def _holds(self, at: At) -> bool:
        """Tell whether what was just read from these streams is durable and current; if not, drop them."""
        for held in at.streams:
            if not await self._is_current(held, held.tip.version, held.tip.prev):
                self.drop(held)
                return False
        return True

    async def _is_current(self, held: AnyStream, version: int, prev: str) -> bool:
        """Tell whether the stream stood at this version: its append succeeds, or the database says so."""
        stream = held.tip.stream
        queued = self._queued.get(stream)
        if queued is not None and not queued.done():
            await asyncio.wait([queued])
            return queued.exception() is None and self._held.get(stream) is held
        last = await self._journal.last(stream)
        if last is None:
            return version == 0
        if (last.version, last.leaf.hex()) == (version, prev):
            return True
        # Our own entries of the meantime may stand above it: when their append succeeds, they followed this version.
        if held.tip.version > version and (later := self._queued.get(stream)) is not None:
            await asyncio.wait([later])
            return later.exception() is None and self._held.get(stream) is held
        return False

    async def _open_shoe(self, held: TableStream) -> None:
        """Have the shoe's seed and cards at hand; freeze a shoe that does not come out as it was committed."""
        table = held.table
        if held.seed is not None or table is None or isinstance(table.phase, Closed | Idle):
            return
        sealed = await self._journal.seed(held.tip.stream, table.phase.shoe.number)
        try:
            self._vault.open(held, sealed)
        except SeedLostError as lost:
            if not isinstance(table.phase, Frozen):
                await self._freeze(held, table, lost.reason)

    async def _freeze(self, held: TableStream, table: Table, reason: str) -> None:
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
    return _same(order, kept.request, Taken(kept.answer, kept.first_position + kept.entries - 1))
