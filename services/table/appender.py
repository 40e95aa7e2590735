"""The one pen of the journal: commands of all requests queue here, and one task writes whatever has queued.

The task belongs to no request and is never cancelled by one: a request that goes away is not undone.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import asyncpg
import structlog

from services.table.command import Answered, Appended, Command, KeyUsedError, OutrunError, UnavailableError
from services.table.database import BROKEN, Connection, Pool, leave, reach

ENTRIES_PER_BATCH = 512

APPEND = "select * from journal.append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)"
_WRITTEN = "select * from journal.written($1, $2)"
_log = structlog.get_logger()


class Waiting:
    """A command in the queue, and the future that its request waits for."""

    __slots__ = ("command", "future")

    def __init__(self, command: Command, future: asyncio.Future[Appended]) -> None:
        self.command = command
        self.future = future

    def streams(self) -> set[str]:
        """Give the streams that the command writes on."""
        return {entry.stream for entry in self.command.entries}

    def answer(self, first_position: int) -> None:
        """Tell the request, if it still listens, that the command is durable."""
        if not self.future.done():
            self.future.set_result(Appended(first_position=first_position))

    def refuse(self, error: Exception) -> None:
        """Tell the request, if it still listens, that the command is not written."""
        if not self.future.done():
            self.future.set_exception(error)
            self.future.exception()  # a request that went away meanwhile leaves no "never retrieved" behind


class Appender:
    """Writes commands in the order they came, as many at once as have queued. Made within the running event loop."""

    def __init__(self, pool: Pool, *, patience_seconds: float) -> None:
        self._pool = pool
        self._patience_seconds = patience_seconds
        self._queue: deque[Waiting] = deque()
        self._news = asyncio.Event()
        self._is_closing = False
        self._connection: Connection | None = None
        self._written = 0  # the size of the journal, as far as this pen has seen
        self._task = asyncio.get_running_loop().create_task(self._write_what_queues())

    def enqueue(self, command: Command) -> asyncio.Future[Appended]:
        """Queue a command, now: the order of calls is the order of writing."""
        if not command.entries:
            raise ValueError("a command that writes nothing is not kept")
        future: asyncio.Future[Appended] = asyncio.get_running_loop().create_future()
        waiting = Waiting(command, future)
        if self._is_closing:
            waiting.refuse(UnavailableError("the journal is closing"))
            return future
        self._queue.append(waiting)
        self._news.set()
        return future

    @property
    def queued(self) -> int:
        """Count the commands that wait for the pen."""
        return len(self._queue)

    async def close(self) -> None:
        """Write what has queued, then put the pen down."""
        self._is_closing = True
        self._news.set()
        await self._task
        if self._connection is not None:
            await leave(self._pool, self._connection)
            self._connection = None

    async def _write_what_queues(self) -> None:
        while self._queue or not self._is_closing:
            if self._queue:
                await self._write(self._next_batch())
            else:
                self._news.clear()
                await self._news.wait()

    def _next_batch(self) -> list[Waiting]:
        """Take from the queue what fits into one call; a key that stands in the batch already waits for the next."""
        queue, batch, keys, entries = self._queue, list[Waiting](), set[tuple[str, str]](), 0
        while queue:
            command = queue[0].command
            entries += len(command.entries)
            if batch and (entries > ENTRIES_PER_BATCH or (command.actor, command.key) in keys):
                break
            keys.add((command.actor, command.key))
            batch.append(queue.popleft())
        return batch

    async def _write(self, batch: list[Waiting]) -> None:
        """Answer or refuse every command of the batch; never raise."""
        try:
            await self._settle_or_recover(batch)
        except Exception as error:  # noqa: BLE001  # whatever one command is made of, the others go on without it
            if len(batch) == 1:
                _log.error("journal_refused_a_command", error=str(error))
                batch[0].refuse(error)
                return
            for waiting in tuple(batch):
                await self._write([waiting])

    async def _settle_or_recover(self, batch: list[Waiting]) -> None:
        try:
            await self._settle(batch)
        except UnavailableError:
            self._give_up([*batch, *self._queue])
        except BROKEN as error:
            _log.warning("journal_connection_broke", commands=len(batch), error=type(error).__name__)
            await self._recover(batch)

    async def _settle(self, batch: list[Waiting]) -> None:
        """Append the batch; take out what does not fit until the rest does. What is settled has left the list."""
        while batch:
            connection = await self._connected()
            result = await connection.fetchrow(APPEND, *columns(batch))
            if result is None:
                raise AssertionError("append answers with one row")
            if result["used"] or result["outrun"]:
                await self._take_out(batch, used=result["used"] or (), outrun=result["outrun"] or ())
                continue
            position = result["first_position"]
            for waiting in batch:
                waiting.answer(position)
                position += len(waiting.command.entries)
            self._written = position
            batch.clear()

    async def _take_out(self, batch: list[Waiting], *, used: Sequence[int], outrun: Sequence[int]) -> None:
        """Refuse these commands (counted from 1), and with them what was decided on their success."""
        repeats = [batch[number - 1] for number in used]
        answers = await self._look_up(repeats) if repeats else {}
        refused = {batch[number - 1] for number in (*used, *outrun)}
        for waiting in refused:
            found = answers.get((waiting.command.actor, waiting.command.key))
            waiting.refuse(KeyUsedError(found[0]) if found else OutrunError("somebody else wrote first"))
        self._strike(batch, refused)

    def _strike(self, batch: list[Waiting], refused: Iterable[Waiting]) -> None:
        """Take the refused out, and all that stands behind them on their streams, in the batch and in the queue."""
        gone, dead = set(refused), set[str]()
        for waiting in chain(batch, self._queue):
            streams = waiting.streams()
            if waiting not in gone and not dead.isdisjoint(streams):
                waiting.refuse(OutrunError("what it leant on failed"))
                gone.add(waiting)
            if waiting in gone:
                dead |= streams
        batch[:] = [waiting for waiting in batch if waiting not in gone]
        self._queue = deque(waiting for waiting in self._queue if waiting not in gone)

    async def _recover(self, batch: list[Waiting]) -> None:
        """After a break: find out what is written, and try the rest once more."""
        try:
            await self._sort_out(batch)
            try:
                await self._settle(batch)
            except BROKEN:
                await self._sort_out(batch)
        except UnavailableError:
            self._give_up([*batch, *self._queue])
        else:
            self._give_up(batch)

    async def _sort_out(self, batch: list[Waiting]) -> None:
        """Reach the database again and answer what is found there. Raises UnavailableError when it stays away."""
        found = await self._look_up_again(batch)
        refused = set()
        for waiting in batch:
            command = waiting.command
            answered, first_leaf = found.get((command.actor, command.key), (None, None))
            if answered is not None and first_leaf == command.entries[0].leaf:
                waiting.answer(answered.first_position)
            elif answered is not None:
                waiting.refuse(KeyUsedError(answered))
                refused.add(waiting)
        self._strike(batch, refused)
        batch[:] = [waiting for waiting in batch if (waiting.command.actor, waiting.command.key) not in found]

    async def _look_up_again(self, batch: Sequence[Waiting]) -> dict[tuple[str, str], tuple[Answered, bytes]]:
        for _ in range(3):
            await self._disconnect()
            with contextlib.suppress(*BROKEN):
                return await self._look_up(batch)
        raise UnavailableError("the database breaks off again and again")

    async def _look_up(self, batch: Sequence[Waiting]) -> dict[tuple[str, str], tuple[Answered, bytes]]:
        """Find which of these keys are used, for what, and the leaf of the first entry written under them."""
        connection = await self._connected()
        commands = [waiting.command for waiting in batch]
        rows = await connection.fetch(_WRITTEN, [c.actor for c in commands], [c.key for c in commands])
        return {(row["actor"], row["key"]): (answered(row), row["first_leaf"]) for row in rows}

    def _give_up(self, unwritten: list[Waiting]) -> None:
        """Refuse what could not be written."""
        if not unwritten:
            return
        _log.error("journal_unavailable", commands=len(unwritten))
        for waiting in unwritten:
            waiting.refuse(UnavailableError("the database does not answer"))
        self._strike(unwritten, unwritten)

    async def _connected(self) -> Connection:
        if self._connection is None or self._connection.is_closed():
            await self._disconnect()
            self._connection = await self._connect()
        return self._connection

    async def _connect(self) -> Connection:
        """Connect, but not to a journal that has fewer entries than this pen wrote: the database was taken back."""
        connection = await reach(self._pool, patience_seconds=self._patience_seconds)
        try:
            size = await connection.fetchval("select size from journal.head")
        except BaseException:
            await leave(self._pool, connection)
            raise
        if size < self._written:
            await leave(self._pool, connection)
            _log.critical("journal_went_back", size=size, written=self._written)
            raise UnavailableError(f"the journal went back from {self._written} entries to {size}")
        return connection

    async def _disconnect(self) -> None:
        if self._connection is not None:
            await leave(self._pool, self._connection)
            self._connection = None


def answered(row: asyncpg.Record) -> Answered:
    """Read what is kept of a command."""
    return Answered(
        request=row["request"],
        answer=row["answer"],
        first_position=row["first_position"],
        entries=row["entries"],
    )


def columns(batch: Sequence[Waiting]) -> tuple[list[Any], ...]:
    """Lay a batch out as the arrays that the append function takes: entries, commands, shoes."""
    commands = [waiting.command for waiting in batch]
    entries = [entry for command in commands for entry in command.entries]
    shoes = [command.shoe for command in commands if command.shoe is not None]
    return (
        [number for number, command in enumerate(commands, 1) for _ in command.entries],
        [entry.stream for entry in entries],
        [entry.version for entry in entries],
        [entry.chapter for entry in entries],
        [entry.line for entry in entries],
        [command.actor for command in commands],
        [command.key for command in commands],
        [command.request for command in commands],
        [command.answer for command in commands],
        [shoe.stream for shoe in shoes],
        [shoe.version for shoe in shoes],
        [shoe.shoe for shoe in shoes],
        [shoe.sealed for shoe in shoes],
    )
