"""A table is loaded from its last chapter, however long its history; shoes are found by number."""

import json
from collections.abc import Iterator
from typing import Any

import asyncpg
import pytest

from services.table import journal as module
from services.table.journal import Journal, ShoeRange
from tests.table.tapes import Tape

pytestmark = pytest.mark.anyio


async def test_a_chapter_is_what_was_written_since_it_began(journal: Journal) -> None:
    tape = Tape()
    for asked in (tape.begin(), tape.bet(count=5), tape.begin(shoe=1), tape.bet(count=3)):
        await journal.append(asked)

    lines = await journal.chapter(tape.stream)

    assert [json.loads(line)["version"] for line in lines] == [7, 8, 9, 10]


async def test_a_patrons_last_entry_stands_alone(journal: Journal) -> None:
    tape = Tape("patron/p-1")
    await journal.append(tape.bet(count=5))

    assert [json.loads(line)["version"] for line in await journal.chapter(tape.stream)] == [5]
    assert json.loads(await journal.opening(tape.stream))["version"] == 1


async def test_a_stream_without_entries_has_an_empty_chapter(journal: Journal) -> None:
    assert await journal.chapter("table/b1") == []
    assert await journal.last("table/b1") is None


@pytest.mark.parametrize("mode", ["force_custom_plan", "force_generic_plan"])
async def test_loading_a_table_reads_no_entry_of_an_earlier_chapter(
    journal: Journal, superuser: asyncpg.Connection, mode: str
) -> None:
    tapes = [Tape(f"table/b{number}") for number in (1, 2, 3)]
    for shoe in range(1, 21):
        for tape in tapes:
            await journal.append(tape.begin(shoe=shoe))
            await journal.append(tape.bet(count=99))

    await superuser.execute("analyze journal.entry")
    await superuser.execute(f"set plan_cache_mode = {mode}")
    await superuser.execute(f"prepare chapter (text) as {module._CHAPTER}")  # noqa: SLF001  # what it reads is the point
    plan = await superuser.fetchval("explain (analyze, format json) execute chapter ('table/b1')")

    assert sum(rows_read(json.loads(plan)[0]["Plan"])) == 1 + 100


def rows_read(plan: dict[str, Any]) -> Iterator[int]:
    """How many rows each part of a plan took from the table, those it threw away too."""
    if plan["Node Type"] in ("Seq Scan", "Index Scan", "Index Only Scan", "Bitmap Heap Scan"):
        yield round(plan["Actual Rows"]) + plan.get("Rows Removed by Filter", 0)
    for part in plan.get("Plans", []):
        yield from rows_read(part)


async def test_shoes_are_found_by_number_and_end_where_the_next_chapter_begins(journal: Journal) -> None:
    tape = Tape()
    for asked in (tape.begin(), tape.begin(shoe=1), tape.bet(count=2), tape.begin(), tape.begin(shoe=2), tape.bet()):
        await journal.append(asked)

    first, second = (
        ShoeRange(shoe=1, first_version=2, last_version=4),
        ShoeRange(shoe=2, first_version=6, last_version=7),
    )
    assert await journal.shoes(tape.stream) == [first, second]
    assert [await journal.shoe(tape.stream, number) for number in (1, 2, 3)] == [first, second, None]
    assert json.loads(await journal.opening(tape.stream))["version"] == 5


async def test_tables_are_named_once_each(journal: Journal) -> None:
    for stream in ("table/b2", "patron/p-1", "table/b1"):
        tape = Tape(stream)
        await journal.append(tape.begin())
        await journal.append(tape.begin())

    assert await journal.tables() == ["table/b1", "table/b2"]


async def test_a_seed_is_kept_with_its_shoe_until_it_is_forgotten(journal: Journal) -> None:
    tape = Tape()
    await journal.append(tape.begin(shoe=1, sealed=b"sealed"))
    assert await journal.seed(tape.stream, 1) == b"sealed"

    await journal.forget_seed(tape.stream, 1)
    await journal.forget_seed(tape.stream, 1)

    assert await journal.seed(tape.stream, 1) is None
    assert await journal.shoe(tape.stream, 1) is not None


async def test_a_seed_comes_only_with_the_entry_that_commits_to_it(journal: Journal) -> None:
    tape = Tape()
    await journal.append(tape.begin(shoe=1, sealed=b"sealed"))
    asked = tape.bet()
    told = Tape().begin(shoe=2, sealed=b"other").shoe

    with pytest.raises(asyncpg.CheckViolationError):
        await journal.append(
            type(asked)(**{name: getattr(asked, name) for name in asked.__struct_fields__} | {"shoe": told})
        )

    assert await journal.size() == 1
