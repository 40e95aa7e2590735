"""The streams that this service holds: each is read once, kept while it is true, and dropped on any failure."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from schemas.entry import decode
from schemas.events import TableOpened
from services.table.command import Appended
from services.table.game.state import Playing, Staking
from services.table.journal import Journal
from services.table.stream import AccountStream, AnyStream, TableStream, read_account, read_table

STREAMS_HELD = 20_000
SEATS_SET = b'"event":{"type":"seats-set",'

S = TypeVar("S", TableStream, AccountStream)


class Held:
    """Streams as they will be once everything that is queued on them is written."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._tables: dict[str, TableStream] = {}
        self._accounts: dict[str, AccountStream] = {}
        self._reading: dict[str, asyncio.Task[Any]] = {}
        self._queued: dict[str, asyncio.Future[Appended]] = {}

    def known_table(self, name: str | None) -> TableStream | None:
        """Give a table's stream if it is held, and the table was ever opened."""
        held = self._tables.get(f"table/{name}")
        return None if held is None or held.table is None else held

    async def table(self, name: str) -> TableStream:
        """Give a table's stream, reading it when it is not held; empty when no such table was ever opened."""
        if (held := self._tables.get(f"table/{name}")) is not None:
            return held
        return await self._read(self._tables, f"table/{name}", self._read_table)

    def players_bank(self) -> list[TableStream]:
        """Give the tables held at which a player banks, as long as a coup is open."""
        return [
            held
            for held in self._tables.values()
            if held.table is not None and isinstance(held.table.phase, Staking | Playing)
        ]

    async def account(self, name: str) -> AccountStream:
        """Give a patron's stream, reading it when it is not held; empty when he has no account."""
        if (held := self._accounts.get(f"patron/{name}")) is not None:
            return held
        return await self._read(self._accounts, f"patron/{name}", self._read_account)

    def has(self, held: AnyStream) -> bool:
        """Whether this is still what everybody decides on."""
        shelf: dict[str, Any] = self._tables if isinstance(held, TableStream) else self._accounts
        return shelf.get(held.tip.stream) is held

    def drop(self, *streams: AnyStream) -> None:
        """Forget what was held, unless it has been read anew already."""
        for held in streams:
            if self.has(held):
                shelf: dict[str, Any] = self._tables if isinstance(held, TableStream) else self._accounts
                del shelf[held.tip.stream]

    def queue(self, held: AnyStream, future: asyncio.Future[Appended]) -> None:
        """Note that the stream's last entries are on their way."""
        self._queued[held.tip.stream] = future

    async def is_true(self, held: AnyStream, *, version: int, prev: str) -> bool:
        """Whether the stream stood durably at this version, with nothing of others behind it; if not, it is dropped."""
        if await self._stands(held, version, prev):
            return True
        self.drop(held)
        return False

    async def _stands(self, held: AnyStream, version: int, prev: str) -> bool:
        """Tell it from the append that is on its way, which fails when somebody else wrote; else from the database."""
        stream = held.tip.stream
        if await self._has_followed(held):
            return True
        last = await self._journal.last(stream)
        if last is None:
            return version == 0
        if (last.version, last.leaf.hex()) == (version, prev):
            return True
        # Our own entries of the meantime may stand above it: when their append succeeds, they followed this version.
        return held.tip.version > version and await self._has_followed(held, even_done=True)

    async def _has_followed(self, held: AnyStream, *, even_done: bool = False) -> bool:
        """Wait for what is queued on the stream, and tell whether it went well."""
        queued = self._queued.get(held.tip.stream)
        if queued is None or (queued.done() and not even_done):
            return False
        await asyncio.wait([queued])
        return not queued.cancelled() and queued.exception() is None and self.has(held)

    async def _read(self, shelf: dict[str, S], stream: str, read: Callable[[str], Coroutine[Any, Any, S]]) -> S:
        """Read a stream once for all who ask at the same time."""
        reading = self._reading.get(stream)
        if reading is None or reading.done():
            reading = asyncio.ensure_future(self._put(shelf, stream, read))
            self._reading[stream] = reading
            reading.add_done_callback(lambda done: self._have_read(stream, done))
        read_by_all: S = await asyncio.shield(reading)
        return read_by_all

    async def _put(self, shelf: dict[str, S], stream: str, read: Callable[[str], Coroutine[Any, Any, S]]) -> S:
        """Read a stream after whatever this service has queued on it has been answered."""
        if (queued := self._queued.get(stream)) is not None:
            await asyncio.wait([queued])
        held = await read(stream)
        self._make_room()
        shelf[stream] = held
        return held

    def _have_read(self, stream: str, done: asyncio.Task[Any]) -> None:
        if self._reading.get(stream) is done:
            del self._reading[stream]
        if not done.cancelled():
            done.exception()  # those who waited raise it; when they all went away, nobody has to

    async def _read_table(self, stream: str) -> TableStream:
        chapter = await self._journal.chapter(stream)
        held = read_table(stream, chapter)
        if held.table is not None and held.table.rules.game != "house":
            held = read_table(stream, [*await self._before(stream, chapter), *chapter])
        if held.table is not None and not held.table.name:
            held.entitle(await self._journal.opening(stream))
        return held

    async def _before(self, stream: str, chapter: Sequence[bytes]) -> list[bytes]:
        """Read the chapters before that tell who sits, and whose turn it is: back to the last that states the seats."""
        lines: list[bytes] = []
        first = decode(chapter[0])
        states = any(SEATS_SET in line for line in chapter)
        while not states and not isinstance(first.event, TableOpened):
            earlier = await self._journal.chapter_before(stream, first.version)
            states, first = any(SEATS_SET in line for line in earlier), decode(earlier[0])
            lines = [*earlier, *lines]
        return lines

    async def _read_account(self, stream: str) -> AccountStream:
        chapter = await self._journal.chapter(stream)
        return read_account(stream, [await self._journal.opening(stream), *chapter] if chapter else [])

    def _make_room(self) -> None:
        """Start anew when too much is held: what is needed is read again."""
        if len(self._tables) + len(self._accounts) >= STREAMS_HELD:
            self._tables.clear()
            self._accounts.clear()
            self._queued = {name: queued for name, queued in self._queued.items() if not queued.done()}
