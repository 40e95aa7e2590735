"""The keys that open the table service are those in the cabinet; the service itself cannot make any."""

from hashlib import sha256

import asyncpg
import pytest

from services.door.keys import Caller
from services.house import keys as cabinet
from services.table import keys
from tests.databases import Database

pytestmark = pytest.mark.anyio


@pytest.fixture
def migrator(journal_database: Database) -> str:
    """Where the one who migrates enters."""
    return journal_database.url("shoelog_table_migrator")


async def test_a_key_opens_until_it_is_revoked(migrator: str, pool: asyncpg.Pool) -> None:
    text = await cabinet.add(migrator, "table", role="operator", name="floor-1")
    assert await keys.load(pool) == [(sha256(text.encode()).digest(), Caller("operator", "floor-1"))]

    assert await cabinet.revoke(migrator, "table", role="operator", name="floor-1")

    assert await keys.load(pool) == []


async def test_a_name_has_one_key_a_role_and_a_text_that_is_given_replaces_it(
    migrator: str, pool: asyncpg.Pool
) -> None:
    await cabinet.add(migrator, "table", role="auditor", name="a")
    await cabinet.add(migrator, "table", role="dashboard", name="a")
    with pytest.raises(cabinet.KeyTaken):
        await cabinet.add(migrator, "table", role="auditor", name="a")

    for _ in range(2):
        await cabinet.keep(migrator, "table", keys={"auditor": "shoelog_auditor_given"}, name="a")

    opening = {caller: hashed for hashed, caller in await keys.load(pool)}
    assert set(opening) == {Caller("auditor", "a"), Caller("dashboard", "a")}
    assert opening[Caller("auditor", "a")] == sha256(b"shoelog_auditor_given").digest()


@pytest.mark.parametrize(("role", "name"), [("owner", "a"), ("auditor", "An Auditor"), ("auditor", "")])
async def test_a_key_has_a_role_and_a_name(migrator: str, role: str, name: str) -> None:
    with pytest.raises(asyncpg.CheckViolationError):
        await cabinet.keep(migrator, "table", keys={role: "shoelog_given"}, name=name)


async def test_the_service_cannot_make_keys(pool: asyncpg.Pool) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await pool.execute("insert into journal.api_key values ($1, 'operator', 'me')", bytes(32))


async def test_the_text_of_a_key_is_kept_nowhere(journal_database: Database, migrator: str) -> None:
    text = await cabinet.add(migrator, "table", role="operator", name="a")

    connection = await asyncpg.connect(journal_database.superuser)
    rows = await connection.fetch("select k::text as row from journal.api_key k")
    await connection.close()
    assert len(rows) == 1
    assert text not in rows[0]["row"]
