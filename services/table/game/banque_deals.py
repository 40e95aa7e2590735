"""The deals of baccarat banque: in how many orders of cards a coup ends how, when every hand does as the tableau.

The banker's hand is laid out, one after the other; both sides have theirs out of what it leaves. If each had all of it
to itself, the ways would only be multiplied. But no card lies in both hands: so pairs of hands with a card in common
are taken off; those with two in common, taken off twice by that, put back; those with all three taken off again. For
this it is enough to know how many hands hold such and such cards. Whole numbers, and no sampling.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, reduce
from math import comb, prod
from operator import add, mul
from typing import Final

from schemas.words import Winner
from services.table.game.endings import VALUES, Points, taken
from services.table.game.holdings import (
    DRAWN_ON,
    SETS,
    SMALLER,
    TWO,
    Cards,
    Held,
    Holding,
    holdings,
    in_common,
    none_of,
    orders,
    twice,
    without,
)
from services.table.game.tableau import LARGEST_HAND, NATURALS

End = tuple[Winner, int, bool]
"""How a side's hand ends: who wins there, how many cards it has, and whether it is a two-card 8 or 9."""

Outcome = tuple[Winner, Winner]
"""Who has won on the right, and who on the left; `player` when that side has beaten the bank."""

Tally = Counter[tuple[Outcome, int]]
"""In how many orders of cards a coup has which outcome, and with how many cards."""

ANY_TWO: Final = tuple((total, TWO) for total in VALUES)
NATURAL: Final = tuple((total, TWO) for total in NATURALS)
STOOD: Final = tuple((total, TWO) for total in VALUES if total not in DRAWN_ON)  # naturals among them
DRAWN: Final = tuple((total, LARGEST_HAND) for total in VALUES)


def counted(unseen: Points) -> Tally:
    """Count the orders in which a coup's cards may fall, by who wins on either side and by how many cards it takes."""
    found: Tally = Counter()
    sides = Sides(unseen)
    for banker in SETS[SMALLER[TWO] :]:
        ways = orders(banker) * prod(comb(unseen[value], many) for value, many in Counter(banker).items())
        if ways:
            for (right, right_cards, _), (left, left_cards, _), both in sides.beside(banker):
                found[(right, left), len(banker) + right_cards + left_cards] += ways * both
    return found


class Sides:
    """What right and left may have out of the cards unseen, less the banker's hand."""

    def __init__(self, unseen: Points) -> None:
        hands, twins = holdings(unseen, (*ANY_TWO, *DRAWN)), holdings(unseen, DRAWN, of=twice)
        self._unseen = unseen
        self._any_two = {total: against(total, hands, ANY_TWO) for total in NATURALS}
        self._natural = {total: against(total, hands, NATURAL) for total in DRAWN_ON}
        self._whole = {total: against(total, hands, (*STOOD, *DRAWN)) for total in VALUES}
        self._twins = {total: against(total, twins, DRAWN) for total in VALUES}

    def beside(self, banker: Cards) -> Iterator[tuple[End, End, int]]:
        """Count the orders of right's and of left's cards, beside the banker's, by how both hands end."""
        ends = [(end, reduce(without, banker, held)) for end, held in self._open(banker).items()]
        shared = in_common(taken(self._unseen, *banker))
        for number, (one, held) in enumerate(ends):
            weighed = list(map(mul, shared, held))
            for other, beside in ends[number:]:
                if has_drawn_after(one, other, banker):
                    continue
                ways = sum(map(mul, weighed, beside))
                if one == other:
                    yield one, one, ways - self._all_shared(one, banker)
                else:
                    yield one, other, ways
                    yield other, one, ways

    def _open(self, banker: Cards) -> Mapping[End, Holding]:
        """Give the ends that are open to a side beside the banker's hand."""
        total = sum(banker) % 10
        if len(banker) == TWO and total in NATURALS:
            return self._any_two[total]
        # The banker has no third card on a low total only where both sides are naturals.
        return self._natural[total] if len(banker) == TWO and total in DRAWN_ON else self._whole[total]

    def _all_shared(self, end: End, banker: Cards) -> int:
        """Count the pairs of hands that end so, and are the same three cards."""
        twins = self._twins[sum(banker) % 10].get(end)
        return 0 if twins is None else none_of(twins, banker)


def has_drawn_after(right: End, left: End, banker: Cards) -> bool:
    """Whether the banker has a third card here though naturals on both sides have ended the coup."""
    return len(banker) == LARGEST_HAND and right[-1] and left[-1]


def against(banker: int, hands: Mapping[Held, Holding], kinds: tuple[Held, ...]) -> dict[End, Holding]:
    """Put the hands of these kinds together that end alike against the banker's total."""
    found: dict[End, Holding] = {}
    for total, size in kinds:
        end = winner(total, banker), size, size == TWO and total in NATURALS
        found[end] = list(map(add, found[end], hands[total, size])) if end in found else hands[total, size]
    return found


@cache
def winner(side: int, banker: int) -> Winner:
    """Give the higher total."""
    return "player" if side > banker else "banker" if side < banker else "tie"
