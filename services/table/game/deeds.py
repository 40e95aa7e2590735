"""Deeds: what a command at a player-banked table comes to, entry by entry, and who is told to have done each.

Most entries of a command are by whoever gave it. Some are by the system: what a rule does to stakes, a bank placed for
somebody, a coup void by rule, and all that is done for who is silent.
"""

from collections.abc import Iterable
from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from schemas.events import TableEvent
from schemas.words import Choice


class BySystem(Struct, frozen=True):
    """An event that the system causes, within a command that somebody else may have given."""

    event: TableEvent


Deed = TableEvent | BySystem
Deeds = list[Deed]


def event_of(deed: Deed) -> TableEvent:
    """Give the event, whoever causes it."""
    return deed.event if isinstance(deed, BySystem) else deed


def by_system(events: Iterable[Deed]) -> Deeds:
    """Let the system have done all of it."""
    return [BySystem(event_of(event)) for event in events]


Doing = Literal[
    "bank",
    "pass",
    "banco",
    "stake",
    "withdraw",
    "ask",
    "agree",
    "refuse",
    "decide",
    "draw",
    "read",
    "open",
    "close",
    "deal",
]


class May(Struct, frozen=True, kw_only=True):
    """One thing that somebody may do now: `patron`, or the dealer when nobody is named.

    `least` and `most` bound an amount, a multiple of `by`; `of` is the patron whose request is answered; `choices` are
    for `hand`.
    """

    does: Doing
    patron: str | UnsetType = UNSET
    bet: str | UnsetType = UNSET
    least: int | UnsetType = UNSET
    most: int | UnsetType = UNSET
    by: int | UnsetType = UNSET
    of: str | UnsetType = UNSET
    hand: str | UnsetType = UNSET
    choices: tuple[Choice, ...] | UnsetType = UNSET


class Choose(Struct, frozen=True):
    """A hand whose third card is a free choice."""

    hand: str


class Draw(Struct, frozen=True):
    """A hand that the next card goes to."""

    hand: str


Step = Draw | Choose | None
"""What comes next once the bets are closed; None when the hands are complete."""
