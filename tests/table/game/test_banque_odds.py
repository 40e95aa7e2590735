"""The odds of baccarat banque: every order of few cards is laid out by the rules, and comes to what is counted."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from services.table.game.banque_deals import Outcome
from services.table.game.banque_hands import advice, next_step
from services.table.game.banque_odds import edge, fresh, outcomes, steps
from services.table.game.cards import RANKS
from services.table.game.deeds import Choose
from services.table.game.endings import Points
from services.table.game.rules import builtin
from services.table.game.settlement import winner_of
from services.table.game.state import Hands

BANQUE = builtin("banque").rules


def points(*values: int) -> Points:
    """Count cards by what they count."""
    return tuple(values.count(value) for value in range(10))


def card(value: int) -> str:
    """Give a card that counts so much."""
    return ("K" if value == 0 else RANKS[value - 1]) + "d"


def draws(hands: Hands) -> str | None:
    """Give the hand that the next card goes to, everybody silent; None when the coup is complete."""
    while isinstance(step := next_step(hands, played=[]), Choose):
        hands.choices[step.hand] = advice(step.hand, hands)
    return step.hand if step else None


def won(hands: Hands) -> Outcome:
    """Give who has won on either side."""
    return winner_of(hands.right, hands.banker), winner_of(hands.left, hands.banker)


def laid_out(cards: tuple[int, ...]) -> Outcome | None:
    """Play a coup with cards of these values; None when they run out."""
    hands, left = Hands(), list(cards)
    while hand := draws(hands):
        if not left:
            return None
        hands.of(hand).append(card(left.pop(0)))
    return won(hands)


def walked(unseen: dict[int, int], left: int) -> dict[Outcome, Fraction]:
    """Deal card after card, each as likely as there are of it, as long as any are left in the shoe."""
    found: dict[Outcome, Fraction] = {}

    def walk(hands: Hands, likely: Fraction) -> None:
        hand = draws(hands)
        if hand is None:
            found[won(hands)] = found.get(won(hands), Fraction(0)) + likely
        elif hands.dealt < left:
            cards = sum(unseen.values())
            for value, many in unseen.items():
                if many:
                    unseen[value] -= 1
                    further = hands.copy()
                    further.of(hand).append(card(value))
                    walk(further, likely * Fraction(many, cards))
                    unseen[value] += 1

    walk(Hands(), Fraction(1))
    return found


@pytest.mark.parametrize(
    "cards",
    [
        pytest.param((0, 0, 0, 0, 4, 4, 5, 5, 9), id="naturals of every hand"),
        pytest.param((0, 0, 1, 1, 2, 2, 3, 3, 3), id="small cards, all drawn to"),
        pytest.param((2, 2, 2, 3, 3, 3, 6, 6, 6), id="stands and draws"),
        pytest.param((8, 8, 1, 1, 1, 7, 7, 0, 0), id="ends and naturals"),
        pytest.param((0, 0, 0, 1, 1, 6, 9, 9), id="eight cards, that may run out"),
        pytest.param((0, 2, 4, 4, 5, 7), id="six cards"),
    ],
)
def test_every_order_of_few_cards_is_counted(cards: tuple[int, ...]) -> None:
    # Orders of equal cards are as many for each, so those that differ are enough.
    orders = dict.fromkeys(permutations(cards))
    laid: Counter[Any] = Counter(laid_out(order) for order in orders)

    likely = outcomes(points(*cards))

    assert likely == {
        outcome: Fraction(many, len(orders)) for outcome, many in laid.items() if outcome is not None and many
    }


@pytest.mark.parametrize("left", [6, 7, 8, 9])
@pytest.mark.parametrize(
    "unseen",
    [
        pytest.param({0: 48, 9: 12}, id="naturals and tens"),
        pytest.param({1: 3, 3: 11, 7: 4}, id="draws to three of a kind"),
        pytest.param({4: 9, 5: 2}, id="naturals of every hand"),
    ],
)
def test_a_walk_card_after_card_comes_to_what_is_counted(unseen: dict[int, int], left: int) -> None:
    cards = tuple(unseen.get(value, 0) for value in range(10))

    assert outcomes(cards, left) == walked(unseen, left)


# Counted before by laying out the hands of right as well.
@pytest.mark.parametrize(
    ("unseen", "chances"),
    [
        (
            fresh(3),
            {
                ("player", "player"): "165155195788939/568894600296750",
                ("player", "tie"): "121804700455978/3128920301632125",
                ("tie", "banker"): "12315763966207/240686177048625",
            },
        ),
        (
            (11, 2, 5, 0, 1, 3, 4, 6, 2, 3),
            {
                ("player", "player"): "5952356761/20746133100",
                ("player", "tie"): "38726637221/940491367200",
                ("tie", "banker"): "39653080253/705368525400",
            },
        ),
        (
            fresh(12),
            {
                ("player", "player"): "71000149755505744336/244792210772785020345",
                ("player", "tie"): "9579870191263391116/244792210772785020345",
                ("tie", "banker"): "1794758807662890052/34970315824683574335",
            },
        ),
    ],
    ids=["three decks", "a worn shoe", "twelve decks"],
)
def test_each_outcome_is_as_likely_as_when_two_hands_are_laid_out(unseen: Points, chances: dict[Outcome, str]) -> None:
    likely = outcomes(unseen)

    assert {outcome: likely[outcome] for outcome in chances} == {o: Fraction(chance) for o, chance in chances.items()}


def test_what_is_expected_before_a_card_is_seen_is_the_mean_of_what_is_expected_after_it() -> None:
    unseen = (9, 2, 3, 1, 0, 4, 2, 3, 1, 2)
    after: dict[Outcome, Fraction] = {}
    for value, many in enumerate(unseen):
        if many:
            fewer = tuple(cards - (value == other) for other, cards in enumerate(unseen))
            for outcome, likely in outcomes(fewer).items():
                after[outcome] = after.get(outcome, Fraction(0)) + likely * Fraction(many, sum(unseen))

    assert outcomes(unseen) == after


def test_a_coup_that_would_run_out_of_cards_is_void() -> None:
    long, short, none = (outcomes(fresh(3), left) for left in (9, 8, 5))

    assert sum(long.values()) == 1
    assert sum(short.values()) < 1
    assert none == {}
    assert all(chance < long[outcome] for outcome, chance in short.items())


def test_both_sides_have_the_same_odds_and_every_coup_has_an_outcome() -> None:
    likely = outcomes(fresh(3))

    assert sum(likely.values()) == 1
    assert all(likely[left, right] == chance for (right, left), chance in likely.items())
    assert edge(BANQUE, "right") == edge(BANQUE, "left") == edge(BANQUE, "banco-right") == edge(BANQUE, "banco-left")


@pytest.mark.parametrize(("bet", "cost"), [("right", "0.014654804280"), ("cheval", "0.002414086265")])
def test_what_a_stake_costs_out_of_three_decks(bet: str, cost: str) -> None:
    assert f"{float(edge(BANQUE, bet)):.12f}" == cost


def test_the_steps_of_cheval_are_both_won_one_not_lost_and_both_lost() -> None:
    likely = outcomes(fresh(3))

    found = steps(BANQUE, "cheval")

    both, right, left, lost = (chance for _, chance in found)
    assert [gain for gain, _ in found] == [1, 0, 0, -1]
    assert (both, lost) == (likely["player", "player"], likely["banker", "banker"])
    assert both + right + left + lost == 1


def test_what_is_seen_changes_what_a_stake_costs() -> None:
    without_fours = tuple(0 if value == 4 else many for value, many in enumerate(fresh(3)))

    assert edge(BANQUE, "right", without_fours) != edge(BANQUE, "right")
