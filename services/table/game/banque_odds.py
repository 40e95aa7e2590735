"""The odds of baccarat banque: how often either side wins, counted exactly, when every hand does as the tableau.

Each side draws on 0 to 5, and so does the banker, as after a stand: what the system decides for who is silent. Cards
are what they count. Of cards that nobody has seen it does not matter whose is the earlier one.
"""

from collections import Counter
from fractions import Fraction
from functools import lru_cache
from math import perm
from typing import Final

from schemas.rules import Rules
from schemas.words import Winner
from services.table.game import deals
from services.table.game.bank import LOSS
from services.table.game.banque_deals import Outcome, counted
from services.table.game.banque_sides import SIDES
from services.table.game.endings import Points
from services.table.game.odds import WINNERS, BetOdds, odds_of_steps
from services.table.game.paytable import first_match, ladder_of
from services.table.game.tableau import LARGEST_HAND, Sides

CARDS_IN_A_DEAL: Final = 3 * LARGEST_HAND

Steps = tuple[tuple[Fraction, Fraction], ...]
"""What a patron gains on each rung of a ladder in turn, and last by the loss; and how likely each is."""


def edge(rules: Rules, bet: str, unseen: Points | None = None) -> Fraction:
    """Give the share of its stake that a bet loses on average: from a fresh shoe, or out of the cards not seen yet."""
    return odds_of_steps(steps(rules, bet, unseen)).edge


def steps(rules: Rules, bet: str, unseen: Points | None = None, *, left: int | None = None) -> Steps:
    """Give how likely each rung of a bet's ladder is, and last the loss. The levy is the banker's, and not counted."""
    ladder = ladder_of(rules.bets[bet])
    found = [Fraction(0)] * (len(ladder) + 1)
    for (right, of_left), likely in outcomes(unseen or fresh(rules.procedure.decks), left).items():
        sides = Sides(right_winner=right, left_winner=of_left)
        paid = [number for number, rung in enumerate(ladder) if first_match((rung,), sides) is not None]
        found[min(paid, default=-1)] += likely
    return tuple(zip([*(odds for _, odds in ladder), LOSS], found, strict=True))


def fresh(decks: int) -> Points:
    """Give the cards of a fresh shoe by what they count."""
    return deals.by_points(deals.fresh(decks))


def bets(rules: Rules, unseen: Points | None = None, *, left: int | None = None) -> dict[str, BetOdds]:
    """Give the odds of every bet, as they are given at one tableau."""
    return {name: odds_of_steps(steps(rules, name, unseen, left=left)) for name in rules.bets}


def winners(unseen: Points, *, left: int | None = None) -> dict[str, dict[Winner, Fraction]]:
    """Give how likely each winner is on either side."""
    found: dict[str, dict[Winner, Fraction]] = {side: dict.fromkeys(WINNERS, Fraction(0)) for side in SIDES}
    for outcome, likely in outcomes(unseen, left).items():
        for side, winner in zip(SIDES, outcome, strict=True):
            found[side][winner] += likely
    return found


def outcomes(unseen: Points, left: int | None = None) -> dict[Outcome, Fraction]:
    """Give how likely each outcome is: of the cards unseen so many are left in the shoe, or all of them.

    They fall short of 1 by the coups that run out of cards, and are void.
    """
    cards = sum(unseen)
    return _outcomes(unseen, min(CARDS_IN_A_DEAL, cards if left is None else left))


@lru_cache(maxsize=64)
def _outcomes(unseen: Points, most: int) -> dict[Outcome, Fraction]:
    cards = sum(unseen)
    found: Counter[Outcome] = Counter()
    for (outcome, dealt), ways in counted(unseen).items():
        if ways and dealt <= most:
            found[outcome] += ways * perm(cards - dealt, most - dealt)  # and whatever cards lie behind the coup's
    return {outcome: Fraction(ways, perm(cards, most)) for outcome, ways in found.items()}


def forget() -> None:
    """Forget what was counted: for whoever measures."""
    _outcomes.cache_clear()
