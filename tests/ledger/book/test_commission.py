"""Marked commission: owed until it is collected, and income only then; or waived."""

import pytest

from schemas.events import CommissionCollected, CommissionWaived
from services.ledger.book.slip import Disagreement, Figures
from tests.ledger.book.reading import figures, shown, slips
from tests.ledger.tape import Tape, lost, won


@pytest.fixture
def tape() -> Tape:
    """Anna, with 100.00 on the table, has won 5.00 on banker and owes 0.25 for it."""
    tape = Tape()
    tape.open()
    tape.buy("anna", 10_000)
    tape.shoe(1, ("anna", 10_000, 0))
    tape.coup(1, won("anna", "banker", 500, marked=25), lost("anna", "tie", 100, marked=0))
    return tape


def test_marked_commission_is_owed_and_not_yet_income(tape: Tape) -> None:
    standing = shown(tape)

    assert standing["patron/anna/stack/b1"] == 10_400
    assert standing["patron/anna/owed/b1"] == 25
    assert standing["house/b1/commission-owed"] == 25
    assert "house/b1/commission" not in standing


def test_collected_commission_leaves_the_stack_and_becomes_income(tape: Tape) -> None:
    tape.at("b1", CommissionCollected(patron="anna", amount=25))

    standing = shown(tape)
    assert standing["patron/anna/stack/b1"] == 10_375
    assert standing["house/b1/commission"] == 25
    assert "patron/anna/owed/b1" not in standing
    assert "house/b1/commission-owed" not in standing
    assert standing["house/b1/chips-out"] == 10_375


def test_waived_commission_is_never_income(tape: Tape) -> None:
    tape.at(
        "b1",
        CommissionWaived(patron="anna", amount=20, reason="goodwill", approved_by=("pit:bert", "pit:carl")),
        CommissionCollected(patron="anna", amount=5),
    )

    assert shown(tape)["house/b1/commission"] == 5
    assert "patron/anna/owed/b1" not in shown(tape)


def test_commission_is_counted_in_the_shoe_in_which_it_is_paid(tape: Tape) -> None:
    tape.shoe(2, ("anna", 10_400, 25))
    tape.at("b1", CommissionCollected(patron="anna", amount=25))

    assert figures(tape) == {
        ("b1", 1, "anna"): Figures(bets=2, handle=600, win=-400, marked=25),
        ("b1", 2, "anna"): Figures(collected=25),
    }


def test_more_than_is_owed_cannot_be_collected(tape: Tape) -> None:
    tape.at("b1", CommissionCollected(patron="anna", amount=26))

    with pytest.raises(Disagreement, match="debt"):
        slips(tape)
