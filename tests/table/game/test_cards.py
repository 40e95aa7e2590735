"""Cards: writing, codes, points."""

import pytest

from services.table.game.cards import CARDS, POINTS, burn_value, card_of, code_of, points, total


def test_a_code_is_suit_times_thirteen_plus_rank() -> None:
    assert [card_of(code) for code in (0, 9, 12, 13, 26, 39, 51)] == ["Ac", "Tc", "Kc", "Ad", "Ah", "As", "Ks"]


def test_every_code_reads_back() -> None:
    assert len(set(CARDS)) == 52
    assert [code_of(card) for card in CARDS] == list(range(52))


@pytest.mark.parametrize("code", [-1, 52])
def test_no_card_has_a_code_beyond_the_deck(code: int) -> None:
    with pytest.raises(ValueError, match="codes run from 0 to 51"):
        card_of(code)


@pytest.mark.parametrize("card", ["", "A", "10d", "1s", "as", "AS", "Ax", "As ", "Joker"])
def test_an_unknown_card_is_told_how_cards_are_written(card: str) -> None:
    with pytest.raises(ValueError, match="is not a card: write a rank of A23456789TJQK"):
        code_of(card)


def test_ace_counts_one_pips_count_themselves_tens_and_faces_nothing() -> None:
    assert [points(rank + "h") for rank in "A23456789TJQK"] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0]
    assert len(POINTS) == 52


def test_a_ten_or_a_face_burns_ten_more() -> None:
    assert [burn_value(rank + "d") for rank in "A29TJQK"] == [1, 2, 9, 10, 10, 10, 10]


def test_a_total_is_the_last_digit_of_the_sum() -> None:
    assert total(["5d", "5s", "9s"]) == 9
    assert total([]) == 0
