"""Whatever the feed may do wrong is seen before anything is posted."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from schemas import entry
from services.ledger.feed import Row, Tip, TornFeed, check
from tests.ledger.rooms import Ledger, Log, until, working
from tests.ledger.tape import Row as Written
from tests.ledger.tape import Tape


def tape() -> Tape:
    """A table and some chips."""
    tape = Tape()
    tape.open()
    for amount in (100, 200, 300):
        tape.buy("anna", amount)
    return tape


def resealed(row: Written, line: bytes) -> Written:
    """A row with another line and that line's own hash."""
    return replace(row, line=line, leaf=entry.leaf(line))


LIES: dict[str, tuple[str, Callable[[Written], Written]]] = {
    "a place left out": ("position 2 is missing", lambda row: replace(row, position=3)),
    "another hash": ("not the hash", lambda row: replace(row, leaf=b"\0" * 32)),
    "another line under the old hash": ("not the hash", lambda row: replace(row, line=row.line[:-1] + b" }")),
    "a space": ("unreadable", lambda row: resealed(row, row.line.replace(b'"event":', b'"event": '))),
    "an event nobody knows": (
        "unreadable",
        lambda row: resealed(row, row.line.replace(b"chips-bought", b"chips-eaten")),
    ),
    "a newer schema": ("unknown schema", lambda row: resealed(row, row.line.replace(b'"schema":1', b'"schema":2'))),
    "another stream's line": ("said to be", lambda row: replace(row, stream="table/b2")),
    "another version": ("said to be", lambda row: replace(row, version=4)),
    "a version left out": (
        "goes from version 2 to 4",
        lambda row: replace(resealed(row, row.line.replace(b'"version":3', b'"version":4')), version=4),
    ),
    "another link": ("does not lead to version 2", lambda row: resealed(row, spoiled_link(row.line))),
}


def spoiled_link(line: bytes) -> bytes:
    """The same line with another `prev`."""
    head, _, tail = line.partition(b'"prev":"')
    return head + b'"prev":"' + b"0" * 64 + tail[64:]


@pytest.mark.parametrize("lie", LIES)
def test_every_lie_of_the_feed_is_told(lie: str) -> None:
    what, tell = LIES[lie]
    rows = tape().rows
    tips: dict[str, Tip] = {"table/b1": (2, rows[1].leaf)}
    check(Row(*as_tuple(rows[2])), position=2, tips=tips)

    with pytest.raises(TornFeed, match=what):
        check(Row(*as_tuple(tell(rows[2]))), position=2, tips=tips)


def as_tuple(row: Written) -> tuple[int, str, int, bytes, bytes]:
    return row.position, row.stream, row.version, row.line, row.leaf


@pytest.mark.anyio
@pytest.mark.parametrize("lie", LIES)
async def test_a_lie_stops_the_ledger_and_is_never_skipped(log: Log, ledger: Ledger, lie: str) -> None:
    what, tell = LIES[lie]
    rows = tape().rows
    told = tell(rows[2])
    rest = [row for row in rows[3:] if row.position != told.position and row.version != told.version]
    await log.append([*rows[:2], told, *rest])

    async with working(ledger.cashier()) as cashier:
        await until(lambda: cashier.progress.state == "stopped")

    assert what in cashier.progress.reason
    assert await ledger.fetch("select position from checkpoint") == [(1,)]
    assert (await ledger.balances())["patron/anna/stack/b1", "USD"] == -100
