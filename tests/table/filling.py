"""A log of many entries, written straight through the journal's append function: bets that nobody had to place."""

import asyncio
from collections.abc import Iterator

import asyncpg

from services.table.appender import APPEND, ENTRIES_PER_BATCH, Waiting, columns
from services.table.command import Command
from tests.databases import Database, complete
from tests.table.tapes import Tape


def fill(database: Database, tape: Tape, entries: int) -> None:
    """Append so many entries to a tape's stream."""
    complete(append(database.url("shoelog_table"), commands(tape, entries)))


def commands(tape: Tape, entries: int) -> Iterator[Command]:
    """Make the entries, a full batch to a command."""
    for first in range(0, entries, ENTRIES_PER_BATCH):
        yield tape.bet(count=min(ENTRIES_PER_BATCH, entries - first))


async def append(url: str, written: Iterator[Command]) -> None:
    """Write commands, one after another."""
    connection = await asyncpg.connect(url)
    try:
        statement = await connection.prepare(APPEND)
        for command in written:
            waiting = Waiting(command, asyncio.get_running_loop().create_future())
            answer = await statement.fetchrow(*columns([waiting]))
            assert answer is not None
            assert not answer["outrun"], "the tape is the stream's only writer"
    finally:
        await connection.close()
