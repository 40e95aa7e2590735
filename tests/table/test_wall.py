"""Roads hang on a wall: a table is read once for all who look at it, and not at all where nothing was written."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import pytest

from services.door.entrance import Closing
from services.table.croupier import About, At, Croupier
from services.table.game import rounds
from services.table.game.deeds import Deeds
from services.table.journal import Journal
from services.table.wall import Wall
from tests.databases import Database
from tests.table.counting import counted
from tests.table.test_croupier import B1, croupier_of, open_round, take

pytestmark = pytest.mark.anyio
LOOKERS = 20
COUPS = 3


class Room(NamedTuple):
    """A wall, the tables whose roads hang there, and what the database has been asked."""

    wall: Wall
    journal: Journal
    croupier: Croupier
    closing: Closing
    asked: list[str]


@pytest.fixture
async def room(journal_database: Database) -> AsyncIterator[Room]:
    """A room with one table, at which a round is open."""
    async with counted(journal_database.url("shoelog_table")) as (pool, asked):
        journal, closing = Journal(pool), Closing()
        closing.watch()
        croupier = croupier_of(journal)
        wall = Wall(journal, croupier, closing)
        await open_round(croupier)
        yield Room(wall, journal, croupier, closing, asked)
        await wall.close()
        await journal.close()


class Looker:
    """One who looks at a table's roads."""

    def __init__(self, stream: AsyncIterator[bytes]) -> None:
        self._stream = stream

    async def next(self) -> Any:
        """Wait for the next roads."""
        async for part in self._stream:
            if part.startswith(b"id: "):
                return json.loads(part.partition(b"data: ")[2])
        return None


@asynccontextmanager
async def looking(wall: Wall, lookers: int) -> AsyncIterator[list[Looker]]:
    """So many who look at b1, each of whom has seen its roads."""
    streams: list[Any] = [wall.roads("b1", -1) for _ in range(lookers)]
    try:
        yield [Looker(stream) for stream in streams]
    finally:
        for stream in streams:
            await stream.aclose()


async def seen(lookers: list[Looker]) -> list[Any]:
    return await asyncio.gather(*(looker.next() for looker in lookers))


async def deal_coup(croupier: Croupier, number: int) -> None:
    """Play a round of b1, the first of which is open."""
    if number:
        await take(croupier, f"round-{number}", B1, lambda at: rounds.open_round(at.table.here))
    await take(croupier, f"coup-{number}", About(table="b1", shoe="cards"), coup)


def coup(at: At) -> Deeds:
    return rounds.play_coup(at.table.here, at.cards, count=at.table.bets, digest=at.table.digest.hexdigest())


async def test_a_table_is_read_once_for_all_who_look_at_it(room: Room) -> None:
    async with looking(room.wall, LOOKERS) as lookers:
        shown = [await seen(lookers)]
        room.asked.clear()
        rung = room.journal.bell.rings
        for number in range(COUPS):
            await deal_coup(room.croupier, number)
            shown.append(await seen(lookers))
        asked = [query for query in room.asked if "journal.append" not in query]
        looks = room.journal.bell.rings - rung + 2

    assert all(len({str(one) for one in each}) == 1 for each in shown), "not all are shown the same"
    assert [len(each[0]["bead_plate"]) for each in shown] == list(range(COUPS + 1))
    # A look asks where the tables end, and perhaps whether one still ends there; then, where its roads were changed.
    assert len(asked) <= 2 * looks + COUPS, asked


async def test_who_comes_later_sees_the_roads_that_hang_there(room: Room) -> None:
    async with looking(room.wall, 1) as (first,):
        await first.next()
        await deal_coup(room.croupier, 0)
        here = await first.next()

        async with looking(room.wall, 1) as (late,):
            assert await late.next() == here


async def test_what_another_service_deals_is_seen(room: Room) -> None:
    async with looking(room.wall, 1) as (looker,):
        await looker.next()

        await deal_coup(croupier_of(room.journal), 0)

        assert len((await looker.next())["bead_plate"]) == 1


async def test_boards_are_taken_down_when_the_service_stops(room: Room) -> None:
    async with looking(room.wall, 3) as lookers:
        await seen(lookers)

        room.closing.announce()

        assert await seen(lookers) == [None] * 3
