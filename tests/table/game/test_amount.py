"""Amounts: from 1 to a bound, both included; everything else is refused with what would do."""

import pytest

from services.table.game.amount import at_most
from services.table.game.refusal import RefusedError


def refused(most: int, amount: int) -> tuple[str, str, str]:
    with pytest.raises(RefusedError) as no:
        at_most(most, amount, code="owing", detail="too much", instead="nothing would do")
    return no.value.code, no.value.detail, no.value.right


@pytest.mark.parametrize(("most", "amount"), [(1, 1), (5, 1), (5, 5)])
def test_an_amount_from_1_to_the_bound_is_one(most: int, amount: int) -> None:
    at_most(most, amount, code="owing", detail="too much", instead="nothing would do")


def test_an_amount_below_1_is_none_and_one_above_the_bound_is_too_large() -> None:
    assert refused(5, 0) == ("amount-too-small", "0 is no amount", "1 to 5")
    assert refused(5, 6) == ("owing", "too much", "1 to 5")
    assert refused(1, 2) == ("owing", "too much", "1 to 1")


@pytest.mark.parametrize("most", [0, -3])
def test_where_no_amount_would_do_it_is_said_what_helps(most: int) -> None:
    assert refused(most, 1) == ("owing", "too much", "nothing would do")
