"""What a bet of a coup pays: the line that a settlement must have for a stake, computed from the rules alone."""

from collections.abc import Callable
from fractions import Fraction

from msgspec import UNSET, UnsetType

from schemas.rules import Rounding
from services.table.game.bank import round_ratio
from services.table.game.paytable import PayTable
from services.table.game.tableau import Facts

Due = tuple[int, int, int, int | UnsetType]
"""won, commission, returned, marked."""

NOTHING = Fraction(0)
LOST: Due = (0, 0, 0, UNSET)
LOST_OWING: Due = (0, 0, 0, 0)


class Payout:
    """What one bet pays in one coup."""

    __slots__ = ("_commission", "_over", "_rate_over", "_rate_under", "_under", "_winnings", "due", "marks")

    def __init__(self, table: PayTable, bet: str, odds: Fraction | None) -> None:
        """Take the odds that the bet is paid: 0 for a push, None for a loss."""
        self.marks = table.marks
        self._over, self._under = (odds or NOTHING).as_integer_ratio()
        self._rate_over, self._rate_under = table.rates[bet].as_integer_ratio()
        self._winnings: Rounding = table.rules.winnings
        self._commission = table.rules.commission
        self.due: Callable[[int], Due] = self._lost if odds is None else self._won if odds else self._pushed

    def _lost(self, _: int) -> Due:
        return LOST_OWING if self.marks else LOST

    def _pushed(self, stake: int) -> Due:
        return 0, 0, stake, 0 if self.marks else UNSET

    def _won(self, stake: int) -> Due:
        """Give what a winning stake is paid: winnings rounded first, commission on what was won rounded after."""
        winnings, commission = self._winnings, self._commission
        won = round_ratio(stake * self._over, self._under, winnings.mode, winnings.unit)
        due = 0
        if self._rate_over and commission is not UNSET:
            due = round_ratio(won * self._rate_over, self._rate_under, commission.mode, commission.unit)
        return (won, 0, stake + won, due) if self.marks else (won, due, stake + won - due, UNSET)


def payouts(table: PayTable, facts: Facts) -> dict[str, Payout]:
    """Give what every bet of the rules pays once the facts of a coup are known."""
    return {bet: Payout(table, bet, odds) for bet, odds in table.paid(facts).items()}
