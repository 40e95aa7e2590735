"""A rule set and its limits, as they stand in the log: the shape only; what makes sense is for the game to say."""

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

# `$(?!\n)`: Python's `$` alone would let one line feed pass behind the last character.
BetName = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,31}$(?!\n)")]
# An exact ratio `a/b`, b > 0; that it is in lowest terms is checked where it is read as a Fraction.
Ratio = Annotated[str, Meta(pattern=r"^(0|[1-9][0-9]{0,15})/[1-9][0-9]{0,15}$(?!\n)")]
Money = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Stake = Annotated[int, Meta(ge=1, le=2**53 - 1)]
RoundingMode = Literal["floor", "half-up", "half-even"]
Fact = Annotated[int, Meta(ge=0, le=2**53 - 1)] | str
# One way for a bet to end: facts of the coup, in the order written, and `pays`.
Rung = dict[str, Fact | list[Fact]]


class Procedure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the shoe is made up and how it ends; `cut` counts the cards behind the cut card."""

    decks: Annotated[int, Meta(ge=1, le=12)]
    burn: Literal["none", "one", "first-card", "decks"]
    cut: Annotated[int, Meta(ge=6, le=12 * 52)]
    after_cut: Literal["finish", "one-more"]


class Rounding(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A policy for fractions of the minor unit; `unit` in minor units."""

    mode: RoundingMode
    unit: Stake


class Commission(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When the house takes its rate of a win, and how that is rounded."""

    collect: Literal["at-once", "marked"]
    mode: RoundingMode
    unit: Stake


class Bet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One bet: the first rung that matches pays; no rung, the stake is lost."""

    commission: Ratio | UnsetType = UNSET
    needs: Annotated[tuple[BetName, ...], Meta(min_length=1)] | UnsetType = UNSET
    ladder: Annotated[tuple[Rung, ...], Meta(min_length=1)]


class Rules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule set, whole, so that a shoe can be settled again by whoever reads its log."""

    name: BetName
    version: Stake
    game: Literal["house"]
    seats: Annotated[int, Meta(ge=1, le=64)] | UnsetType = UNSET
    procedure: Procedure
    winnings: Rounding
    commission: Commission | UnsetType = UNSET
    bets: Annotated[dict[BetName, Bet], Meta(min_length=1)]


class BetLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one patron's summed stake on one bet may be, in minor units."""

    min: Stake
    max: Stake


class Limits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bet not named is not offered; `patron` and `table` bound a coup's stakes, `differential` |player - banker|."""

    bets: Annotated[dict[BetName, BetLimits], Meta(min_length=1)]
    patron: Stake | UnsetType = UNSET
    table: Stake | UnsetType = UNSET
    differential: Stake | UnsetType = UNSET


def encode(value: Rules | Limits) -> bytes:
    """Give the JSON bytes that stand in the log."""
    return msgspec.json.encode(value)
