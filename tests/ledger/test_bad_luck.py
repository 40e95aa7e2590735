"""Killed at any moment, cut off from either database: nothing is posted twice, nothing is left out."""

import asyncio
import json
import os
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest

from tests.databases import Database
from tests.ledger.book.reading import balances, slips
from tests.ledger.evening import evening
from tests.ledger.rooms import Ledger, Log, connected, until, working

pytestmark = pytest.mark.anyio

_SERVE = "import os; from services.ledger import app; app.serve(os.environ)"


@asynccontextmanager
async def service(ledger: Ledger) -> AsyncIterator[asyncio.subprocess.Process]:
    """The ledger service in a process of its own."""
    environment = {
        **os.environ,
        "SHOELOG_LEDGER_DATABASE_URL": ledger.url,
        "SHOELOG_LEDGER_FEED_URL": ledger.log.feed_url,
        "SHOELOG_LEDGER_PORT": "0",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", _SERVE, env=environment, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def listening(process: asyncio.subprocess.Process) -> str:
    """Wait until the service listens, and give its address."""
    assert process.stdout is not None
    async for line in process.stdout:
        told = json.loads(line)
        if told["event"] == "listening":
            return f"http://{told['host']}:{told['port']}"
    raise AssertionError("the service ended before it listened")


async def stands_at(ledger: Ledger) -> int:
    [(position,)] = await ledger.fetch("select position from checkpoint")
    return int(position)


async def wait_for_position(ledger: Ledger, position: int) -> None:
    async with asyncio.timeout(60):
        while await stands_at(ledger) < position:  # noqa: ASYNC110 (what is waited for lies in a database)
            await asyncio.sleep(0.01)


async def test_a_ledger_killed_again_and_again_posts_everything_once(log: Log, ledger: Ledger) -> None:
    tape = evening(21, coups=600)
    chance = random.Random(21)
    rows, last = tape.rows, len(tape.rows) - 1
    await log.append(rows[:500])
    for start in range(500, last, 1000):
        async with service(ledger) as process:
            await wait_for_position(ledger, start - 1)
            await log.append(rows[start : start + 1000])
            await asyncio.sleep(chance.random() * 0.05)  # anywhere within the batch
            process.kill()
    async with service(ledger):
        await wait_for_position(ledger, last)

    assert await ledger.balances() == balances(tape)
    written = sum(1 for _, slip in slips(tape) for _ in slip.postings())
    assert await ledger.fetch("select count(*) from posting") == [(written,)]


async def test_a_ledger_told_to_stop_ends_cleanly(log: Log, ledger: Ledger) -> None:
    tape = evening(22)
    await log.append(tape.rows)
    async with service(ledger) as process:
        base = await listening(process)
        async with httpx.AsyncClient(base_url=base) as client:
            assert (await client.get("/livez")).json() == {"alive": True}
        process.terminate()
        await process.communicate()

    assert process.returncode == 0


async def cut(database: Database, *, role: str) -> None:
    """Break every connection that a role has to a database."""
    async with connected(database.superuser) as connection:
        await connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and usename = $2",
            database.name,
            role,
        )


@asynccontextmanager
async def closed(database: Database, *, role: str) -> AsyncIterator[None]:
    """Throw a role out of a database, and let it in again afterwards."""
    async with connected(database.superuser) as connection:
        await connection.execute(f'revoke connect on database "{database.name}" from {role}')
        await cut(database, role=role)
        try:
            yield
        finally:
            await connection.execute(f'grant connect on database "{database.name}" to {role}')


@pytest.mark.parametrize("lost", ["the log", "the books"])
async def test_a_database_that_goes_away_and_comes_back_is_taken_up_again(log: Log, ledger: Ledger, lost: str) -> None:
    database, role = (log.database, "shoelog_feed") if lost == "the log" else (ledger.database, "shoelog_ledger")
    tape = evening(23, coups=100)
    half = len(tape.rows) // 2
    await log.append(tape.rows[:half])
    async with working(ledger.cashier()) as cashier:
        await until(lambda: cashier.progress.position == half - 1)
        async with closed(database, role=role):
            await log.append(tape.rows[half:-1])
            await until(lambda: cashier.progress.state == "waiting")
        await until(lambda: cashier.progress.position == len(tape.rows) - 2)
        await cut(database, role=role)
        await log.append(tape.rows[-1:])
        await until(lambda: cashier.progress.position == len(tape.rows) - 1)

    assert await ledger.balances() == balances(tape)
