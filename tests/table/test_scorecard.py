"""The scorecard: coups that count are on it, in their order, whatever became of others."""

from hypothesis import given
from hypothesis import strategies as st

from schemas.events import RoundSettled, RoundVoided, SettlementReversed
from services.table.game.roads import Roads
from services.table.scorecard import Scorecard

WINNERS = {"banker": "B", "player": "P", "tie": "T"}
# What happens to each coup: how it is settled, time after time, and whether it is given up in the end.
FATES = st.lists(
    st.tuples(st.lists(st.sampled_from(sorted(WINNERS)), max_size=3), st.booleans()),
    max_size=30,
)


def settled(number: int, winner: str) -> RoundSettled:
    return RoundSettled(round=number, player=4, banker=6, winner=winner, lines=())  # type: ignore[arg-type]


def undone(number: int) -> SettlementReversed:
    return SettlementReversed(round=number, reason="misread", approved_by=("staff:a", "staff:b"))


@given(FATES)
def test_the_roads_are_those_of_the_last_word_on_every_coup(fates: list[tuple[list[str], bool]]) -> None:
    card, version, last_words = Scorecard(), 0, []
    for number, (winners, is_void) in enumerate(fates, 1):
        for count, winner in enumerate(winners):
            version += 1
            card.hear(settled(number, winner), version)
            if is_void or count + 1 < len(winners):
                version += 1
                card.hear(undone(number), version)
        if is_void:
            version += 1
            card.hear(RoundVoided(round=number, reason="misdeal", approved_by=()), version)
        elif winners:
            last_words.append(WINNERS[winners[-1]])

    assert card.outcomes() == last_words
    assert Roads(card.outcomes()).derived == Roads(last_words).derived


def test_a_card_knows_the_entry_that_changed_it_last() -> None:
    card = Scorecard()

    card.hear(settled(1, "tie"), 17)
    card.hear(RoundVoided(round=2, reason="misdeal", approved_by=()), 21)

    assert (card.version, card.outcomes()) == (17, ["T"])
