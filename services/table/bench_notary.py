"""How fast the notary is: what an entry costs until it is signed, and how long a durable one waits for that."""

import asyncio
import time
from collections import deque
from pathlib import Path
from statistics import quantiles

import asyncpg
from msgspec import Struct

from schemas.note import Signer
from services.table.appender import APPEND
from services.table.bench_journal import Pace, batches, bets, grouped, in_turn, middle
from services.table.notary import Notary
from services.table.register import FileRegister

SIGNER = Signer("bench.example/log/1", bytes(range(32)))
SELDOM_SECONDS = 3600.0
SAMPLE_SECONDS = 0.02
_STATE = """
    select (select size from journal.head) as written,
        coalesce((select size from journal.checkpoint order by size desc limit 1), 0) as signed
"""


class Cost(Struct, frozen=True, kw_only=True):
    """What an entry costs, in microseconds: to append it in a full batch, and to hash, add and sign it afterwards."""

    append_microseconds: float
    sign_microseconds: float


class Waits(Struct, frozen=True, kw_only=True):
    """How long what was durable waited until a checkpoint covered it, in seconds, sample by sample."""

    samples: int
    median_seconds: float
    p99_seconds: float
    longest_seconds: float


class Beside(Struct, frozen=True, kw_only=True):
    """The journal's pace alone and with the notary at work beside it, and how long entries waited for him."""

    alone: Pace
    signed: Pace
    waits: Waits


async def cost(url: str, folder: Path, *, entries: int = 65_536) -> Cost:
    """Append ready batches of 512, then sign all of them at once; on an empty journal."""
    calls = list(batches(in_turn(bets(entries))))
    async with asyncpg.create_pool(url, min_size=2, max_size=4) as pool:
        notary = Notary(pool, SIGNER, FileRegister(folder / "bench.checkpoint"), period_seconds=SELDOM_SECONDS)
        try:
            before = (await notary.ready()).size
            append_seconds = await _appended(pool, calls)
            began = time.perf_counter()
            size = (await notary.cover(before + entries - 1, patience_seconds=600)).size
            sign_seconds = time.perf_counter() - began
        finally:
            await notary.close()
    if size != before + entries:
        raise AssertionError(f"{entries} entries were signed, not {size - before}")
    return Cost(
        append_microseconds=1e6 * append_seconds / entries,
        sign_microseconds=1e6 * sign_seconds / entries,
    )


async def _appended(pool: asyncpg.Pool, calls: list[tuple[list[object], ...]]) -> float:
    async with pool.acquire() as connection:
        append = await connection.prepare(APPEND)
        began = time.perf_counter()
        for call in calls:
            await append.fetchrow(*call)
        return time.perf_counter() - began


async def beside(url: str, folder: Path, *, callers: int = 32, entries: int = 32_768, turns: int = 5) -> Beside:
    """Let callers write as fast as they can, without the notary and with him, in turn; he signs once a second.

    The first turn warms up and does not count; of the others the medians.
    """
    alone: list[Pace] = []
    signed: list[Pace] = []
    waited: list[float] = []
    for _ in range(turns + 1):
        alone.append(await grouped(url, callers=callers, entries=entries))
        async with asyncpg.create_pool(url, min_size=2, max_size=4) as pool:
            notary = Notary(pool, SIGNER, FileRegister(folder / "bench.checkpoint"))
            try:
                await notary.ready(patience_seconds=600)
                over = asyncio.Event()
                watching = asyncio.create_task(watch(url, over))
                signed.append(await grouped(url, callers=callers, entries=entries))
                over.set()
                waited += await watching
            finally:
                await notary.close()
    return Beside(alone=middle(alone[1:]), signed=middle(signed[1:]), waits=summed_up(waited))


async def watch(url: str, over: asyncio.Event) -> list[float]:
    """Watch until it is over, and on until everything is signed, how long what is durable waits for a checkpoint."""
    unsigned: deque[tuple[float, int]] = deque()
    waited: list[float] = []
    known = 0
    connection = await asyncpg.connect(url)
    try:
        while not over.is_set() or unsigned:
            state = await connection.fetchrow(_STATE)
            assert state is not None, "the journal has a size"
            now = time.perf_counter()
            if state["written"] > known:
                known = state["written"]
                unsigned.append((now, known))
            while unsigned and unsigned[0][1] <= state["signed"]:
                waited.append(now - unsigned.popleft()[0])
            await asyncio.sleep(SAMPLE_SECONDS)
    finally:
        await connection.close()
    return waited


def summed_up(waited: list[float]) -> Waits:
    """Give the quantiles of what was watched. Raises ValueError when that was too little."""
    if len(waited) < 2:  # noqa: PLR2004  # quantiles need two
        raise ValueError("nothing was written while it was watched")
    cuts = quantiles(waited, n=100)
    return Waits(samples=len(waited), median_seconds=cuts[49], p99_seconds=cuts[98], longest_seconds=max(waited))
