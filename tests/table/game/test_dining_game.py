"""Whole coups of the dining-room, the worked examples among them; who is out, and who has won."""

from typing import Any

from schemas.events import BetPlaced, RoundSettled
from schemas.seats import BankBroken, SeatLeft, SeatsSet
from services.table.game import rounds, salon
from services.table.game.seats import Standing
from services.table.game.state import Playing
from tests.table.game.dinner import (
    BANKER_WINS,
    DRAGON,
    PLAYER_WINS,
    TEXT,
    TIE,
    Dinner,
    rules_of,
    seated,
    written,
)
from tests.table.game.sitting import BOTH, kinds, refusal


def test_d1_the_texts_dealer_and_two_bettors_with_six_chips_each() -> None:
    dinner = Dinner(rules_of(start=3), a=6, b=6, c=6).drawn(("Kd", "2d", "3d"), TEXT)
    dinner.opened()
    dinner.stake("a", "bank", 6)
    dinner.stake("c", "banker", 1)
    dinner.stake("b", "player", 1)

    events = dinner.whole_coup()

    assert kinds(events) == ["card-dealt"] * 5 + ["round-settled"]
    assert events[-1] == RoundSettled(round=1, player=6, banker=8, winner="banker", lines=events[-1].lines)  # type: ignore[union-attr]
    assert written(events) == ["a bank 6 1 0 6", "c banker 1 1 0 2", "b player 1 0 0 0"]
    assert dinner.table.stacks == {"a": 6, "b": 5, "c": 7}
    assert dinner.opened()[1] == SeatsSet(round=2, seats=seated("abc"), turn=2)
    assert dinner.may("b") == ["bank bank 5", "pass"]


def test_d2_seven_chips_are_left_and_nine_are_due() -> None:
    dinner = Dinner(rules_of(unit=5), a=25, b=20, c=15, d=15).drawn(("Kd", "2d", "3d", "4d"), TEXT)
    dinner.opened()
    dinner.stake("a", "bank", 25)
    for patron, bet in (("b", "banker"), ("c", "player"), ("d", "player")):
        dinner.stake(patron, bet, 5)
    for patron, bet, amount in (
        ("b", "final-5", 10),
        ("b", "winning-7", 5),
        ("c", "winning-8", 5),
        ("d", "final-5", 5),
    ):
        dinner.ask(patron, bet, amount)
        dinner.answer("a", patron, bet)

    events = dinner.whole_coup()

    assert kinds(events) == ["card-dealt"] * 5 + ["round-settled", "bank-broken", "seat-left"]
    assert written(events) == [
        "a bank 25 15 0 0",
        "b banker 5 5 0 10",
        "c player 5 0 0 0",
        "d player 5 0 0 0",
        "b final-5 10 10 0 20",
        "b winning-7 5 0 0 0",
        "c winning-8 5 15 0 20",
        "d final-5 5 10 0 15",
    ]
    assert events[-2:] == [
        BankBroken(round=1, patron="a", due=45, paid=35),
        SeatLeft(seat=1, patron="a", reason="eliminated"),
    ]
    assert dinner.by_system == [SeatLeft(seat=1, patron="a", reason="eliminated")]
    assert dinner.table.stacks == {"a": 0, "b": 30, "c": 25, "d": 20}
    assert dinner.opened()[1] == SeatsSet(round=2, seats=seated("abcd")[1:], turn=2)


def coup(*cards: str, b: str = "player", c: str = "banker") -> Dinner:
    """Play one coup in which a deals with six units, against a unit each of b and c."""
    dinner = Dinner(a=6, b=6, c=6).drawn(("Kd", "2d", "3d"), cards)
    dinner.opened()
    dinner.stake("a", "bank", 6)
    dinner.stake("b", b, 1)
    dinner.stake("c", c, 1)
    dinner.whole_coup()
    return dinner


def test_main_bets_are_paid_even_money() -> None:
    assert coup(*PLAYER_WINS, c="player").table.stacks == {"a": 4, "b": 7, "c": 7}
    assert coup(*BANKER_WINS, b="banker").table.stacks == {"a": 4, "b": 7, "c": 7}


def test_a_tie_returns_main_bets() -> None:
    assert coup(*TIE).table.stacks == {"a": 6, "b": 6, "c": 6}


