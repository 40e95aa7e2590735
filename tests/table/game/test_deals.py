"""Deals: counted out of any cards, they agree with the same cards laid out one by one, and with a walk card after card.

Both share nothing with the counting but the tableau.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import permutations, product
from math import perm, prod

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from services.table.game.cards import CARDS, CODES
from services.table.game.deals import (
    NO_PAIR,
    Pairs,
    Unseen,
    count,
    deals,
    endings_by_pairs,
    facts_at,
    fresh,
    pairs_begun,
    unseen_after,
)
from services.table.game.endings import Ending, Two
from services.table.game.tableau import Facts, IllegalCoup, banker_draws, deal, pair_of, player_draws

SOME = ["Ac", "As", "Ad", "4h", "4c", "8s", "9d", "9h", "Td", "Tc", "Kh", "Ks", "Kc"]
FEW = st.lists(st.sampled_from(SOME), min_size=6, max_size=7)


def unseen_of(cards: list[str]) -> Unseen:
    left = Counter(cards)
    return tuple(left[card] for card in CARDS)


def laid_out(cards: list[str], left: int) -> tuple[Counter[Facts], int]:
    """Deal every order of six of the cards, of which only so many may be used."""
    found: Counter[Facts] = Counter()
    void = 0
    for order in permutations(cards, 6):
        facts = first_coup(order[:left])
        if facts is None:
            void += 1
        else:
            found[facts] += 1
    return found, void


def first_coup(cards: tuple[str, ...]) -> Facts | None:
    for number in (4, 5, 6):
        try:
            return deal(cards[:number]).facts
        except IllegalCoup:
            continue
    return None


def told(both: dict[Pairs, Counter[Ending]]) -> Counter[Facts]:
    return Counter({facts_at(end, pairs): ways for pairs, ends in both.items() for end, ways in ends.items() if ways})


@settings(max_examples=15)
@given(cards=FEW, left=st.integers(3, 7))
def test_any_cards_agree_with_every_order_laid_out(cards: list[str], left: int) -> None:
    expected, void = laid_out(cards, left)

    counted = count(unseen_of(cards), left=left, with_both=True)

    assert told(counted.both) == expected
    assert counted.void == void
    assert counted.total == perm(len(cards), 6)
    by_ending: Counter[Ending] = Counter()
    for facts, ways in expected.items():
        by_ending[facts.player, facts.banker, facts.player_cards, facts.banker_cards] += ways
    assert {end: ways for end, ways in counted.ends.items() if ways} == by_ending


@example(cards=["4h", "4c", "4d", "4s", "Kh"], used=0, left=5)
@example(cards=["4h", "4c", "9d", "9h", "2s"], used=0, left=4)
@example(cards=["8s", "Kh", "Kh", "9d"], used=0, left=4)
@settings(max_examples=15)
@given(cards=FEW.map(lambda cards: cards[:5]), used=st.integers(0, 5), left=st.integers(0, 5))
def test_fewer_than_six_cards_are_laid_out_and_what_runs_out_is_void(cards: list[str], used: int, left: int) -> None:
    cards = cards[used:]
    expected: Counter[Facts | None] = Counter(first_coup(order[:left]) for order in permutations(cards))

    counted = count(unseen_of(cards), left=left, with_both=True)

    assert counted.void == expected.pop(None, 0)
    assert told(counted.both) == expected
    assert counted.ends.total() + counted.void == counted.total


@settings(max_examples=40)
@given(unseen=st.lists(st.integers(0, 12), min_size=52, max_size=52).filter(lambda cards: sum(cards) >= 6).map(tuple))
def test_every_deal_of_any_cards_is_counted_once(unseen: Unseen) -> None:
    both = endings_by_pairs(unseen)

    assert sum(ends.total() for ends in both.values()) == perm(sum(unseen), 6)
    assert all(ways >= 0 for ends in both.values() for ways in ends.values())
    assert {pairs: ends.total() for pairs, ends in both.items()} == dict(pairs_begun(unseen))
    assert {end: ways for end, ways in count(unseen, left=6, with_both=False).ends.items() if ways} == {
        end: ways
        for end in {end for ends in both.values() for end in ends}
        if (ways := sum(ends[end] for ends in both.values()))
    }


@cache
def walks() -> Counter[tuple[tuple[int, ...], Ending]]:
    """Walk card after card, by value, through every coup: how many cards of each value it takes, and how it ends."""
    found: Counter[tuple[tuple[int, ...], Ending]] = Counter()

    def end(values: tuple[int, ...], player: int, banker: int, cards: Two) -> None:
        found[tuple(values.count(value) for value in range(10)), (player, banker, *cards)] += 1

    for first in product(range(10), repeat=4):
        player, banker = (first[0] + first[2]) % 10, (first[1] + first[3]) % 10
        if max(player, banker) >= 8:
            end(first, player, banker, (2, 2))
            continue
        for third in range(10) if player_draws(player) else (None,):
            values = first if third is None else (*first, third)
            after = player if third is None else (player + third) % 10
            number = 2 if third is None else 3
            if not banker_draws(banker, third):
                end(values, after, banker, (number, 2))
                continue
            for last in range(10):
                end((*values, last), after, (banker + last) % 10, (number, 3))
    return found


def walked(decks: int) -> Counter[Ending]:
    """Weigh every walk by the cards of so many decks, and as if six cards were dealt."""
    left = [decks * (16 if value == 0 else 4) for value in range(10)]
    found: Counter[Ending] = Counter()
    for (taken, ending), walks_so in walks().items():
        ways = prod(perm(cards, used) for cards, used in zip(left, taken, strict=True))
        found[ending] += walks_so * ways * perm(52 * decks - sum(taken), 6 - sum(taken))
    return Counter({ending: ways for ending, ways in found.items() if ways})


@pytest.mark.parametrize("decks", range(1, 13))
def test_any_number_of_decks_agrees_with_a_walk_card_after_card(decks: int) -> None:
    counted = count(fresh(decks), left=52 * decks, with_both=False)

    assert {end: ways for end, ways in counted.ends.items() if ways} == walked(decks)


def first_fours(decks: int) -> Iterator[tuple[Pairs, int]]:
    """Go through the first four cards by code."""
    for one in range(52):
        for two in range(52):
            ways = decks * (decks - (one == two))
            mine = pair_of((CARDS[one], CARDS[two]))
            if mine == "none":
                continue
            for three in range(52):
                # Four of a rank in suits of any kind, or pairs of two ranks: the rank of the third card says which.
                for four in range(three % 13, 52, 13):
                    taken = Counter((one, two))
                    third = decks - taken[three]
                    taken[three] += 1
                    fourth = decks - taken[four]
                    other = pair_of((CARDS[three], CARDS[four]))
                    yield (mine, other, one % 13 == three % 13), ways * third * fourth


@pytest.mark.parametrize("decks", [1, 2, 8])
def test_two_pairs_agree_with_all_first_four_cards_gone_through(decks: int) -> None:
    expected: Counter[Pairs] = Counter()
    for pairs, ways in first_fours(decks):
        expected[pairs] += ways * perm(52 * decks - 4, 2)

    begun = pairs_begun(fresh(decks))

    assert {pairs: ways for pairs, ways in begun.items() if "none" not in pairs} == {
        pairs: expected[pairs] for pairs in begun if "none" not in pairs
    }


def test_two_hands_are_alike_only_when_both_have_a_pair() -> None:
    begun = endings_by_pairs(fresh(2))

    assert {alike for player, banker, alike in begun if "none" in (player, banker)} == {False}
    assert {alike for player, banker, alike in begun if "none" not in (player, banker)} == {False, True}


def test_what_was_seen_is_missing_from_the_shoe() -> None:
    unseen = unseen_after(2, ["As", "Kd", "As"])

    assert unseen[CODES["As"]] == 0
    assert unseen[CODES["Kd"]] == 1
    assert sum(unseen) == 2 * 52 - 3


def test_a_suited_pair_takes_two_decks() -> None:
    assert not any("suited" in (facts.player_pair, facts.banker_pair) for facts in deals(1))
    assert any("suited" in (facts.player_pair, facts.banker_pair) for facts in deals(2))


def test_a_card_that_was_seen_is_missed_by_its_rank_and_suit_and_by_what_it_counts() -> None:
    seen = list(fresh(2))
    seen[CODES["Kh"]] -= 2

    without_kings, with_kings = pairs_begun(tuple(seen)), pairs_begun(fresh(2))

    assert without_kings["mixed", "none", False] * with_kings.total() < (
        with_kings["mixed", "none", False] * without_kings.total()
    )
    assert sum(without_kings.values()) == perm(102, 6)
    assert without_kings[NO_PAIR] < with_kings[NO_PAIR]
