"""A log that lost entries which are posted: the ledger stops, says so, and is built again from what is left."""

import pytest

from schemas.accounts import LogSucceeded
from services.ledger.rebuild import rebuild
from tests.ledger.book.reading import balances
from tests.ledger.evening import evening
from tests.ledger.rooms import Ledger, Log, connected, until, working
from tests.ledger.tape import Tape

pytestmark = pytest.mark.anyio


async def lose(log: Log, *, since: int) -> None:
    """Lose entries as a restore from a backup does."""
    async with connected(log.database.superuser) as connection:
        await connection.execute("alter table journal.entry disable trigger all")
        await connection.execute("delete from journal.entry where position >= $1", since)
        await connection.execute("alter table journal.entry enable always trigger stays")


def succeeded(tape: Tape, size: int) -> Tape:
    """Go on from a beginning of a tape, with a successor of its log."""
    again = Tape()
    for entry in tape.entries[:size]:
        again.write(entry.stream, entry.event)
    again.write("log", LogSucceeded(origin="casino.example/log/1", checkpoint="x", reason="restored-from-backup"))
    return again


async def test_a_ledger_behind_the_loss_goes_on_into_the_next_log(log: Log, ledger: Ledger) -> None:
    tape = evening(1)
    await log.append(tape.rows[:20])
    await ledger.level(19)
    await log.append(succeeded(tape, 20).rows[20:])

    await ledger.level(20)

    assert await ledger.fetch("select position from checkpoint") == [(20,)]


@pytest.mark.parametrize("more", [0, 1000], ids=["and-is-short", "and-went-on"])
async def test_a_ledger_that_posted_what_is_lost_stops_and_is_built_again(log: Log, ledger: Ledger, more: int) -> None:
    tape = evening(2)
    await log.append(tape.rows)
    await ledger.level(len(tape.rows) - 1)
    await lose(log, since=20)
    following = succeeded(tape, 20)
    for number in range(more):
        following.fund(f"p-new-{number}", 100)
    await log.append(following.rows[20:])

    async with working(ledger.cashier()) as cashier:
        await until(lambda: cashier.progress.state == "stopped")
        assert "the log has lost, or exchanged, entries that are posted" in cashier.progress.reason
        assert "shoelog ledger rebuild --accept-differences" in cashier.progress.reason

    rebuilt = await rebuild(feed_url=log.feed_url, migrator_url=ledger.migrator_url, accept_differences=True)
    assert rebuilt.is_switched
    await ledger.level(len(following.rows) - 1)
    assert await ledger.balances() == balances(following)
