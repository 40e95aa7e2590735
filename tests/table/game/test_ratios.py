"""Ratios: as the log writes them, and no larger than it can."""

import pytest

from services.table.game.ratios import LARGEST_AMOUNT, of_the_ratio


@pytest.mark.parametrize("text", [f"{LARGEST_AMOUNT}/1", f"1/{LARGEST_AMOUNT}", "0/1", "19/20"])
def test_a_ratio_may_be_as_large_as_what_can_be_written(text: str) -> None:
    assert list(of_the_ratio("pays", text)) == []


@pytest.mark.parametrize("text", [f"{LARGEST_AMOUNT + 1}/1", f"1/{LARGEST_AMOUNT + 1}"])
def test_a_larger_one_is_refused(text: str) -> None:
    (complaint,) = of_the_ratio("pays", text)

    assert complaint == f"pays: {text} is larger than {LARGEST_AMOUNT}; smaller numbers on either side"


def test_a_ratio_stands_in_lowest_terms() -> None:
    assert list(of_the_ratio("pays", "2/40")) == ["pays: 2/40 is not in lowest terms; write 1/20"]
    assert list(of_the_ratio("pays", "even")) == [
        "pays: 'even' is not a ratio; a/b in lowest terms, such as 1/1 or 19/20"
    ]
