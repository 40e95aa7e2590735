"""The cage: patrons' money on and off the tables, account and table in one command."""

from schemas.events import AnyEvent
from services.table import account
from services.table.croupier import At
from services.table.game import floor


def to_table(at: At, *, amount: int) -> list[AnyEvent]:
    """Draw on the patron's account and put chips before him."""
    table, patron = at.table.here, at.account.name
    drawn = account.to_table(at.account.account, table=table.name, currency=table.currency, amount=amount)
    return [*drawn, *floor.buy_chips(table, patron=patron, amount=amount, means="account")]


def from_table(at: At, *, amount: int) -> list[AnyEvent]:
    """Take the patron's chips and add them to his account."""
    table, patron = at.table.here, at.account.name
    paid_in = account.from_table(at.account.account, table=table.name, currency=table.currency, amount=amount)
    return [*paid_in, *floor.cash_chips(table, patron=patron, amount=amount, means="account")]
