"""The notary's figures can be taken, and are of a log that is signed to its end."""

from pathlib import Path

import asyncpg
import pytest

from services.table import bench_notary
from services.table.journal import Journal
from tests.databases import Database
from tests.table.office import kept

pytestmark = pytest.mark.anyio


async def test_what_a_signed_entry_costs_and_how_long_it_waits_is_measured(
    journal: Journal, pool: asyncpg.Pool, journal_database: Database, tmp_path: Path
) -> None:
    url = journal_database.url("shoelog_table")

    taken = await bench_notary.cost(url, tmp_path, entries=2048)
    beside = await bench_notary.beside(url, tmp_path, entries=2048, turns=1)

    assert min(taken.append_microseconds, taken.sign_microseconds) > 0
    assert min(beside.alone.entries_per_second, beside.signed.entries_per_second) > 0
    assert 0 < beside.waits.median_seconds <= beside.waits.p99_seconds
    assert await journal.size() == 5 * 2048
    assert (await kept(pool))[-1] == 5 * 2048
