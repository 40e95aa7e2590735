"""The bank: what each bet of a coup is paid, to the minor unit, where the house banks."""

from collections.abc import Iterable
from fractions import Fraction

from msgspec import UNSET

from schemas.events import Line
from schemas.rules import RoundingMode, Rules
from services.table.game.paytable import PayTable, paytable
from services.table.game.tableau import Facts

Stake = tuple[str, str, int]
"""A patron, a bet, and all that the patron has staked on it, in minor units."""

LOSS = Fraction(-1)


def settle(table: PayTable, facts: Facts, stakes: Iterable[Stake]) -> list[Line]:
    """Settle a round's stakes, one line each, in the order given; KeyError when the rules have no such bet."""
    paid = table.paid(facts)
    return [line(table, patron, bet, stake, paid[bet]) for patron, bet, stake in stakes]


def line(table: PayTable, patron: str, bet: str, stake: int, odds: Fraction | None) -> Line:
    """Settle one patron's one bet at the odds it is paid: 0 is a push, None a loss."""
    if odds:
        return winning_line(table, patron, bet, stake, odds)
    return Line(
        patron=patron,
        bet=bet,
        stake=stake,
        won=0,
        commission=0,
        returned=0 if odds is None else stake,
        marked=0 if table.marks else UNSET,
    )


def winning_line(table: PayTable, patron: str, bet: str, stake: int, odds: Fraction) -> Line:
    """Settle a bet that wins: winnings rounded first, commission on what was won rounded after."""
    winnings, commission = table.rules.winnings, table.rules.commission
    won = round_ratio(stake * odds.numerator, odds.denominator, winnings.mode, winnings.unit)
    rate = table.rates[bet]
    due = 0
    if rate and commission is not UNSET:
        due = round_ratio(won * rate.numerator, rate.denominator, commission.mode, commission.unit)
    taken = 0 if table.marks else due
    return Line(
        patron=patron,
        bet=bet,
        stake=stake,
        won=won,
        commission=taken,
        returned=stake + won - taken,
        marked=due if table.marks else UNSET,
    )


def net_odds(rules: Rules, bet: str, facts: Facts) -> Fraction:
    """Give what a bet gains per unit staked, commission deducted: 0 for a push, -1 for a loss."""
    table = paytable(rules)
    odds = table.pays(bet, facts)
    return LOSS if odds is None else odds * (1 - table.rates[bet])


def round_to(amount: Fraction, mode: RoundingMode, unit: int) -> int:
    """Round an exact amount to a multiple of `unit`."""
    return round_ratio(amount.numerator, amount.denominator, mode, unit)


def round_ratio(over: int, under: int, mode: RoundingMode, unit: int) -> int:
    """Round `over / under` to a multiple of `unit`: down, or to the nearest, a half up or to the even multiple."""
    under *= unit
    multiple, rest = divmod(over, under)
    if mode == "floor" or 2 * rest < under:
        return unit * multiple
    if 2 * rest > under or mode == "half-up":
        return unit * (multiple + 1)
    return unit * (multiple + multiple % 2)
