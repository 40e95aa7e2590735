"""Chips, stakes, settlements, reversals and voids, worked by hand."""

import pytest
from msgspec.structs import replace

from schemas.events import BetWithdrawn, ChipsCashed, Line, LinesSettled, RoundVoided, SettlementReversed
from services.ledger.book.slip import Disagreement, Figures
from tests.ledger.book.reading import balances, figures, shown, slips
from tests.ledger.tape import Tape, lost, opened, pushed, settled, won


@pytest.fixture
def tape() -> Tape:
    """A table with a tray of 1,000.00 where anna has bought 100.00 and bob 50.00, in their first shoe."""
    tape = Tape()
    tape.open()
    tape.buy("anna", 10_000)
    tape.buy("bob", 5_000)
    tape.shoe(1, ("anna", 10_000, 0), ("bob", 5_000, 0))
    return tape


def test_chips_bought_are_money_in_the_cage_and_chips_in_the_patrons_hands(tape: Tape) -> None:
    assert shown(tape) == {
        "cage/cash": 15_000,
        "patron/anna/stack/b1": 10_000,
        "patron/bob/stack/b1": 5_000,
        "cage/chips": 100_000,
        "house/b1/float": 85_000,
        "house/b1/chips-out": 15_000,
    }


def test_a_stake_lies_in_escrow_until_the_coup_is_settled(tape: Tape) -> None:
    tape.stakes(1, ("anna", "banker", 500), ("anna", "tie", 100), ("anna", "banker", 200))

    assert shown(tape)["patron/anna/escrow/b1/banker"] == 700
    assert shown(tape)["patron/anna/escrow/b1/tie"] == 100
    assert shown(tape)["patron/anna/stack/b1"] == 9_200


def test_a_five_dollar_banker_win_returns_nine_seventy_five(tape: Tape) -> None:
    tape.coup(1, won("anna", "banker", 500, commission=25))

    standing = shown(tape)
    assert standing["patron/anna/stack/b1"] == 10_000 - 500 + 975
    assert standing["house/b1/win"] == -500
    assert standing["house/b1/commission"] == 25
    assert standing["house/b1/float"] == 85_000 - 475
    assert standing["house/b1/chips-out"] == 15_000 + 475
    assert "patron/anna/escrow/b1/banker" not in standing


def test_a_lost_stake_is_the_houses_win(tape: Tape) -> None:
    tape.coup(1, lost("anna", "player", 500), pushed("bob", "player", 300))

    standing = shown(tape)
    assert standing["house/b1/win"] == 500
    assert standing["patron/anna/stack/b1"] == 9_500
    assert standing["patron/bob/stack/b1"] == 5_000


def test_figures_count_every_settled_stake_once(tape: Tape) -> None:
    tape.coup(1, won("anna", "banker", 500, commission=25), lost("anna", "tie", 100), pushed("bob", "player", 300))
    tape.coup(2, lost("bob", "player", 200))

    assert figures(tape) == {
        ("b1", 1, "anna"): Figures(bets=2, handle=600, win=-400, commission=25),
        ("b1", 1, "bob"): Figures(bets=2, handle=500, win=200),
    }
    assert sum(slip.rounds for _, slip in slips(tape)) == 2


def test_a_withdrawn_bet_goes_back_whole(tape: Tape) -> None:
    before = balances(tape)
    tape.stakes(1, ("anna", "banker", 500), ("anna", "banker", 200))
    tape.at("b1", BetWithdrawn(round=1, patron="anna", bet="banker"))

    assert balances(tape) == before


def test_a_voided_coup_returns_every_stake(tape: Tape) -> None:
    before = balances(tape)
    tape.stakes(1, ("anna", "banker", 500), ("anna", "tie", 200), ("bob", "player", 5_000))
    tape.at("b1", RoundVoided(round=1, reason="out-of-cards", approved_by=()))

    assert balances(tape) == before
    assert figures(tape) == {}
    assert sum(slip.voided for _, slip in slips(tape)) == 1


