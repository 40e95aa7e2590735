"""What a shoe carries forward must be what the books say."""

import pytest

from schemas.events import ChipsCarried, DealerChanged, TableClosed
from schemas.words import Carried
from services.ledger.book.slip import Disagreement
from tests.ledger.book.reading import shown, slips
from tests.ledger.tape import Tape, committed, won


@pytest.fixture
def tape() -> Tape:
    """A table with two patrons' stacks, one of whom owes commission."""
    tape = Tape()
    tape.open()
    tape.buy("anna", 10_000)
    tape.buy("bob", 5_000)
    tape.shoe(1, ("anna", 10_000, 0), ("bob", 5_000, 0))
    tape.coup(1, won("anna", "banker", 500, marked=25))
    return tape


def carried(patron: str, chips: int, owed: int) -> ChipsCarried:
    return ChipsCarried(carried=(Carried(patron=patron, chips=chips, owed=owed),))


def test_a_shoe_that_carries_what_the_books_say_posts_nothing(tape: Tape) -> None:
    tape.shoe(2, ("anna", 10_500, 25), ("bob", 5_000, 0))

    assert list(slips(tape)[-1][1].postings()) == []


def test_the_list_may_go_on_in_further_entries(tape: Tape) -> None:
    tape.at("b1", committed(2, ("anna", 10_500, 25)), carried("bob", 5_000, 0))
    tape.at("b1", DealerChanged(dealer="dealer:bert"))

    assert [list(slip.postings()) for _, slip in slips(tape)[-3:]] == [[], [], []]


@pytest.mark.parametrize(
    "rows",
    [
        (("anna", 10_499, 25), ("bob", 5_000, 0)),
        (("anna", 10_500, 24), ("bob", 5_000, 0)),
        (("anna", 10_500, 25), ("carl", 5_000, 0)),
        (("anna", 10_500, 25), ("bob", 5_000, 0), ("carl", 1, 0)),
        (("anna", 10_500, 25), ("anna", 10_500, 25)),
    ],
    ids=["a cent less", "another debt", "another patron", "one patron more", "one patron twice"],
)
def test_a_shoe_that_carries_anything_else_stops_the_books(tape: Tape, rows: tuple[tuple[str, int, int], ...]) -> None:
    tape.shoe(2, *rows)

    with pytest.raises(Disagreement, match="carries other stacks"):
        slips(tape)


def test_a_list_that_ends_too_early_stops_the_books(tape: Tape) -> None:
    tape.shoe(2, ("anna", 10_500, 25))
    tape.at("b1", DealerChanged(dealer="dealer:bert"))

    with pytest.raises(Disagreement, match="bob None for"):
        slips(tape)


def test_a_list_that_goes_on_too_long_stops_the_books(tape: Tape) -> None:
    tape.at("b1", committed(2, ("anna", 10_500, 25), ("bob", 5_000, 0)), carried("carl", 1, 0))

    with pytest.raises(Disagreement, match="more stacks than the books know"):
        slips(tape)


def test_a_counted_tray_goes_back_to_the_cage_and_what_is_missing_is_a_difference() -> None:
    tape = Tape()
    tape.open(tray=100_000)
    tape.at("b1", TableClosed(float=((100, 999),), counted_by="dealer:anna", verified_by="pit:bert"))

    assert shown(tape) == {"cage/chips": 100, "house/b1/float-difference": 100}


def test_a_table_does_not_close_on_a_patrons_chips() -> None:
    tape = Tape()
    tape.open()
    tape.buy("anna", 1)
    tape.at("b1", TableClosed(float=(), counted_by="dealer:anna", verified_by="pit:bert"))

    with pytest.raises(Disagreement, match="chips on it"):
        slips(tape)
