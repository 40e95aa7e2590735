"""What the books say, page by page: each read in one snapshot, with the position at which they stood.

Amounts are minor units beside their currency. A balance is shown on its account's usual side, so that a patron's chips,
the house's win and what is owed are positive numbers.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from services.ledger.book.accounts import Kind, Side
from services.ledger.cashier import State

By = Literal["table", "shoe", "patron"]
LARGEST = 2**53 - 1
Sum = int | Annotated[str, Meta(pattern="^-?[1-9][0-9]{15,}$", description="digits, where it is above 2^53-1 in size")]


def exact(amount: int) -> Sum:
    """Give a sum as everybody reads it exactly: beyond 2^53-1, which programs round, its digits as text."""
    return amount if abs(amount) <= LARGEST else str(amount)


class Place(Struct, frozen=True, kw_only=True):
    """How far the books have come: `behind` is the number of the log's entries not yet posted."""

    position: int
    log_size: int
    behind: int
    state: State
    reason: str


class Line(Struct, frozen=True, kw_only=True):
    """A line of the chart of accounts: `*` stands for a name."""

    pattern: str
    kind: Kind
    side: Side
    meaning: str


class Chart(Struct, frozen=True, kw_only=True):
    """The chart of accounts."""

    accounts: list[Line]


class Balance(Struct, frozen=True, kw_only=True):
    """One account; `postings` is the number of its movements."""

    account: str
    currency: str
    kind: Kind
    side: Side
    balance: Sum
    postings: int


class Balances(Struct, frozen=True, kw_only=True):
    """Accounts in order; `next`, if any, is the `after` of the next page."""

    position: int
    balances: list[Balance]
    next: str | None


class Purse(Struct, frozen=True, kw_only=True):
    """A patron's money in one currency: `total` is account, stacks and escrow less what is owed."""

    currency: str
    account: Sum
    stacks: Sum
    escrow: Sum
    owed: Sum
    total: Sum


class Seat(Struct, frozen=True, kw_only=True):
    """What a patron has at a table: chips, stakes on the layout, commission owed."""

    patron: str
    table: str
    currency: str
    stack: Sum
    escrow: Sum
    owed: Sum


class PatronBalance(Struct, frozen=True, kw_only=True):
    """All that the house holds for a patron, or has to get from him."""

    position: int
    patron: str
    money: list[Purse]
    tables: list[Seat]


class House(Struct, frozen=True, kw_only=True):
    """A table's accounts in one currency."""

    currency: str
    win: Sum
    commission: Sum
    commission_owed: Sum
    float: Sum
    chips_out: Sum
    float_difference: Sum


class TableBalance(Struct, frozen=True, kw_only=True):
    """A table's accounts, and what patrons have there."""

    position: int
    table: str
    house: list[House]
    patrons: list[Seat]


class Movement(Struct, frozen=True, kw_only=True):
    """One posting: which entry of the log moved how much, and what stood on the account before and after."""

    position: int
    at: str
    what: str
    stream: str
    account: str
    currency: str
    amount: Sum
    before: Sum
    after: Sum


class Statement(Struct, frozen=True, kw_only=True):
    """Movements in log order; `next`, if any, is the `after` of the next page. An entry is never cut in two."""

    position: int
    of: str
    movements: list[Movement]
    next: int | None


class Commission(Struct, frozen=True, kw_only=True):
    """Commission: `taken` is what was taken at once or collected; `owed` is marked and neither paid nor waived.

    Of a shoe, `owed` is what the shoe added to the debt: less than nothing where older debts were paid in it.
    """

    table: str | None
    shoe: int | None
    patron: str | None
    currency: str
    taken: Sum
    at_once: Sum
    collected: Sum
    marked: Sum
    waived: Sum
    owed: Sum


class Commissions(Struct, frozen=True, kw_only=True):
    """Commission by table, shoe or patron."""

    position: int
    by: By
    commission: list[Commission]
    next: int | None


class Figure(Struct, frozen=True, kw_only=True):
    """A table's, shoe's or patron's figures.

    `handle` is the sum of all stakes settled, pushes included; `win` stakes lost less winnings at full odds; `hold` the
    ratio of the two, in lowest terms, absent without handle; `commission` what was taken. `net` is win and commission.
    """

    table: str | None
    shoe: int | None
    patron: str | None
    currency: str
    rounds: int | None
    voided: int | None
    bets: int
    handle: Sum
    win: Sum
    hold: str | None
    commission: Sum
    net: Sum
    net_hold: str | None


class FiguresPage(Struct, frozen=True, kw_only=True):
    """Figures by table, shoe or patron."""

    position: int
    by: By
    figures: list[Figure]
    next: int | None


class TrialLine(Struct, frozen=True, kw_only=True):
    """All accounts of one line of the chart: what stands on either side."""

    account: str
    kind: Kind
    accounts: int
    debit: Sum
    credit: Sum


class Trial(Struct, frozen=True, kw_only=True):
    """One currency: `debit` and `credit` must be equal, and `difference` zero."""

    currency: str
    debit: Sum
    credit: Sum
    difference: Sum
    lines: list[TrialLine]


class TrialBalance(Struct, frozen=True, kw_only=True):
    """The trial balance; `balanced` when every currency is."""

    position: int
    balanced: bool
    currencies: list[Trial]
