"""Chemin de fer: who names the bank, who takes it, and who calls banco."""

from typing import Any

import pytest

from schemas.events import BetPlaced, BetWithdrawn, RoundVoided
from services.table.game import floor, salon
from services.table.game.deeds import BySystem
from services.table.game.seats import Standing
from tests.table.game.chemin_party import banked, lines, party, seats_set, stack
from tests.table.game.sitting import BANKER_WINS, PLAYER_WINS, refusal


def test_without_a_bank_each_is_asked_from_the_turn_round_and_who_names_is_the_turn() -> None:
    made = party(*BANKER_WINS)
    assert seats_set(made).turn == 1
    assert made.asked() == ["a"]

    made.no("a", "b")
    made.bet("c", "bank", 50)

    assert made.may("d") == ["banco 50 50", "pass"]
    made.no("d", "a", "b").no("d", "a", "b")
    made.bet("e", "player", 50)
    made.played()
    assert made.table.standing == Standing(turn=3, banker=3, standing=98)


def test_a_coup_that_nobody_banks_is_void_by_rule() -> None:
    made = party()
    made.opened()
    made.no("a", "b", "c")

    passed, voided = salon.pass_turn(made.table, patron="d")

    assert isinstance(voided, BySystem)
    assert voided.event == RoundVoided(round=1, reason="no-bank", approved_by=())
    made.does([passed, voided])
    assert made.table.standing == Standing(turn=1)


def test_a_bank_that_has_won_stands_with_all_of_it_less_the_levy() -> None:
    made = banked(*BANKER_WINS)
    made.bet("b", "player", 100)

    settled = made.played()

    assert lines(settled) == ["a bank 100 100 5 195", "b player 100 0 0 0"]
    stated = seats_set(made)
    assert (stated.turn, stated.banker, stated.standing) == (1, 1, 195)


@pytest.mark.parametrize(
    ("bank", "may"),
    [
        ({"withdraw": True, "add": False}, "bank 10 195"),
        ({"withdraw": False, "add": False}, "bank 195 195"),
        ({"withdraw": False, "add": True}, "bank 195 1000"),
        ({"withdraw": True, "add": True}, "bank 10 1000"),
    ],
)
def test_a_standing_bank_is_named_less_or_more_as_the_rules_let(bank: dict[str, Any], may: str) -> None:
    made = banked(*BANKER_WINS, bank=bank)
    made.bet("b", "player", 100)
    made.played()
    made.buy(a=100)

    made.opened()

    assert made.may("a") == [may, "pass"]


def test_a_bank_given_up_is_taken_at_its_amount_and_when_lost_the_turn_goes_on_from_the_giver() -> None:
    made = banked(*BANKER_WINS, *PLAYER_WINS)
    made.bet("b", "player", 100)
    made.played()
    made.opened()

    made.no("a", "b")
    assert made.may("c") == ["bank 195 195", "pass"]
    made.bet("c", "bank", 195)
    made.no("d", "a", "b")
    made.bet("d", "player", 195)
    made.played()

    assert made.table.standing == Standing(turn=2)


def test_a_bank_that_nobody_takes_is_named_afresh_in_turn_after_the_turn_the_giver_aside() -> None:
    made = banked(*BANKER_WINS)
    made.bet("b", "player", 100)
    made.played()
    made.opened()
    made.no("a", "b", "c", "d")

    assert made.may("b") == ["bank 10 900", "pass"]
    made.no("b", "c")
    assert made.asked() == ["d"]
    made.no("d")

    assert isinstance(made.log[-1], RoundVoided)
    assert made.table.standing == Standing(turn=1)


def test_a_standing_bank_cannot_be_cashed_and_who_leaves_has_passed_it() -> None:
    made = banked(*BANKER_WINS)
    made.bet("b", "player", 100)
    made.played()

    no = refusal(made.table, floor.cash_chips, patron="a", amount=901, means="cash")
    assert (no.code, no.right[:11]) == ("bank-standing", "at most 900")
    made.do(salon.leave_seat(made.table, patron="a"))

    made.do(floor.cash_chips(made.table, patron="a", amount=1095, means="cash"))
    stated = seats_set(made)
    assert stated.turn == 2
    assert made.table.standing == Standing(turn=2)
    assert made.asked() == ["b"]


