"""PostgreSQL dies, connections break, answers are lost: what was answered is written, once, and the journal goes on."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from services.house import roles
from services.house.postgres import Server
from services.table.appender import APPEND, Waiting, columns
from services.table.command import Appended, Command, OutrunError, UnavailableError
from services.table.journal import Journal
from tests.databases import Database, complete, scratch_directory
from tests.table.conftest import migrate_at
from tests.table.office import cheat
from tests.table.tapes import Tape, follows
from tests.table.wires import Wire

pytestmark = pytest.mark.anyio
WAITS = """
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%journal.append%'
"""


@asynccontextmanager
async def opened(url: str, *, patience_seconds: float = 30.0) -> AsyncIterator[Journal]:
    async with asyncpg.create_pool(url, min_size=0, max_size=6) as pool:
        journal = Journal(pool, patience_seconds=patience_seconds)
        try:
            yield journal
        finally:
            await journal.close()


async def test_a_command_whose_answer_was_lost_on_the_way_is_answered_and_written_once(
    journal_database: Database,
) -> None:
    wire, tape = Wire(), Tape()
    async with wire.laid_to(journal_database.url("shoelog_table")) as url, opened(url) as journal:
        await journal.append(tape.bet())
        asked = [tape.bet(count=2) for _ in range(3)]
        wire.mark = asked[1].key.encode()

        appended = await asyncio.gather(*map(journal.append, asked))

        assert wire.cuts == 1
        assert [one.first_position for one in appended] == [1, 3, 5]
        assert follows(await journal.page(-1))
        assert await journal.size() == 7


async def cut_off(holder: asyncpg.Connection) -> None:
    """End the append that waits for the lock which `holder` has."""
    pid = None
    while pid is None:
        await holder.execute("select pg_stat_clear_snapshot()")  # a transaction sees one picture otherwise
        pid = await holder.fetchval(WAITS)
    await holder.execute("select pg_terminate_backend($1)", pid)


async def test_a_command_whose_append_was_cut_off_is_written_after_all(
    journal: Journal, superuser: asyncpg.Connection
) -> None:
    tape = Tape()
    async with superuser.transaction():
        await superuser.execute("select from journal.head for update")
        futures = [journal.enqueue(tape.bet()) for _ in range(3)]
        await cut_off(superuser)

    assert await asyncio.gather(*futures) == [Appended(first_position=position) for position in range(3)]
    assert await journal.size() == 3


async def test_what_somebody_else_wrote_meanwhile_outruns_a_command_that_was_cut_off(
    journal: Journal, superuser: asyncpg.Connection
) -> None:
    slow, quick = Tape(), Tape()
    async with superuser.transaction():
        await superuser.execute("select from journal.head for update")
        future = journal.enqueue(slow.bet())
        await cut_off(superuser)
        await superuser.execute(APPEND, *columns([Waiting(quick.bet(), asyncio.Future())]))

    with pytest.raises(OutrunError):
        await future
    assert await journal.size() == 1


@pytest.fixture
def server() -> Iterator[Server]:
    """A server of this test's own, to be killed, with an empty journal."""
    with scratch_directory() as directory:
        running = Server(directory=directory / "postgres")
        running.start()
        passwords = {role: running.password_of(role) for role in roles.LOGINS}
        complete(roles.prepare(running.url(), passwords=passwords))
        complete(migrate_at(running.url(database=roles.TABLE_DATABASE, role="shoelog_table_migrator")))
        yield running
        running.stop()


def service_url(server: Server) -> str:
    return server.url(database=roles.TABLE_DATABASE, role="shoelog_table")


async def test_the_journal_survives_the_sudden_death_of_postgresql_under_load(server: Server) -> None:
    """Callers go on until each has written so many; PostgreSQL is killed when the first few hundred are written."""
    told: dict[Command, int] = {}
    enough = asyncio.Event()

    async def play(journal: Journal, table: str) -> None:
        tape = Tape(table)
        for _ in range(200):
            asked = tape.bet()
            try:
                told[asked] = (await journal.append(asked)).first_position
            except (OutrunError, UnavailableError):
                last = await journal.last(table)
                tape = Tape(table).after(last) if last else Tape(table)
            if len(told) > 400:
                enough.set()

    async def die() -> None:
        await enough.wait()
        assert server.pid is not None
        os.kill(server.pid, signal.SIGKILL)
        await asyncio.to_thread(server.wait)
        server.start()

    async with opened(service_url(server)) as journal:
        await asyncio.gather(die(), *(play(journal, f"table/b{number}") for number in range(16)))

        log = await journal.page(-1, 10_000)
        assert follows(log)
        assert all(log[position].leaf == asked.entries[0].leaf for asked, position in told.items())
        assert len(told) == len(log) == await journal.size()


async def test_while_the_database_is_away_commands_and_reads_fail_and_afterwards_they_do_not(server: Server) -> None:
    tape = Tape()
    async with opened(service_url(server), patience_seconds=0.2) as journal:
        await journal.append(tape.bet())
        server.stop()

        unknown = tape.bet()
        behind = journal.enqueue(unknown), journal.enqueue(tape.bet())
        for future in behind:
            with pytest.raises(UnavailableError):
                await future
        with pytest.raises(UnavailableError):
            await journal.last(tape.stream)

        server.start()
        assert await journal.append(unknown) == Appended(first_position=1)
        assert follows(await journal.page(-1))


async def test_nothing_is_written_on_a_journal_that_was_taken_back_while_it_was_away(
    journal: Journal, superuser: asyncpg.Connection
) -> None:
    tape = Tape()
    await journal.append(tape.bet(count=5))
    await cheat(superuser, "delete from journal.entry where position >= 3; update journal.head set size = 3")
    await superuser.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()"
        " and pid <> pg_backend_pid()"
    )

    with pytest.raises(UnavailableError):
        await journal.append(Tape("table/b2").bet())

    assert await journal.size() == 3


async def test_the_doorbell_rings_again_after_the_database_was_away(server: Server) -> None:
    tape = Tape()
    async with opened(service_url(server)) as journal:
        journal.bell.listen()
        await journal.bell.wait(0, 60)
        heard = journal.bell.rings
        server.stop()
        server.start()

        await journal.bell.wait(heard, 60)  # it listens again
        heard = journal.bell.rings
        await journal.append(tape.bet())
        await journal.bell.wait(heard, 60)

        assert journal.bell.rings > heard
