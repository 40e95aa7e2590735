"""Scrutiny: a rule set under which a win could pay less than nothing, or more than can be written, is refused."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from schemas.rules import Rules
from services.table.game.bank import winning_line
from services.table.game.paytable import paytable, ratio_text
from services.table.game.ratios import LARGEST_AMOUNT
from services.table.game.scrutiny import check, check_limits
from services.table.game.state import MAX_STACK
from tests.table.game.sitting import limited, ruled

ROUNDED = [("half-up", 100), ("half-even", 25)]


def charging(rate: str, mode: str, unit: int, winnings: int = 1) -> Rules:
    """Give punto-banco with another commission, and a unit of winnings."""
    rules: dict[str, Any] = {"commission": {"mode": mode, "unit": unit}, "winnings": {"unit": winnings}}
    banker = {"commission": rate, "ladder": [{"winner": "banker", "pays": "1/1"}]}
    return ruled(bets={"banker": banker}, **rules)


def about_commission(rules: Rules) -> list[str]:
    return [complaint for complaint in check(rules) if "more than was won" in complaint]


@pytest.mark.parametrize(("mode", "unit"), ROUNDED)
def test_a_rate_above_a_half_is_not_rounded_up_to_a_coarse_unit(mode: str, unit: int) -> None:
    (complaint,) = about_commission(charging("3/5", mode, unit))

    assert complaint == (
        f"bets.banker.commission: 3/5, rounded to {unit} by {mode}, may take more than was won; "
        "at most 1/2, or rounded by floor"
    )


@pytest.mark.parametrize(
    "rules",
    [
        *(charging("1/2", mode, unit) for mode, unit in ROUNDED),
        charging("3/5", "floor", 100),
        charging("3/5", "half-up", 1),
        charging("3/5", "half-up", 100, winnings=200),
        charging("1/20", "half-up", 10**6),
    ],
)
def test_any_other_rate_and_unit_will_do(rules: Rules) -> None:
    assert check(rules) == []


@given(
    rate=st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000),
    mode=st.sampled_from(["floor", "half-up", "half-even"]),
    unit=st.integers(1, 500),
    winnings=st.integers(1, 500),
    stake=st.integers(1, 3_000),
)
def test_under_rules_that_pass_a_win_never_pays_less_than_nothing(
    rate: Fraction, mode: str, unit: int, winnings: int, stake: int
) -> None:
    rules = charging(ratio_text(rate), mode, unit, winnings)
    assume(not check(rules))

    line = winning_line(paytable(rules), "p1", "banker", stake, Fraction(1))

    assert 0 <= line.commission <= line.won
    assert line.returned >= stake


def test_the_best_coup_added_to_the_largest_stack_can_be_written() -> None:
    # Player returns twice its stake, tie nine times.
    room = LARGEST_AMOUNT - MAX_STACK
    fits = {"player": (1, room // 4), "tie": (1, (room - room // 4 * 2) // 9)}
    rules = ruled()
    assert check_limits(rules, limited(fits)) == []

    (complaint,) = check_limits(rules, limited(fits | {"player": (1, room // 4 + 5)}))
    assert complaint.startswith("limits.bets: the best win of every bet at its max returns ")
    assert complaint.endswith(f"in all; at most {room}")


def test_winnings_rounded_up_count_as_rounded() -> None:
    coarse = ruled(winnings={"mode": "half-up", "unit": 2**52})
    span = {"player": (1, 2**51), "banker": (1, 2**51)}

    assert check_limits(ruled(), limited(span)) != []
    assert check_limits(ruled(), limited({"player": (1, 2**51)})) == []
    assert check_limits(coarse, limited({"player": (1, 2**51)})) == []
    assert check_limits(coarse, limited({"player": (1, 2**51), "tie": (1, 2**48)})) != []
