"""What the books say, page by page: each read in one snapshot, with the position at which they stood.

Amounts are minor units beside their currency. A balance is shown on its account's usual side, so that a patron's chips,
the house's win and what is owed are positive numbers.
"""

from typing import Literal

from msgspec import Struct

from services.ledger.book.accounts import Kind, Side
from services.ledger.cashier import State

By = Literal["table", "shoe", "patron"]


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
    balance: int
    postings: int


class Balances(Struct, frozen=True, kw_only=True):
    """Accounts in order; `next`, if any, is the `after` of the next page."""

    position: int
    balances: list[Balance]
    next: str | None


class Purse(Struct, frozen=True, kw_only=True):
    """A patron's money in one currency: `total` is account, stacks and escrow less what is owed."""

    currency: str
    account: int
    stacks: int
    escrow: int
    owed: int
    total: int


class Seat(Struct, frozen=True, kw_only=True):
    """What a patron has at a table: chips, stakes on the layout, commission owed."""

    patron: str
    table: str
    currency: str
    stack: int
    escrow: int
    owed: int


class PatronBalance(Struct, frozen=True, kw_only=True):
    """All that the house holds for a patron, or has to get from him."""

    position: int
    patron: str
    money: list[Purse]
    tables: list[Seat]


class House(Struct, frozen=True, kw_only=True):
    """A table's accounts in one currency."""

    currency: str
    win: int
    commission: int
    commission_owed: int
    float: int
    chips_out: int
    float_difference: int


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
    amount: int
    before: int
    after: int


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
    taken: int
    at_once: int
    collected: int
    marked: int
    waived: int
    owed: int


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
    handle: int
    win: int
    hold: str | None
    commission: int
    net: int
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
    debit: int
    credit: int


class Trial(Struct, frozen=True, kw_only=True):
    """One currency: `debit` and `credit` must be equal, and `difference` zero."""

    currency: str
    debit: int
    credit: int
    difference: int
    lines: list[TrialLine]


class TrialBalance(Struct, frozen=True, kw_only=True):
    """The trial balance; `balanced` when every currency is."""

    position: int
    balanced: bool
    currencies: list[Trial]
