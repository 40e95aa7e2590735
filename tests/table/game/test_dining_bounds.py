"""Dining-room baccarat: what may be staked and asked for in whole units, within every limit."""

from typing import Any

from schemas.events import BetPlaced
from schemas.rules import Limits
from services.table.game import floor, salon
from tests.table.game.dinner import Dinner, rules_of
from tests.table.game.sitting import limited, refusal


def dealt_by_a(*, unit: int = 1, limits: Limits, **stakes: Any) -> Dinner:
    """Let a deal a bank of a hundred units against b and c, who have as much."""
    dinner = Dinner(rules_of(unit=unit, **stakes), limits, **dict.fromkeys("abc", 100 * unit))
    dinner.drawn(("Kd", "2d", "3d"))
    dinner.opened()
    dinner.stake("a", "bank", 100 * unit)
    return dinner


def test_who_has_said_nothing_yet_asks_for_two_units_or_more_and_stakes_one_unasked() -> None:
    dinner = dealt_by_a(unit=5, limits=limited({"player": (5, 1000)}))

    assert dinner.may("b") == ["stake player 5", "pass", "ask player 10-495"]


def test_a_least_side_bet_between_two_units_is_raised_to_the_next() -> None:
    dinner = dealt_by_a(unit=5, limits=limited({"player": (5, 1000), "final-6": (12, 1000)}))
    dinner.stake("b", "player", 5)

    assert "ask final-6 15-495" in dinner.may("b")


def test_a_most_of_a_bet_counts_what_its_patron_has_staked_on_it() -> None:
    dinner = dealt_by_a(limits=limited({"player": (1, 4), "banker": (1, 4)}))
    dinner.stake("b", "player", 1)

    assert dinner.may("b") == ["ask player 1-3"]
    dinner.ask("b", "player", 3)
    dinner.answer("a", "b", "player")
    assert dinner.may("b") == []


def test_nobody_stakes_on_a_side_that_is_not_offered_even_in_silence() -> None:
    dinner = dealt_by_a(limits=limited({"player": (1, 10)}), absent="banker")
    assert "stake banker 1" not in dinner.may("b")
    dinner.by_system.clear()

    dinner.does(salon.silence(dinner.table))

    assert [type(event).__name__ for event in dinner.by_system[:2]] == ["TurnPassed", "TurnPassed"]


def test_of_equals_the_first_in_turn_is_the_richest_and_not_the_lowest_seat() -> None:
    dinner = Dinner(rules_of(unit=10), a=20, b=20, c=20).drawn(("2d", "3d", "Kd"))
    dinner.table.stacks |= {"a": 19, "b": 19, "c": 19}
    dinner.by_system.clear()

    dinner.opened()

    assert [event.patron for event in dinner.by_system if isinstance(event, BetPlaced)] == ["c"]


def test_two_are_enough_for_a_game_and_too_many_to_open_a_coup_before_the_draw() -> None:
    dinner = Dinner(a=6, b=6)
    dinner.shoe()

    assert refusal(dinner.table, salon.open_round).right == "a draw for the deal"
    assert dinner.may() == ["draw"]


def test_during_a_game_who_plays_it_is_told_to_leave_and_who_would_sit_to_wait() -> None:
    dinner = Dinner(a=6, b=6).drawn(("Kd", "2d"))
    dinner.buy(z=6)

    buys = refusal(dinner.table, floor.buy_chips, patron="a", amount=5, means="cash")
    sits = refusal(dinner.table, salon.take_seat, seat=5, patron="z")

    assert (buys.code, buys.right) == ("game-on", "after the game, or leave the seat first")
    assert (sits.code, sits.right) == ("game-on", "after the game")


def test_who_asks_for_a_part_of_a_unit_is_told_by_what_amounts_rise() -> None:
    dinner = dealt_by_a(unit=2, limits=limited({"player": (2, 1000)}))

    assert refusal(dinner.table, salon.ask, patron="b", bet="player", amount=5).right == "4 to 198 by 2"
