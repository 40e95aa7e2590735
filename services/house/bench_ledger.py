"""How fast the cashier is: a prepared log, read through the feed, checked, posted, in a real PostgreSQL.

The log is an evening of coups as they are at a full table: seven bets, five cards, a settlement. Making and storing it
is not measured; the cashier starts with empty books and is timed until he is level.
"""

import asyncio
import contextlib
import time
from collections.abc import Iterator
from hashlib import sha256

import asyncpg
from msgspec import Struct

from schemas.entry import NO_PREV, Entry, encode, leaf
from schemas.events import (
    AnyEvent,
    BetPlaced,
    BetsClosed,
    CardDealt,
    ChipsBought,
    Line,
    RoundOpened,
    RoundSettled,
    TableOpened,
)
from schemas.words import Winner

PATRONS = tuple(f"p{number}" for number in range(7))
STAKE, COMMISSION = 1_000, 50
_CARDS = ("5d", "Kd", "5s", "Ac", "9s")
_COPY = ("position", "version", "chapter", "stream", "leaf", "line")


class Projected(Struct, frozen=True, kw_only=True):
    """What the cashier did, and how long he took."""

    entries: int
    postings: int
    seconds: float

    @property
    def entries_per_second(self) -> float:
        """The figure that counts."""
        return self.entries / self.seconds


class Evening:
    """Writes a table's stream, link by link, as rows of the journal."""

    def __init__(self, table: str) -> None:
        self.stream = f"table/{table}"
        self.version = 0
        self._prev = NO_PREV

    def row(self, event: AnyEvent, position: int) -> tuple[int, int, int, str, bytes, bytes]:
        """The next entry, at a position of the log."""
        self.version += 1
        name = sha256(f"{self.stream} {self.version}".encode()).hexdigest()
        entry = Entry(
            id=name[:32],
            stream=self.stream,
            version=self.version,
            at="2026-11-30T10:00:00.000000Z",
            actor="dealer:bench",
            command=name[32:],
            schema=1,
            prev=self._prev,
            event=event,
        )
        line = encode(entry)
        link = leaf(line)
        self._prev = link.hex()
        return position, self.version, 1, self.stream, link, line


def opening(table: str) -> Iterator[AnyEvent]:
    """A table opens, and everybody buys chips."""
    from services.table.game.rules import builtin

    rules = builtin("punto-banco")
    yield TableOpened(
        table=table,
        name="Bench",
        currency="EUR",
        rules=rules.rules,
        limits=rules.limits,
        float=((10_000, 10_000),),
        counted_by="dealer:bench",
        verified_by="pit:bench",
    )
    for patron in PATRONS:
        yield ChipsBought(patron=patron, amount=10**12, means="cash")


def coup(number: int) -> Iterator[AnyEvent]:
    """A coup that Banker or Player wins in turn; every patron stakes on one of them."""
    bets = [(patron, "banker" if seat % 2 else "player") for seat, patron in enumerate(PATRONS)]
    winner: Winner = "banker" if number % 2 else "player"
    yield RoundOpened(shoe=1, round=number)
    for patron, bet in bets:
        yield BetPlaced(round=number, patron=patron, bet=bet, amount=STAKE)
    yield BetsClosed(round=number, count=len(bets), digest="0" * 64)
    for place, card in enumerate(_CARDS):
        yield CardDealt(round=number, hand="banker" if place % 2 else "player", card=card)
    lines = tuple(settled(patron, bet, winner=winner) for patron, bet in bets)
    yield RoundSettled(round=number, player=9, banker=1, winner=winner, lines=lines)


def settled(patron: str, bet: str, *, winner: str) -> Line:
    """A line of the settlement."""
    if bet != winner:
        return Line(patron=patron, bet=bet, stake=STAKE, won=0, commission=0, returned=0)
    taken = COMMISSION if bet == "banker" else 0
    return Line(patron=patron, bet=bet, stake=STAKE, won=STAKE, commission=taken, returned=2 * STAKE - taken)


def rows(entries: int, *, tables: int = 4) -> Iterator[tuple[int, int, int, str, bytes, bytes]]:
    """An evening of at least so many entries, the tables' coups in turn."""
    evenings = [Evening(f"bench-{number}") for number in range(tables)]
    position = 0
    for evening in evenings:
        for event in opening(evening.stream.removeprefix("table/")):
            yield evening.row(event, position)
            position += 1
    number = 0
    while position < entries:
        number += 1
        for evening in evenings:
            for event in coup(number):
                yield evening.row(event, position)
                position += 1


async def prepare(superuser_url: str, *, entries: int) -> int:
    """Store an evening in an empty, migrated journal; how many entries it has."""
    records = list(rows(entries))
    connection = await asyncpg.connect(superuser_url)
    try:
        await connection.copy_records_to_table("entry", schema_name="journal", records=records, columns=_COPY)
        await connection.execute("analyze journal.entry")
    finally:
        await connection.close()
    return len(records)


async def project(*, feed_url: str, books_url: str, entries: int) -> Projected:
    """Let a cashier post a prepared log into empty, migrated books, and time him."""
    from services.ledger.cashier import Cashier

    cashier = Cashier(feed_url=feed_url, books_url=books_url)
    began = time.perf_counter()
    work = asyncio.create_task(cashier.follow())
    try:
        while cashier.progress.position < entries - 1:
            if cashier.progress.state == "stopped":
                raise RuntimeError(cashier.progress.reason)
            await asyncio.sleep(0.002)
        seconds = time.perf_counter() - began
    finally:
        cashier.stop()
        with contextlib.suppress(asyncio.CancelledError):
            await work
    return Projected(entries=entries, postings=cashier.progress.postings, seconds=seconds)
