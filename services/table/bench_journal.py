"""How fast the journal is: against the same function fed with ready batches, a bare insert, one append per request.

Every way writes the same kind of lines, bets of about 350 bytes on 32 tables, linked as the journal demands. The ways
take turns, so that a machine that grows slower is slow for all of them; the figures are medians over the turns.
"""

import asyncio
import itertools
import secrets
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from statistics import median, quantiles
from typing import Any

import asyncpg
from msgspec import Struct

from schemas.entry import NO_PREV, Entry, encode, leaf
from schemas.events import AnyEvent, BetPlaced, TableResumed
from services.table.appender import APPEND, ENTRIES_PER_BATCH, Waiting, columns
from services.table.command import Command, Sealed
from services.table.journal import Journal

TABLES = 32
CALLERS = (1, 32, 256)
_ACTOR = "operator:bench"
_BARE = """
    insert into bare (position, version, chapter, stream, leaf, line)
    select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bytea[], $6::bytea[])
"""
_ANSWER = b'{"table":"b1","round":12,"version":57000,"position":1234567,"stack":98765}'


class Pace(Struct, frozen=True, kw_only=True):
    """How many entries became durable in a second, and how long the slowest hundredth of the callers waited."""

    entries_per_second: float
    p99_seconds: float


class Comparison(Struct, frozen=True, kw_only=True):
    """Medians of all ways, by the number of callers where that matters."""

    grouped: dict[int, Pace]
    ready_batches: Pace
    bare_insert: Pace
    one_at_a_time: Pace


class Tape:
    """A table's stream as it will be: each command follows the one before."""

    def __init__(self) -> None:
        self.stream = f"table/bench-{secrets.token_hex(8)}"
        self.version, self.chapter, self._prev = 0, 1, NO_PREV

    def bet(self) -> Command:
        """The next bet."""
        patron = f"p-{secrets.token_hex(8)}"
        return self.command(BetPlaced(round=self.version + 1, patron=patron, bet="banker", amount=2_500))

    def command(self, event: AnyEvent, *, begins: bool = False) -> Command:
        """The next command, of one entry; the first one, and one that `begins`, starts a chapter."""
        self.version += 1
        if begins:
            self.chapter = self.version
        key = secrets.token_hex(16)
        entry = Entry(
            id=secrets.token_hex(16),
            stream=self.stream,
            version=self.version,
            at="2026-11-30T10:00:00.000000Z",
            actor=_ACTOR,
            command=key,
            schema=1,
            prev=self._prev,
            event=event,
        )
        line = encode(entry)
        sealed = Sealed(stream=self.stream, version=self.version, chapter=self.chapter, line=line, leaf=leaf(line))
        self._prev = sealed.leaf.hex()
        return Command(actor=_ACTOR, key=key, request=sealed.leaf, answer=_ANSWER, entries=(sealed,))