def test_when_banker_wins_with_three_cards_and_seven_banker_pushes_and_player_loses() -> None:
    assert coup(*DRAGON).table.stacks == {"a": 7, "b": 5, "c": 6}


def test_the_tableau_plays_both_hands() -> None:
    dinner = Dinner(a=6, b=6).drawn(("Kd", "2d"), TEXT)
    dinner.opened()
    dinner.stake("a", "bank", 6)
    dinner.stake("b", "player", 1)
    dinner.does(salon.close_bets(dinner.table))

    assert dinner.may() == ["deal"]
    assert refusal(dinner.table, salon.decide, patron="a", hand="banker", choice="draw").code == "no-choice"
    assert refusal(dinner.table, salon.silence).code == "not-asked"
    for _ in range(4):
        dinner.does(salon.deal(dinner.table, dinner.cards, whole=False))
    assert isinstance(dinner.table.phase, Playing)
    assert kinds(dinner.does(salon.deal(dinner.table, dinner.cards, whole=False))) == ["card-dealt", "round-settled"]


def last_coup() -> Dinner:
    """Play the coup in which b loses his last chip to a."""
    dinner = Dinner(a=1, b=1).drawn(("Kd", "2d"), BANKER_WINS)
    dinner.opened()
    dinner.stake("a", "bank", 1)
    dinner.stake("b", "player", 1)
    dinner.whole_coup()
    return dinner


def test_the_last_player_with_chips_has_won_and_the_shoe_is_closed() -> None:
    dinner = last_coup()

    assert dinner.log[-1] == SeatLeft(seat=2, patron="b", reason="eliminated")
    assert dinner.may() == []
    assert refusal(dinner.table, salon.open_round).detail == "the game is over: last-player"
    assert dinner.closed_shoe()[-1].reason == "last-player"  # type: ignore[union-attr]  # a shoe-closed
    assert dinner.table.seats == {1: "a"}
    assert dinner.table.standing == Standing()


def test_after_a_game_seats_are_free_and_another_is_drawn_for() -> None:
    dinner = last_coup()
    no = refusal(dinner.table, salon.take_seat, seat=4, patron="z")
    assert no.code == "game-on"
    dinner.closed_shoe()

    dinner.buy(z=9)
    dinner.does(salon.take_seat(dinner.table, seat=4, patron="z"))
    dinner.next_shoe()

    assert dinner.may() == ["draw"]


def test_a_game_that_all_leave_ends_for_want_of_a_dealer() -> None:
    dinner = coup(*BANKER_WINS)
    for patron in "abc":
        dinner.does(salon.leave_seat(dinner.table, patron=patron))

    assert dinner.closed_shoe()[-1].reason == "no-dealer"  # type: ignore[union-attr]  # a shoe-closed


def test_who_has_less_than_a_unit_left_is_out_and_keeps_it() -> None:
    dinner = Dinner(rules_of(unit=5), a=20, b=8).drawn(("Kd", "2d"), BANKER_WINS)
    dinner.opened()
    dinner.stake("a", "bank", 20)
    dinner.stake("b", "player", 5)

    assert dinner.whole_coup()[-1] == SeatLeft(seat=2, patron="b", reason="eliminated")
    dinner.cash("b", 3)


UNDOING: dict[str, Any] = {"reason": "misread", "approved_by": BOTH}


def test_a_settlement_that_is_undone_and_made_void_seats_again_whom_it_eliminated() -> None:
    dinner = last_coup()

    dinner.does(rounds.reverse_settlement(dinner.table, **UNDOING, settle_again=False))

    assert dinner.table.seats == {1: "a", 2: "b"}
    assert dinner.opened()[1:] == [
        SeatsSet(round=2, seats=seated("ab"), turn=1, tied=True),
        BetPlaced(round=2, patron="a", bet="bank", amount=1),
    ]


def test_a_settlement_that_is_made_again_eliminates_again() -> None:
    dinner = last_coup()

    events = dinner.does(rounds.reverse_settlement(dinner.table, **UNDOING, settle_again=True))

    assert kinds(events) == ["settlement-reversed", "round-settled", "seat-left"]
    assert dinner.by_system[-1] == SeatLeft(seat=2, patron="b", reason="eliminated")
    assert dinner.table.seats == {1: "a"}
    assert dinner.may() == []
