"""Approval: whose word a decision takes, and how many of them."""

from collections.abc import Sequence

from services.table.game.refusal import RefusedError

ONE_PERSON = 1
TWO_PEOPLE = 2
# More names than any decision needs, few enough for one entry of the log.
MOST_NAMES = 16
NUMBERS = {ONE_PERSON: "one person", TWO_PEOPLE: "two people"}


def approved(approved_by: Sequence[str], *, needed: int, to: str) -> tuple[str, ...]:
    """Give the names when enough different people stand behind a decision; else refuse."""
    if needed <= len(set(approved_by)) and len(approved_by) <= MOST_NAMES:
        return tuple(approved_by)
    raise RefusedError(
        "approval-missing",
        f"to {to} takes the word of {NUMBERS[needed]}; {len(set(approved_by))} gave it",
        where="approved_by",
        right=f"{needed} to {MOST_NAMES} different actors",
    )


def two_people(first: str, second: str, *, where: str) -> None:
    """Refuse a count that is verified by the one who counted."""
    if first == second:
        raise RefusedError(
            "approval-missing", "one counts and another verifies", where=where, right=f"somebody else than {first}"
        )
