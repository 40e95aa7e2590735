"""Seats: they rise anticlockwise, and a turn ends before whoever it began after."""

import pytest

from schemas.seats import SeatsSet
from services.table.game import salon
from services.table.game.seats import Standing, Terms, clockwise_after, in_turn_after, next_seat, round_from, stood
from tests.table.game.chemin_party import party
from tests.table.game.sitting import limited, refusal, ruled

SEATS = {2: "a", 3: "b", 7: "c", 9: "d"}


@pytest.mark.parametrize(("seat", "after"), [(2, 3), (3, 7), (9, 2), (5, 7), (10, 2), (1, 2)])
def test_next_is_the_next_higher_occupied_seat_and_after_the_highest_the_lowest(seat: int, after: int) -> None:
    assert next_seat(SEATS, seat) == after


def test_in_turn_after_a_seat_ends_before_it() -> None:
    assert in_turn_after(SEATS, 3) == (7, 9, 2)


def test_in_turn_after_an_empty_seat_all_have_their_turn() -> None:
    assert in_turn_after(SEATS, 5) == (7, 9, 2, 3)


def test_round_from_a_seat_begins_with_it_or_with_the_next_when_it_is_empty() -> None:
    assert round_from(SEATS, 7) == (7, 9, 2, 3)
    assert round_from(SEATS, 4) == (7, 9, 2, 3)


def test_clockwise_is_the_reverse() -> None:
    assert clockwise_after(SEATS, 3) == (2, 9, 7)


def test_the_texts_players_one_two_three_sit_at_one_three_two() -> None:
    assert [*clockwise_after({1: "1", 2: "3", 3: "2"}, 1)] == [3, 2]


@pytest.mark.parametrize(
    "standing",
    [
        Standing(),
        Standing(turn=7),
        Standing(turn=2, banker=3, standing=195, suivi=9),
        Standing(turn=2, banker=3, standing=100, tied=True),
        Standing(right=2, left=9),
    ],
)
def test_what_a_coup_starts_from_is_read_as_it_was_stated(standing: Standing) -> None:
    stated = standing.stated(4, SEATS)

    assert isinstance(stated, SeatsSet)
    assert [seated.seat for seated in stated.seats] == [2, 3, 7, 9]
    assert stood(stated) == standing


def test_a_bank_and_the_bets_of_the_rules_are_offered_as_far_as_the_limits_name_them() -> None:
    limits = limited({"bank": (1, 9), "right": (1, 9), "dragon-7": (1, 9)})
    terms = Terms(rules=ruled("banque"), limits=limits, seats=SEATS, before=Standing())
    without = Terms(rules=ruled("banque"), limits=limited({"right": (1, 9)}), seats=SEATS, before=Standing())

    assert [bet for bet in ("bank", "right", "left", "dragon-7") if terms.offers(bet)] == ["bank", "right"]
    assert not without.offers("bank")


def test_a_patron_has_the_seat_he_sits_on_and_a_bystander_none() -> None:
    terms = Terms(rules=ruled("banque"), limits=limited({"right": (1, 9)}), seats=SEATS, before=Standing())

    assert [terms.seat(patron) for patron in "abcdz"] == [2, 3, 7, 9, None]


def test_who_asks_for_a_taken_seat_is_told_which_are_free() -> None:
    made = party()
    made.do(salon.leave_seat(made.table, patron="a"))

    no = refusal(made.table, salon.take_seat, seat=2, patron="z")

    assert no.right == ", ".join(map(str, (1, *range(5, (made.table.rules.seats or 0) + 1))))
