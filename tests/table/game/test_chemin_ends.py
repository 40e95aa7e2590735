"""Chemin de fer: ties, voids, the end of the shoe, and the seats."""

from schemas.events import BetPlaced, RoundVoided
from schemas.seats import SeatsSet
from services.table.game import floor, play, rounds, salon
from services.table.game.deeds import BySystem, event_of
from services.table.game.seats import Standing
from tests.table.game.chemin_party import LIMITS, TIE, banked, party, playing, seats_set, stack
from tests.table.game.party import Party
from tests.table.game.sitting import ANNA, BANKER_WINS, BOTH, Sitting, chips_on, refusal, ruled


def test_on_a_tie_stakes_stay_and_the_next_coup_is_opened_with_them() -> None:
    made = banked(*TIE, *BANKER_WINS)
    made.bet("b", "player", 60)
    made.bet("c", "player", 40)
    made.played()

    opened, stated, *placed = salon.open_round(made.table)

    assert isinstance(stated, SeatsSet)
    assert (stated.tied, stated.banker, stated.standing) == (True, 1, 100)
    assert [event_of(deed) for deed in placed] == [
        BetPlaced(round=2, patron="a", bet="bank", amount=100),
        BetPlaced(round=2, patron="b", bet="player", amount=60),
        BetPlaced(round=2, patron="c", bet="player", amount=40),
    ]
    assert all(isinstance(deed, BySystem) for deed in placed)
    made.does([opened, stated, *placed])
    assert made.may() == ["close"]
    assert made.asked() == []
    made.played()
    assert made.table.standing.standing == 195


def test_a_tied_stake_whose_patron_is_no_longer_able_does_not_stay() -> None:
    made = banked(*TIE)
    made.bet("b", "player", 60)
    made.bet("c", "player", 40)
    made.played()
    made.do(floor.cash_chips(made.table, patron="b", amount=950, means="cash"))

    placed = [event_of(deed) for deed in salon.open_round(made.table)[2:]]

    assert [event.patron for event in placed if isinstance(event, BetPlaced)] == ["a", "c"]


def test_where_a_tie_returns_the_stakes_the_bank_is_named_again() -> None:
    made = banked(*TIE, stakes={"tie": "return"})
    made.bet("b", "player", 60)
    made.no("c", "d")
    made.played()

    stated = seats_set(made)

    assert (stated.banker, stated.standing, stated.tied is True) == (1, 100, False)
    assert made.asked() == ["a"]


def test_a_coup_that_runs_out_of_cards_is_void_and_the_shoe_is_over() -> None:
    made = Party(ruled("chemin-de-fer", procedure={"decks": 1}), LIMITS)
    made.buy(a=1000, b=1000).sit(a=1, b=2).shoe()
    made.opened()
    made.bet("a", "bank", 10)
    made.no("b")
    made.bet("b", "player", 10)
    made.closed_bets()
    playing(made).shoe.position = 50

    made.dealt()

    assert made.log[-1] == RoundVoided(round=1, reason="out-of-cards", approved_by=())
    assert made.table.standing == Standing(turn=1, banker=1, standing=10)
    assert refusal(made.table, salon.open_round).code == "shoe-over"


def test_a_void_coup_leaves_its_bank_standing() -> None:
    made = banked()
    made.bet("b", "player", 60)

    made.do(play.void_round(made.table, reason="misdeal", approved_by=(ANNA,)))

    assert made.table.standing == Standing(turn=1, banker=1, standing=100)
    assert chips_on(made.table) == 5000


def test_a_settlement_reversed_and_made_again_leaves_the_same() -> None:
    made = banked(*BANKER_WINS)
    made.bet("b", "player", 100)
    made.played()
    before = made.table.standing

    made.does(rounds.reverse_settlement(made.table, reason="misread", approved_by=BOTH, settle_again=True))

    assert made.table.standing == before
    assert stack(made, "a") == 1095


def test_a_new_shoe_keeps_the_turn_and_no_bank() -> None:
    made = banked(*BANKER_WINS)
    made.bet("b", "player", 100)
    made.played()
    made.end_shoe()

    made.shoe()

    assert made.table.standing == Standing(turn=1)
    assert made.table.seats == {1: "a", 2: "b", 3: "c", 4: "d"}


def test_seats_are_taken_and_left_between_rounds_only() -> None:
    made = party()
    made.opened()

    assert refusal(made.table, salon.take_seat, seat=5, patron="e").code == "wrong-phase"
    assert refusal(made.table, salon.leave_seat, patron="a").code == "wrong-phase"


def test_a_seat_that_is_taken_or_not_there_is_refused_with_those_that_are_free() -> None:
    made = party()

    assert refusal(made.table, salon.take_seat, seat=4, patron="e").right.startswith("5, 6")
    assert refusal(made.table, salon.take_seat, seat=11, patron="e").right == "1 to 10"
    assert refusal(made.table, salon.take_seat, seat=5, patron="a").code == "seat-taken"
    assert refusal(made.table, salon.leave_seat, patron="e").code == "not-seated"


def test_a_coup_takes_two_at_least() -> None:
    made = party()
    for patron in "bcd":
        made.do(salon.leave_seat(made.table, patron=patron))

    assert refusal(made.table, salon.open_round).code == "too-few-seated"


def test_where_the_house_banks_nobody_takes_a_seat() -> None:
    assert refusal(Sitting().table, salon.take_seat, seat=1, patron="a").code == "wrong-game"
