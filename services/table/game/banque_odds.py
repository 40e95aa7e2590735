"""The odds of baccarat banque: how often either side wins, counted exactly, when every hand does as the tableau.

Each side draws on 0 to 5, and so does the banker, as after a stand: what the system decides for who is silent. Cards
are what they count. Of cards that nobody has seen it does not matter whose is the earlier one; so a hand is drawn
whole, the banker's first, then right's, then left's, out of what the others leave.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import product
from math import perm, prod
from operator import add, sub
from typing import Final

from msgspec import Struct

from schemas.rules import Rules
from schemas.words import Winner
from services.table.game.bank import LOSS
from services.table.game.cards import POINTS, RANKS, SUITS
from services.table.game.odds import WINNERS, BetOdds, odds_of_steps
from services.table.game.paytable import first_match, ladder_of
from services.table.game.tableau import LARGEST_HAND, NATURALS, Sides, player_draws

VALUES: Final = tuple(range(10))
# The banker's row after a stand is the same.
DRAWN_ON: Final = frozenset(held for held in range(8) if player_draws(held))

Points = tuple[int, ...]
"""How many cards there are of each value."""

Held = tuple[int, int]
"""What a hand comes to: its total, and how many cards it has."""

Ways = dict[Held, int]
"""In how many orders of cards a hand comes to what."""

Outcome = tuple[Winner, Winner]
"""Who has won on the right, and who on the left; `player` when that side has beaten the bank."""

Tally = Counter[tuple[Outcome, int]]
"""In how many orders of cards a coup has which outcome, and with how many cards."""

Steps = tuple[tuple[Fraction, Fraction], ...]
"""What a patron gains on each rung of a ladder in turn, and last by the loss; and how likely each is."""


class Hand(Struct, frozen=True):
    """A hand: how many cards of each value, its total, and in how many orders it comes to be."""

    cards: Points
    total: int
    orders: int

    @property
    def is_natural(self) -> bool:
        """Whether it is a two-card 8 or 9."""
        return is_natural((self.total, sum(self.cards)))


def edge(rules: Rules, bet: str, unseen: Points | None = None) -> Fraction:
    """Give the share of its stake that a bet loses on average: from a fresh shoe, or out of the cards not seen yet."""
    return -sum((gain * likely for gain, likely in steps(rules, bet, unseen)), Fraction(0))


def steps(rules: Rules, bet: str, unseen: Points | None = None) -> Steps:
    """Give how likely each rung of a bet's ladder is, and last the loss. The levy is the banker's, and not counted."""
    ladder = ladder_of(rules.bets[bet])
    found = [Fraction(0)] * (len(ladder) + 1)
    for (right, left), likely in outcomes(unseen or fresh(rules.procedure.decks)).items():
        sides = Sides(right_winner=right, left_winner=left)
        paid = [number for number, rung in enumerate(ladder) if first_match((rung,), sides) is not None]
        found[min(paid, default=-1)] += likely
    return tuple(zip([*(odds for _, odds in ladder), LOSS], found, strict=True))


def fresh(decks: int) -> Points:
    """Give the cards of a fresh shoe by what they count."""
    of_value = Counter(POINTS[rank + SUITS[0]] for rank in RANKS)
    return tuple(decks * len(SUITS) * of_value[value] for value in VALUES)


def bets(rules: Rules) -> dict[str, BetOdds]:
    """Give the odds of every bet out of a fresh shoe, as they are given at one tableau."""
    return {name: odds_of_steps(steps(rules, name)) for name in rules.bets}


def winners(rules: Rules) -> dict[str, dict[Winner, Fraction]]:
    """Give how likely each winner is on either side, out of a fresh shoe."""
    found = outcomes(fresh(rules.procedure.decks))
    sides = {"right": 0, "left": 1}
    return {
        side: {who: sum((likely for of, likely in found.items() if of[at] == who), Fraction(0)) for who in WINNERS}
        for side, at in sides.items()
    }


@cache
def outcomes(unseen: Points) -> dict[Outcome, Fraction]:
    """Give how likely each outcome is. They fall short of 1 by the coups that run out of cards."""
    cards = sum(unseen)
    found: dict[Outcome, Fraction] = {}
    for (outcome, dealt), ways in counted(unseen).items():
        found[outcome] = found.get(outcome, Fraction(0)) + Fraction(ways, perm(cards, dealt))
    return found


def counted(unseen: Points) -> Tally:
    """Count the orders in which a coup's cards may fall, by who wins on either side and by how many cards it takes."""
    two, whole = hands(is_over=True), hands(is_over=False)
    found: Tally = Counter()
    # A natural of the banker's ends the coup; so do both sides', and then the banker draws no card either.
    _tally(found, unseen, natural(two), two, ways_of_two)
    _tally(found, unseen, other(two), natural(two), lambda left: only(ways_of_two(left), natural=True))
    _tally(found, unseen, other(whole), natural(whole), lambda left: only(ways_of(left), natural=False))
    _tally(found, unseen, other(whole), other(whole), ways_of)
    return found


