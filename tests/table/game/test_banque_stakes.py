"""Baccarat banque: who calls banco, who stakes how much on which side, and what may be taken back."""

import pytest

from schemas.events import BetWithdrawn, RoundVoided
from services.table.game import salon
from services.table.game.deeds import BySystem
from services.table.game.seats import Standing
from tests.table.game.banque_party import (
    BANKER_WINS,
    CHIPS,
    SIDES_WIN,
    STAKES,
    TIES,
    WITH_BANCO,
    banked,
    bid,
    lines,
    party,
    withdrawn,
)
from tests.table.game.sitting import limited, refusal


def test_banco_is_offered_right_nearest_left_nearest_right_second_and_so_on() -> None:
    made = party(limits=WITH_BANCO)
    made.buy(f=CHIPS, g=CHIPS).sit(f=4, g=3)
    made.opened()
    bid(made, "c", 1000)
    made.no("a", "b", "d", "e", "f", "g")

    order = []
    while made.asked():
        (patron,) = made.asked()
        order.append(patron)
        made.no(patron)

    assert order == ["a", "b", "g", "d", "f", "e"]


def test_banco_is_the_whole_bank_on_ones_own_side() -> None:
    made = banked(limits=WITH_BANCO)

    assert made.may("a") == ["banco 1000 1000", "pass"]
    assert refusal(made.table, salon.place, patron="a", bet="banco-left", amount=1000).code == "not-asked"
    assert refusal(made.table, salon.place, patron="a", bet="banco-right", amount=999).right == "1000"
    assert refusal(made.table, salon.place, patron="b", bet="banco-left", amount=1000).right == "a"
    assert refusal(made.table, salon.place, patron="a", bet="right", amount=100).code == "not-asked"
    assert refusal(made.table, salon.close_bets).code == "still-asked"


def test_who_has_less_than_the_bank_is_asked_and_can_only_pass() -> None:
    made = party(limits=WITH_BANCO)
    made.buy(e=500)
    made.opened()
    bid(made, "e", CHIPS + 1)
    made.no("a", "b", "c", "d")

    assert made.may("a") == ["pass"]
    made.no("a")
    assert made.asked() == ["b"]


def test_whoever_is_silent_has_not_called_banco() -> None:
    made = banked(limits=WITH_BANCO)

    made.does(salon.silence(made.table))

    assert made.asked() == ["b"]


def test_where_one_side_has_no_banco_the_other_sides_are_asked() -> None:
    limits = limited({"bank": (100, 5000), **STAKES, "banco-left": (100, 5000)})
    made = banked(limits=limits)

    assert made.asked() == ["b"]
    made.no("b", "d")
    assert made.may() == ["close"]


def test_who_calls_banco_faces_the_bank_alone_and_the_tableau_plays_the_other_side() -> None:
    made = banked(*SIDES_WIN, limits=WITH_BANCO)
    made.no("a")
    made.bet("b", "banco-left", 1000)

    assert [may.does for may in salon.mays(made.table)] == ["close"]
    assert lines(made.played()) == ["e bank 1000 0 0 0", "b banco-left 1000 1000 0 2000"]
    assert made.table.standing == Standing(banker=5, right=1, left=10)


def test_when_nobody_calls_banco_all_may_stake_on_either_side_or_both_but_for_the_banker() -> None:
    made = banked(limits=WITH_BANCO)
    made.no("a", "b", "c", "d")

    for patron in "abcdz":
        assert made.may(patron) == ["stake 5 1000"] * 3
    assert made.may("e") == []
    made.bet("z", "left", 10)
    made.bet("b", "right", 10)
    made.bet("a", "cheval", 10)
    made.bet("a", "right", 10)


def test_bystanders_stake_where_the_rules_let_them() -> None:
    made = banked(stakes={"bystanders": False})

    assert made.may("z") == []
    assert refusal(made.table, salon.place, patron="z", bet="right", amount=10).code == "not-asked"


def test_all_stakes_together_are_never_above_the_bank() -> None:
    made = banked()
    made.bet("a", "right", 400)
    made.bet("b", "left", 300)
    made.bet("c", "cheval", 200)

    assert refusal(made.table, salon.place, patron="d", bet="left", amount=101).right == "5 to 100"
    made.bet("d", "left", 96)
    assert made.may("z") == []
    assert made.may("a") == ["stake 1 4", "withdraw"], "on right a has the least already"


def test_a_stake_may_be_raised_within_the_bets_limits() -> None:
    made = banked(limits=limited({"bank": (100, 5000), "right": (50, 300), "left": (50, 300)}))
    made.bet("a", "right", 200)

    assert made.may("a") == ["stake 1 100", "stake 50 300", "withdraw"]
    assert refusal(made.table, salon.place, patron="a", bet="right", amount=101).code == "out-of-bounds"
    assert refusal(made.table, salon.place, patron="a", bet="cheval", amount=100).code == "not-asked"


@pytest.mark.parametrize(("bound", "left"), [("patron", 50), ("table", 20)])
def test_a_patrons_and_the_tables_limits_leave_the_bank_out(bound: str, left: int) -> None:
    made = banked(limits=limited({"bank": (100, 5000), **STAKES}, **{bound: 150}))
    made.bet("a", "right", 100)
    made.bet("b", "left", 30)

    assert made.may("a")[:3] == [f"stake 1 {left}", f"stake 5 {left}", f"stake 5 {left}"]


def test_a_stake_may_be_taken_back_and_makes_room_for_others() -> None:
    made = banked()
    made.bet("a", "right", 1000)
    assert made.may("b") == []

    assert withdrawn(made, "a", "right") == [BetWithdrawn(round=1, patron="a", bet="right")]

    assert made.may("b") == ["stake 5 1000"] * 3
    assert made.table.stack("a") == CHIPS
    assert refusal(made.table, salon.withdraw, patron="a", bet="right").code == "not-asked"


def test_banco_is_not_taken_back() -> None:
    made = banked(limits=WITH_BANCO)
    made.bet("a", "banco-right", 1000)

    assert refusal(made.table, salon.withdraw, patron="a", bet="banco-right").code == "not-asked"


def test_a_coup_in_which_nobody_has_staked_is_void_when_it_is_closed() -> None:
    made = banked()
    made.bet("a", "right", 100)
    withdrawn(made, "a", "right")

    closed = salon.close_bets(made.table)

    assert closed == [BySystem(RoundVoided(round=1, reason="no-stakes", approved_by=()))]
    made.does(closed)
    assert made.table.standing == Standing(banker=5, standing=1000, right=1, left=10)


def test_nobody_is_asked_while_stakes_are_made() -> None:
    made = banked()

    assert refusal(made.table, salon.silence).code == "not-asked"
    assert made.may() == ["close"]


def test_a_line_stands_where_its_stake_was_first_placed() -> None:
    made = banked(*TIES)
    made.bet("a", "right", 10)
    made.bet("b", "left", 20)
    made.bet("a", "right", 5)
    made.bet("c", "cheval", 30)
    withdrawn(made, "b", "left")
    made.bet("b", "left", 40)

    settled = made.played()

    assert lines(settled)[1:] == ["a right 15 0 0 15", "c cheval 30 0 0 30", "b left 40 0 0 40"]


def test_cheval_wins_when_both_sides_win_loses_when_both_lose_and_else_returns() -> None:
    for front, line in [(SIDES_WIN, "30 30 0 60"), (BANKER_WINS, "30 0 0 0"), (TIES, "30 0 0 30")]:
        made = banked(*front)
        made.bet("z", "cheval", 30)
        assert lines(made.played())[1] == f"z cheval {line}"
