"""All tables are listed by one look at the log, however many they are."""

from collections.abc import AsyncIterator, Sequence
from functools import partial

import pytest
from msgspec.structs import replace

from schemas.events import AnyEvent, TableOpened
from services.table.croupier import About, At, Croupier
from services.table.game import floor
from services.table.http import tables
from services.table.http.route import Place
from services.table.journal import Journal
from services.table.pit import Pit
from services.table.told import TableList
from tests.databases import Database
from tests.table.counting import counted
from tests.table.test_croupier import OPENING, croupier_of, take

pytestmark = pytest.mark.anyio
NAMES = [f"b{number:02}" for number in range(12)]


@pytest.fixture
async def pit_and_asked(journal_database: Database) -> AsyncIterator[tuple[Pit, list[str]]]:
    """A pit, and what its database has been asked."""
    async with counted(journal_database.url("shoelog_table")) as (pool, asked):
        pit = Pit()
        pit.journal = Journal(pool)
        pit.croupier = croupier_of(pit.journal)
        yield pit, asked
        await pit.journal.close()


async def open_tables(croupier: Croupier) -> None:
    for name in NAMES:
        opening = partial(open_as, replace(OPENING, table=name))
        await take(croupier, f"open-{name}", About(table=name, may_be_new=True), opening)


def open_as(opening: TableOpened, at: At) -> Sequence[AnyEvent]:
    return floor.open_table(at.table.table, opening)


async def listed(pit: Pit) -> TableList:
    shown = await tables.list_tables.show(pit, Place())
    assert isinstance(shown, TableList)
    return shown


async def test_tables_that_are_held_are_listed_by_one_query(pit_and_asked: tuple[Pit, list[str]]) -> None:
    pit, asked = pit_and_asked
    await open_tables(pit.croupier)
    await listed(pit)
    asked.clear()

    shown = await listed(pit)

    assert [line.table for line in shown.tables] == NAMES
    assert len(asked) == 1


async def test_what_another_service_wrote_is_listed_as_it_is(pit_and_asked: tuple[Pit, list[str]]) -> None:
    pit, _ = pit_and_asked
    await open_tables(pit.croupier)
    before = await listed(pit)
    other = croupier_of(pit.journal)
    await take(other, "pause", About(table="b03"), lambda at: floor.suspend(at.table.here, reason="fire-drill"))

    after = await listed(pit)

    changed = [line.table for line, earlier in zip(after.tables, before.tables, strict=True) if line != earlier]
    assert changed == ["b03"]
    assert after.tables[3].version == 2
