"""Chemin de fer: the stakes in turn, what is over, and what is not covered."""

from schemas.events import BetPlaced, BetWithdrawn, RoundVoided
from schemas.rules import BetLimits
from services.table.game import salon
from services.table.game.deeds import BySystem
from services.table.game.seats import Standing
from services.table.game.state import Staking
from tests.table.game.chemin_party import banked, lines
from tests.table.game.sitting import BANKER_WINS, PLAYER_WINS, refusal


def test_each_stakes_once_in_turn_after_the_banker_until_the_bank_is_covered() -> None:
    made = banked()
    assert made.asked() == ["b"]

    made.bet("b", "player", 60)
    assert made.asked() == ["c"]
    made.bet("c", "player", 40)

    assert made.asked() == []
    assert made.may() == ["close"]


def test_after_the_seats_bystanders_complete_the_stakes_and_the_dealer_ends_it() -> None:
    made = banked()
    made.no("b", "c", "d")

    assert made.may("e") == ["stake 5 1000"]
    assert made.may() == ["close"]
    made.bet("e", "player", 60)
    assert made.may("e") == []


def test_where_bystanders_may_not_stake_the_dealer_goes_on_after_the_seats() -> None:
    made = banked(stakes={"bystanders": False})
    made.bet("b", "player", 60)
    made.no("c", "d")

    assert made.may("e") == []
    assert made.may() == ["close"]


def test_a_coup_in_which_nobody_stakes_is_void_and_the_bank_stands() -> None:
    made = banked()
    made.no("b", "c", "d")

    made.closed_bets()

    assert made.log[-1] == RoundVoided(round=1, reason="no-stakes", approved_by=())
    assert made.table.standing == Standing(turn=1, banker=1, standing=100)


def test_a_coup_that_nobody_is_left_to_stake_in_is_void_at_once() -> None:
    made = banked(stakes={"bystanders": False})

    made.no("b", "c", "d")

    assert made.log[-1] == RoundVoided(round=1, reason="no-stakes", approved_by=())


def test_the_dealer_does_not_close_while_a_seat_is_asked() -> None:
    made = banked()

    no = refusal(made.table, salon.close_bets)

    assert (no.code, no.detail) == ("still-asked", "b is still asked")


def test_what_is_over_is_trimmed_from_the_last_stake_and_counted_with_the_bets() -> None:
    made = banked(*BANKER_WINS)
    made.bet("b", "player", 40)
    made.bet("c", "player", 30)
    made.bet("d", "player", 50)
    assert made.may("a") == ["bank 1 20", "pass"]
    made.no("a")

    deeds = salon.close_bets(made.table)

    assert deeds[:2] == [
        BySystem(BetWithdrawn(round=1, patron="d", bet="player")),
        BySystem(BetPlaced(round=1, patron="d", bet="player", amount=30)),
    ]
    assert lines(made.played()) == [
        "a bank 100 100 5 195",
        "b player 40 0 0 0",
        "c player 30 0 0 0",
        "d player 30 0 0 0",
    ]


def test_the_banker_adds_part_of_what_is_over_and_the_rest_is_trimmed() -> None:
    made = banked(*BANKER_WINS)
    made.bet("b", "player", 90)
    made.bet("c", "player", 50)

    made.bet("a", "bank", 15)

    assert lines(made.played()) == ["a bank 115 115 5 225", "b player 90 0 0 0", "c player 25 0 0 0"]


def test_uncovered_money_of_the_bank_is_not_at_risk() -> None:
    made = banked(*PLAYER_WINS)
    made.bet("b", "player", 60)
    made.no("c", "d")

    assert lines(made.played()) == ["a bank 100 0 0 40", "b player 60 60 0 120"]
    assert made.table.standing == Standing(turn=2)


def test_the_most_of_a_stake_is_each_patrons_own_and_not_what_all_stake_together() -> None:
    made = banked()
    phase = made.table.phase
    assert isinstance(phase, Staking)
    phase.banked.terms.limits.bets["player"] = BetLimits(min=5, max=60)

    made.bet("b", "player", 60)

    assert "stake 5 60" in made.may("c")
