"""An evening: parties of patrons play whole shoes at several tables at once, while the house is tended."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

from msgspec import Struct

from services.house.circle import gather
from services.house.house import House
from services.house.party import Party
from services.house.runner import Refused, Runner

TEND_SECONDS = 0.1
LEVEL_SECONDS = 120.0
SHOE_COUPS = 81  # a usual shoe's; eight decks, cut 14, one more coup: 81.28


class Evening(Struct):
    """What was played, and how far behind the ledger was seen."""

    parties: list[Party]
    entries: int = 0
    seconds: float = 0.0
    furthest_behind: int = 0
    level_seconds: float = 0.0  # from the last coup until the ledger had all of it


class NotLevel(Exception):
    """The ledger did not catch up."""


@contextlib.asynccontextmanager
async def tended(house: House) -> AsyncIterator[None]:
    """While something else goes on, start again whoever dies."""

    async def tend() -> None:
        while True:
            house.tend()
            await asyncio.sleep(TEND_SECONDS)

    tending = asyncio.create_task(tend())
    try:
        yield
    finally:
        tending.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await tending


async def play_evening(  # noqa: PLR0913 - what an evening is
    house: House, *, rules: Sequence[str], shoes: int, patrons: int, seed: str, progress: Callable[[int], None]
) -> Evening:
    """So many shoes at a table of each rule set; then everybody cashes, and the ledger gets level.

    `progress` is told now and then by how many coups play went on.
    """
    key = house.keys["operator"]
    async with tended(house), Runner(house.table_url, key) as runner, Runner(house.ledger_url, key) as books:
        evening = Evening([gather(runner, name, rules=name, patrons=patrons, seed=seed) for name in rules])
        watching = asyncio.create_task(watch_the_ledger(books, evening))
        start = time.monotonic()
        try:
            async with asyncio.TaskGroup() as tables:
                for party in evening.parties:
                    tables.create_task(play_shoes(party, shoes, progress))
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
        evening.seconds = time.monotonic() - start
        await asyncio.gather(*(party.leave() for party in evening.parties))
        evening.entries = await log_size(runner)
        start = time.monotonic()
        await wait_until_level(books, evening.entries)
        evening.level_seconds = time.monotonic() - start
        return evening


async def play_shoes(party: Party, shoes: int, progress: Callable[[int], None]) -> None:
    """One table's evening."""
    await party.open()
    for _ in range(shoes):
        coups = 0
        while await party.play():
            coups += 1
            if coups <= SHOE_COUPS:
                progress(1)
        progress(max(0, SHOE_COUPS - coups))


async def watch_the_ledger(books: Runner, evening: Evening) -> None:
    """See how far the ledger falls behind, until cancelled."""
    while True:
        position = await books.ask("/v1/position")
        evening.furthest_behind = max(evening.furthest_behind, position["behind"])
        await asyncio.sleep(TEND_SECONDS)


async def log_size(runner: Runner) -> int:
    """Have a checkpoint signed now; how many entries it covers."""
    note = await runner.post("/v1/log/checkpoint")
    return int(note.splitlines()[1])


async def wait_until_level(books: Runner, entries: int) -> None:
    """Until the ledger has read the log's first so many entries. Raises NotLevel."""
    deadline = time.monotonic() + LEVEL_SECONDS
    while True:
        position: Any = None
        with contextlib.suppress(Refused):
            position = await books.ask("/v1/position")
            if position["position"] + 1 >= entries and position["behind"] == 0:
                return
        if time.monotonic() > deadline:
            raise NotLevel(f"the ledger is not level after {LEVEL_SECONDS:.0f} s; it says {position}")
        await asyncio.sleep(0.02)
