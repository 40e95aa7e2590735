"""The journal: append what has been decided, read what has happened. Only this module knows its tables.

Lines are the bytes of entries, as they were written. Reads raise UnavailableError when the database stays away.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import asyncpg
from msgspec import Struct

from services.table.appender import Appender, answered
from services.table.bell import Bell
from services.table.command import Answered, Appended, Command
from services.table.database import Pool, fetch

PATIENCE_SECONDS = 10.0  # a crashed PostgreSQL is back within a few
PAGE_ENTRIES = 1000
IDLE_SECONDS = 15.0

_CHAPTER = """
    select line from journal.entry
    where stream = $1 and version >= (select chapter from journal.entry where stream = $1 order by version desc limit 1)
    order by version
"""
_CHAPTER_BEFORE = """
    select line from journal.entry
    where stream = $1 and version < $2
    and version >= (select chapter from journal.entry where stream = $1 and version = $2 - 1)
    order by version
"""
_LAST = (
    "select position, stream, version, line, leaf from journal.entry where stream = $1 order by version desc limit 1"
)
_PAGE = "select position, stream, version, line, leaf from journal.feed where position > $1 order by position limit $2"
_SLICE = "select line from journal.entry where stream = $1 and version between $2 and $3 order by version"
_ENDS = """
    select c.stream, e.version, e.leaf from journal.chapter c
    cross join lateral (
        select version, leaf from journal.entry e where e.stream = c.stream order by version desc limit 1) e
    where c.version = 1 and ($1::text[] is null or c.stream = any($1)) order by c.stream
"""
_OPENING = """
    select line from journal.entry
    where stream = $1
    and version = coalesce((
        select version from journal.chapter where stream = $1 and shoe is null order by version desc limit 1), 1)
"""
_OPENED = """
    select distinct on (stream) stream, version from journal.chapter where shoe is null
    order by stream desc, version desc
"""
_LINES = """
    select e.stream, e.line from unnest($1::text[], $2::bigint[]) as wanted (stream, version)
    join journal.entry e on e.stream = wanted.stream and e.version = wanted.version
"""
_SHOES = """
    select shoe, version as first_version, coalesce(
        lead(version) over (order by version) - 1,
        (select max(version) from journal.entry e where e.stream = c.stream)) as last_version
    from journal.chapter c where stream = $1 order by version
"""
_SHOE = """
    select shoe, version as first_version, coalesce(
        (select min(version) - 1 from journal.chapter n where n.stream = c.stream and n.version > c.version),
        (select max(version) from journal.entry e where e.stream = c.stream)) as last_version
    from journal.chapter c where stream = $1 and shoe = $2
"""
_POSITION = "select position from journal.entry where stream = $1 and version = $2"
_FOUND = "select position, stream, version, line, leaf from journal.entry where leaf = $1 order by position limit 1"
_COMMAND = "select request, answer, first_position, entries from journal.command where actor = $1 and key = $2"


class Placed(Struct, frozen=True, kw_only=True):
    """An entry in its place in the log."""

    position: int
    stream: str
    version: int
    line: bytes
    leaf: bytes


class End(Struct, frozen=True, kw_only=True):
    """Where a table's stream ends: the version and leaf hash of its last entry."""

    stream: str
    version: int
    leaf: bytes

    @property
    def table(self) -> str:
        """The table's name."""
        return self.stream.partition("/")[2]


class ShoeRange(Struct, frozen=True, kw_only=True):
    """Where a shoe's chapter stands on its table's stream; what was written after the shoe's end is in it too."""

    shoe: int
    first_version: int
    last_version: int