def test_banco_faces_the_whole_bank_alone_and_is_called_in_turn_after_the_banker() -> None:
    made = party(*PLAYER_WINS)
    made.opened()
    made.bet("a", "bank", 100)
    assert made.asked() == ["b"]
    assert made.may("c") == []

    made.no("b")
    made.bet("c", "banco", 100)

    assert made.may() == ["close"]
    settled = made.played()
    assert lines(settled) == ["a bank 100 0 0 0", "c banco 100 100 0 200"]
    assert made.table.standing == Standing(turn=2)


def test_who_has_just_lost_a_banco_may_call_the_next_one_first() -> None:
    made = party(*BANKER_WINS, *PLAYER_WINS)
    made.opened()
    made.bet("a", "bank", 100)
    made.no("b")
    made.bet("c", "banco", 100)
    made.played()

    stated = seats_set(made)
    assert (stated.banker, stated.suivi) == (1, 3)
    made.bet("a", "bank", 195)
    assert made.asked() == ["c"]
    made.bet("c", "banco", 195)
    assert lines(made.played()) == ["a bank 195 0 0 0", "c banco 195 195 0 390"]


def test_who_has_passed_his_banco_suivi_is_not_asked_again() -> None:
    made = party(*BANKER_WINS)
    made.opened()
    made.bet("a", "bank", 100)
    made.no("b")
    made.bet("c", "banco", 100)
    made.played()
    made.opened()
    made.bet("a", "bank", 195)

    made.no("c")
    assert made.asked() == ["b"]
    made.no("b")
    assert made.asked() == ["d"]


def test_there_is_no_banco_suivi_to_another_banker_nor_where_the_rules_have_none() -> None:
    made = party(*BANKER_WINS, stakes={"suivi": False})
    made.opened()
    made.bet("a", "bank", 100)
    made.no("b")
    made.bet("c", "banco", 100)
    made.played()
    assert made.table.standing.suivi is None

    made = party(*BANKER_WINS)
    made.opened()
    made.bet("a", "bank", 100)
    made.no("b")
    made.bet("c", "banco", 100)
    made.played()
    made.opened()
    made.no("a")
    made.bet("b", "bank", 195)
    assert made.asked() == ["c"]
    made.no("c")
    assert made.asked() == ["d"]


def test_a_late_banco_displaces_the_stakes_and_they_return_in_the_same_command() -> None:
    made = banked()
    made.bet("b", "player", 40)
    made.bet("c", "player", 30)
    assert made.may("b") == ["banco 100 100"]

    *displaced, placed = salon.place(made.table, patron="b", bet="banco", amount=100)

    assert displaced == [
        BySystem(BetWithdrawn(round=1, patron="b", bet="player")),
        BySystem(BetWithdrawn(round=1, patron="c", bet="player")),
    ]
    assert placed == BetPlaced(round=1, patron="b", bet="banco", amount=100)
    made.does([*displaced, placed])
    assert (stack(made, "b"), stack(made, "c")) == (900, 1000)
    assert made.may() == ["close"]


def test_no_banco_comes_late_where_the_rules_say_so() -> None:
    made = banked(stakes={"late_banco": False})

    assert made.may("c") == []
    assert refusal(made.table, salon.place, patron="c", bet="banco", amount=100).code == "not-asked"


def test_a_banco_that_is_not_the_bank_is_refused_with_what_it_would_be() -> None:
    made = party()
    made.opened()
    made.bet("a", "bank", 100)

    no = refusal(made.table, salon.place, patron="b", bet="banco", amount=99)

    assert (no.code, no.where, no.right) == ("out-of-bounds", "amount", "100")
