"""Endings: the ways a coup can end, counted over cards that are nothing but what they count.

Third cards are laid out first, and the first four cards after them: which is drawn first makes no difference to a
count. Of the first four only two totals matter, ten times ten of them; ways to reach those come from a formula.
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import product
from operator import mul
from typing import Final, Protocol

from msgspec import Struct

from services.table.game.tableau import NATURALS, banker_draws, player_draws

Points = tuple[int, ...]
"""How many cards count 0, 1 … 9."""

Two = tuple[int, int]
"""What the first two cards of Player and of Banker come to."""

Ending = tuple[int, int, int, int]
"""The total of Player and of Banker, then the number of cards of each."""

Endings = Counter[Ending]

VALUES: Final = range(10)


class Draws(Struct, frozen=True, kw_only=True):
    """Who draws on which totals: nobody; Banker alone; for each third card of Player, Player alone, and both."""

    nobody: tuple[Two, ...]
    banker: tuple[Two, ...]
    player: tuple[tuple[Two, ...], ...]
    both: tuple[tuple[Two, ...], ...]


@cache
def draws(player: int | None, banker: int | None) -> Draws:
    """Lay the tableau out, for all totals or only those with a hand that is known."""
    two = [totals for totals in product(VALUES, VALUES) if player in {None, totals[0]} and banker in {None, totals[1]}]
    open_ = [totals for totals in two if not set(totals) & set(NATURALS)]
    alone = tuple(t for t in open_ if not player_draws(t[0]) and banker_draws(t[1], None))
    thirds = [tuple(t for t in open_ if player_draws(t[0]) and banker_draws(t[1], third)) for third in VALUES]
    first = [tuple(t for t in open_ if player_draws(t[0]) and not banker_draws(t[1], third)) for third in VALUES]
    return Draws(
        nobody=tuple(t for t in two if t not in open_ or not (player_draws(t[0]) or t in alone)),
        banker=alone,
        player=tuple(first),
        both=tuple(thirds),
    )


def ended(left: Points, player: int | None, banker: int | None) -> Endings:
    """Count the deals of the rest of six cards by how the coup ends.

    A hand that has its first two cards, which are not among those left, is told by what they come to.
    """
    found: Endings = Counter()
    table = draws(player, banker)
    hands = hands_open(left, player, banker)
    rest = sum(left) - 2 * ((player is None) + (banker is None))
    for (one, other), ways in hands.ways(table.nobody):
        found[one, other, 2, 2] += ways * rest * (rest - 1)
    for card, cards in enumerate(left):
        if cards:
            short = hands.without(card)
            for (one, other), ways in short.ways(table.banker):
                found[one, (other + card) % 10, 2, 3] += cards * ways * (rest - 1)
            for (one, other), ways in short.ways(table.player[card]):
                found[(one + card) % 10, other, 3, 2] += cards * ways * (rest - 1)
            if table.both[card]:
                draw_both(found, short, card, cards, table.both[card])
    return found


def draw_both(found: Endings, short: "Hands", card: int, cards: int, totals: Sequence[Two]) -> None:
    """Count the deals in which Player draws this card and Banker any other."""
    for last, lasts in enumerate(short.left):
        if lasts:
            drawn = cards * lasts
            for (one, other), ways in short.ways(totals, last):
                found[(one + card) % 10, (other + last) % 10, 3, 3] += drawn * ways


class Hands(Protocol):
    """The first two cards of both hands, as far as they are open, out of the cards left."""

    left: Points

    def without(self, card: int) -> "Hands":
        """Deal them out of one card less."""

    def ways(self, totals: Sequence[Two], last: int | None = None) -> list[tuple[Two, int]]:
        """Count the ways to deal them, by what they come to, these totals only; out of one card less if it is named."""


def hands_open(left: Points, player: int | None, banker: int | None) -> Hands:
    """Give the hands that are open."""
    if player is None and banker is None:
        return BothOpen(left)
    if player is None or banker is None:
        return OneOpen(left, sums(left), 0 if player is None else 1)
    return NoneOpen(left)


def taken(left: Points, *cards: int) -> Points:
    """Take cards away."""
    rest = list(left)
    for card in cards:
        rest[card] -= 1
    return tuple(rest)


def sums(left: Points) -> list[int]:
    """Count the ways to draw two cards, one after the other, by what they come to."""
    return [sum(map(mul, left, mates(left, total))) for total in VALUES]


def mates(left: Points, total: int) -> list[int]:
    """Give, for a card of each value, how many others make the total with it."""
    found = [left[total - card] for card in VALUES]
    if total % 2 == 0:
        found[total // 2] -= 1
        found[total // 2 + 5] -= 1
    return found


class NoneOpen:
    """Both hands have their cards."""

    def __init__(self, left: Points) -> None:
        self.left = left

    def without(self, card: int) -> "NoneOpen":
        """Take one card away."""
        return NoneOpen(taken(self.left, card))

    def ways(self, totals: Sequence[Two], _: int | None = None) -> list[tuple[Two, int]]:
        """There is one way."""
        return [(two, 1) for two in totals]


class OneOpen:
    """One hand is to have its cards: Player's is 0, Banker's 1."""

    def __init__(self, left: Points, by_total: list[int], hand: int) -> None:
        self.left = left
        self._by_total = by_total
        self._hand = hand

    def without(self, card: int) -> "OneOpen":
        """Take one card away, and both ways to draw it with each other card."""
        fewer = [ways - self._with(card, total) for total, ways in enumerate(self._by_total)]
        return OneOpen(taken(self.left, card), fewer, self._hand)

    def ways(self, totals: Sequence[Two], last: int | None = None) -> list[tuple[Two, int]]:
        """Look up what the open hand comes to."""
        by_total, hand = self._by_total, self._hand
        if last is None:
            return [(two, by_total[two[hand]]) for two in totals]
        return [(two, by_total[two[hand]] - self._with(last, two[hand])) for two in totals]

    def _with(self, card: int, total: int) -> int:
        """Count the ways to draw one card of a value as either of two that make the total."""
        return 2 * (self.left[total - card] - (2 * card % 10 == total))


class BothOpen:
    """Both hands are to have their cards.

    Of all ways to draw two hands, each out of all cards, those are taken off in which they share one card, in any of
    four places, and those in which they share both, in two orders.
    """

    def __init__(self, left: Points) -> None:
        self.left = left

    def without(self, card: int) -> "BothOpen":
        """Take one card away."""
        return BothOpen(taken(self.left, card))

    def ways(self, totals: Sequence[Two], last: int | None = None) -> list[tuple[Two, int]]:
        """Count for each of the totals."""
        left = self.left if last is None else taken(self.left, last)
        beside = [mates(left, total) for total in VALUES]
        drawn = [list(map(mul, left, others)) for others in beside]
        by_total = [sum(ways) for ways in drawn]
        found = []
        for one, other in totals:
            ways = by_total[one] * by_total[other] - 4 * sum(map(mul, drawn[one], beside[other]))
            # At equal totals, the two others of a shared card were counted as one card too: + 4; both shared: - 2.
            found.append(((one, other), ways + 2 * by_total[one] if one == other else ways))
        return found
