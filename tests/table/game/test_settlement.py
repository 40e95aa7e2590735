"""Settlement: however many lines a coup has, each is told once, in order, and the last of them with the totals."""

import pytest

from schemas.events import Line, LinesSettled, RoundSettled
from schemas.words import ITEMS_PER_ENTRY
from services.table.game.cards import RANKS
from services.table.game.settlement import settled_at_one, settled_at_two, winner_of

LINES = [Line(patron=f"p{n}", bet="player", stake=1, won=0, commission=0, returned=0) for n in range(3_000)]
KING_AND_NINE, TWO_KINGS, TWO_ACES = ("Kd", "9d"), ("Kd", "Kh"), ("Ac", "Ah")


@pytest.mark.parametrize("entries", [1, 2, 3])
@pytest.mark.parametrize("more", [1 - ITEMS_PER_ENTRY, 2 - ITEMS_PER_ENTRY, -1, 0])
def test_lines_are_told_in_as_few_entries_as_they_need(entries: int, more: int) -> None:
    lines = LINES[: entries * ITEMS_PER_ENTRY + more]

    told = settled_at_one(7, KING_AND_NINE, TWO_KINGS, lambda _: lines)

    assert [type(event) for event in told] == [*[LinesSettled] * (entries - 1), RoundSettled]
    assert [line for event in told for line in event.lines] == lines  # type: ignore[union-attr]  # all of them have lines
    assert [len(event.lines) for event in told[:-1]] == [ITEMS_PER_ENTRY] * (entries - 1)  # type: ignore[union-attr]


def test_a_coup_at_two_tableaux_says_who_won_at_each() -> None:
    (settled,) = settled_at_two(7, KING_AND_NINE, TWO_KINGS, TWO_ACES, lambda _: LINES[:1])

    assert isinstance(settled, RoundSettled)
    assert (settled.right, settled.left, settled.banker) == (9, 0, 2)
    assert settled.winners
    assert (settled.winners.right, settled.winners.left) == ("player", "banker")


def test_two_hands_of_one_total_are_a_tie() -> None:
    (settled,) = settled_at_two(7, TWO_KINGS, TWO_ACES, TWO_ACES, lambda _: [])

    assert isinstance(settled, RoundSettled)
    assert settled.winners
    assert (settled.winners.right, settled.winners.left) == ("banker", "tie")


@pytest.mark.parametrize("points", range(1, 10))
def test_the_higher_hand_wins_by_however_little(points: int) -> None:
    hand = ("Kd", RANKS[points - 1] + "h")

    assert winner_of(hand, TWO_KINGS) == "player"
    assert winner_of(TWO_KINGS, hand) == "banker"
    assert winner_of(hand, hand) == "tie"