class Journal:
    """The log, as the table service sees it. Made within the running event loop, on a pool of four or more."""

    def __init__(self, pool: Pool, *, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._pool = pool
        self._patience_seconds = patience_seconds
        self._appender = Appender(pool, patience_seconds=patience_seconds)
        self.bell = Bell(pool)

    def enqueue(self, command: Command) -> asyncio.Future[Appended]:
        """Queue a command, now, and give the future of its result: the order of calls is the order of writing.

        The result is Appended; or OutrunError, KeyUsedError, UnavailableError. Cancelling the future undoes nothing.
        """
        return self._appender.enqueue(command)

    async def append(self, command: Command) -> Appended:
        """Write a command; what `enqueue` says, awaited."""
        return await self._appender.enqueue(command)

    async def close(self) -> None:
        """Write what has queued, answer everybody, and listen no more."""
        await self._appender.close()
        await self.bell.close()

    @property
    def queued(self) -> int:
        """Count the commands that wait to be written."""
        return self._appender.queued

    async def chapter(self, stream: str) -> list[bytes]:
        """Read the lines of a stream's last chapter, however long the history before it."""
        return [row["line"] for row in await self._fetch(_CHAPTER, stream)]

    async def chapter_before(self, stream: str, version: int) -> list[bytes]:
        """Read the lines of the chapter that ends just before the one that begins with this version."""
        return [row["line"] for row in await self._fetch(_CHAPTER_BEFORE, stream, version)]

    async def slice(self, stream: str, *, first: int, last: int) -> list[bytes]:
        """Read the lines of these versions, both included."""
        return [row["line"] for row in await self._fetch(_SLICE, stream, first, last)]

    async def last(self, stream: str) -> Placed | None:
        """Read a stream's last entry."""
        rows = await self._fetch(_LAST, stream)
        return placed(rows[0]) if rows else None

    async def opening(self, stream: str) -> bytes:
        """Read the line with which a table was opened last; on other streams, the first one. Raises LookupError."""
        rows = await self._fetch(_OPENING, stream)
        return bytes(rows[0]["line"])

    async def tables(self) -> list[str]:
        """Name the streams of all tables that were ever opened."""
        rows = await self._fetch("select stream from journal.chapter where version = 1 order by stream")
        return [row["stream"] for row in rows]

    async def ends(self, streams: Sequence[str] | None = None) -> list[End]:
        """Find where the streams of tables end: of these, or of all that were ever opened."""
        rows = await self._fetch(_ENDS, streams)
        return [End(stream=row["stream"], version=row["version"], leaf=row["leaf"]) for row in rows]

    async def opened(self) -> dict[str, int]:
        """Give, for every table's stream, the version at which the table was opened last."""
        return {row["stream"]: row["version"] for row in await self._fetch(_OPENED)}

    async def lines(self, versions: Mapping[str, int]) -> dict[str, bytes]:
        """Read a line of each of these streams."""
        rows = await self._fetch(_LINES, list(versions), list(versions.values()))
        return {row["stream"]: row["line"] for row in rows}

    async def shoes(self, stream: str) -> list[ShoeRange]:
        """List a table's shoes, in order."""
        return [shoe_range(row) for row in await self._fetch(_SHOES, stream) if row["shoe"] is not None]

    async def shoe(self, stream: str, shoe: int) -> ShoeRange | None:
        """Find a shoe of a table by its number."""
        rows = await self._fetch(_SHOE, stream, shoe)
        return shoe_range(rows[0]) if rows else None

    async def position(self, stream: str, version: int) -> int | None:
        """Find an entry's place in the log."""
        rows = await self._fetch(
            "select position from journal.entry where stream = $1 and version = $2", stream, version
        )
        return rows[0]["position"] if rows else None

    async def find(self, leaf: bytes) -> Placed | None:
        """Find the entry with this leaf hash."""
        rows = await self._fetch(_FOUND, leaf)
        return placed(rows[0]) if rows else None

    async def size(self) -> int:
        """Count the entries of the log, which is the next place in it."""
        return int((await self._fetch("select size from journal.head"))[0]["size"])

    async def page(self, after: int, limit: int = PAGE_ENTRIES) -> list[Placed]:
        """Read the log in order, behind a place (-1: from the start)."""
        return [placed(row) for row in await self._fetch(_PAGE, after, limit)]

    async def follow(self, after: int, *, idle_seconds: float = IDLE_SECONDS) -> AsyncIterator[list[Placed]]:
        """Read the log page by page, for ever; an empty page when nothing was written for so long."""
        self.bell.listen()
        while True:
            heard = self.bell.rings
            page = await self.page(after)
            yield page
            if page:
                after = page[-1].position
            if len(page) < PAGE_ENTRIES:
                await self.bell.wait(heard, idle_seconds)

    async def find_command(self, actor: str, key: str) -> Answered | None:
        """Find what was asked and answered under a key."""
        rows = await self._fetch(_COMMAND, actor, key)
        return answered(rows[0]) if rows else None

    async def seed(self, stream: str, shoe: int) -> bytes | None:
        """Read a shoe's encrypted seed; None when it is forgotten, or never was."""
        rows = await self._fetch("select sealed from journal.chapter where stream = $1 and shoe = $2", stream, shoe)
        return rows[0]["sealed"] if rows else None

    async def forget_seed(self, stream: str, shoe: int) -> None:
        """Forget a shoe's seed, once it stands in the log for all to read."""
        await self._fetch("select journal.forget_seed($1, $2)", stream, shoe)

    async def _fetch(self, query: str, *values: Any) -> list[asyncpg.Record]:
        return await fetch(self._pool, query, *values, patience_seconds=self._patience_seconds)


def placed(row: asyncpg.Record) -> Placed:
    """Read an entry in its place."""
    return Placed(
        position=row["position"],
        stream=row["stream"],
        version=row["version"],
        line=row["line"],
        leaf=row["leaf"],
    )


def shoe_range(row: asyncpg.Record) -> ShoeRange:
    """Read where a shoe stands."""
    return ShoeRange(shoe=row["shoe"], first_version=row["first_version"], last_version=row["last_version"])
