"""The databases and their roles, on any PostgreSQL that we may rule: what `deploy/roles.sql` says."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import asyncpg

TABLE_DATABASE = "shoelog_table"
LEDGER_DATABASE = "shoelog_ledger"
DATABASES = (TABLE_DATABASE, LEDGER_DATABASE)
LOGINS = (
    "shoelog_table_migrator",
    "shoelog_table",
    "shoelog_feed",
    "shoelog_ledger_migrator",
    "shoelog_ledger",
)


# Held until the connection is closed.
_ONE_AT_A_TIME = "SELECT pg_advisory_lock(hashtextextended('shoelog roles', 0))"


def roles_sql() -> str:
    """The script: in a checkout it lies in `deploy`, in an installed wheel beside this module."""
    here = Path(__file__)
    checkout = here.parents[2] / "deploy" / "roles.sql"
    return (checkout if checkout.is_file() else here.with_name("roles.sql")).read_text()


async def prepare(url: str, *, passwords: Mapping[str, str], databases: Iterable[str] = DATABASES) -> None:
    """Make the databases that are missing, then the roles and who may enter where; set the passwords given.

    `url` is a superuser's. A database is the table service's or the ledger's by the beginning of its name. Doing it
    again changes nothing but passwords. Who does it at the same time, by the same URL, waits.
    """
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(_ONE_AT_A_TIME)
        for database in databases:
            await create_database(connection, database)
        await connection.execute(roles_sql())
        for role, password in passwords.items():
            await set_password(connection, role=role, password=password)
    finally:
        await connection.close()


async def create_database(connection: asyncpg.Connection, database: str) -> None:
    """One database, unless it exists; text sorts by its bytes on every machine."""
    if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", database):
        statement = "SELECT format('CREATE DATABASE %I TEMPLATE template0 ENCODING ''UTF8'' LOCALE ''C''', $1::text)"
        await connection.execute(await connection.fetchval(statement, database))


async def set_password(connection: asyncpg.Connection, *, role: str, password: str) -> None:
    """A role's password; the statement takes no parameters, so the server quotes it."""
    statement = "SELECT format('ALTER ROLE %I PASSWORD %L', $1::text, $2::text)"
    await connection.execute(await connection.fetchval(statement, role, password))
