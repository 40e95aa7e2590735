"""Free choice: Kemeny and Snell's figures, and what no choice is worth."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.table.game.free_choice import cells_of, solve, worth
from services.table.game.tableau import BANKER, BANKER_ALONE
from tests.table.game.chemin_party import with_play

FREE, TABLEAU = with_play({"mode": "free"}), with_play({"mode": "tableau"})
CELLS = list(cells_of(FREE))
ANYTHING = with_play({"mode": "options", "cells": [f"{b}-{t}" for b in range(8) for t in (*range(10), "stand")]})


def test_kemeny_and_snells_figures() -> None:
    solved = solve(FREE)

    assert solved.value == Fraction(679568, 53094899)
    assert solved.player == Fraction(9, 11)
    assert solved.banker["6-stand"] == Fraction(859, 2288)


def test_banker_mixes_in_one_cell_alone() -> None:
    assert [cell for cell, rate in solve(FREE).banker.items() if 0 < rate < 1] == ["6-stand"]


def test_no_more_is_gained_when_every_cell_is_free() -> None:
    assert solve(ANYTHING).value == solve(FREE).value


def test_a_good_banker_differs_from_the_tableau_in_the_two_named_cells_alone() -> None:
    solved = solve(ANYTHING)

    differs = {
        cell
        for cell, rate in solved.banker.items()
        if rate in (0, 1) and (rate == 1) != (tableau(int(cell[0]), cell[2:]) == "D")
    }

    assert differs <= {"3-9", "5-4"}


def tableau(banker: int, third: str) -> str:
    return BANKER_ALONE[banker] if third == "stand" else BANKER[banker][int(third)]


def test_the_tableaus_value_with_replacement() -> None:
    solved = solve(TABLEAU)

    assert solved.player == 1
    assert not solved.banker
    assert 0.012 < solved.value < 0.0128


@pytest.mark.parametrize("play", [{"mode": "tableau"}, {"mode": "options", "cells": ["3-9", "5-4"]}, {"mode": "free"}])
def test_more_choice_is_never_worth_less_to_the_bank_than_the_same_player_faced_before(play: dict[str, Any]) -> None:
    rules = with_play(play)

    assert worth(list(cells_of(rules)), solve(rules).player) == solve(rules).value


@given(st.fractions(0, 1, max_denominator=500))
def test_player_does_no_better_by_any_other_rate(rate: Fraction) -> None:
    assert worth(CELLS, rate) >= Fraction(679568, 53094899)
