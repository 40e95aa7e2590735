"""The database refuses what must never happen, to the service, to the ledger's eye, and to the journal's owner."""

from collections.abc import Iterable

import asyncpg
import pytest

from services.table.journal import Journal
from services.table.migrate import migrate
from tests.databases import Database
from tests.table.tapes import Tape

pytestmark = pytest.mark.anyio

KEPT = ("entry", "command", "chapter", "checkpoint", "volume")
CHANGES = ("update journal.{} set {column} = {column}", "delete from journal.{}", "truncate journal.{}")
COLUMNS = {
    "entry": "line",
    "command": "answer",
    "chapter": "version",
    "checkpoint": "note",
    "volume": "vkey",
    "head": "size",
}
INSERTS = {
    "head": "insert into journal.head (one, size) values (true, 5)",
    "entry": "insert into journal.entry values (1, 2, 1, 'table/b1', '\\x00', '\\x00')",
    "command": "insert into journal.command values ('operator:x', 'k', '\\x00', '\\x00', 0, 1)",
    "chapter": "insert into journal.chapter values ('table/b1', 9, 9, null)",
    "checkpoint": "insert into journal.checkpoint (size, note) values (1, 'note')",
    "node": "insert into journal.node values (0, 8, 0, sha256('x'))",
    "volume": "insert into journal.volume values (2, 0, 'casino.example/log/1')",
    "api_key": "insert into journal.api_key (hash, role, name) values (sha256('x'), 'operator', 'x')",
}


@pytest.fixture
async def written(journal: Journal, superuser: asyncpg.Connection) -> None:
    """A row in every table."""
    tape = Tape()
    await journal.append(tape.begin(shoe=1, sealed=b"sealed"))
    await journal.append(tape.bet())
    await superuser.execute("select journal.keep_checkpoint(1, 'note'), journal.open_volume('casino.example/log/1')")


def changes(tables: tuple[str, ...]) -> list[str]:
    return [change.format(table, column=COLUMNS[table]) for table in tables for change in CHANGES]


async def passed(
    connection: asyncpg.Connection | asyncpg.Pool, statements: Iterable[str], error: type[Exception]
) -> list[str]:
    """The statements that were not refused with this error."""
    slipped = []
    for statement in statements:
        try:
            await connection.execute(statement)
        except error:
            continue
        slipped.append(statement)
    return slipped


@pytest.mark.usefixtures("written")
async def test_the_service_can_change_nothing_past_the_append_function(pool: asyncpg.Pool) -> None:
    statements = [*changes((*KEPT, "head")), *INSERTS.values()]

    assert await passed(pool, statements, asyncpg.InsufficientPrivilegeError) == []


@pytest.mark.usefixtures("written")
async def test_the_owner_cannot_change_what_is_written(superuser: asyncpg.Connection) -> None:
    await superuser.execute("set role shoelog_table_owner")

    assert await passed(superuser, changes(KEPT), asyncpg.RestrictViolationError) == []


@pytest.mark.usefixtures("written")
async def test_a_superuser_does_not_pass_by_playing_replica(superuser: asyncpg.Connection) -> None:
    await superuser.execute("set session_replication_role = replica")

    assert await passed(superuser, changes(KEPT), asyncpg.RestrictViolationError) == []


@pytest.mark.usefixtures("written")
async def test_the_log_never_shrinks(superuser: asyncpg.Connection) -> None:
    statements = ["update journal.head set size = size - 1", "delete from journal.head", "truncate journal.head"]

    assert await passed(superuser, statements, asyncpg.RestrictViolationError) == []


@pytest.mark.usefixtures("written")
async def test_a_seed_can_be_forgotten_and_not_exchanged(superuser: asyncpg.Connection) -> None:
    with pytest.raises(asyncpg.RestrictViolationError):
        await superuser.execute("update journal.chapter set sealed = 'another'")


@pytest.mark.usefixtures("written")
async def test_an_entry_too_long_is_refused_past_every_function(superuser: asyncpg.Connection) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await superuser.execute(
            "insert into journal.entry values (2, 3, 1, 'table/b1', '\\x00', decode(repeat('00', 65536), 'hex'))"
        )


@pytest.mark.usefixtures("written")
async def test_the_ledgers_role_reads_the_feed_and_nothing_else(journal_database: Database) -> None:
    connection = await asyncpg.connect(journal_database.url("shoelog_feed"))
    try:
        feed = await connection.fetch(
            "select position, stream, version, line, leaf from journal.feed order by position"
        )
        assert [(row["position"], row["version"]) for row in feed] == [(0, 1), (1, 2)]
        for table in (*COLUMNS, "node", "api_key"):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.fetch(f"select * from journal.{table}")  # noqa: S608  # the names stand above
    finally:
        await connection.close()


CALLS = (
    "select journal.keep_checkpoint(1, 'note')",
    "select journal.forget_seed('table/b1', 1)",
    "select journal.keep_nodes(0, '{}', '{}', '{}')",
    "select journal.open_volume('casino.example/log/2')",
    "select journal.written('{}', '{}')",
    "select journal.append('{}','{}','{}','{}','{}','{}','{}','{}','{}','{}','{}','{}','{}')",
)


@pytest.mark.usefixtures("written")
async def test_nobody_but_the_service_may_call_its_functions(superuser: asyncpg.Connection) -> None:
    await superuser.execute("grant usage on schema journal to shoelog_ledger; set role shoelog_ledger")

    assert await passed(superuser, CALLS, asyncpg.InsufficientPrivilegeError) == []


@pytest.mark.usefixtures("written")
async def test_a_checkpoint_neither_shrinks_nor_forks_nor_runs_ahead(pool: asyncpg.Pool) -> None:
    statements = [f"select journal.keep_checkpoint({size}, 'another')" for size in (0, 1, 3)]

    assert await passed(pool, statements, asyncpg.RestrictViolationError) == []


@pytest.mark.usefixtures("written")
async def test_a_checkpoint_grows(pool: asyncpg.Pool) -> None:
    await pool.execute("select journal.keep_checkpoint(1, 'note')")
    await pool.execute("select journal.keep_checkpoint(2, 'next')")

    assert [row["note"] for row in await pool.fetch("select note from journal.checkpoint order by size")] == [
        "note",
        "next",
    ]


@pytest.mark.usefixtures("written")
async def test_migrating_again_changes_nothing(superuser: asyncpg.Connection, journal: Journal) -> None:
    before = await journal.page(-1)

    await migrate(superuser)

    assert await journal.page(-1) == before


async def test_what_the_migration_makes_belongs_to_the_owner_and_nothing_to_the_service(
    superuser: asyncpg.Connection,
) -> None:
    owners = await superuser.fetch(
        "select distinct pg_get_userbyid(relowner) as owner from pg_class where relnamespace = 'journal'::regnamespace"
        " union select pg_get_userbyid(proowner) from pg_proc where pronamespace = 'journal'::regnamespace"
    )

    assert [row["owner"] for row in owners] == ["shoelog_table_owner"]


async def test_functions_that_run_as_the_owner_look_nowhere_but_where_they_say(superuser: asyncpg.Connection) -> None:
    loose = await superuser.fetch(
        "select proname from pg_proc where pronamespace = 'journal'::regnamespace and prosecdef"
        " and not coalesce('search_path=pg_catalog, pg_temp' = any (proconfig), false)"
    )

    assert loose == []
