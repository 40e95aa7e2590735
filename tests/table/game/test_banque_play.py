"""Baccarat banque: who plays which hand, and who is active on each side from coup to coup."""

import pytest

from schemas.events import DecisionMade
from services.table.game import salon
from services.table.game.deeds import BySystem
from services.table.game.seats import Standing
from tests.table.game.banque_party import (
    BANKER_WINS,
    CHIPS,
    FIVES,
    RIGHT_LOSES,
    SIDES_WIN,
    TIES,
    WITH_BANCO,
    after_one,
    banked,
    bid,
    cards_dealt,
    goes_on,
    lines,
    party,
    playing,
    seats_set,
)
from tests.table.game.sitting import refusal


def test_each_hand_is_decided_by_who_plays_it() -> None:
    made = banked(*FIVES, "Kd", "Kh")
    made.bet("a", "right", 100)
    made.bet("b", "left", 100)
    made.closed_bets()
    assert refusal(made.table, salon.decide, patron="a", hand="right", choice="draw").code == "no-choice"
    made.dealt()

    assert made.may("a") == ["decide"]
    assert refusal(made.table, salon.deal, made.cards).code == "still-asked"
    assert refusal(made.table, salon.decide, patron="b", hand="right", choice="draw").right == "a"
    assert refusal(made.table, salon.decide, patron="b", hand="left", choice="draw").code == "no-choice"
    made.does(salon.decide(made.table, patron="a", hand="right", choice="draw"))
    made.dealt()
    assert made.may("b") == ["decide"]
    made.does(salon.decide(made.table, patron="b", hand="left", choice="stand"))
    assert made.may("e") == ["decide"]
    made.does(salon.decide(made.table, patron="e", hand="banker", choice="draw"))
    settled = made.dealt()[-1]

    assert cards_dealt(made) == ["right", "left", "banker"] * 2 + ["right", "banker"]
    assert lines(settled) == ["e bank 1000 0 0 800", "a right 100 100 0 200", "b left 100 100 0 200"]


def test_the_system_decides_for_who_is_silent() -> None:
    made = banked(*FIVES)
    made.bet("a", "right", 100)
    made.closed_bets()
    made.dealt()

    assert salon.silence(made.table) == [BySystem(DecisionMade(round=1, hand="right", choice="draw"))]


def test_a_hand_that_nobody_has_staked_on_is_played_by_the_tableau() -> None:
    made = banked(*FIVES)
    made.bet("b", "left", 100)
    made.closed_bets()

    made.dealt()

    assert cards_dealt(made)[6:] == ["right"]
    assert made.may("b") == ["decide"]


@pytest.mark.parametrize(
    ("stakes", "right", "left"),
    [
        pytest.param(["a right", "c right"], "a", None, id="the active seat"),
        pytest.param(["c right", "a cheval"], "a", None, id="with a stake a cheval too"),
        pytest.param(["c right", "b left"], "c", "b", id="the next outward when it has none"),
        pytest.param(["d cheval"], None, "d", id="a cheval of the other side plays its own side's hand only"),
        pytest.param(["b right", "a left"], None, None, id="and so does whoever staked on the other side"),
        pytest.param(["b right", "z right"], "z", None, id="then the first bystander"),
        pytest.param(["y cheval", "z right", "z left"], "y", "y", id="the first to have staked there, on both at once"),
        pytest.param(["z right", "c cheval"], "c", None, id="but no bystander before a seat"),
    ],
)
def test_who_plays_each_side(stakes: list[str], right: str | None, left: str | None) -> None:
    made = banked()
    made.buy(y=CHIPS)
    for stake in stakes:
        patron, bet = stake.split()
        made.bet(patron, bet, 10)
    made.closed_bets()

    game, phase = salon.game_of(made.table), playing(made)
    assert game.decider(phase.banked, phase.stakes, "right") == right
    assert game.decider(phase.banked, phase.stakes, "left") == left
    assert game.decider(phase.banked, phase.stakes, "banker") == "e"


