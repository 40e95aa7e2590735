"""One event's postings, written as moves: whatever is debited is credited, so a slip always sums to zero."""

from collections.abc import Iterator

from msgspec import Struct

from schemas.events import Line


class Disagreement(ValueError):
    """The log says what the books know cannot be; the message says what. The ledger stops, and people decide."""


class Figures(Struct, kw_only=True):
    """What one patron has brought one shoe, in minor units: sums of settlement lines and of commission paid later.

    `win` is stakes lost less winnings at full odds; `commission` is what was taken at once, `marked` what was noted as
    owed, `collected` and `waived` what became of it.
    """

    bets: int = 0
    handle: int = 0
    win: int = 0
    commission: int = 0
    marked: int = 0
    collected: int = 0
    waived: int = 0

    def count(self, line: Line, sign: int) -> None:
        """Count a settlement line, or with `sign` -1 take it out again."""
        self.bets += sign
        self.handle += sign * line.stake
        self.win += sign * (line.stake - line.returned - line.commission)
        self.commission += sign * line.commission
        self.marked += sign * (line.marked or 0)

    def add(self, other: "Figures") -> None:
        """Add what another slip has brought."""
        for field in self.__struct_fields__:
            setattr(self, field, getattr(self, field) + getattr(other, field))


class Slip:
    """The postings of one event in one currency, and what it adds to the figures of a table's shoe.

    `amounts` holds one amount per account, debit positive; an account opened by the event stands there with zero.
    """

    __slots__ = ("amounts", "currency", "figures", "rounds", "shoe", "table", "voided")

    def __init__(self, currency: str, table: str = "", shoe: int = 0) -> None:
        self.currency = currency
        self.table = table
        self.shoe = shoe
        self.amounts: dict[str, int] = {}
        self.figures: dict[str, Figures] = {}
        self.rounds = 0
        self.voided = 0

    def move(self, amount: int, *, debit: str, credit: str) -> None:
        """Write one amount on both sides."""
        amounts = self.amounts
        if amount:
            amounts[debit] = amounts.get(debit, 0) + amount
            amounts[credit] = amounts.get(credit, 0) - amount

    def open(self, account: str) -> None:
        """Open an account with nothing on it."""
        self.amounts.setdefault(account, 0)

    def of(self, patron: str) -> Figures:
        """Give the figures that this slip adds for a patron."""
        figures = self.figures.get(patron)
        if figures is None:
            figures = self.figures[patron] = Figures()
        return figures

    def postings(self) -> Iterator[tuple[str, int]]:
        """Give account and amount of every posting, in the order written; none of them is zero."""
        return ((account, amount) for account, amount in self.amounts.items() if amount)
