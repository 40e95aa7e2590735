"""Chemin de fer: which hand the next card goes to, where the choice is free, and what the tableau would do there."""

from itertools import product
from typing import Any

import pytest

from schemas.words import Choice
from services.table.game.chemin_hands import advice, banker_may, next_step, player_may
from services.table.game.deeds import Choose, Draw
from services.table.game.state import Hands
from services.table.game.tableau import BANKER, BANKER_ALONE, NATURALS, PLAYER, next_hand
from tests.table.game.chemin_party import with_play

TABLEAU, FREE = with_play({"mode": "tableau"}), with_play({"mode": "free"})
CARDS = ("Kd", "Ad", "2d", "3d", "4d", "5d", "6d", "7d", "8d", "9d")
THIRDS = (None, *range(10))
WORDS: dict[str, Choice] = {"D": "draw", "S": "stand"}


def held(total: int, *third: int) -> list[str]:
    """Give two cards of this total, and a third one of this value."""
    return ["Kh", CARDS[total], *(CARDS[value] for value in third)]


def hands(of_player: list[str], of_banker: list[str], **choices: Any) -> Hands:
    return Hands(player=of_player, banker=of_banker, choices=choices)


@pytest.mark.parametrize("third", [(), *((value,) for value in range(10))])
def test_without_choices_cards_fall_as_in_the_house_banked_game(third: tuple[int, ...]) -> None:
    for player, banker, last in product(range(10), range(10), [(), (0,)]):
        laid = held(player, *third), held(banker, *last)
        expected = next_hand(*laid)

        assert next_step(TABLEAU, hands(*laid)) == (None if expected is None else Draw(expected)), laid


def test_first_two_cards_each_fall_in_turn() -> None:
    laid = hands([], [])
    for hand in ("player", "banker", "player", "banker"):
        assert next_step(FREE, laid) == Draw(hand)
        laid.of(hand).append("Kd")


@pytest.mark.parametrize("third", THIRDS)
def test_in_mode_free_banker_chooses_on_3_to_6_and_else_does_as_the_tableau(third: int | None) -> None:
    may = [banker_may(FREE, total, third) for total in range(8)]

    assert may == ["draw"] * 3 + ["choice"] * 4 + ["stand"]


def test_player_chooses_on_5_alone_unless_the_tableau_is_in_force() -> None:
    assert [player_may(FREE, total) for total in range(8)] == ["draw"] * 5 + ["choice"] + ["stand"] * 2
    assert [player_may(TABLEAU, total) for total in range(8)] == ["draw"] * 6 + ["stand"] * 2


def test_what_is_chosen_is_done_and_not_asked_again() -> None:
    fives = held(5), held(5)

    assert next_step(FREE, hands(*fives)) == Choose("player")
    assert next_step(FREE, hands(*fives, player="draw")) == Draw("player")
    assert next_step(FREE, hands(*fives, player="stand")) == Choose("banker")
    assert next_step(FREE, hands(*fives, player="stand", banker="draw")) == Draw("banker")
    assert next_step(FREE, hands(*fives, player="stand", banker="stand")) is None
    assert next_step(FREE, hands(held(5, 1), held(5), player="draw")) == Choose("banker")
    assert next_step(FREE, hands(held(5, 1), held(5, 1), player="draw", banker="draw")) is None


@pytest.mark.parametrize("natural", NATURALS)
def test_a_natural_of_either_hand_ends_the_coup(natural: int) -> None:
    assert next_step(FREE, hands(held(natural), held(5))) is None
    assert next_step(FREE, hands(held(5), held(natural))) is None


def test_for_who_is_silent_both_hands_do_as_the_tableau() -> None:
    for total in range(8):
        assert advice("player", hands(held(total), held(0))) == WORDS[PLAYER[total]]
        assert advice("banker", hands(held(6), held(total))) == WORDS[BANKER_ALONE[total]]
        for third in range(10):
            assert advice("banker", hands(held(5, third), held(total))) == WORDS[BANKER[total][third]]
