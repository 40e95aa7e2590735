"""Baccarat banque: who bids for the bank, who has it, and how long it stands."""

from typing import Any

import pytest

from schemas.events import BetPlaced, RoundVoided
from schemas.seats import BetAsked, TurnPassed
from services.table.game import floor, play, salon
from services.table.game.deeds import BySystem
from services.table.game.seats import Standing
from tests.table.game.banque_party import (
    BANKER_WINS,
    CHIPS,
    LIMITS,
    RIGHT_LOSES,
    SEATS,
    SIDES_WIN,
    banked,
    bid,
    goes_on,
    lines,
    party,
    seats_set,
)
from tests.table.game.party import Party
from tests.table.game.sitting import ANNA, chips_on, limited, refusal


def test_without_a_bank_everybody_who_sits_is_asked_to_bid_in_any_order() -> None:
    made = party()
    stated = seats_set(made)
    assert (stated.turn or None, stated.banker or None) == (None, None)

    assert made.asked() == ["a", "c", "e", "d", "b"]
    bid(made, "d", 150)

    assert made.asked() == ["a", "c", "e", "b"]
    assert made.may("a") == ["ask 151 2000", "pass"]
    assert made.may("d") == []
    assert made.may("z") == []


def test_each_bid_is_above_the_last_from_the_tables_least_to_what_the_bidder_has() -> None:
    made = party()
    made.opened()

    assert refusal(made.table, salon.ask, patron="a", bet="bank", amount=99).right == "100 to 2000"
    bid(made, "a", 500)
    assert refusal(made.table, salon.ask, patron="b", bet="bank", amount=500).right == "501 to 2000"
    assert refusal(made.table, salon.ask, patron="b", bet="bank", amount=CHIPS + 1).code == "out-of-bounds"
    assert refusal(made.table, salon.ask, patron="z", bet="bank", amount=600).code == "not-asked"
    bid(made, "b", CHIPS)

    assert made.may("a") == ["pass"]


def test_nobody_bids_above_himself_or_after_he_has_passed() -> None:
    made = party()
    made.opened()
    bid(made, "a", 500)
    made.no("b")

    assert refusal(made.table, salon.ask, patron="a", bet="bank", amount=600).code == "not-asked"
    assert refusal(made.table, salon.ask, patron="b", bet="bank", amount=600).code == "not-asked"
    assert refusal(made.table, salon.pass_turn, patron="b").code == "not-asked"


def test_when_all_others_have_passed_the_system_places_the_highest_bid() -> None:
    made = party()
    made.opened()
    bid(made, "a", 500)
    bid(made, "e", 600)
    made.no("a", "c", "d")

    passed, placed = salon.pass_turn(made.table, patron="b")

    assert passed == TurnPassed(round=1, patron="b")
    assert placed == BySystem(BetPlaced(round=1, patron="e", bet="bank", amount=600))
    made.does([passed, placed])
    assert made.table.stack("e") == CHIPS - 600


def test_the_last_who_has_not_passed_has_the_bank_with_his_first_bid() -> None:
    made = party()
    made.opened()
    made.no("a", "b", "c", "d")

    assert salon.ask(made.table, patron="e", bet="bank", amount=100) == [
        BetAsked(round=1, patron="e", bet="bank", amount=100),
        BySystem(BetPlaced(round=1, patron="e", bet="bank", amount=100)),
    ]


def test_a_coup_that_nobody_bids_for_is_void_by_rule() -> None:
    made = party()
    made.opened()
    made.no("a", "b", "c", "d")

    passed, voided = salon.pass_turn(made.table, patron="e")

    assert voided == BySystem(RoundVoided(round=1, reason="no-bank", approved_by=()))
    made.does([passed, voided])
    assert made.table.standing == Standing(right=1, left=10)
    assert chips_on(made.table) == 6 * CHIPS


