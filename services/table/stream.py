"""A stream as the croupier holds it: its tip, what is true on it, and the pen that seals what comes next."""

import os
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from hashlib import sha256

from msgspec import UNSET, Struct
from msgspec.structs import replace

from schemas.entry import NO_PREV, Entry, decode, encode, leaf
from schemas.events import (
    AnyEvent,
    BetPlaced,
    BetsClosed,
    BetWithdrawn,
    CardDealt,
    CardsBurned,
    RoundOpened,
    RoundSettled,
    SettlementReversed,
    ShoeCommitted,
    TableOpened,
)
from schemas.seats import CardDrawn
from services.table import account
from services.table.command import Sealed
from services.table.game import evolve
from services.table.game.shoe import Shoe
from services.table.game.state import Closed, Committed, Frozen, Idle, ShoeInPlay, Table
from services.table.scorecard import Scorecard

ID_BYTES = 16


class Opening(Struct, frozen=True):
    """A card that has been opened: what a resumed shoe must agree with."""

    position: int
    card: str
    salt: str


class Tip:
    """The end of a stream: the version, hash and time that the next entry must follow, and its chapter.

    A table's chapter begins when it is opened and with every shoe; on a patron's stream each entry is its own.
    """

    __slots__ = ("at", "chapter", "is_patrons", "prev", "stream", "version")

    def __init__(self, stream: str) -> None:
        self.stream = stream
        self.is_patrons = stream.startswith("patron/")
        self.version = 0
        self.chapter = 1
        self.prev = NO_PREV
        self.at = ""

    def seal(self, event: AnyEvent, *, actor: str, key: str) -> Sealed:
        """Make the bytes of the next entry, once, and move on to it."""
        version = self.version + 1
        at = max(now(), self.at)
        if self.is_patrons or isinstance(event, ShoeCommitted | TableOpened):
            self.chapter = version
        line = encode(
            Entry(
                id=next(_ids),
                stream=self.stream,
                version=version,
                at=at,
                actor=actor,
                command=key,
                schema=1,
                prev=self.prev,
                event=event,
            )
        )
        hashed = leaf(line)
        self.version, self.prev, self.at = version, hashed.hex(), at
        return Sealed(stream=self.stream, version=version, chapter=self.chapter, line=line, leaf=hashed)

    def follow(self, entry: Entry, hashed: bytes) -> None:
        """Move on to an entry that was read. Raises AssertionError when it does not follow."""
        if self.version and (entry.version != self.version + 1 or entry.prev != self.prev):
            raise AssertionError(f"{self.stream} version {entry.version} does not follow version {self.version}")
        if self.is_patrons or isinstance(entry.event, ShoeCommitted | TableOpened):
            self.chapter = entry.version
        self.version, self.prev, self.at = entry.version, hashed.hex(), entry.at


