"""Holdings: how many hands hold such and such cards, among others. What three hands of one shoe are counted with.

Cards are what they count, so there are 286 sets of none, one, two or three of them that a hand may hold. A card that is
gone has taken the hands with it that held it: what is left of them follows by subtraction, for every set.
"""

from collections.abc import Callable
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb
from operator import itemgetter, mul, sub
from typing import Final

from services.table.game.endings import VALUES, Points
from services.table.game.tableau import LARGEST_HAND, player_draws

Cards = tuple[int, ...]
"""Cards by what they count, the lowest first."""

Held = tuple[int, int]
"""What a hand comes to: its total, and how many cards it has."""

Holding = list[int]
"""In how many orders hands of some kind fall that hold the cards of each of SETS in turn, and perhaps others."""

TWO: Final = 2
# Either side draws on these, and so does the banker, as after a stand: what the system decides for who is silent.
DRAWN_ON: Final = frozenset(total for total in range(8) if player_draws(total))

SETS: Final = tuple(cards for size in range(LARGEST_HAND + 1) for cards in combinations_with_replacement(VALUES, size))
PLACES: Final = {cards: place for place, cards in enumerate(SETS)}
# How many sets are smaller than none, one, two, three and four cards.
SMALLER: Final = tuple(sum(len(cards) < size for cards in SETS) for size in range(LARGEST_HAND + 2))
PAIRS: Final = SETS[SMALLER[TWO] : SMALLER[LARGEST_HAND]]


def places_beside(cards: Cards) -> list[int]:
    """Give the places of the sets that have one card more, by its value."""
    return [PLACES[tuple(sorted((*cards, value)))] for value in VALUES]


BESIDE: Final = tuple(places_beside(cards) for cards in SETS[: SMALLER[LARGEST_HAND]])
ANY_MORE: Final = tuple(itemgetter(*places) for places in BESIDE)
# By how many sets are told of hands of two cards, and of three: where the smaller ones are with a card of a value more.
ONE_MORE: Final = {
    SMALLER[size + 1]: tuple(itemgetter(*(places[value] for places in BESIDE[: SMALLER[size]])) for value in VALUES)
    for size in (TWO, LARGEST_HAND)
}


@cache
def orders(cards: Cards) -> int:
    """Give in how many orders a hand of these cards may fall: one of three only where its first two draw."""
    if len(cards) == TWO:
        return 2
    return 2 * sum((sum(cards) - third) % 10 in DRAWN_ON for third in cards)


@cache
def twice(cards: Cards) -> int:
    """Give in how many orders two hands may be of these cards, as if each card could lie in both."""
    return orders(cards) ** 2


def holdings(unseen: Points, kinds: tuple[Held, ...], of: Callable[[Cards], int] = orders) -> dict[Held, Holding]:
    """Count the hands of these kinds out of the cards unseen: a whole hand's orders first, then whoever holds less."""
    others = [
        [many - cards.count(value) for value, many in enumerate(unseen)] for cards in SETS[: SMALLER[LARGEST_HAND]]
    ]
    found: dict[Held, Holding] = {}
    for total, size in kinds:
        whole = SETS[SMALLER[size] : SMALLER[size + 1]]
        held = [0] * SMALLER[size] + [of(cards) if sum(cards) % 10 == total else 0 for cards in whole]
        for place in reversed(range(SMALLER[size])):
            ways = sum(map(mul, ANY_MORE[place](held), others[place]))
            held[place] = ways // (size - len(SETS[place]))  # a hand was counted by each of its other cards
        found[total, size] = held
    return found


def without(held: Holding, value: int) -> Holding:
    """Take a card away. Of whole hands, the largest sets, it is not asked whether they had it."""
    more = ONE_MORE[len(held)][value](held)
    return [*map(sub, held, more), *held[len(more) :]]


def none_of(held: Holding, cards: Cards) -> int:
    """Count the hands that hold none of these cards: all, less those with one, then with two put back, and so on."""
    places, signs = _parts(cards)
    return sum(map(mul, places(held), signs))


@cache
def _parts(cards: Cards) -> tuple[Callable[[Holding], tuple[int, ...]], tuple[int, ...]]:
    parts = [part for size in range(len(cards) + 1) for part in combinations(cards, size)]
    return itemgetter(*(PLACES[part] for part in parts)), tuple((-1) ** len(part) for part in parts)


def in_common(left: Points) -> list[int]:
    """Give in how many ways no card, one or two may be picked that two hands have in common, one to be taken off."""
    pairs = (left[one] * left[other] if one != other else comb(left[one], 2) for one, other in PAIRS)
    return [1, *(-many for many in left), *pairs]
