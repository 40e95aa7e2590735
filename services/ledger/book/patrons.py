"""A patron's account events as postings; every entry says the balance it leaves, and the books must say the same."""

from typing import assert_never

from msgspec import Struct

from schemas.accounts import AccountOpened, FundsDeposited, FundsFromTable, FundsToTable, FundsWithdrawn
from schemas.events import AnyEvent, PatronEvent
from services.ledger.book import accounts
from services.ledger.book.slip import Disagreement, Slip


class Patron(Struct, kw_only=True):
    """A patron's house account as the books know it."""

    name: str
    currency: str
    balance: int = 0


def open_account(patron: Patron | None, name: str, event: AccountOpened) -> Patron:
    """Make ready for an account that opens."""
    if patron is not None:
        raise Disagreement(f"the account of {name} opens twice")
    return Patron(name=name, currency=event.currency)


def write(patron: Patron, event: AnyEvent) -> Slip:
    """Write the slip of an account's event. Raises Disagreement."""
    if not isinstance(event, PatronEvent):
        raise Disagreement(f"{type(event).__name__} does not happen to an account")
    slip = Slip(patron.currency)
    account = accounts.house_account(patron.name)
    match event:
        case AccountOpened():
            slip.open(account)
        case FundsDeposited():
            _bring(slip, patron, event.amount, accounts.counter(event.means))
        case FundsWithdrawn():
            _bring(slip, patron, -event.amount, accounts.counter(event.means))
        case FundsToTable():
            _bring(slip, patron, -event.amount, accounts.CLEARING)
        case FundsFromTable():
            _bring(slip, patron, event.amount, accounts.CLEARING)
        case _:
            assert_never(event)
    if not isinstance(event, AccountOpened) and event.balance != patron.balance:
        raise Disagreement(f"{patron.name} is said to have {event.balance}; the books say {patron.balance}")
    return slip


def _bring(slip: Slip, patron: Patron, amount: int, whence: str) -> None:
    """Bring money to the account, or with a negative amount away from it."""
    patron.balance += amount
    slip.move(amount, debit=whence, credit=accounts.house_account(patron.name))
