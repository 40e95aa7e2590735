"""Impossible: an event that cannot follow what went before; and what may be said before a coup's last call."""

from schemas.events import BetPlaced, BetWithdrawn
from schemas.seats import BetAgreed, BetAsked, BetRefused, TurnPassed
from schemas.words import Event

Said = BetPlaced | BetWithdrawn | TurnPassed | BetAsked | BetAgreed | BetRefused
"""What is said at the table before a coup's last call, where a player banks."""


class ImpossibleError(AssertionError):
    """An event that cannot follow what went before: the log, or this program, is wrong."""


def out_of_stage(stage: object, event: Event) -> ImpossibleError:
    """Say that an event cannot happen at this stage of a coup."""
    return ImpossibleError(f"{type(event).__name__} cannot happen in a coup that is {type(stage).__name__}")