def test_at_an_auction_the_system_passes_for_all_who_are_silent() -> None:
    made = party()
    made.opened()
    bid(made, "d", 150)
    made.no("a")

    deeds = salon.silence(made.table)

    assert deeds == [
        *(BySystem(TurnPassed(round=1, patron=patron)) for patron in ("c", "e", "b")),
        BySystem(BetPlaced(round=1, patron="d", bet="bank", amount=150)),
    ]


def test_when_all_are_silent_the_coup_is_void() -> None:
    made = party()
    made.opened()

    assert salon.silence(made.table)[-1] == BySystem(RoundVoided(round=1, reason="no-bank", approved_by=()))


def test_the_highest_bid_cannot_be_cashed_until_somebody_bids_above_it() -> None:
    made = party()
    made.opened()
    bid(made, "a", 1500)

    no = refusal(made.table, floor.cash_chips, patron="a", amount=501, means="cash")
    bid(made, "b", 1501)

    assert (no.code, no.right[:11]) == ("bank-standing", "at most 500")
    made.do(floor.cash_chips(made.table, patron="a", amount=1500, means="cash"))


def test_a_bank_stands_with_what_is_left_of_it_won_or_lost() -> None:
    made = banked(*RIGHT_LOSES, *SIDES_WIN)
    made.bet("a", "right", 300)
    made.bet("b", "left", 250)

    assert lines(made.played())[0] == "e bank 1000 300 15 1035"
    assert made.table.standing == Standing(banker=5, standing=1035, right=2, left=10)

    goes_on(made, 1035).bet("c", "right", 100)
    assert lines(made.played())[0] == "e bank 1035 0 0 935"
    assert made.table.standing == Standing(banker=5, standing=935, right=2, left=10)


@pytest.mark.parametrize(
    ("bank", "may"),
    [
        ({"withdraw": False, "add": True}, "bank 1095 2095"),
        ({"withdraw": False, "add": False}, "bank 1095 1095"),
        ({"withdraw": True, "add": False}, "bank 100 1095"),
        ({"withdraw": True, "add": True}, "bank 100 2095"),
    ],
)
def test_a_standing_bank_is_named_more_or_less_as_the_rules_let(bank: dict[str, Any], may: str) -> None:
    made = won_a_hundred(bank=bank)

    made.opened()

    assert made.asked() == ["e"]
    assert made.may("e") == [may, "pass"]


def won_a_hundred(**changes: Any) -> Party:
    """Let e's bank of 1000 win 100, less the levy."""
    made = banked(*BANKER_WINS, **changes)
    made.bet("a", "right", 100)
    made.played()
    return made


def test_a_bank_that_has_grown_above_the_tables_most_is_named_at_that() -> None:
    made = won_a_hundred()
    made.do(floor.change_limits(made.table, limits=limited({"bank": (100, 800), "right": (5, 100), "left": (5, 100)})))

    made.opened()

    assert made.may("e") == ["bank 800 800", "pass"]


def test_a_bank_given_up_is_auctioned_without_its_banker_who_may_then_stake() -> None:
    made = won_a_hundred()
    made.opened()
    made.no("e")

    assert made.asked() == ["a", "c", "d", "b"]
    bid(made, "d", 400)
    made.no("a", "b", "c")

    assert made.may("e") == ["stake 5 400"] * 3
    made.bet("e", "right", 400)
    assert made.table.stack("e") == CHIPS + 95 - 400


def test_a_silent_banker_has_given_up_his_bank() -> None:
    made = won_a_hundred()
    made.opened()

    assert salon.silence(made.table) == [BySystem(TurnPassed(round=2, patron="e"))]


def test_a_bank_given_up_that_nobody_bids_for_is_no_longer_anybodys() -> None:
    made = won_a_hundred()
    made.opened()
    made.no("e", "a", "b", "c", "d")

    assert isinstance(made.log[-1], RoundVoided)
    assert made.table.standing == Standing(right=2, left=10)
    made.opened()
    assert made.asked() == ["a", "c", "e", "d", "b"]


