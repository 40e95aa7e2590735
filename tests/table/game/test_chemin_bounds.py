"""Chemin de fer: the bounds of a bank, of banco and of a stake, met exactly and missed by one."""

import pytest

from schemas.events import BetPlaced, RoundVoided
from schemas.rules import BetLimits
from services.table.game import chemin_coup, floor, play
from services.table.game.impossible import ImpossibleError
from services.table.game.seats import Standing, Terms
from services.table.game.stakes import Stakes
from tests.table.game.chemin_party import LIMITS, TIE, banked, party, seats_set, stack
from tests.table.game.party import Party
from tests.table.game.sitting import ANNA, BANKER_WINS, PLAYER_WINS, limited, ruled


def given_up(*, least: int, most: int) -> Party:
    """Let a give up a standing bank of 195, under limits that have changed meanwhile."""
    made = banked(*BANKER_WINS)
    made.bet("b", "player", 100)
    made.played()
    made.do(floor.change_limits(made.table, limits=limited({"bank": (least, most), "player": (5, 1000)})))
    made.opened()
    return made.no("a")


@pytest.mark.parametrize(("least", "most"), [(195, 1000), (10, 195)])
def test_a_bank_given_up_may_be_taken_at_the_tables_very_bounds(least: int, most: int) -> None:
    assert given_up(least=least, most=most).may("b") == ["bank 195 195", "pass"]


@pytest.mark.parametrize(("least", "most"), [(196, 1000), (10, 194)])
def test_a_bank_given_up_that_is_out_of_the_tables_bounds_can_only_be_passed(least: int, most: int) -> None:
    assert given_up(least=least, most=most).may("b") == ["pass"]


def test_banco_at_the_tables_least_and_at_its_most_may_be_called() -> None:
    for amount in (10, 1000):
        made = party()
        made.opened()
        made.bet("a", "bank", amount)

        assert made.may("b") == [f"banco {amount} {amount}", "pass"]


@pytest.mark.parametrize(("least", "most"), [(101, 1000), (10, 99)])
def test_banco_out_of_the_tables_bounds_cannot_be_called(least: int, most: int) -> None:
    made = Party(ruled("chemin-de-fer"), limited({"bank": (10, 1000), "player": (5, 1000), "banco": (least, most)}))
    made.buy(a=1000, b=1000).sit(a=1, b=2).shoe()
    made.opened()
    made.bet("a", "bank", 100)

    assert made.may("b") == ["pass"]


def test_who_calls_a_late_banco_counts_the_stake_that_it_displaces() -> None:
    made = party()
    made.opened()
    made.bet("a", "bank", 1000)
    made.no("b", "c", "d")

    made.bet("b", "player", 40)

    assert made.may("b") == ["banco 1000 1000"]


def test_the_most_of_all_stakes_together_is_the_tables_not_each_patrons() -> None:
    made = Party(ruled("chemin-de-fer"), limited({"bank": (10, 1000), "player": (5, 1000)}, table=70))
    made.buy(a=1000, b=1000, c=1000).sit(a=1, b=2, c=3).shoe()
    made.opened()
    made.bet("a", "bank", 100)
    assert made.may("b") == ["stake 5 70", "pass"]

    made.bet("b", "player", 30)

    assert made.may("c") == ["stake 5 40", "pass"]


def test_a_banker_adds_no_more_than_his_banks_most() -> None:
    made = banked()
    phase = made.table.phase
    phase.banked.terms.limits.bets["bank"] = BetLimits(min=10, max=115)  # type: ignore[union-attr]  # stakes are made
    made.bet("b", "player", 90)
    made.bet("c", "player", 50)

    assert made.may("a") == ["bank 1 15", "pass"]


@pytest.mark.parametrize(("last", "trimmed"), [(40, 0), (41, 1)])
def test_nothing_is_trimmed_from_stakes_that_cover_the_bank_exactly(last: int, trimmed: int) -> None:
    made = banked()
    made.bet("b", "player", 60)
    made.bet("c", "player", last)
    if trimmed:
        made.no("a")

    events = made.closed_bets()

    assert len(events) == 1 + 2 * trimmed
    assert stack(made, "c") == 1000 - 40


def test_once_bystanders_have_covered_the_bank_no_other_may_stake() -> None:
    made = party()
    made.buy(f=1000)
    made.opened()
    made.bet("a", "bank", 100)
    made.no("b", "c", "d").no("b", "c", "d")

    made.bet("e", "player", 100)

    assert made.may("f") == []
    assert made.may() == ["close"]


def test_a_tied_stake_stays_when_its_patron_has_exactly_so_much() -> None:
    made = party(*TIE, *BANKER_WINS)
    made.opened()
    made.bet("a", "bank", 1000)
    made.no("b", "c", "d")
    made.bet("b", "player", 1000)
    made.played()

    made.opened()

    assert (stack(made, "a"), stack(made, "b")) == (0, 0)


def test_a_tied_coup_that_is_void_leaves_the_bank_that_was_placed_anew() -> None:
    made = banked(*TIE)
    made.bet("b", "player", 100)
    made.played()
    made.opened()

    made.do(play.void_round(made.table, reason="misdeal", approved_by=(ANNA,)))

    assert made.table.standing == Standing(turn=1, banker=1, standing=100)


def test_a_coup_void_before_its_banker_has_answered_leaves_him_the_bank_untied() -> None:
    made = banked(*BANKER_WINS)
    made.bet("b", "player", 100)
    made.played()
    made.opened()

    made.do(play.void_round(made.table, reason="misdeal", approved_by=(ANNA,)))

    assert made.table.standing == Standing(turn=1, banker=1, standing=195)
    made.opened()
    assert made.asked() == ["a"]


def test_when_a_bank_is_lost_the_next_is_named_from_the_next_seat_on() -> None:
    made = banked(*PLAYER_WINS)
    made.bet("b", "player", 100)
    made.played()

    assert seats_set(made).turn == 2
    made.no("b", "c", "d")
    assert made.asked() == ["a"]
    made.no("a")

    assert isinstance(made.log[-1], RoundVoided)
    assert made.table.standing == Standing(turn=2)


def test_a_coup_whose_seats_name_no_turn_begins_with_the_lowest() -> None:
    terms = Terms(rules=ruled("chemin-de-fer"), limits=LIMITS, seats={7: "g", 3: "c"}, before=Standing())

    assert chemin_coup.asked(chemin_coup.begin(terms)) == 3


def test_nobody_without_a_seat_has_named_a_bank() -> None:
    terms = Terms(rules=ruled("chemin-de-fer"), limits=LIMITS, seats={3: "c", 7: "g"}, before=Standing())
    placed = BetPlaced(round=1, patron="z", bet="bank", amount=10)

    with pytest.raises(ImpossibleError, match="z has no seat"):
        chemin_coup.evolve(terms, chemin_coup.begin(terms), placed, Stakes())
