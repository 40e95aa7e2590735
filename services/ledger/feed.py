"""The log's feed: read in order, and checked entry by entry before anything is posted."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import NamedTuple, Self

import asyncpg

from schemas import entry
from schemas.entry import NO_PREV, Entry, UnreadableError

BATCH = 1_000
_NO_TIP = (0, bytes.fromhex(NO_PREV))
_BELL = "journal"

Tip = tuple[int, bytes]  # version and leaf of a stream's last entry


class TornFeed(ValueError):
    """The feed is not what the log promises: a gap, a wrong hash, a broken link, an entry that cannot be read."""


class Row(NamedTuple):
    """One row of the view `journal.feed`."""

    position: int
    stream: str
    version: int
    line: bytes
    leaf: bytes


class Feed:
    """A connection to the log's database that may read the feed and nothing else."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self._rung = asyncio.Event()

    @classmethod
    async def open(cls, url: str) -> Self:
        """Connect, and listen to the doorbell."""
        feed = cls(await asyncpg.connect(url, timeout=10, command_timeout=60))
        try:
            await feed._connection.add_listener(_BELL, lambda *_: feed.ring())
        except BaseException:
            feed._connection.terminate()
            raise
        return feed

    async def read(self, after: int, limit: int = BATCH) -> list[Row]:
        """Read the entries after a position."""
        rows = await self._connection.fetch(
            "select position, stream, version, line, leaf from journal.feed"
            " where position > $1 order by position limit $2",
            after,
            limit,
        )
        return [Row(*row) for row in rows]

    async def size(self) -> int:
        """Count the entries of the log."""
        return int(await self._connection.fetchval("select coalesce(max(position) + 1, 0) from journal.feed"))

    def ring(self) -> None:
        """Wake up whoever waits."""
        self._rung.set()

    async def wait(self, seconds: float) -> None:
        """Wait for news. The bell only wakes: news that it did not ring for is found when the time is up."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._rung.wait(), seconds)
        self._rung.clear()

    async def aclose(self) -> None:
        """Hang up."""
        try:
            await self._connection.close(timeout=5)
        except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError):
            self._connection.terminate()


def check(row: Row, *, position: int, tips: Mapping[str, Tip]) -> Entry:
    """Check that a row is the entry at its place and follows its stream's tip; read it. Raises TornFeed."""
    if row.position != position:
        raise TornFeed(f"position {position} is missing: {row.position} comes in its place")
    if entry.leaf(row.line) != row.leaf:
        raise TornFeed("the leaf is not the hash of the line")
    try:
        read = entry.decode(row.line)
    except UnreadableError as error:
        what = "an entry of an unknown schema" if error.unknown_schema else "unreadable"
        raise TornFeed(f"{what}: {error}") from error
    if (read.stream, read.version) != (row.stream, row.version):
        raise TornFeed(f"said to be {row.stream} {row.version}, but the line is {read.stream} {read.version}")
    version, leaf = tips.get(row.stream, _NO_TIP)
    if read.version != version + 1:
        raise TornFeed(f"{row.stream} goes from version {version} to {read.version}")
    if read.prev != leaf.hex():
        raise TornFeed(f"the link of {row.stream} {read.version} does not lead to version {version}")
    return read
