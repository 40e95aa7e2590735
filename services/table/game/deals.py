"""Deals: all that can still fall, counted by the facts a coup comes to. Whole numbers, no sampling.

A deal is six cards in order, used or not, so that every coup weighs what it should: n (n-1) … (n-5) deals of n cards.
A pair needs rank and suit, but it fixes what its hand comes to; for everything else cards are what they count. So deals
are counted with a pair in either hand, whatever the other has, and with one in both; those without come by subtraction.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import permutations, product
from math import perm
from typing import Final, Literal

from msgspec import Struct

from services.table.game.cards import CARDS, CODES, POINTS, RANKS, SUITS, Card
from services.table.game.endings import VALUES, Ending, Endings, Points, ended, taken
from services.table.game.tableau import Facts, IllegalCoup, deal, facts_told

Unseen = tuple[int, ...]
"""How many of each of the 52 cards may still fall, each at its code."""

Kind = Literal["mixed", "suited"]
Pair = Literal["none", "mixed", "suited"]
Pairs = tuple[Pair, Pair, bool]
"""The pair of Player and of Banker, and whether both are of one rank."""

CARDS_IN_A_DEAL: Final = 6
POINTS_OF_RANK: Final = tuple(POINTS[rank + SUITS[0]] for rank in RANKS)
KINDS: Final[tuple[Kind, ...]] = ("mixed", "suited")
NO_PAIR: Final[Pairs] = ("none", "none", False)
ANYHOW: Final[Ending] = (0, 0, 2, 2)


class Counted(Struct, frozen=True, kw_only=True):
    """Deals: in all; by how the coup ends; by the pairs that it begins with; by both; and those that run out of cards.

    Those that run out are in the total, and by pairs alone; by both they are counted only when that was asked for.
    """

    total: int
    ends: Endings
    pairs: Counter[Pairs]
    both: dict[Pairs, Endings]
    void: int


def count(unseen: Unseen, *, left: int, with_both: bool) -> Counted:
    """Count the deals of a coup out of the unseen cards, of which as many as are left may still fall."""
    if sum(unseen) < CARDS_IN_A_DEAL:
        return count_few(unseen, left=left)
    both = endings_by_pairs(unseen) if with_both else {}
    ends = endings(unseen)
    void = 0
    if left < CARDS_IN_A_DEAL:
        void = run_out(ends, left)
        for one in both.values():
            run_out(one, left)
    return Counted(total=perm(sum(unseen), CARDS_IN_A_DEAL), ends=ends, pairs=pairs_begun(unseen), both=both, void=void)


def run_out(ends: Endings, left: int) -> int:
    """Take out the coups for which too few cards are left, and give their number."""
    short = [ending for ending in ends if ending[2] + ending[3] > left]
    return sum(ends.pop(ending) for ending in short)


def count_few(unseen: Unseen, *, left: int) -> Counted:
    """Lay out every order of five cards or fewer."""
    cards = [card for card, many in zip(CARDS, unseen, strict=True) for _ in range(many)]
    ends: Endings = Counter()
    both: dict[Pairs, Endings] = {}
    void = total = 0
    for order in permutations(cards):
        total += 1
        facts = laid_out(order[:left])
        if facts is None:
            void += 1
            continue
        ending = (facts.player, facts.banker, facts.player_cards, facts.banker_cards)
        ends[ending] += 1
        pairs: Pairs = (facts.player_pair, facts.banker_pair, facts.pairs == "alike")
        both.setdefault(pairs, Counter())[ending] += 1
    return Counted(total=total, ends=ends, pairs=Counter(), both=both, void=void)


def laid_out(cards: Sequence[Card]) -> Facts | None:
    """Give the facts of the coup that begins with these cards; None when it needs more."""
    for number in range(4, len(cards) + 1):
        try:
            return deal(cards[:number]).facts
        except IllegalCoup:
            continue
    return None


def fresh(decks: int) -> Unseen:
    """Give all cards of a fresh shoe."""
    return (decks,) * len(CARDS)


def unseen_after(decks: int, seen: Iterable[Card]) -> Unseen:
    """Give the cards of a shoe that nobody has seen."""
    left = [decks] * len(CARDS)
    for card in seen:
        left[CODES[card]] -= 1
    return tuple(left)


def all_deals(decks: int) -> int:
    """Count all deals of a fresh shoe."""
    return perm(decks * len(CARDS), CARDS_IN_A_DEAL)


@cache
def deals(decks: int) -> dict[Facts, int]:
    """Count the deals of a fresh shoe that come to each set of facts."""
    return {
        facts_at(ending, pairs): count
        for pairs, ends in endings_by_pairs(fresh(decks)).items()
        for ending, count in ends.items()
        if count
    }


@cache
def facts_at(ending: Ending, pairs: Pairs = NO_PAIR) -> Facts:
    """Give the facts of a coup that ended so."""
    player, banker, player_cards, banker_cards = ending
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


def endings(unseen: Unseen) -> Endings:
    """Count the deals of six or more cards by how the coup ends, pairs or none."""
    return ended(by_points(unseen), None, None)


def pairs_begun(unseen: Unseen) -> Counter[Pairs]:
    """Count the deals of six or more cards by the pairs that they begin with, however the coup ends."""
    cards = sum(unseen)
    both = {pairs: ways.total() * perm(cards - 4, 2) for pairs, ways in pairs_in_both(unseen).items()}
    one = {kind: sum(pairs_by_points(unseen, kind)) * perm(cards - 2, 4) for kind in KINDS}
    apart = with_one_and_none(
        {pairs: Counter({ANYHOW: ways}) for pairs, ways in both.items()},
        {kind: Counter({ANYHOW: ways}) for kind, ways in one.items()},
        {kind: Counter({ANYHOW: ways}) for kind, ways in one.items()},
        Counter({ANYHOW: perm(cards, CARDS_IN_A_DEAL)}),
    )
    return Counter({pairs: ends[ANYHOW] for pairs, ends in apart.items()})


def endings_by_pairs(unseen: Unseen) -> dict[Pairs, Endings]:
    """Count the deals of six or more cards by the pairs that they begin with, and by how the coup ends."""
    left = by_points(unseen)
    ways = {kind: pairs_by_points(unseen, kind) for kind in KINDS}
    players, bankers = in_one(left, ways, is_players=True), in_one(left, ways, is_players=False)
    return with_one_and_none(in_both(unseen, left), players, bankers, endings(unseen))


def with_one_and_none(
    both: dict[Pairs, Endings], players: dict[Kind, Endings], bankers: dict[Kind, Endings], whole: Endings
) -> dict[Pairs, Endings]:
    """Complete the deals that begin with two pairs by those with one and with none: what is left of what is given."""
    for (player, banker, _), ends in both.items():
        players[player].subtract(ends)  # type: ignore[index]  # every hand of these begins with a pair
        bankers[banker].subtract(ends)  # type: ignore[index]
    found = dict(both)
    found |= {(kind, "none", False): ends for kind, ends in players.items()}
    found |= {("none", kind, False): ends for kind, ends in bankers.items()}
    for ends in found.values():
        whole.subtract(ends)
    return {**found, NO_PAIR: whole}


def by_points(unseen: Unseen) -> Points:
    """Count cards by what they count."""
    found = [0] * len(VALUES)
    for code, cards in enumerate(unseen):
        found[POINTS_OF_RANK[code % len(RANKS)]] += cards
    return tuple(found)


def in_one(left: Points, ways: Mapping[Kind, Sequence[int]], *, is_players: bool) -> dict[Kind, Endings]:
    """Count the deals that begin with a pair in one hand, by its kind, whatever the other hand has."""
    found: dict[Kind, Endings] = {kind: Counter() for kind in ways}
    for value in VALUES:
        rest = taken(left, value, value)
        if rest[value] >= 0:
            two = 2 * value % 10
            ends = ended(rest, two, None) if is_players else ended(rest, None, two)
            for kind, drawn in ways.items():
                add(found[kind], ends, drawn[value])
    return found


def in_both(unseen: Unseen, left: Points) -> dict[Pairs, Endings]:
    """Count the deals that begin with two pairs."""
    drawn = pairs_in_both(unseen)
    found: dict[Pairs, Endings] = {pairs: Counter() for pairs in drawn}
    for player, banker in product(VALUES, VALUES):
        rest = taken(left, player, player, banker, banker)
        if min(rest) >= 0:
            ends = ended(rest, 2 * player % 10, 2 * banker % 10)
            for pairs, ways in drawn.items():
                add(found[pairs], ends, ways[player, banker])
    return found


def add(found: Endings, ends: Endings, ways: int) -> None:
    """Add endings, each as often as there are ways to begin."""
    if ways:
        for ending, count in ends.items():
            found[ending] += ways * count


def pairs_in_both(unseen: Unseen) -> dict[Pairs, Counter[tuple[int, int]]]:
    """Count the draws of a pair for each hand, by their kinds and by what a card of each counts."""
    found: dict[Pairs, Counter[tuple[int, int]]] = {}
    by_value = {kind: pairs_by_points(unseen, kind) for kind in KINDS}
    for kinds in product(KINDS, KINDS):
        one, other = (by_value[kind] for kind in kinds)
        apart = Counter({(player, banker): one[player] * other[banker] for player, banker in product(VALUES, VALUES)})
        alike: Counter[tuple[int, int]] = Counter()
        for rank, value in enumerate(POINTS_OF_RANK):
            suits = of_rank(unseen, rank)
            apart[value, value] -= pairs_of_rank(suits, kinds[0]) * pairs_of_rank(suits, kinds[1])
            alike[value, value] += alike_of_rank(suits)[kinds]
        found[(*kinds, False)], found[(*kinds, True)] = apart, alike
    return found


def pairs_by_points(unseen: Unseen, kind: Kind) -> list[int]:
    """Count the draws of a pair by what each of its cards counts."""
    found = [0] * len(VALUES)
    for rank, value in enumerate(POINTS_OF_RANK):
        found[value] += pairs_of_rank(of_rank(unseen, rank), kind)
    return found


def of_rank(unseen: Unseen, rank: int) -> Unseen:
    """Give how many cards of a rank there are in each suit."""
    return unseen[rank :: len(RANKS)]


def pairs_of_rank(suits: Sequence[int], kind: Kind) -> int:
    """Count the draws of a pair out of one rank."""
    suited = sum(perm(cards, 2) for cards in suits)
    return suited if kind == "suited" else perm(sum(suits), 2) - suited


def alike_of_rank(suits: Sequence[int]) -> dict[tuple[Kind, Kind], int]:
    """Count the draws of two pairs out of one rank, by the kind of each."""
    cards, suited = sum(suits), pairs_of_rank(suits, "suited")
    both = sum(perm(same, 2) * (suited - perm(same, 2)) + perm(same, 4) for same in suits)
    one = suited * perm(max(0, cards - 2), 2) - both
    return {
        ("suited", "suited"): both,
        ("suited", "mixed"): one,
        ("mixed", "suited"): one,
        ("mixed", "mixed"): perm(cards, 4) - both - 2 * one,
    }
