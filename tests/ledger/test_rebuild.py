"""Books made again from the log are the same books."""

import asyncio

import asyncpg
import pytest

from services.ledger import books
from services.ledger.rebuild import Rebuilt, rebuild
from tests.ledger.book.reading import balances
from tests.ledger.evening import evening
from tests.ledger.rooms import Ledger, Log, connected, until, working
from tests.ledger.tape import Tape

pytestmark = pytest.mark.anyio


@pytest.fixture
async def tape(log: Log, ledger: Ledger) -> Tape:
    """A posted evening, and a key."""
    tape = evening(1, coups=60)
    await log.append(tape.rows)
    await ledger.level(len(tape.rows) - 1)
    async with connected(ledger.database.superuser) as connection:
        await connection.execute(
            "insert into books.api_key (hash, role, name) values (decode(repeat('ab', 32), 'hex'), 'auditor', 'ann')"
        )
    return tape


async def again(ledger: Ledger, *, accept_differences: bool = False) -> Rebuilt:
    return await rebuild(
        feed_url=ledger.log.feed_url, migrator_url=ledger.migrator_url, accept_differences=accept_differences
    )


async def cook(ledger: Ledger, statement: str) -> None:
    """Change the books as only a superuser can."""
    async with connected(ledger.database.superuser) as connection:
        await connection.execute("alter table books.account disable trigger all")
        await connection.execute(statement)
        await connection.execute("alter table books.account enable always trigger balances")


async def test_rebuilt_books_are_equal_and_switched_in(tape: Tape, ledger: Ledger) -> None:
    before = await ledger.fetch("select edition from checkpoint")
    report = await again(ledger)

    assert (report.is_equal, report.is_switched, report.differences) == (True, True, ())
    assert (report.position, report.entries) == (len(tape.rows) - 1, len(tape.rows))
    assert await ledger.balances() == balances(tape)
    assert await ledger.fetch("select edition from checkpoint") != before
    assert await ledger.fetch("select role, name from api_key") == [("auditor", "ann")]
    schemas = await ledger.fetch("select nspname from pg_namespace where nspname like 'books%'")
    assert schemas == [("books",)]


async def test_books_that_differ_are_told_and_stay_where_they_are(tape: Tape, ledger: Ledger) -> None:
    await cook(ledger, "update books.account set balance = balance - 5 where path = 'house/b1/win'")
    cooked = await ledger.balances()
    report = await again(ledger)

    assert (report.is_equal, report.is_switched) == (False, False)
    assert [told.partition(":")[0] for told in report.differences] == [
        "accounts, only in books",
        "accounts, only in books_shadow",
    ]
    assert await ledger.balances() == cooked != balances(tape)


async def test_books_that_differ_can_be_replaced(tape: Tape, ledger: Ledger) -> None:
    await cook(ledger, "update books.account set balance = balance - 5 where path = 'house/b1/win'")
    report = await again(ledger, accept_differences=True)

    assert (report.is_equal, report.is_switched) == (False, True)
    assert await ledger.balances() == balances(tape)


async def test_the_cashier_goes_on_in_the_new_books(log: Log, ledger: Ledger) -> None:
    tape = evening(2, coups=300)
    half = len(tape.rows) // 2
    await log.append(tape.rows[:half])
    async with working(ledger.cashier()) as cashier:
        await until(lambda: cashier.progress.position == half - 1)
        report, _ = await asyncio.gather(again(ledger), _dribble(log, tape, half))
        await until(lambda: cashier.progress.position == len(tape.rows) - 1)

    assert report.is_switched
    assert cashier.progress.state == "following"
    assert await ledger.balances() == balances(tape)
    assert (await again(ledger)).is_equal


async def _dribble(log: Log, tape: Tape, start: int) -> None:
    for at in range(start, len(tape.rows), 20):
        await log.append(tape.rows[at : at + 20])


async def test_a_pooled_reader_reads_the_new_books(tape: Tape, ledger: Ledger) -> None:
    query = "select edition, (select count(*) from posting) from checkpoint"
    connection = await books.connect(ledger.url)
    try:
        before = await connection.fetchrow(query)
        await again(ledger)
        after = await connection.fetchrow(query)
    finally:
        await connection.close()

    assert before is not None
    assert after is not None
    assert before["edition"] != after["edition"]
    assert before["count"] == after["count"] > len(tape.rows) // 2


async def test_the_service_itself_cannot_rebuild(tape: Tape, ledger: Ledger) -> None:
    assert tape.rows
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await rebuild(feed_url=ledger.log.feed_url, migrator_url=ledger.url)
