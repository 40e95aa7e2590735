"""Odds: every deal of a fresh shoe counted, and what a bet costs its patron. Whole numbers, no sampling.

A deal is six cards in order, used or not, so that every coup weighs what it should: N (N-1) … (N-5) deals in all.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import perm, prod
from types import MappingProxyType
from typing import Literal

from schemas.rules import Rules
from services.table.game.bank import LOSS
from services.table.game.cards import POINTS, RANKS, SUITS
from services.table.game.paytable import paytable
from services.table.game.tableau import NATURALS, Facts, banker_draws, facts_told, player_draws

Pair = Literal["none", "mixed", "suited"]
Pairs = tuple[Pair, Pair, bool]
"""The pair of Player and of Banker, and whether both are of one rank."""

Totals = tuple[int, int, int, int]
"""The total of Player and of Banker, then the number of cards of each."""

Two = tuple[int, int]
"""The first two cards of a hand in either order, each by its rank or by what it counts."""

POINTS_OF_RANK = tuple(POINTS[rank + SUITS[0]] for rank in RANKS)
CARDS_IN_A_DEAL = 6


@cache
def deals(decks: int) -> Mapping[Facts, int]:
    """Count the deals of a fresh shoe that come to each set of facts."""
    counted: Counter[tuple[Totals, Pairs]] = Counter()
    for (player, banker), by_pairs in first_four_cards(decks).items():
        ends = endings(player, banker, left_by_points(decks, player + banker))
        for (pairs, ways), (totals, completions) in product(by_pairs.items(), ends.items()):
            counted[totals, pairs] += ways * completions
    return MappingProxyType({facts_at(totals, pairs): count for (totals, pairs), count in counted.items() if count})


def all_deals(decks: int) -> int:
    """Count all deals of a fresh shoe."""
    return perm(decks * len(RANKS) * len(SUITS), CARDS_IN_A_DEAL)


def edge(rules: Rules, bet: str) -> Fraction:
    """Give the share of its stake that a bet loses on average in a fresh shoe of these rules; it gains if below 0."""
    table, decks = paytable(rules), rules.procedure.decks
    kept = 1 - table.rates[bet]
    gained = Fraction(0)
    for facts, count in deals(decks).items():
        odds = table.pays(bet, facts)
        gained += count * (LOSS if odds is None else odds * kept)
    return -gained / all_deals(decks)


def facts_at(totals: Totals, pairs: Pairs) -> Facts:
    """Give the facts of a coup that ended so."""
    player, banker, player_cards, banker_cards = totals
    player_pair, banker_pair, alike = pairs
    return facts_told(
        player=player,
        banker=banker,
        player_cards=player_cards,
        banker_cards=banker_cards,
        player_pair=player_pair,
        banker_pair=banker_pair,
        alike=alike,
    )


def first_four_cards(decks: int) -> dict[tuple[Two, Two], Counter[Pairs]]:
    """Count the ways to deal each hand its first two cards, by what the cards count and the pairs they make."""
    counted: dict[tuple[Two, Two], Counter[Pairs]] = {}
    for player, banker in product(combinations_with_replacement(range(len(RANKS)), 2), repeat=2):
        by_pairs = counted.setdefault((by_points(player), by_points(banker)), Counter())
        by_pairs.update(ways_to_pair(decks, player, banker))
    return counted


def by_points(ranks: Two) -> Two:
    """Give what two ranks count, the lower first."""
    first, second = sorted((POINTS_OF_RANK[ranks[0]], POINTS_OF_RANK[ranks[1]]))
    return first, second


def ways_to_pair(decks: int, player: Two, banker: Two) -> dict[Pairs, int]:
    """Count the ways to deal these ranks to the hands, in any order, by the pairs they make."""
    ways = ways_to_deal(decks, player, banker)
    if player == banker and player[0] == player[1]:
        return ways_to_pair_alike(decks)
    # Which suits make a pair does not depend on a card in the other hand: any two cards of the rank are as likely.
    shares = [suit_shares(decks, hand) for hand in (player, banker)]
    return {
        (player_pair, banker_pair, False): int(ways * player_share * banker_share)
        for (player_pair, player_share), (banker_pair, banker_share) in product(*shares)
    }


def ways_to_deal(decks: int, player: Two, banker: Two) -> int:
    """Count the ways to deal these ranks to the hands, in any order."""
    orders = prod(1 if first == second else 2 for first, second in (player, banker))
    return orders * prod(perm(decks * len(SUITS), taken) for taken in Counter(player + banker).values())


def suit_shares(decks: int, hand: Two) -> list[tuple[Pair, Fraction]]:
    """Give how often two cards of these ranks are a pair of each kind."""
    if hand[0] != hand[1]:
        return [("none", Fraction(1))]
    suited = Fraction(decks - 1, decks * len(SUITS) - 1)
    return [("suited", suited), ("mixed", 1 - suited)]


def ways_to_pair_alike(decks: int) -> dict[Pairs, int]:
    """Count the ways to deal four cards of one rank, by the pairs they make."""
    rank = decks * len(SUITS)
    suited_first = rank * (decks - 1)
    other_suits = rank - decks
    suited_both = suited_first * ((decks - 2) * (decks - 3) + other_suits * (decks - 1))
    suited_one = suited_first * (rank - 2) * (rank - 3) - suited_both
    return {
        ("suited", "suited", True): suited_both,
        ("suited", "mixed", True): suited_one,
        ("mixed", "suited", True): suited_one,
        ("mixed", "mixed", True): perm(rank, 4) - suited_both - 2 * suited_one,
    }


def left_by_points(decks: int, taken: tuple[int, ...]) -> list[int]:
    """Count the cards left in the shoe, by what they count, once these are taken."""
    left = [decks * len(SUITS) * POINTS_OF_RANK.count(points) for points in range(10)]
    for points in taken:
        left[points] -= 1
    return left


def endings(player: Two, banker: Two, left: list[int]) -> dict[Totals, int]:
    """Count the ways to deal two more cards, used or not, by the totals and numbers of cards that the hands come to."""
    player_two, banker_two = sum(player) % 10, sum(banker) % 10
    further = sum(left) - 1
    if player_two in NATURALS or banker_two in NATURALS:
        return {(player_two, banker_two, 2, 2): (further + 1) * further}
    if not player_draws(player_two):
        return dict(banker_ends((player_two, 2), banker_two, None, left, further))
    ends: Counter[Totals] = Counter()
    for third, ways in enumerate(left):
        rest = [cards - (points == third) for points, cards in enumerate(left)]
        for totals, completions in banker_ends(((player_two + third) % 10, 3), banker_two, third, rest, 1):
            ends[totals] += ways * completions
    return ends


def banker_ends(
    player: tuple[int, int], banker_two: int, third: int | None, left: list[int], further: int
) -> Iterator[tuple[Totals, int]]:
    """Give how the coup ends once Player has a total and a number of cards.

    Each end is counted with `further` ways to deal what then remains of the six cards.
    """
    player_total, player_cards = player
    if not banker_draws(banker_two, third):
        yield (player_total, banker_two, player_cards, 2), sum(left) * further
        return
    for card, ways in enumerate(left):
        yield (player_total, (banker_two + card) % 10, player_cards, 3), ways * further