def test_a_bank_below_the_tables_least_is_auctioned_without_its_banker_unasked() -> None:
    made = banked(*SIDES_WIN)
    made.bet("a", "right", 500)
    made.bet("b", "left", 401)
    made.played()

    stated = seats_set(made)

    assert (stated.banker, stated.standing) == (5, 99)
    assert made.asked() == ["a", "c", "d", "b"]
    assert floor.held_back(made.table, "e") == 0


def test_a_broken_bank_leaves_its_banker_stated_and_nothing_standing() -> None:
    made = banked(*SIDES_WIN)
    made.bet("a", "right", 500)
    made.bet("b", "left", 500)
    made.played()
    assert floor.cash_chips(made.table, patron="e", amount=made.table.stack("e"), means="cash")

    stated = seats_set(made)

    assert (stated.banker, stated.standing or None) == (5, None)
    assert made.asked() == ["a", "c", "d", "b"]


def test_a_standing_bank_cannot_be_cashed_and_who_leaves_has_passed_it() -> None:
    made = won_a_hundred()
    assert refusal(made.table, floor.cash_chips, patron="e", amount=1001, means="cash").code == "bank-standing"
    assert floor.cash_chips(made.table, patron="e", amount=1000, means="cash")
    assert floor.cash_chips(made.table, patron="b", amount=made.table.stack("b"), means="cash")

    made.do(salon.leave_seat(made.table, patron="e"))

    made.do(floor.cash_chips(made.table, patron="e", amount=CHIPS + 95, means="cash"))
    made.opened()
    assert made.asked() == ["a", "c", "d", "b"]


def test_once_a_bank_is_at_stake_the_rest_of_its_bankers_chips_may_be_cashed() -> None:
    made = won_a_hundred()
    made.opened()
    made.bet("e", "bank", 1095)
    made.bet("a", "right", 100)
    made.closed_bets()

    assert floor.cash_chips(made.table, patron="e", amount=made.table.stack("e"), means="cash")


def test_a_void_coup_leaves_the_bank_standing_that_was_placed() -> None:
    made = banked()
    made.bet("a", "cheval", 100)

    made.do(play.void_round(made.table, reason="misdeal", approved_by=(ANNA,)))

    assert made.table.standing == Standing(banker=5, standing=1000, right=1, left=10)
    assert chips_on(made.table) == 6 * CHIPS


def test_a_coup_void_before_its_banker_has_answered_leaves_all_as_it_was() -> None:
    made = won_a_hundred()
    before = seats_set(made)

    made.do(play.void_round(made.table, reason="misdeal", approved_by=(ANNA,)))

    after = seats_set(made)
    assert (after.banker, after.standing, after.right) == (before.banker, before.standing, before.right)


def test_a_coup_void_during_an_auction_leaves_no_bank() -> None:
    made = won_a_hundred()
    made.opened()
    made.no("e")
    bid(made, "a", 400)

    made.do(play.void_round(made.table, reason="misdeal", approved_by=(ANNA,)))

    assert made.table.standing == Standing(right=2, left=10)


def test_a_new_shoe_forgets_the_bank_and_whose_hands_they_were() -> None:
    made = won_a_hundred()
    assert made.table.standing == Standing(banker=5, standing=1095, right=2, left=10)
    made.end_shoe()

    made.shoe()

    assert made.table.standing == Standing()
    assert made.table.seats == {seat: patron for patron, seat in SEATS.items()}
    stated = seats_set(made)
    assert (stated.right, stated.left) == (1, 10)


def test_a_bank_cannot_be_taken_by_a_bet_nor_raised_once_it_is_placed() -> None:
    made = party(limits=LIMITS)
    made.opened()
    assert refusal(made.table, salon.place, patron="a", bet="bank", amount=500).code == "not-asked"

    bid(made, "e", 500)
    made.no("a", "b", "c", "d")

    assert refusal(made.table, salon.place, patron="e", bet="bank", amount=100).code == "not-asked"
    assert refusal(made.table, salon.withdraw, patron="e", bet="bank").code == "not-asked"