def test_a_reversed_settlement_undoes_exactly_its_postings(tape: Tape) -> None:
    stakes = (("anna", "banker", 500), ("anna", "tie", 200), ("bob", "player", 5_000))
    tape.stakes(1, *stakes)
    before = balances(tape)
    first = [won("anna", "banker", 500, commission=25), lost("anna", "tie", 200), lost("bob", "player", 5_000)]
    tape.at("b1", LinesSettled(round=1, lines=tuple(first[:2])), settled(1, *first[2:]))
    tape.at("b1", SettlementReversed(round=1, reason="wrong-card", approved_by=("pit:bert",)))

    assert balances(tape) == before
    assert {patron for _, _, patron in figures(tape)} == {"anna", "bob"}
    assert set(map(repr, figures(tape).values())) == {repr(Figures())}
    assert sum(slip.rounds for _, slip in slips(tape)) == 0


def test_a_reversed_settlement_is_settled_anew_or_voided(tape: Tape) -> None:
    tape.coup(1, lost("anna", "banker", 500))
    tape.at("b1", SettlementReversed(round=1, reason="wrong-card", approved_by=("pit:bert",)))
    tape.at("b1", settled(1, won("anna", "banker", 500, commission=25)))
    assert shown(tape)["house/b1/win"] == -500

    tape.at("b1", SettlementReversed(round=1, reason="wrong-card", approved_by=("pit:bert",)))
    tape.at("b1", RoundVoided(round=1, reason="dealing-error", approved_by=("pit:bert",)))
    assert "house/b1/win" not in shown(tape)


def test_a_settlement_is_not_reversed_once_the_next_round_is_open(tape: Tape) -> None:
    tape.coup(1, lost("anna", "banker", 500))
    tape.stakes(2)
    tape.at("b1", SettlementReversed(round=1, reason="wrong-card", approved_by=("pit:bert",)))

    with pytest.raises(Disagreement, match="no settlement to reverse"):
        slips(tape)


def test_two_tables_keep_their_books_apart(tape: Tape) -> None:
    tape.open("b2", currency="EUR", tray=0)
    tape.buy("anna", 700, table="b2")
    tape.coup(1, lost("anna", "player", 500))
    tape.coup(1, lost("anna", "player", 700), table="b2")

    assert shown(tape)["house/b1/win"] == 500
    assert shown(tape, "EUR") == {
        "cage/cash": 700,
        "house/b2/win": 700,
    }


def test_chips_cashed_leave_the_stack_and_the_cage(tape: Tape) -> None:
    tape.at("b1", ChipsCashed(patron="anna", amount=10_000, means="cash"))

    assert shown(tape)["cage/cash"] == 5_000
    assert "patron/anna/stack/b1" not in shown(tape)


@pytest.mark.parametrize(
    "line",
    [
        won("anna", "banker", 499, commission=24),
        won("bob", "banker", 500, commission=25),
        won("anna", "player", 500),
        pushed("anna", "banker", 501),
    ],
    ids=["another stake", "another patron", "another bet", "too much"],
)
def test_a_line_that_fits_no_stake_stops_the_books(tape: Tape, line: Line) -> None:
    tape.stakes(1, ("anna", "banker", 500))
    tape.at("b1", settled(1, line))

    with pytest.raises(Disagreement, match="staked"):
        slips(tape)


def test_a_line_that_returns_a_cent_too_much_stops_the_books(tape: Tape) -> None:
    tape.stakes(1, ("anna", "banker", 500))
    tape.at("b1", settled(1, replace(won("anna", "banker", 500, commission=25), returned=976)))

    with pytest.raises(Disagreement, match="returns 976, not 975"):
        slips(tape)


def test_a_stake_left_unsettled_stops_the_books(tape: Tape) -> None:
    tape.stakes(1, ("anna", "banker", 500), ("bob", "tie", 100))
    tape.at("b1", settled(1, lost("anna", "banker", 500)))

    with pytest.raises(Disagreement, match="leaves stakes unsettled"):
        slips(tape)


def test_nobody_stakes_more_than_the_stack(tape: Tape) -> None:
    tape.stakes(1, ("bob", "banker", 5_001))

    with pytest.raises(Disagreement, match="less than nothing"):
        slips(tape)


def test_a_table_opens_only_once() -> None:
    tape = Tape()
    tape.open()
    tape.at("b1", opened("b1"))

    with pytest.raises(Disagreement, match="open already"):
        slips(tape)


def test_a_table_that_was_never_opened_stops_the_books() -> None:
    tape = Tape()
    tape.buy("anna", 100)

    with pytest.raises(Disagreement, match="never opened"):
        slips(tape)
