"""Baccarat banque: the bounds of a bank, of banco and of a stake, met exactly; and what cannot have happened."""

import pytest

from schemas.events import BetPlaced, BetWithdrawn, RoundSettled
from schemas.words import Winners
from services.table.game import banque_coup, floor, salon
from services.table.game.banque_coup import Bank, BanqueStage, Bidding, Faced, Offering, Punting
from services.table.game.impossible import ImpossibleError
from services.table.game.seats import Standing, Terms
from services.table.game.stakes import Stakes
from tests.table.game.banque_party import BANKER_WINS, LIMITS, SIDES_WIN, STAKES, WITH_BANCO, banked, seats_set
from tests.table.game.sitting import limited, ruled

BANK = Bank(seat=5, amount=100)
BANKER_BOTH = Winners(left="banker", right="banker")


@pytest.mark.parametrize("amount", [100, 2000])
def test_banco_at_the_tables_least_and_at_all_that_its_caller_has_may_be_called(amount: int) -> None:
    made = banked(amount=amount, limits=WITH_BANCO)

    assert made.may("a") == [f"banco {amount} {amount}", "pass"]


@pytest.mark.parametrize(("least", "most"), [(1001, 5000), (100, 999)])
def test_banco_out_of_the_tables_bounds_cannot_be_called(least: int, most: int) -> None:
    spans = {"banco-right": (least, most), "banco-left": (least, most)}
    made = banked(amount=1000, limits=limited({"bank": (100, 5000), **STAKES, **spans}))

    assert made.may("a") == ["pass"]


def test_the_most_of_all_stakes_together_is_the_tables_where_the_bank_is_larger() -> None:
    made = banked(amount=1000, limits=limited({"bank": (100, 5000), **STAKES}, table=300))
    assert made.may("a") == ["stake 5 300"] * 3

    made.bet("b", "left", 120)

    assert made.may("a") == ["stake 5 180"] * 3


def test_all_stakes_together_are_never_above_the_bank_where_the_table_takes_more() -> None:
    made = banked(amount=1000, limits=limited({"bank": (100, 5000), **STAKES}, table=1500))

    made.bet("b", "left", 400)

    assert made.may("a") == ["stake 5 600"] * 3


def test_a_bank_of_exactly_the_tables_least_is_still_its_bankers() -> None:
    made = banked(*SIDES_WIN)
    made.bet("a", "right", 500)
    made.bet("b", "left", 400)
    made.played()

    stated = seats_set(made)

    assert (stated.banker, stated.standing) == (5, 100)
    assert made.asked() == ["e"]


def test_a_broken_bankers_bank_is_auctioned_without_him_however_small_a_bank_may_be() -> None:
    made = banked(*SIDES_WIN, limits=limited({"bank": (1, 5000), **STAKES}))
    made.bet("a", "right", 500)
    made.bet("b", "left", 500)
    made.played()

    made.opened()

    assert made.asked() == ["a", "c", "d", "b"]


@pytest.mark.parametrize(("leaves", "right", "left"), [("a", 2, 10), ("b", 1, 9), ("c", 1, 10), ("d", 1, 10)])
def test_when_an_active_seat_is_left_the_next_outward_on_its_side_is_active(leaves: str, right: int, left: int) -> None:
    made = banked(*SIDES_WIN)
    made.bet("c", "right", 10)
    made.played()
    assert (made.table.standing.right, made.table.standing.left) == (1, 10)

    made.do(salon.leave_seat(made.table, patron=leaves))

    assert (made.table.standing.right, made.table.standing.left) == (right, left)


def test_the_banker_who_cashes_what_does_not_stand_keeps_his_bank() -> None:
    made = banked(*BANKER_WINS)
    made.bet("a", "right", 100)
    made.played()
    made.do(floor.cash_chips(made.table, patron="e", amount=1000, means="cash"))

    made.opened()

    assert made.may("e") == ["bank 1095 1095", "pass"]


@pytest.mark.parametrize(
    ("stage", "event"),
    [
        (Punting(bank=BANK), BetPlaced(round=1, patron="a", bet="banco-right", amount=100)),
        (Offering(bank=BANK, order=(1,)), BetPlaced(round=1, patron="a", bet="right", amount=100)),
        (Faced(bank=BANK), BetPlaced(round=1, patron="a", bet="right", amount=100)),
        (Bidding(bidders=(1, 5)), BetWithdrawn(round=1, patron="a", bet="right")),
        (Punting(bank=BANK), BetWithdrawn(round=1, patron="a", bet="banco-right")),
        (Punting(bank=BANK), BetPlaced(round=1, patron="e", bet="bank", amount=100)),
    ],
)
def test_what_is_not_asked_at_a_stage_cannot_have_happened(stage: BanqueStage, event: BetPlaced | BetWithdrawn) -> None:
    terms = Terms(rules=ruled("banque"), limits=LIMITS, seats={1: "a", 5: "e"}, before=Standing())

    with pytest.raises(ImpossibleError):
        banque_coup.evolve(terms, stage, event, Stakes())


@pytest.mark.parametrize(
    ("stage", "settled"),
    [
        (Bidding(bidders=(1, 5)), RoundSettled(round=1, left=1, right=1, banker=7, winners=BANKER_BOTH, lines=())),
        (Punting(bank=BANK), RoundSettled(round=1, player=1, banker=7, winner="banker", lines=())),
    ],
)
def test_a_coup_that_nobody_banked_or_at_one_tableau_is_never_settled(
    stage: BanqueStage, settled: RoundSettled
) -> None:
    terms = Terms(rules=ruled("banque"), limits=LIMITS, seats={1: "a", 5: "e"}, before=Standing())

    with pytest.raises(ImpossibleError, match="nobody banked it"):
        banque_coup.settled(terms, stage, settled, ())