def _tally(
    found: Tally, unseen: Points, bankers: Iterable[Hand], rights: list[Hand], lefts: Callable[[Points], Ways]
) -> None:
    """Add what comes of each hand of the banker's and of right's, and of all that left may hold then."""
    known: dict[Points, Ways] = {}
    for banker, right in product(bankers, rights):
        out = tuple(map(add, banker.cards, right.cards))
        ways = banker.orders * right.orders * prod(map(perm, unseen, out))
        if not ways:
            continue
        if out not in known:
            known[out] = lefts(tuple(map(sub, unseen, out)))
        on_the_right, before = winner(right.total, banker.total), sum(out)
        for (total, cards), left in known[out].items():
            if left:  # else these cards may not even be there
                found[(on_the_right, winner(total, banker.total)), before + cards] += ways * left


@cache
def hands(*, is_over: bool) -> list[Hand]:
    """List every hand: of two cards when the coup is over with them, else as the tableau draws."""
    found: Counter[Points] = Counter()
    for two in product(VALUES, VALUES):
        draws = not is_over and sum(two) % 10 in DRAWN_ON
        for cards in [(*two, third) for third in VALUES] if draws else [two]:
            found[tuple(cards.count(value) for value in VALUES)] += 1
    return [
        Hand(cards, sum(value * many for value, many in enumerate(cards)) % 10, orders)
        for cards, orders in found.items()
    ]


def ways_of_two(left: Points) -> Ways:
    """Count the orders of two cards by their total."""
    ways: Ways = dict.fromkeys(((total, 2) for total in VALUES), 0)
    for one, other in product(VALUES, VALUES):
        ways[(one + other) % 10, 2] += left[one] * (left[other] - (one == other))
    return ways


def ways_of(left: Points) -> Ways:
    """Count the orders of a hand's cards, drawn as the tableau says, by its total and its cards."""
    two = ways_of_two(left)
    ways = {held: many for held, many in two.items() if held[0] not in DRAWN_ON}
    ways |= dict.fromkeys(((total, LARGEST_HAND) for total in VALUES), 0)
    for total, third in product(DRAWN_ON, VALUES):
        # All cards of the third's value are left, but for one less where it lies in the first or the second place.
        beside = (total - third) % 10
        fewer = 2 * (left[beside] - (beside == third))
        ways[(total + third) % 10, LARGEST_HAND] += left[third] * (two[total, 2] - fewer)
    return {held: many for held, many in ways.items() if many}


def natural(hands: Iterable[Hand]) -> list[Hand]:
    """Give the naturals."""
    return [hand for hand in hands if hand.is_natural]


def other(hands: Iterable[Hand]) -> list[Hand]:
    """Give all but the naturals."""
    return [hand for hand in hands if not hand.is_natural]


def only(ways: Ways, *, natural: bool) -> Ways:
    """Give the naturals, or all but those."""
    return {held: many for held, many in ways.items() if is_natural(held) == natural}


def is_natural(held: Held) -> bool:
    """Whether a hand is a two-card 8 or 9."""
    return held[1] < LARGEST_HAND and held[0] in NATURALS


@cache
def winner(side: int, banker: int) -> Winner:
    """Give the higher total."""
    return "player" if side > banker else "banker" if side < banker else "tie"
