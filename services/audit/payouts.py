"""What a bet of a coup pays: the line that a settlement must have for a stake, computed from the rules alone."""

from fractions import Fraction

from msgspec import UNSET, UnsetType

from schemas.rules import Rounding
from services.table.game.bank import round_ratio
from services.table.game.paytable import PayTable
from services.table.game.tableau import Facts

Due = tuple[int, int, int, int | UnsetType]
"""won, commission, returned, marked."""


class Payout:
    """One bet's odds and rate in one coup: `odds` is 0 for a push, None for a loss."""

    __slots__ = ("_lost", "_odds", "_over", "_rate", "_table", "_under", "_winnings")

    def __init__(self, table: PayTable, bet: str, odds: Fraction | None) -> None:
        self._table = table
        self._odds = odds
        self._over, self._under = (odds.numerator, odds.denominator) if odds else (0, 1)
        self._rate = table.rates[bet]
        self._winnings: Rounding = table.rules.winnings
        self._lost: Due = (0, 0, 0, 0 if table.marks else UNSET)

    def due(self, stake: int) -> Due:
        """Give what a stake on this bet wins, and what becomes of it."""
        if self._odds is None:
            return self._lost
        if not self._over:
            return 0, 0, stake, self._lost[3]
        won = round_ratio(stake * self._over, self._under, self._winnings.mode, self._winnings.unit)
        commission = self._table.rules.commission
        if not self._rate or commission is UNSET:
            return won, 0, stake + won, self._lost[3]
        due = round_ratio(won * self._rate.numerator, self._rate.denominator, commission.mode, commission.unit)
        if self._table.marks:
            return won, 0, stake + won, due
        return won, due, stake + won - due, UNSET


def payouts(table: PayTable, facts: Facts) -> dict[str, Payout]:
    """Give what every bet of the rules pays once the facts of a coup are known."""
    return {bet: Payout(table, bet, odds) for bet, odds in table.paid(facts).items()}
