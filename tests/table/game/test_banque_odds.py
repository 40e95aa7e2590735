"""The odds of baccarat banque: every order of few cards is laid out by the rules, and comes to what is counted."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

from services.table.game.banque_hands import advice, next_step
from services.table.game.banque_odds import Outcome, Points, edge, fresh, outcomes, steps
from services.table.game.cards import RANKS
from services.table.game.deeds import Choose
from services.table.game.rules import builtin
from services.table.game.settlement import winner_of
from services.table.game.state import Hands

BANQUE = builtin("banque").rules


def points(*values: int) -> Points:
    """Count cards by what they count."""
    return tuple(values.count(value) for value in range(10))


def laid_out(cards: tuple[int, ...]) -> Outcome | None:
    """Play a coup with cards of these values, everybody silent; None when they run out."""
    hands, left = Hands(), list(cards)
    while step := next_step(hands, played=[]):
        if isinstance(step, Choose):
            hands.choices[step.hand] = advice(step.hand, hands)
        elif left:
            value = left.pop(0)
            hands.of(step.hand).append(("K" if value == 0 else RANKS[value - 1]) + "d")
        else:
            return None
    return winner_of(hands.right, hands.banker), winner_of(hands.left, hands.banker)


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