class TableStream:
    """A table's stream: the state, scorecard and round's digest so far, and, once somebody needs them, the cards.

    `cards` and `seed` are secret until the shoe ends: they appear in no answer, log line or repr.
    """

    __slots__ = ("bets", "cards", "digest", "opened", "scorecard", "seed", "table", "tip")

    def __init__(self, stream: str) -> None:
        self.tip = Tip(stream)
        self.table: Table | None = None
        self.cards: Shoe | None = None
        self.seed: bytes | None = None
        self.opened: list[Opening] = []
        self.scorecard = Scorecard()
        self.bets = 0
        self.digest = sha256()

    @property
    def name(self) -> str:
        """The table's name."""
        return self.tip.stream.partition("/")[2]

    @property
    def shoe_id(self) -> str:
        """The name of the current shoe in the hashes of its proof."""
        return f"{self.name}/{self.table.shoes if self.table else 0}"

    @property
    def shoe(self) -> ShoeInPlay:
        """The shoe in play."""
        phase = self.here.phase
        assert not isinstance(phase, Closed | Idle), "no shoe is in play"
        return phase.shoe

    @property
    def sealed_shoe(self) -> ShoeInPlay | None:
        """The shoe in play when its seed, or its cards, are not yet at hand; real ones never are."""
        if self.table is None or isinstance(self.table.phase, Closed | Idle) or self.table.phase.shoe.is_scanned:
            return None
        has_what_it_needs = self.cards is not None or isinstance(self.table.phase, Committed | Frozen)
        return None if self.seed is not None and has_what_it_needs else self.table.phase.shoe

    @property
    def here(self) -> Table:
        """The table, which has been opened."""
        assert self.table is not None, "nothing was written to this stream"
        return self.table

    def entitle(self, opening: bytes) -> None:
        """Take the names from the last `table-opened`: a chapter that begins with a shoe does not repeat them."""
        event = decode(opening).event
        assert isinstance(event, TableOpened)
        self.here.name, self.here.title = event.table, event.name

    def counted(self, event: BetsClosed) -> BetsClosed:
        """Give the last call with the round's bet entries as they are sealed, those of its own command too."""
        return replace(event, count=self.bets, digest=self.digest.hexdigest())

    def apply(self, event: AnyEvent, hashed: bytes) -> None:
        """Let an event be true."""
        match event:
            case BetPlaced() | BetWithdrawn():
                self.bets += 1
                self.digest.update(hashed)
            case RoundOpened():
                self.bets, self.digest = 0, sha256()
            case CardDealt() | CardsBurned() | CardDrawn():
                if event.salt is not UNSET and event.position is not UNSET:
                    self.opened.append(Opening(event.position, event.card, event.salt))
            case ShoeCommitted():
                self.opened, self.cards, self.seed = [], None, None
                self.scorecard.hear(event, self.tip.version)
            case RoundSettled() | SettlementReversed() | TableOpened():
                self.scorecard.hear(event, self.tip.version)
            case _:
                pass
        self.table = evolve.evolve(self.table, event)  # type: ignore[arg-type]  # a table's stream holds table events


class AccountStream:
    """A patron's stream."""

    __slots__ = ("account", "tip")

    def __init__(self, stream: str) -> None:
        self.tip = Tip(stream)
        self.account: account.Account | None = None

    @property
    def name(self) -> str:
        """The patron's name."""
        return self.tip.stream.partition("/")[2]

    def apply(self, event: AnyEvent, hashed: bytes) -> None:  # noqa: ARG002 (a table's stream digests it)
        """Let an event be true."""
        self.account = account.evolve(self.account, event)  # type: ignore[arg-type]  # a patron's stream holds these


AnyStream = TableStream | AccountStream


def read_table(stream: str, chapter: Sequence[bytes]) -> TableStream:
    """Fold a table's current chapter; none when nothing was written yet."""
    held = TableStream(stream)
    for line in chapter:
        entry, hashed = decode(line), leaf(line)
        held.tip.follow(entry, hashed)
        held.apply(entry.event, hashed)
    return held


def read_account(stream: str, lines: Sequence[bytes]) -> AccountStream:
    """Read an account from its first entry, which names the currency, and its last, which has the balance."""
    held = AccountStream(stream)
    for line in lines:
        entry, hashed = decode(line), leaf(line)
        held.tip = Tip(stream)
        held.tip.follow(entry, hashed)
        held.apply(entry.event, hashed)
    return held


def _draw_ids() -> Iterator[str]:
    """Give random ids for ever, drawn from the operating system's generator 256 at a time."""
    while True:
        drawn = os.urandom(256 * ID_BYTES).hex()
        for start in range(0, len(drawn), 2 * ID_BYTES):
            yield drawn[start : start + 2 * ID_BYTES]


_ids = _draw_ids()


def now() -> str:
    """Give the time as the log writes it."""
    second, microsecond = divmod(time.time_ns() // 1000, 1_000_000)
    return f"{_second(second)}.{microsecond:06d}Z"


@lru_cache(maxsize=1)
def _second(second: int) -> str:
    """Write a second of the clock: the same for thousands of entries."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