def test_who_calls_banco_plays_that_side() -> None:
    made = banked(*FIVES, limits=WITH_BANCO)
    made.no("a", "b")
    made.bet("c", "banco-right", 1000)
    made.closed_bets()

    made.dealt()

    assert made.may("c") == ["decide"]


@pytest.mark.parametrize(
    ("front", "stakes", "right", "left"),
    [
        pytest.param(BANKER_WINS, ["a right", "b left"], 2, 9, id="one outward when it has lost"),
        pytest.param(BANKER_WINS, ["a cheval"], 2, 10, id="a cheval too, on its own side"),
        pytest.param(RIGHT_LOSES, ["a right", "b left"], 2, 10, id="each side by itself"),
        pytest.param(SIDES_WIN, ["a right", "b left"], 1, 10, id="not when it has won"),
        pytest.param(TIES, ["a right", "b left"], 1, 10, id="nor on a tie"),
        pytest.param(BANKER_WINS, ["c right", "d left"], 1, 10, id="nor when another has played for it"),
        pytest.param(BANKER_WINS, ["z right"], 1, 10, id="nor when a bystander has"),
    ],
)
def test_the_active_seat_moves_outward_when_it_has_played_and_lost(
    front: tuple[str, ...], stakes: list[str], right: int, left: int
) -> None:
    stated = seats_set(after_one(front, *stakes))

    assert (stated.right, stated.left) == (right, left)


@pytest.mark.parametrize("stake", ["a banco-right", "c banco-right", "b banco-left"])
def test_the_active_seat_does_not_move_in_a_coup_of_banco(stake: str) -> None:
    made = after_one(BANKER_WINS, stake, limits=WITH_BANCO)

    assert (made.table.standing.right, made.table.standing.left) == (1, 10)


def test_the_active_seat_wraps_and_passes_the_banker_over() -> None:
    made = after_one((*BANKER_WINS, *BANKER_WINS), "a right", "b left")
    goes_on(made, 1019).bet("c", "right", 10)
    made.bet("d", "left", 10)

    made.played()

    assert (made.table.standing.right, made.table.standing.left) == (1, 10), "5 banks"


def test_the_active_seat_moves_outward_when_it_banks() -> None:
    made = party(*SIDES_WIN)
    made.opened()
    bid(made, "a", 500)
    made.no("b", "c", "d", "e")
    made.bet("c", "right", 10)

    made.played()

    assert made.table.standing == Standing(banker=1, standing=490, right=2, left=10)


def test_whoever_is_next_outward_plays_when_the_active_seat_banks() -> None:
    made = party(*FIVES)
    made.opened()
    bid(made, "a", 500)
    made.no("b", "c", "d", "e")
    made.bet("e", "right", 10)
    made.bet("c", "right", 10)
    made.closed_bets()
    made.dealt()

    assert made.may("c") == ["decide"]


def test_the_active_seat_moves_outward_when_it_is_left_even_if_it_is_taken_again() -> None:
    made = party()
    made.opened()
    made.no("a", "b", "c", "d", "e")
    made.do(salon.leave_seat(made.table, patron="a"))
    made.sit(z=1)

    stated = seats_set(made)

    assert (stated.right, stated.left) == (2, 10)


def test_where_nobody_sits_but_the_banker_no_seat_is_active() -> None:
    made = banked(*TIES)
    for patron in ("a", "c"):
        made.bet(patron, "right", 10)
    made.played()
    made.do(salon.leave_seat(made.table, patron="a"))
    made.do(salon.leave_seat(made.table, patron="c"))

    stated = seats_set(made)

    assert (stated.right or None, stated.left) == (None, 10)
    made.bet("e", "bank", 1000)
    made.bet("z", "right", 10)
    made.closed_bets()
    phase = playing(made)
    assert salon.game_of(made.table).decider(phase.banked, phase.stakes, "right") == "z"
