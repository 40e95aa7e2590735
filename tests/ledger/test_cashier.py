"""The cashier at his desk: what the log says is posted once, in order, or not at all."""

import pytest

from schemas.events import ChipsBought
from services.ledger.cashier import Cashier
from tests.ledger.book.reading import balances, figures
from tests.ledger.evening import evening
from tests.ledger.rooms import Ledger, Log, until, working
from tests.ledger.tape import Tape

pytestmark = pytest.mark.anyio


async def test_the_books_say_what_the_log_says(log: Log, ledger: Ledger) -> None:
    tape = evening(1, coups=150)
    await log.append(tape.rows)
    await ledger.level(len(tape.rows) - 1)

    assert await ledger.balances() == balances(tape)
    rows = await ledger.fetch(
        "select at_table, shoe, patron, bets, handle, win, commission, marked, collected, waived from figure"
    )
    assert {row[:3]: row[3:] for row in rows} == {
        key: (it.bets, it.handle, it.win, it.commission, it.marked, it.collected, it.waived)
        for key, it in figures(tape).items()
    }


async def test_news_is_posted_while_the_cashier_waits(log: Log, ledger: Ledger) -> None:
    tape = evening(2)
    async with working(ledger.cashier()) as cashier:
        await until(lambda: cashier.progress.state == "following")
        for row in tape.rows[:50]:
            await log.append([row])
        await until(lambda: cashier.progress.position == 49)
        await log.append(tape.rows[50:])
        await until(lambda: cashier.progress.position == len(tape.rows) - 1)

    assert await ledger.balances() == balances(tape)


async def test_a_line_read_twice_is_posted_once(log: Log, ledger: Ledger) -> None:
    tape = evening(3)
    await log.append(tape.rows)
    await ledger.level(len(tape.rows) - 1)
    postings = await ledger.fetch("select count(*) from posting")
    await ledger.level(len(tape.rows) - 1)

    assert await ledger.fetch("select count(*) from posting") == postings
    assert await ledger.balances() == balances(tape)


async def test_two_cashiers_at_one_desk_post_everything_once(log: Log, ledger: Ledger) -> None:
    tape = evening(4, coups=100)
    async with working(ledger.cashier()) as first, working(ledger.cashier()) as second:
        for start in range(0, len(tape.rows), 7):
            await log.append(tape.rows[start : start + 7])
        await until(lambda: min(first.progress.position, second.progress.position) >= 0)
        await until(lambda: _both(first, second) >= len(tape.rows) - 1)

    assert await ledger.balances() == balances(tape)
    assert first.progress.entries + second.progress.entries == len(tape.rows)


def _both(first: Cashier, second: Cashier) -> int:
    return max(first.progress.position, second.progress.position)


async def test_a_cashier_takes_the_books_up_where_another_left_them(log: Log, ledger: Ledger) -> None:
    tape = evening(5, coups=60)
    for end in range(0, len(tape.rows), 37):
        rows = tape.rows[max(end - 37, 0) : end]
        await log.append(rows)
        await ledger.level(end - 1)
    await log.append(tape.rows[end:])
    await ledger.level(len(tape.rows) - 1)

    assert await ledger.balances() == balances(tape)


async def test_every_posting_begins_where_the_last_one_ended(log: Log, ledger: Ledger) -> None:
    tape = evening(6)
    await log.append(tape.rows)
    await ledger.level(len(tape.rows) - 1)

    gaps = await ledger.fetch(
        "select * from (select before, lag(after, 1, 0::bigint) over (partition by account order by version) ended"
        " from posting) p where before <> ended"
    )
    assert gaps == []
    assert await ledger.fetch("select sum(amount) from posting") == [(0,)]


async def test_a_disagreement_stops_the_ledger_before_the_entry(log: Log, ledger: Ledger) -> None:
    tape = Tape()
    tape.open()
    tape.buy("anna", 100)
    tape.shoe(1, ("anna", 101, 0))
    tape.buy("anna", 100)
    await log.append(tape.rows)
    async with working(ledger.cashier()) as cashier:
        await until(lambda: cashier.progress.state == "stopped")

    assert cashier.progress.position == 1
    assert "carries other stacks" in cashier.progress.reason
    assert (await ledger.balances())["patron/anna/stack/b1", "USD"] == -100
    assert await ledger.fetch("select position from checkpoint") == [(1,)]


async def test_a_stopped_ledger_stops_at_the_same_entry_again(log: Log, ledger: Ledger) -> None:
    tape = Tape()
    tape.open()
    tape.at("b2", ChipsBought(patron="anna", amount=1, means="cash"))
    await log.append(tape.rows)
    for _ in range(2):
        async with working(ledger.cashier()) as cashier:
            await until(lambda: cashier.progress.state == "stopped")
        assert (cashier.progress.position, "never opened" in cashier.progress.reason) == (0, True)
