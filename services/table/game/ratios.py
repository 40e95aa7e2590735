"""Ratios: whether one is written as the log writes it; and how a complaint lists what would be right."""

from collections.abc import Iterable, Iterator
from typing import Final

from services.table.game.paytable import ratio

LARGEST_AMOUNT: Final = 2**53 - 1


def of_the_ratio(where: str, text: str) -> Iterator[str]:
    """Complain about a ratio that is not written as the log writes it."""
    try:
        value = ratio(text)
    except ValueError:
        yield f"{where}: {text!r} is not a ratio; a/b in lowest terms, such as 1/1 or 19/20"
        return
    if max(value.numerator, value.denominator) > LARGEST_AMOUNT:
        yield f"{where}: {text} is larger than {LARGEST_AMOUNT}; smaller numbers on either side"
    if text != (lowest := f"{value.numerator}/{value.denominator}"):
        yield f"{where}: {text} is not in lowest terms; write {lowest}"


def words(values: Iterable[object]) -> str:
    """Write values one after another, for people."""
    return ", ".join(str(value) for value in values)
