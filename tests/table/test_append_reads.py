"""What an append reads does not grow with the log: no entry, no key, no chapter more behind a long history."""

import asyncpg
import pytest

from services.table.appender import APPEND, Waiting, columns
from services.table.command import Command
from tests.table.tapes import Tape

pytestmark = pytest.mark.anyio

_ROWS_READ = """
    select (select sum(seq_tup_read) from pg_stat_user_tables where schemaname = 'journal')
        + (select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = 'journal')
"""


async def rows_read(connection: asyncpg.Connection) -> int:
    await connection.execute("select pg_stat_force_next_flush()")
    return int(await connection.fetchval(_ROWS_READ))


async def rows_read_by(connection: asyncpg.Connection, *commands: Command) -> int:
    """Append commands in one batch, and count what PostgreSQL had to read for it."""
    before = await rows_read(connection)
    waiting = [Waiting(command, None) for command in commands]  # type: ignore[arg-type]  # nobody waits
    appended = await connection.fetchrow(APPEND, *columns(waiting))
    assert appended is not None
    assert appended["first_position"] is not None
    return await rows_read(connection) - before


async def test_an_append_behind_a_long_history_reads_no_more_than_one_behind_a_short_one(
    superuser: asyncpg.Connection,
) -> None:
    tape, history = Tape(), Tape("table/b2")
    await rows_read_by(superuser, tape.bet())  # from here on the plans stand, made while the tables were empty
    short = await rows_read_by(superuser, *(tape.bet() for _ in range(8)))

    for _ in range(20):
        await rows_read_by(superuser, *(history.bet() for _ in range(100)))
    long = await rows_read_by(superuser, *(tape.bet() for _ in range(8)))

    assert 0 < long <= short + 8
