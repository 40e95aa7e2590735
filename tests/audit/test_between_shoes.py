"""Lies between the shoes of a whole log: chips, rules, accounts and commands that do not lead from one to the next."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from schemas.accounts import AccountOpened, FundsDeposited
from schemas.events import ChipsBought, ChipsCashed, RoundOpened, ShoeCommitted, ShoeVoided, TableClosed, TableOpened
from services.table.game.rules import builtin
from tests.audit.salons import Casino, an_evening, checkpoint_of, succeeded
from tests.audit.tapes import limits_of
from tests.audit.test_whole_log import failed, judged


def drop(kind: type, number: int = 0, stream: str = "") -> Callable[[Casino], None]:
    def lie(casino: Casino) -> None:
        del casino.dictated[casino.find(kind, number, stream=stream)]

    return lie


def changed(kind: type, number: int = 0, stream: str = "", **fields: object) -> Callable[[Casino], None]:
    return lambda casino: casino.change(casino.find(kind, number, stream=stream), **fields)


def moved(kind: type, number: int, after: int) -> Callable[[Casino], None]:
    def lie(casino: Casino) -> None:
        place = casino.find(kind, number)
        one = casino.dictated.pop(place)
        casino.dictated.insert(place + after, one)

    return lie


def other_rules(casino: Casino) -> None:
    place = casino.find(ShoeCommitted, 1, stream="table/red")
    committed = casino.dictated[place].event
    assert isinstance(committed, ShoeCommitted)
    easier = replace(committed.rules, winnings=replace(committed.rules.winnings, unit=500))
    casino.change(place, rules=easier)


def shared_command(casino: Casino) -> None:
    first, last = casino.find(AccountOpened), casino.find(FundsDeposited)
    casino.dictated[last] = replace(casino.dictated[last], command=casino.dictated[first].command)


LIES: dict[str, tuple[Callable[[Casino], None], tuple[str, ...], str]] = {
    "chips between two shoes are forgotten": (drop(ChipsCashed), ("money",), "carried: patron bob with"),
    "chips between two shoes are invented": (changed(ChipsBought, 3, amount=91_000), ("money",), "carried: patron cy"),
    "the next shoe is dealt by other rules": (other_rules, ("rules",), "with other rules than are in force"),
    "the next shoe has the limits before": (
        changed(ShoeCommitted, 1, "table/red", limits=limits_of(builtin("punto-banco").rules)),
        ("rules",),
        "with other limits than are in force",
    ),
    "the next shoe is played in another currency": (
        changed(ShoeCommitted, 1, "table/blue", currency="USD"),
        ("rules",),
        "with other currency than are in force",
    ),
    "a balance is wrong": (changed(FundsDeposited, balance=500_001), ("money",), "the balance is said to be 500001"),
    "an account is drawn on and no chips come": (
        changed(ChipsBought, 1, means="cash"),
        ("money",),
        "to table red on the account's stream, and on no other beside it",
    ),
    "more chips come than were drawn": (
        changed(ChipsBought, 1, amount=200_001),
        ("money",),
        "200001 to table red on the table's stream",
    ),
    "money moves before the account is opened": (drop(AccountOpened), ("rules",), "before the account is opened"),
    "an account is opened twice": (
        lambda casino: casino.dictated.insert(5, casino.dictated[casino.find(AccountOpened)]),
        ("rules",),
        "opened a second time",
    ),
    "a table is opened without being closed": (
        lambda casino: casino.do(("table/blue", casino.dictated[casino.find(TableOpened, 1)].event)),
        ("rules",),
        "table blue: table-opened at a table that is open",
    ),
    "a table is never opened": (
        drop(TableOpened, 1),
        ("rules",),
        "table blue: chips-bought at a table that is closed",
    ),
    "a table closes with chips on it": (
        lambda casino: casino.do(("table/blue", casino.dictated[casino.find(TableClosed)].event)),
        ("money",),
        "table blue: the table closes with ",
    ),
    "play goes on between two shoes": (
        lambda casino: casino.do(("table/blue", RoundOpened(shoe=2, round=2))),
        ("rules",),
        "table blue: round-opened stands between two shoes",
    ),
    "a shoe begins before the other has ended": (
        drop(ShoeVoided),
        ("rules",),
        "table blue: shoe 2 is committed to before shoe 1 has ended",
    ),
    "two commands have one key": (shared_command, ("rules",), "its command has entries before"),
    "something stands on the log's own stream": (
        lambda casino: casino.do(("log", succeeded(checkpoint_of([b"x"])))),
        ("rules",),
        "log-succeeded stands on the stream log",
    ),
    "the tables' events stand on a patron's stream": (
        lambda casino: casino.do(("patron/ada", RoundOpened(shoe=1, round=1))),
        ("rules",),
        "round-opened stands on the stream of patron ada",
    ),
}


@pytest.mark.parametrize("name", LIES)
def test_a_lie_between_the_shoes_is_found(name: str, tmp_path: Path) -> None:
    lie, checks, words = LIES[name]
    casino = an_evening()
    lie(casino)

    found = failed(judged(tmp_path, casino))

    of_the_log = {check: what for (table, _, check), what in found.items() if table is None}
    assert set(checks) <= set(of_the_log), found
    assert any(words in what for check in checks for what in of_the_log[check]), found
