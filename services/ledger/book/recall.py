"""Take the books up again: a table or an account, as its balances and the coup kept beside them say it stands."""

from collections.abc import Iterable

from services.ledger.book import accounts
from services.ledger.book.patrons import Patron
from services.ledger.book.tables import Coup, Table


def table(name: str, coup: Coup, balances: Iterable[tuple[str, int]]) -> Table:
    """Recall a table from the balances (debit positive) of all its accounts in its currency."""
    recalled = Table(name=name, coup=coup)
    for path, amount in balances:
        match path.split("/"):
            case ["patron", patron, "stack", _] if amount:
                recalled.stacks[patron] = -amount
            case ["patron", patron, "escrow", _, bet] if amount:
                recalled.stakes[patron, bet] = -amount
            case ["patron", patron, "owed", _] if amount:
                recalled.debts[patron] = amount
            case ["house", _, "float"]:
                recalled.tray = amount
            case _:
                pass
    return recalled


def patron(name: str, currency: str, amount: int) -> Patron:
    """Recall a house account from its balance (debit positive)."""
    return Patron(name=name, currency=currency, balance=-amount)


def clearing(balances: Iterable[tuple[str, str, int]]) -> dict[str, int]:
    """Recall what lies between accounts and tables, by currency, from path, currency and balance."""
    return {currency: amount for path, currency, amount in balances if path == accounts.CLEARING and amount}
