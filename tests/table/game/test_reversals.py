"""Voids and reversals: stakes return exactly once, and nothing is undone that has left the table."""

from typing import Any

import pytest

from schemas.events import Line, RoundVoided
from services.table.game import floor, play, shoes
from services.table.game.state import Between, Frozen, Reversed
from tests.table.game.sitting import (
    ANNA,
    BANKER_WINS,
    BOTH,
    DIGEST,
    MARKING,
    PLAYER_WINS,
    SEED,
    SIX_CARDS,
    Sitting,
    kinds,
    refusal,
    said,
    stakes_of,
)


def lines_of(sitting: Sitting) -> tuple[Line, ...]:
    assert isinstance(sitting.table.phase, Between)
    assert sitting.table.phase.last is not None
    return sitting.table.phase.last.lines


def test_an_open_coup_is_voided_by_one_person_and_stakes_return_once() -> None:
    for steps in range(4):
        sitting = Sitting().buy(p1=10_000).shoe(SIX_CARDS).round(("p1", "player", 500), ("p1", "tie", 100))
        if steps:
            sitting.do(play.close_bets(sitting.table, count=2, digest=DIGEST))
        for _ in range(1, steps):
            sitting.do(play.deal(sitting.table, sitting.cards, whole=False))
        no = refusal(sitting.table, play.void_round, reason="misdeal", approved_by=())
        assert (no.code, no.right) == ("approval-missing", "1 to 16 different actors")

        sitting.do(play.void_round(sitting.table, reason="misdeal", approved_by=(ANNA,)))

        assert sitting.table.stack("p1") == 10_000
        assert refusal(sitting.table, play.void_round, reason="misdeal", approved_by=(ANNA,)).code == "wrong-phase"


def test_no_more_people_approve_than_an_entry_can_name() -> None:
    sitting = Sitting().shoe().round()
    names = tuple(f"pit:{number}" for number in range(17))

    assert refusal(sitting.table, play.void_round, reason="misdeal", approved_by=names).code == "approval-missing"
    assert play.void_round(sitting.table, reason="misdeal", approved_by=names[:16])


def settled(front: tuple[str, ...] = BANKER_WINS) -> Sitting:
    """Give a table whose last coup is settled: Banker won, p1 with 10,000 on it owes 500, p2 lost 1,000."""
    sitting = Sitting(MARKING).buy(p1=10_000, p2=3_000).shoe((*front, *PLAYER_WINS))
    sitting.coup(("p1", "banker", 10_000), ("p2", "player", 1_000))
    return sitting


def test_a_settlement_is_reversed_by_two_people_and_made_again() -> None:
    sitting = settled()
    before = lines_of(sitting)
    no = refusal(sitting.table, play.reverse_settlement, reason="misread", approved_by=(ANNA, ANNA), settle_again=True)
    assert (no.code, no.right) == ("approval-missing", "2 to 16 different actors")

    events = sitting.do(play.reverse_settlement(sitting.table, reason="misread", approved_by=BOTH, settle_again=True))

    assert kinds(events) == ["settlement-reversed", "round-settled"]
    assert said(events[0]) == {"round": 1, "reason": "misread", "approved_by": BOTH}
    assert lines_of(sitting) == before
    assert (sitting.table.stack("p1"), sitting.table.debt("p1"), sitting.table.stack("p2")) == (20_000, 500, 2_000)


def test_a_reversed_settlement_may_be_voided_and_stakes_return_once() -> None:
    sitting = settled()

    events = sitting.do(play.reverse_settlement(sitting.table, reason="misread", approved_by=BOTH, settle_again=False))

    assert events[1:] == [RoundVoided(round=1, reason="misread", approved_by=BOTH)]
    assert (sitting.table.stack("p1"), sitting.table.debt("p1"), sitting.table.stack("p2")) == (10_000, 0, 3_000)
    order: dict[str, Any] = {"reason": "misread", "approved_by": BOTH, "settle_again": False}
    assert refusal(sitting.table, play.reverse_settlement, **order).code == "wrong-phase"


