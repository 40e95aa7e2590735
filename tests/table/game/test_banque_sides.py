"""The two sides of baccarat banque: the low half of the seats is right, the high half left."""

from msgspec.structs import replace

from services.table.game.banque_sides import LEFT, RIGHT, SIDES, active_in, in_turn_of_banco, outward, side_of
from services.table.game.seats import Standing, Terms
from tests.table.game.banque_party import LIMITS
from tests.table.game.sitting import ruled

TEN = ruled("banque")


def test_the_low_half_of_the_seats_is_right_and_the_high_half_left() -> None:
    assert [side_of(TEN, seat) for seat in range(1, 11)] == ["right"] * 5 + ["left"] * 5


def test_of_an_odd_number_of_seats_the_middle_one_is_left() -> None:
    nine = replace(TEN, seats=9)

    assert [side_of(nine, seat) for seat in range(1, 10)] == ["right"] * 4 + ["left"] * 5


def test_outward_is_up_on_the_right_and_down_on_the_left_without_the_banker() -> None:
    seats = [9, 2, 5, 6, 4, 10]

    assert outward(TEN, seats, "right", aside=2) == (4, 5)
    assert outward(TEN, seats, "left", aside=2) == (10, 9, 6)
    assert outward(TEN, seats, "left", aside=None) == (10, 9, 6)


def test_banco_goes_on_alone_on_the_side_that_has_more_seats() -> None:
    assert in_turn_of_banco(TEN, (1, 2, 3, 10), banker=9, offered=SIDES) == [1, 10, 2, 3]
    assert in_turn_of_banco(TEN, (1, 2, 8, 9, 10), banker=1, offered=SIDES) == [2, 10, 9, 8]
    assert in_turn_of_banco(TEN, (1, 2, 9, 10), banker=1, offered=(LEFT,)) == [10, 9]


def test_the_active_seat_of_a_side_is_the_one_stated_for_it() -> None:
    seats = {1: "a", 2: "b", 8: "c", 9: "d"}
    terms = Terms(rules=TEN, limits=LIMITS, seats=seats, before=Standing(right=2, left=8))

    assert (active_in(terms, RIGHT, banker=1), active_in(terms, LEFT, banker=1)) == (2, 8)
    assert (active_in(terms, RIGHT, banker=2), active_in(terms, LEFT, banker=8)) == (1, 9)