def bets(count: int, *, tables: int = TABLES) -> list[list[Command]]:
    """So many bets, made beforehand, a list for each table."""
    tapes = [Tape() for _ in range(tables)]
    return [[tape.bet() for _ in range(count // tables)] for tape in tapes]


def in_turn(tapes: Sequence[Sequence[Command]]) -> Iterator[Command]:
    """The commands of all tables, one of each table after another."""
    return itertools.chain.from_iterable(zip(*tapes, strict=True))


def arguments(commands: Sequence[Command]) -> tuple[list[Any], ...]:
    """The arguments of the append function for these commands."""
    return columns([Waiting(command, asyncio.get_running_loop().create_future()) for command in commands])


def batches(commands: Iterator[Command]) -> Iterator[tuple[list[Any], ...]]:
    """The arguments of the append function, a full batch at a time."""
    while chunk := list(itertools.islice(commands, ENTRIES_PER_BATCH)):
        yield arguments(chunk)


@asynccontextmanager
async def opened_journal(url: str) -> AsyncIterator[Journal]:
    """A journal on a pool of its own."""
    async with asyncpg.create_pool(url, min_size=4, max_size=4) as pool:
        journal = Journal(pool)
        try:
            yield journal
        finally:
            await journal.close()


async def grouped(url: str, *, callers: int, entries: int) -> Pace:
    """The journal itself: so many callers, each with one command at a time in flight."""
    tapes = bets(entries)
    # Callers at one table share its tape: each takes the next command when its own is answered.
    crowd = [iter(tape) for tape in tapes] if callers >= TABLES else [in_turn(tapes)]
    async with opened_journal(url) as journal:
        return await timed(journal.append, [crowd[number % len(crowd)] for number in range(callers)])


async def ready_batches(url: str, *, entries: int) -> Pace:
    """The same function, fed with batches that were made beforehand, one after another."""
    calls = batches(in_turn(bets(entries)))
    connection = await asyncpg.connect(url)
    try:
        append = await connection.prepare(APPEND)
        return await timed(lambda call: append.fetchrow(*call), [iter(list(calls))], entries=entries)
    finally:
        await connection.close()


async def bare_insert(superuser_url: str, *, entries: int) -> Pace:
    """The same rows in the same batches, into a table with the same indexes: no lock, no checks, no commands."""
    calls = [bare_rows(call, number) for number, call in enumerate(batches(in_turn(bets(entries))))]
    connection = await asyncpg.connect(superuser_url)
    try:
        await connection.execute("create table bare (like journal.entry including all)")
        insert = await connection.prepare(_BARE)
        return await timed(lambda call: insert.fetchrow(*call), [iter(calls)], entries=entries)
    finally:
        await connection.execute("drop table if exists bare")
        await connection.close()


def bare_rows(call: tuple[list[Any], ...], number: int) -> tuple[list[Any], ...]:
    """The entries of a batch with their places and leaves, made beforehand."""
    _, streams, versions, chapters, lines, *_ = call
    first = number * ENTRIES_PER_BATCH
    return list(range(first, first + len(lines))), versions, chapters, streams, [leaf(line) for line in lines], lines


async def one_at_a_time(url: str, *, callers: int, entries: int) -> Pace:
    """The same function, called by every caller for every command, on a connection of his own."""
    calls = [iter([arguments([command]) for command in tape]) for tape in bets(entries, tables=callers)]
    async with asyncpg.create_pool(url, min_size=callers, max_size=callers) as pool:
        return await timed(lambda call: pool.fetchrow(APPEND, *call), calls)


async def timed(write: Callable[[Any], Awaitable[Any]], crowd: Sequence[Iterator[Any]], *, entries: int = 0) -> Pace:
    """Let every caller write what his iterator gives, one after another; `entries` when a call writes several."""
    waits: list[float] = []

    async def call(calls: Iterator[Any]) -> None:
        for what in calls:
            start = time.perf_counter()
            await write(what)
            waits.append(time.perf_counter() - start)

    start = time.perf_counter()
    await asyncio.gather(*map(call, crowd))
    elapsed = time.perf_counter() - start
    return Pace(entries_per_second=(entries or len(waits)) / elapsed, p99_seconds=quantiles(waits, n=100)[98])


async def compare(url: str, superuser_url: str, *, turns: int = 5, entries: int = 16_384) -> Comparison:
    """All ways, in turn, on a migrated database: `url` is the table service's."""
    small = entries // 16
    taken: dict[str | int, list[Pace]] = defaultdict(list)
    for _ in range(turns):
        taken["ready"].append(await ready_batches(url, entries=entries))
        taken["bare"].append(await bare_insert(superuser_url, entries=entries))
        taken["one"].append(await one_at_a_time(url, callers=32, entries=small))
        for callers in CALLERS:
            taken[callers].append(await grouped(url, callers=callers, entries=entries if callers > 1 else small))
    return Comparison(
        grouped={callers: middle(taken[callers]) for callers in CALLERS},
        ready_batches=middle(taken["ready"]),
        bare_insert=middle(taken["bare"]),
        one_at_a_time=middle(taken["one"]),
    )


def middle(paces: Sequence[Pace]) -> Pace:
    """The medians."""
    return Pace(
        entries_per_second=median(pace.entries_per_second for pace in paces),
        p99_seconds=median(pace.p99_seconds for pace in paces),
    )


async def load_seconds(
    url: str, *, histories: Sequence[int] = (10**3, 10**6), chapter: int = 500, times: int = 51
) -> dict[int, float]:
    """The median time to load a table whose last chapter has so many entries, by the length of the history before it.

    The tables are loaded in turn. Writing a history of 10^6 entries takes most of a minute.
    """
    tables = {history: await written(url, history=history, chapter=chapter) for history in histories}
    taken = defaultdict[int, list[float]](list)
    async with opened_journal(url) as journal:
        for history, stream in list(tables.items()) * times:
            start = time.perf_counter()
            lines = await journal.chapter(stream)
            taken[history].append(time.perf_counter() - start)
            if len(lines) != chapter:
                raise AssertionError(f"the last chapter has {chapter} entries, not {len(lines)}")
    return {history: median(seconds) for history, seconds in taken.items()}


async def written(url: str, *, history: int, chapter: int) -> str:
    """Write a table's history, and a last chapter behind it."""
    tape = Tape()
    connection = await asyncpg.connect(url)
    try:
        for call in batches(written_before(tape, history=history, chapter=chapter)):
            await connection.fetchrow(APPEND, *call)
    finally:
        await connection.close()
    return tape.stream


def written_before(tape: Tape, *, history: int, chapter: int) -> Iterator[Command]:
    """Chapters of equal length that fill the history, and one more."""
    for number in range(history // chapter + 1):
        yield tape.command(TableResumed(), begins=number > 0)
        yield from (tape.bet() for _ in range(chapter - 1))
