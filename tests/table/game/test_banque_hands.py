"""Baccarat banque: which hand the next card goes to, and where the choice is free."""

from typing import Any

import pytest

from services.table.game.banque_hands import advice, next_step
from services.table.game.banque_sides import SIDES
from services.table.game.deeds import Choose, Draw, Step
from services.table.game.state import Hands


def hands(*held: str, **choices: Any) -> Hands:
    """Give right, left and banker with cards of these values, and what was chosen; 0 is a king."""
    right, left, banker = (
        [("K" if value == "0" else value.replace("1", "A")) + "d" for value in hand] for hand in held
    )
    return Hands(right=right, left=left, banker=banker, choices=choices)


@pytest.mark.parametrize(
    ("right", "left", "banker", "step"),
    [
        pytest.param("00", "00", "80", None, id="a natural of the banker ends the coup"),
        pytest.param("90", "90", "80", None, id="and so it does against naturals"),
        pytest.param("80", "90", "00", None, id="naturals of both sides end it"),
        pytest.param("80", "00", "00", Draw("left"), id="a natural of right stands, and left plays on"),
        pytest.param("80", "60", "00", Choose("banker"), id="and so does the banker"),
        pytest.param("00", "90", "00", Draw("right"), id="a natural of left stands, and right plays on"),
        pytest.param("000", "90", "00", Choose("banker"), id="and then the banker"),
        pytest.param("60", "70", "00", Choose("banker"), id="sides that stand leave it to the banker"),
        pytest.param("008", "009", "00", Choose("banker"), id="8 and 9 of three cards are no naturals"),
    ],
)
def test_naturals(right: str, left: str, banker: str, step: Step) -> None:
    assert next_step(hands(right, left, banker), SIDES) == step


@pytest.mark.parametrize("held", range(8))
def test_a_side_draws_on_0_to_4_chooses_on_5_and_stands_on_6_and_7(held: int) -> None:
    expected = [Draw("right")] * 5 + [Choose("right")] + [Draw("left")] * 2

    assert next_step(hands(f"{held}0", "00", "00"), SIDES) == expected[held]
    expected = [Draw("left")] * 5 + [Choose("left")] + [Choose("banker")] * 2
    assert next_step(hands("70", f"{held}0", "00"), SIDES) == expected[held]


@pytest.mark.parametrize("held", range(8))
def test_the_bankers_third_card_is_a_free_choice_at_any_total(held: int) -> None:
    assert next_step(hands("70", "70", f"{held}0"), SIDES) == Choose("banker")
    assert next_step(hands("70", "70", f"{held}0", banker="draw"), SIDES) == Draw("banker")
    assert next_step(hands("70", "70", f"{held}0", banker="stand"), SIDES) is None
    assert next_step(hands("70", "70", f"{held}00", banker="draw"), SIDES) is None


def test_a_side_chooses_once_and_before_the_other() -> None:
    assert next_step(hands("50", "50", "00", right="draw"), SIDES) == Draw("right")
    assert next_step(hands("500", "50", "00", right="draw"), SIDES) == Choose("left")
    assert next_step(hands("50", "50", "00", right="stand"), SIDES) == Choose("left")
    assert next_step(hands("50", "50", "00", right="stand", left="stand"), SIDES) == Choose("banker")


def test_a_side_that_nobody_plays_draws_on_its_5() -> None:
    assert next_step(hands("50", "50", "00"), ["left"]) == Draw("right")
    assert next_step(hands("500", "50", "00"), ["left"]) == Choose("left")
    assert next_step(hands("500", "50", "00"), []) == Draw("left")


@pytest.mark.parametrize("held", range(8))
def test_for_who_is_silent_a_side_draws_on_5_and_the_banker_does_as_after_a_stand(held: int) -> None:
    assert advice("banker", hands("70", "000", f"{held}0")) == ("draw" if held <= 5 else "stand")
    assert advice("left", hands("70", "50", "00")) == "draw"
