"""Make the journal's tables and functions, or bring them up to date: running it again changes nothing."""

from pathlib import Path

import asyncpg

OWNER = "shoelog_table_owner"
_SCRIPTS = ("journal.sql", "append.sql", "grants.sql", "agreement.sql")
_ONE_AT_A_TIME = 0x73686F656C6F67  # "shoelog"


async def migrate(connection: asyncpg.Connection) -> None:
    """Apply the scripts in one transaction, as the owner: a superuser, or a member of the owner's role, may."""
    async with connection.transaction():
        await connection.execute(f"set local role {OWNER}")
        await connection.execute("select pg_advisory_xact_lock($1)", _ONE_AT_A_TIME)
        for script in _SCRIPTS:
            await connection.execute(Path(__file__).with_name(script).read_text())
