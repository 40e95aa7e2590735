"""API keys are added, listed and revoked by whoever owns the journal; only their hashes are kept."""

from hashlib import sha256

import asyncpg
import pytest

from services.door.keys import Caller
from services.table import keys
from tests.databases import Database

pytestmark = pytest.mark.anyio


async def test_a_key_opens_until_it_is_revoked(journal_database: Database, pool: asyncpg.Pool) -> None:
    url = journal_database.url("shoelog_table_migrator")

    text = await keys.add(url, role="operator", name="floor-1")

    assert await keys.load(pool) == [(sha256(text.encode()).digest(), Caller("operator", "floor-1"))]
    assert [(key.role, key.name) for key in await keys.list_keys(url)] == [("operator", "floor-1")]
    assert await keys.revoke(url, name="floor-1") == 1
    assert await keys.load(pool) == []


async def test_a_name_has_one_key_a_role_unless_its_text_is_given(journal_database: Database) -> None:
    url = journal_database.url("shoelog_table_migrator")
    await keys.add(url, role="auditor", name="a")
    await keys.add(url, role="dashboard", name="a")
    with pytest.raises(keys.NameTakenError):
        await keys.add(url, role="auditor", name="a")

    for _ in range(2):
        assert await keys.add(url, role="auditor", name="a", text="shoelog_auditor_given") == "shoelog_auditor_given"

    assert len(await keys.list_keys(url)) == 2
    assert await keys.revoke(url, name="a", role="auditor") == 1
    assert await keys.revoke(url, name="a") == 1


@pytest.mark.parametrize(("role", "name"), [("owner", "a"), ("auditor", "An Auditor"), ("auditor", "")])
async def test_a_key_has_a_role_and_a_name(journal_database: Database, role: str, name: str) -> None:
    with pytest.raises(ValueError, match="is not a"):
        await keys.add(journal_database.url("shoelog_table_migrator"), role=role, name=name)  # type: ignore[arg-type]


async def test_the_service_cannot_make_keys(pool: asyncpg.Pool) -> None:
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await pool.execute("insert into journal.api_key values ($1, 'operator', 'me')", bytes(32))


async def test_the_text_of_a_key_is_kept_nowhere(journal_database: Database) -> None:
    text = await keys.add(journal_database.url("shoelog_table_migrator"), role="operator", name="a")

    connection = await asyncpg.connect(journal_database.superuser)
    rows = await connection.fetch("select k::text as row from journal.api_key k")
    await connection.close()
    assert not any(text in row["row"] for row in rows)
