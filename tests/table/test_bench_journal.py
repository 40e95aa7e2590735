"""The journal's figures can be taken: every way writes what it says, and a table loads behind any history."""

import pytest

from services.table import bench_journal
from services.table.journal import Journal
from tests.databases import Database
from tests.table.tapes import follows

pytestmark = pytest.mark.anyio


async def test_every_way_of_writing_is_measured_and_writes_a_sound_log(
    journal: Journal, journal_database: Database
) -> None:
    url = journal_database.url("shoelog_table")

    taken = await bench_journal.compare(url, journal_database.superuser, turns=1, entries=2048)

    paces = [taken.ready_batches, taken.bare_insert, taken.one_at_a_time, *taken.grouped.values()]
    assert all(pace.entries_per_second > 0 and pace.p99_seconds > 0 for pace in paces)
    assert sorted(taken.grouped) == [1, 32, 256]
    assert follows(await journal.page(-1, 10_000))
    assert await journal.size() == 3 * 2048 + 2 * 128


async def test_loading_a_table_is_measured_behind_each_history(journal_database: Database) -> None:
    url = journal_database.url("shoelog_table")

    taken = await bench_journal.load_seconds(url, histories=(100, 1000), chapter=50, times=3)

    assert sorted(taken) == [100, 1000]
