"""Accounts: what comes in, goes out, and moves to a table and back; never below nothing."""

from collections.abc import Sequence
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.accounts import AccountOpened, FundsDeposited, FundsFromTable, FundsToTable, FundsWithdrawn
from schemas.events import PatronEvent
from services.table import account as accounts
from services.table.account import Account
from services.table.game.refusal import RefusedError
from services.table.game.state import MAX_STACK

TABLE = {"table": "b1", "currency": "EUR"}
MOVES: dict[str, Any] = {
    "deposit": lambda account, amount: accounts.deposit(account, amount=amount, means="cash"),
    "withdraw": lambda account, amount: accounts.withdraw(account, amount=amount, means="cash"),
    "to-table": lambda account, amount: accounts.to_table(account, amount=amount, **TABLE),
    "from-table": lambda account, amount: accounts.from_table(account, amount=amount, **TABLE),
}


def holding(balance: int) -> Account:
    """Give an account with this much in it."""
    account = accounts.evolve(None, accounts.open_account(None, currency="EUR")[0])
    return after(account, MOVES["deposit"](account, balance)) if balance else account


def after(account: Account, events: Sequence[PatronEvent]) -> Account:
    for event in events:
        account = accounts.evolve(account, event)
    return account


def no_to(account: Account | None, move: str, amount: int) -> RefusedError:
    before = repr(account)
    with pytest.raises(RefusedError) as refused:
        MOVES[move](account, amount)
    assert repr(account) == before
    return refused.value


def test_an_account_is_opened_once_and_empty() -> None:
    (opened,) = accounts.open_account(None, currency="EUR")
    assert opened == AccountOpened(currency="EUR")

    account = accounts.evolve(None, opened)
    assert account == Account(currency="EUR", balance=0)

    with pytest.raises(RefusedError) as refused:
        accounts.open_account(account, currency="CHF")
    assert (refused.value.code, refused.value.where) == ("account", "patron")


def test_every_entry_carries_the_balance_that_stands_afterwards() -> None:
    account = holding(500)

    (deposited,) = MOVES["deposit"](account, 700)
    account = after(account, [deposited])
    (withdrawn,) = MOVES["withdraw"](account, 200)
    account = after(account, [withdrawn])
    (gone,) = MOVES["to-table"](account, 900)
    account = after(account, [gone])
    (back,) = MOVES["from-table"](account, 1_500)
    account = after(account, [back])

    assert deposited == FundsDeposited(amount=700, means="cash", balance=1_200)
    assert withdrawn == FundsWithdrawn(amount=200, means="cash", balance=1_000)
    assert gone == FundsToTable(table="b1", amount=900, balance=100)
    assert back == FundsFromTable(table="b1", amount=1_500, balance=1_600)
    assert account.balance == 1_600


@pytest.mark.parametrize("move", MOVES)
def test_without_an_account_no_money_moves(move: str) -> None:
    no = no_to(None, move, 100)

    assert (no.code, no.where, no.right) == ("account", "patron", "open an account first")


@pytest.mark.parametrize("move", ["withdraw", "to-table"])
def test_no_more_leaves_an_account_than_it_holds(move: str) -> None:
    no = no_to(holding(500), move, 501)
    assert (no.code, no.where, no.right) == ("balance-too-small", "amount", "1 to 500")
    assert no_to(holding(0), move, 1).right == "deposit first"

    account = holding(500)
    assert after(account, MOVES[move](account, 500)).balance == 0


@pytest.mark.parametrize("move", ["deposit", "from-table"])
def test_an_account_is_bounded(move: str) -> None:
    no = no_to(holding(MAX_STACK - 5), move, 6)
    assert (no.code, no.where, no.right) == ("amount-too-large", "amount", "1 to 5")

    account = holding(MAX_STACK - 5)
    full = after(account, MOVES[move](account, 5))
    assert no_to(full, move, 1).right == "no more: the account holds all it may"


@pytest.mark.parametrize("amount", [0, -1, -500])
@pytest.mark.parametrize("move", MOVES)
def test_nothing_and_less_does_not_move(move: str, amount: int) -> None:
    no = no_to(holding(500), move, amount)

    assert (no.code, no.where) == ("amount-too-small", "amount")
    assert no.right.startswith("1 to ")


@pytest.mark.parametrize("move", [accounts.to_table, accounts.from_table])
def test_money_moves_only_to_and_from_a_table_of_its_currency(move: Any) -> None:
    with pytest.raises(RefusedError) as refused:
        move(holding(500), table="b1", currency="CHF", amount=100)

    no = refused.value
    assert (no.code, no.where, no.right) == ("currency", "table", "a table that plays in EUR")
    assert no.detail == "the account is kept in EUR, the table plays in CHF"


def test_an_account_begins_by_being_opened_and_is_opened_once() -> None:
    with pytest.raises(AssertionError, match="begins by being opened"):
        accounts.evolve(None, FundsDeposited(amount=1, means="cash", balance=1))
    with pytest.raises(AssertionError, match="opened once"):
        accounts.evolve(holding(1), AccountOpened(currency="EUR"))


@given(st.lists(st.tuples(st.sampled_from(sorted(MOVES)), st.integers(-1, 300))))
def test_the_balance_is_what_came_in_less_what_went_out(moves: list[tuple[str, int]]) -> None:
    account, balance, met = holding(0), 0, set()

    for move, amount in moves:
        try:
            events = MOVES[move](account, amount)
        except RefusedError:
            continue
        account = after(account, events)
        met |= {type(event) for event in events}
        balance += amount if move in ("deposit", "from-table") else -amount
        assert account.balance == balance >= 0
    assert met <= set(get_args(PatronEvent))