def test_an_undone_settlement_that_was_not_replaced_is_voided() -> None:
    sitting = settled()
    undone = play.reverse_settlement(sitting.table, reason="misread", approved_by=BOTH, settle_again=False)[:1]
    sitting.do(undone)
    assert isinstance(sitting.table.phase, Reversed)
    assert (sitting.table.stack("p1"), sitting.table.debt("p1")) == (0, 0)
    assert stakes_of(sitting.table).table == 11_000

    sitting.do(play.void_round(sitting.table, reason="misread", approved_by=(ANNA,)))

    assert (sitting.table.stack("p1"), sitting.table.stack("p2")) == (10_000, 3_000)
    assert sitting.is_between


def test_what_has_left_the_table_is_not_reversed() -> None:
    sitting = settled()
    order: dict[str, Any] = {"reason": "misread", "approved_by": BOTH, "settle_again": True}
    sitting.do(floor.cash_chips(sitting.table, patron="p1", amount=1, means="cash"))

    no = refusal(sitting.table, play.reverse_settlement, **order)
    assert (no.code, no.where) == ("stack-too-small", "round")

    sitting.buy(p1=1)
    assert play.reverse_settlement(sitting.table, **order)


@pytest.mark.parametrize("how", ["collected", "waived"])
def test_a_settlement_whose_commission_is_paid_or_waived_is_not_reversed(how: str) -> None:
    sitting = settled()
    sitting.buy(p1=1_000)
    if how == "collected":
        sitting.do(floor.collect_commission(sitting.table, patron="p1", amount=1))
    else:
        order: dict[str, Any] = {"patron": "p1", "amount": 1, "reason": "goodwill", "approved_by": BOTH}
        sitting.do(floor.waive_commission(sitting.table, **order))

    no = refusal(sitting.table, play.reverse_settlement, reason="misread", approved_by=BOTH, settle_again=True)

    assert (no.code, no.where) == ("not-owed", "round")


def test_nothing_is_reversed_once_the_next_round_is_open() -> None:
    sitting = settled()
    sitting.round()
    order: dict[str, Any] = {"reason": "misread", "approved_by": BOTH, "settle_again": True}
    assert refusal(sitting.table, play.reverse_settlement, **order).code == "wrong-phase"

    sitting.do(play.void_round(sitting.table, reason="misdeal", approved_by=(ANNA,)))
    assert refusal(sitting.table, play.reverse_settlement, **order).where == "round"


@pytest.mark.parametrize("moment", ["betting", "dealing", "reversed"])
def test_a_frozen_shoe_gives_the_stakes_back_once_and_then_can_only_be_voided(moment: str) -> None:
    sitting = Sitting(MARKING).buy(p1=10_000).shoe(BANKER_WINS).round(("p1", "banker", 10_000))
    if moment != "betting":
        sitting.do(play.close_bets(sitting.table, count=1, digest=DIGEST))
    if moment == "reversed":
        sitting.do(play.deal(sitting.table, sitting.cards))
        undone = play.reverse_settlement(sitting.table, reason="misread", approved_by=BOTH, settle_again=False)[:1]
        sitting.do(undone)

    sitting.do(shoes.freeze(sitting.table, reason="seed-lost"))
    assert stakes_of(sitting.table).table == 10_000
    assert refusal(sitting.table, play.open_round).code == "wrong-phase"
    assert refusal(sitting.table, play.deal, sitting.cards).code == "wrong-phase"
    assert refusal(sitting.table, shoes.close, seed=SEED, reason="give-up").code == "wrong-phase"

    sitting.do(play.void_round(sitting.table, reason="seed-lost", approved_by=(ANNA,)))
    assert (sitting.table.stack("p1"), sitting.table.debt("p1")) == (10_000, 0)
    assert isinstance(sitting.table.phase, Frozen)
    assert refusal(sitting.table, play.void_round, reason="seed-lost", approved_by=(ANNA,)).code == "wrong-phase"
    assert refusal(sitting.table, play.open_round).code == "wrong-phase"

    voided = shoes.void(sitting.table, seed=None, reason="seed-lost", approved_by=(ANNA,))
    assert kinds(sitting.do(voided)) == ["shoe-voided"]
    assert sitting.table.stack("p1") == 10_000
