"""Where a player banks, the chips go from patron to patron, and the house has its levy and no more."""

import pytest
from msgspec.structs import replace

from schemas.events import Line, RoundSettled
from services.ledger.book.accounts import class_of
from services.ledger.book.slip import Disagreement
from tests.audit.parties import Recorded, a_party
from tests.ledger.book.reading import shown, slips
from tests.ledger.tape import Tape
from tests.table.game.sitting import limited, ruled

LIMITS = limited({"bank": (500, 40_000), "player": (500, 30_000), "banco": (500, 40_000)})


@pytest.fixture(scope="module")
def party() -> Recorded:
    return a_party(ruled("chemin-de-fer", procedure={"decks": 1, "cut": 7}), LIMITS, chance=3)


def read(party: Recorded) -> Tape:
    tape = Tape()
    for event in party.log:
        tape.write("table/b1", event)
    return tape


def test_every_slip_of_a_shoe_in_which_players_bank_sums_to_zero(party: Recorded) -> None:
    made = list(slips(read(party)))
    assert any(list(slip.postings()) for _, slip in made)

    for _, slip in made:
        assert sum(amount for _, amount in slip.postings()) == 0


def test_the_house_wins_nothing_but_the_levy(party: Recorded) -> None:
    levied = sum(line.commission for event in party.log if isinstance(event, RoundSettled) for line in event.lines)

    standing = shown(read(party), "EUR")

    assert standing.get("house/b1/win", 0) == 0
    assert standing["house/b1/commission"] == levied > 0


def test_the_books_know_every_stack_at_the_table(party: Recorded) -> None:
    standing = shown(read(party), "EUR")

    for patron, chips in party.table.stacks.items():
        assert standing.get(f"patron/{patron}/stack/b1", 0) == chips
    assert not [account for account in standing if class_of(account).pattern == "patron/*/escrow/*/*"]


def test_a_bank_that_keeps_more_than_it_took_stops_the_books(party: Recorded) -> None:
    tape = Tape()
    lie = next(place for place, event in enumerate(party.log) if isinstance(event, RoundSettled))
    settled = party.log[lie]
    assert isinstance(settled, RoundSettled)
    bank, *others = settled.lines
    richer: Line = replace(bank, returned=bank.returned + 1)
    for event in [*party.log[:lie], replace(settled, lines=(richer, *others))]:
        tape.write("table/b1", event)

    with pytest.raises(Disagreement, match="a player banks"):
        slips(tape)
