"""The databases' roles: who gets in where, and what the owner's rights are."""

import asyncio

import asyncpg
import pytest

from services.house import roles
from tests.databases import Database, secret_of


def ask(url: str, *statements: str) -> list[object]:
    """The first value of each statement's answer, one after the other in one connection."""

    async def asked() -> list[object]:
        connection = await asyncpg.connect(url)
        try:
            return [await connection.fetchval(statement) for statement in statements]
        finally:
            await connection.close()

    return asyncio.run(asked())


@pytest.mark.parametrize("role", ["shoelog_table", "shoelog_feed", "shoelog_table_migrator"])
def test_the_tables_roles_enter_the_tables_database(table_database: Database, role: str) -> None:
    assert ask(table_database.url(role), "SELECT current_user") == [role]


@pytest.mark.parametrize("role", ["shoelog_ledger", "shoelog_ledger_migrator"])
def test_the_ledgers_roles_enter_the_ledgers_database(ledger_database: Database, role: str) -> None:
    assert ask(ledger_database.url(role), "SELECT current_user") == [role]


@pytest.mark.parametrize("role", ["shoelog_ledger", "shoelog_ledger_migrator"])
def test_the_ledger_does_not_enter_the_tables_database(table_database: Database, role: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="permission denied for database"):
        ask(table_database.url(role), "SELECT 1")


@pytest.mark.parametrize("role", ["shoelog_table", "shoelog_feed", "shoelog_table_migrator"])
def test_the_table_does_not_enter_the_ledgers_database(ledger_database: Database, role: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError, match="permission denied for database"):
        ask(ledger_database.url(role), "SELECT 1")


@pytest.mark.parametrize("role", ["shoelog_table_owner", "shoelog_ledger_owner"])
def test_nobody_logs_in_as_an_owner(table_database: Database, role: str) -> None:
    with pytest.raises(asyncpg.InvalidPasswordError):
        ask(table_database.url(role), "SELECT 1")


@pytest.mark.parametrize("role", ["shoelog_table", "shoelog_feed", "shoelog_table_migrator"])
@pytest.mark.parametrize(
    "statement", ["CREATE SCHEMA mine", "CREATE TABLE public.mine ()", "CREATE TEMP TABLE mine ()"]
)
def test_the_tables_roles_make_nothing_of_their_own(table_database: Database, role: str, statement: str) -> None:
    with pytest.raises((asyncpg.InsufficientPrivilegeError, asyncpg.ReadOnlySQLTransactionError)):
        ask(table_database.url(role), statement)


def test_a_migrator_makes_schemas_that_the_owner_role_owns(table_database: Database) -> None:
    owner = ask(
        table_database.url("shoelog_table_migrator"),
        "SET ROLE shoelog_table_owner",
        "CREATE SCHEMA journal",
        "SELECT nspowner::regrole::text FROM pg_namespace WHERE nspname = 'journal'",
    )[-1]

    assert owner == "shoelog_table_owner"


@pytest.mark.parametrize("role", ["shoelog_table", "shoelog_feed"])
def test_a_service_never_becomes_the_owner(table_database: Database, role: str) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        ask(table_database.url(role), "SET ROLE shoelog_table_owner")


def test_roles_applied_twice_change_nothing(postgres: str, table_database: Database) -> None:
    asked = "SELECT string_agg(r::text, ',' ORDER BY rolname) FROM pg_roles r WHERE rolname LIKE 'shoelog%'"
    granted = "SELECT string_agg(datname || datacl::text, ',' ORDER BY datname) FROM pg_database"
    before = ask(postgres, asked, granted)

    asyncio.run(roles.prepare(postgres, databases=[table_database.name], passwords={}))

    assert ask(postgres, asked, granted) == before


def test_several_houses_prepare_one_server_at_the_same_time(postgres: str, table_database: Database) -> None:
    async def together() -> list[None]:
        return await asyncio.gather(
            *(roles.prepare(postgres, databases=[table_database.name], passwords={}) for _ in range(8))
        )

    assert asyncio.run(together()) == [None] * 8


def test_a_password_with_quotes_is_set_as_it_is(postgres: str, table_database: Database) -> None:
    odd = 'it\'s "quoted" \\ 100%'

    asyncio.run(roles.prepare(postgres, databases=[], passwords={"shoelog_feed": odd}))

    try:
        assert asyncio.run(entered(table_database, odd)) == 1
    finally:
        usual = table_database.url("shoelog_feed")
        asyncio.run(roles.prepare(postgres, databases=[], passwords={"shoelog_feed": secret_of(usual)}))


async def entered(database: Database, password: str) -> object:
    """What the feed's reader sees with that password."""
    connection = await asyncpg.connect(database.superuser, user="shoelog_feed", password=password)
    try:
        return await connection.fetchval("SELECT 1")
    finally:
        await connection.close()


def test_no_password_stands_in_the_script() -> None:
    statements = [line for line in roles.roles_sql().splitlines() if not line.startswith("--")]

    assert "PASSWORD" not in "\n".join(statements).upper()


def test_the_table_service_reads_by_index_whatever_the_statistics_say(table_database: Database) -> None:
    assert ask(table_database.url("shoelog_table"), "SHOW enable_seqscan") == ["off"]
