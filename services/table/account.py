"""A patron's house account: what stands in it, and what each event and each command makes of it. Pure."""

from typing import assert_never

from msgspec import Struct

from schemas.accounts import AccountOpened, FundsDeposited, FundsFromTable, FundsToTable, FundsWithdrawn
from schemas.events import PatronEvent
from schemas.words import Means
from services.table.game.amount import at_most
from services.table.game.refusal import RefusedError
from services.table.game.state import MAX_STACK


class Account(Struct, kw_only=True):
    """An open account; `balance` in minor units of `currency`, which the account's first entry names."""

    currency: str
    balance: int = 0


def evolve(account: Account | None, event: PatronEvent) -> Account:
    """Apply one event and give the account, changed in place. Raises AssertionError when it cannot have happened."""
    match event:
        case AccountOpened():
            if account is not None:
                raise AssertionError("an account is opened once")
            return Account(currency=event.currency)
        case FundsDeposited() | FundsWithdrawn() | FundsToTable() | FundsFromTable():
            if account is None:
                raise AssertionError("an account begins by being opened")
            account.balance = event.balance
            return account
        case _:
            assert_never(event)


def open_account(account: Account | None, *, currency: str) -> list[AccountOpened]:
    """Open an account, once."""
    if account is not None:
        raise RefusedError("account", "the patron has an account already", where="patron", right="use the open account")
    return [AccountOpened(currency=currency)]


def deposit(account: Account | None, *, amount: int, means: Means) -> list[FundsDeposited]:
    """Take money in."""
    balance = _grown(_opened(account), amount)
    return [FundsDeposited(amount=amount, means=means, balance=balance)]


def withdraw(account: Account | None, *, amount: int, means: Means) -> list[FundsWithdrawn]:
    """Give money out, as far as the balance goes."""
    balance = _drawn(_opened(account), amount)
    return [FundsWithdrawn(amount=amount, means=means, balance=balance)]


def to_table(account: Account | None, *, table: str, currency: str, amount: int) -> list[FundsToTable]:
    """Move money to a table, where the same command puts chips before the patron."""
    known = _opened(account)
    _same_currency(known, currency)
    return [FundsToTable(table=table, amount=amount, balance=_drawn(known, amount))]


def from_table(account: Account | None, *, table: str, currency: str, amount: int) -> list[FundsFromTable]:
    """Move money from a table, where the same command takes the chips away."""
    known = _opened(account)
    _same_currency(known, currency)
    return [FundsFromTable(table=table, amount=amount, balance=_grown(known, amount))]


def _opened(account: Account | None) -> Account:
    if account is None:
        raise RefusedError("account", "the patron has no account", where="patron", right="open an account first")
    return account


def _same_currency(account: Account, currency: str) -> None:
    if account.currency != currency:
        raise RefusedError(
            "currency",
            f"the account is kept in {account.currency}, the table plays in {currency}",
            where="table",
            right=f"a table that plays in {account.currency}",
        )


def _grown(account: Account, amount: int) -> int:
    at_most(
        MAX_STACK - account.balance,
        amount,
        code="amount-too-large",
        detail=f"{account.balance} and {amount} more would be above the {MAX_STACK} that an account holds",
        instead="no more: the account holds all it may",
    )
    return account.balance + amount


def _drawn(account: Account, amount: int) -> int:
    at_most(
        account.balance,
        amount,
        code="balance-too-small",
        detail=f"the account holds {account.balance}, not {amount}",
        instead="deposit first",
    )
    return account.balance - amount
