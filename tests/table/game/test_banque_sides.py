"""The two sides of baccarat banque: the low half of the seats is right, the high half left."""

from msgspec.structs import replace

from services.table.game.banque_sides import outward, side_of
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
