"""The chart of accounts: what each path means, and on which side it usually stands.

Sign: a debit is positive, a credit negative, so that the postings of every event sum to zero. An account's *side* is
where it usually stands; readers are shown balances on that side, so that a patron's chips and the house's win are
positive numbers. A currency goes with every balance: the same path may stand in several.

*Custody* is a ledger within the ledger: where the chips lie (cage, tray, patrons' hands), summing to zero by itself.
"""

from functools import lru_cache
from typing import Literal

from msgspec import Struct

from schemas.words import Means

Kind = Literal["asset", "liability", "income", "clearing", "custody"]
Side = Literal["debit", "credit"]


class AccountClass(Struct, frozen=True, kw_only=True):
    """One line of the chart; `*` in a pattern stands for a name."""

    pattern: str
    kind: Kind
    side: Side
    meaning: str

    def shown(self, amount: int) -> int:
        """Give a debit-positive amount as it reads on the account's usual side."""
        return amount if self.side == "debit" else -amount


def _line(pattern: str, kind: Kind, side: Side, meaning: str) -> AccountClass:
    return AccountClass(pattern=pattern, kind=kind, side=side, meaning=meaning)


CHART = (
    _line("cage/cash", "asset", "debit", "cash taken, less cash paid out"),
    _line("cage/voucher", "asset", "debit", "vouchers taken, less vouchers given"),
    _line("cage/marker", "asset", "debit", "markers signed by patrons and not yet paid back"),
    _line("cage/transfer", "asset", "debit", "money that reached an account from another one, less what went there"),
    _line("cage/account", "clearing", "debit", "money between an account and a table: zero after every command"),
    _line("patron/*/account", "liability", "credit", "what stands on a patron's house account"),
    _line("patron/*/stack/*", "liability", "credit", "a patron's chips on a table"),
    _line("patron/*/escrow/*/*", "liability", "credit", "a stake on the layout, by bet, until the coup is settled"),
    _line("patron/*/owed/*", "asset", "debit", "commission marked at a table and not yet paid"),
    _line("house/*/win", "income", "credit", "stakes lost, less winnings at full odds"),
    _line("house/*/commission", "income", "credit", "commission taken, at once or collected"),
    _line("house/*/commission-owed", "liability", "credit", "commission marked: income only when it is collected"),
    _line("house/*/float", "custody", "debit", "chips that must lie in the table's tray"),
    _line("house/*/chips-out", "custody", "debit", "chips in patrons' hands and on the layout"),
    _line("house/*/float-difference", "custody", "debit", "chips missing when the tray was counted at the close"),
    _line("cage/chips", "custody", "credit", "chips that the cage has given to tables"),
)
_BY_PATTERN = {line.pattern: line for line in CHART}
CAGE_CHIPS = "cage/chips"
CLEARING = "cage/account"
_STARRED = {"patron": (1, 3, 4), "house": (1,), "cage": ()}


@lru_cache(maxsize=65_536)
def class_of(path: str) -> AccountClass:
    """Give the chart's line for an account. Raises KeyError for a path that the chart does not know."""
    parts = path.split("/")
    for place in _STARRED[parts[0]]:
        if place < len(parts):
            parts[place] = "*"
    return _BY_PATTERN["/".join(parts)]


def cage(means: Means) -> str:
    """Give the cage's account for a means of payment."""
    return f"cage/{means}"


def counter(means: Means) -> str:
    """Give the account against which a house account is paid in or out; by `account` is a transfer from elsewhere."""
    return "cage/transfer" if means == "account" else cage(means)


def house_account(patron: str) -> str:
    """Give a patron's house account."""
    return f"patron/{patron}/account"


def stack(patron: str, table: str) -> str:
    """Give a patron's chips on a table."""
    return f"patron/{patron}/stack/{table}"


def escrow(patron: str, table: str, bet: str) -> str:
    """Give a patron's stake on one bet."""
    return f"patron/{patron}/escrow/{table}/{bet}"


def owed(patron: str, table: str) -> str:
    """Give what a patron owes in marked commission."""
    return f"patron/{patron}/owed/{table}"


def win(table: str) -> str:
    """Give what the house has won at a table, commission apart."""
    return f"house/{table}/win"


def commission(table: str) -> str:
    """Give the commission taken at a table."""
    return f"house/{table}/commission"


def commission_owed(table: str) -> str:
    """Give the commission marked at a table and not yet collected or waived."""
    return f"house/{table}/commission-owed"


def tray(table: str) -> str:
    """Give the table's float."""
    return f"house/{table}/float"


def chips_out(table: str) -> str:
    """Give the chips of a table that patrons hold."""
    return f"house/{table}/chips-out"


def float_difference(table: str) -> str:
    """Give what was missing in the tray when it was counted."""
    return f"house/{table}/float-difference"
