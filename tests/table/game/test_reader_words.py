"""Real cards: an irregularity is told in words, with the card that came, its place, and what was expected."""

import pytest

from tests.table.game.sitting import PLAYER_WINS, SIX_CARDS
from tests.table.game.test_reader import Real


def test_cards_that_left_untold_are_counted() -> None:
    at = Real().dealing(("ada", "player", 1000))
    at.tell("9d", position=2)

    found = at.irregular("Kh", position=6)

    assert found.detail == "3 cards have left the shoe untold before Kh"
    assert found.facts == {"came": "Kh", "expected": "no-card", "position": 6, "expected_position": 3}


@pytest.mark.parametrize(("first", "told", "place"), [("As", 4, 2), ("7c", 3, 2), ("Kd", 12, 11), ("As", 3, 2)])
def test_a_burn_of_too_few_or_too_many_shows_the_card_from_which_it_is_wrong(first: str, told: int, place: int) -> None:
    cards = [first, *(f"{rank}d" for rank in "23456789TJQ")][:told]

    found = Real(burn=()).irregular(*cards)

    assert found.detail.startswith(f"{told} cards for the burn; by its first card, ")
    assert (found.facts["came"], found.facts["position"]) == (cards[place], place)


@pytest.mark.parametrize("place", range(6))
def test_what_the_second_reader_saw_is_told_beside_what_the_first_did(place: int) -> None:
    at = Real().dealing(("ada", "player", 1000))
    at.tell(*SIX_CARDS, reader="a")
    saw = [*SIX_CARDS]
    saw[place] = "9h"

    found = at.irregular(*saw, reader="b")

    assert found.detail == f"card {place + 1} of the coup: the first reader told {SIX_CARDS[place]}, the second saw 9h"


def test_a_card_that_the_second_reader_alone_saw_came_after_the_coup() -> None:
    at = Real().dealing(("ada", "player", 1000))
    at.tell(*PLAYER_WINS, reader="a")

    found = at.irregular(*PLAYER_WINS, "5h", reader="b")

    assert found.detail == "the second reader saw 5h after the coup was complete"
    assert found.facts == {"came": "5h", "expected": "no-card", "position": 6}
