"""A rule set and its limits, as they stand in the log: the shape only; what makes sense is for the game to say.

One shape serves every game, so that keys stand in one order; which fields a game has, and which it has not, the game's
scrutiny says. Fields with `UNSET` are absent where a game has no use for them.
"""

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
Game = Literal["house", "dining-room", "chemin-de-fer", "banque"]
# Of Banker's free choices: the total and the value of Player's third card, `3-9`, or that Player stood, `6-stand`.
Cell = Annotated[str, Meta(pattern=r"^[0-7]-(?:[0-9]|stand)$(?!\n)")]
# How long the system waits before it passes, or decides, for who is silent; 0: it does not.
Seconds = Annotated[int, Meta(ge=0, le=86_400)]
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


class Levy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the house takes of a bank: a rate of the stakes it won, or of those less what it paid, and its rounding."""

    rate: Ratio
    on: Literal["gross", "net"]
    mode: RoundingMode
    unit: Stake


class BankRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a player's bank is named. Dining-room: `high`, `unable`; the others: `withdraw`, `add`."""

    high: Literal["king", "ace"] | UnsetType = UNSET
    unable: Literal["richest", "close"] | UnsetType = UNSET
    withdraw: bool | UnsetType = UNSET
    add: bool | UnsetType = UNSET


class StakeRules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How stakes are made against a player's bank: each game has its own fields, in this order."""

    unit: Stake | UnsetType = UNSET
    start: Annotated[int, Meta(ge=1, le=1000)] | UnsetType = UNSET
    absent: Literal["out", "player", "banker"] | UnsetType = UNSET
    late_banco: bool | UnsetType = UNSET
    suivi: bool | UnsetType = UNSET
    tie: Literal["stay", "return"] | UnsetType = UNSET
    bystanders: bool | UnsetType = UNSET


class Play(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which choices are free: none, Player's 5 and Banker's `cells`, or Player's 5 and Banker's range."""

    mode: Literal["tableau", "options", "free"]
    cells: tuple[Cell, ...] | UnsetType = UNSET


class Clocks(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Seconds to name a bank, to take a turn, and to decide on a card."""

    bank: Seconds
    turn: Seconds
    decide: Seconds


class Bet(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One bet: the first rung that matches pays; no rung, the stake is lost."""

    commission: Ratio | UnsetType = UNSET
    needs: Annotated[tuple[BetName, ...], Meta(min_length=1)] | UnsetType = UNSET
    ladder: Annotated[tuple[Rung, ...], Meta(min_length=1)]


class Rules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule set, whole, so that a shoe can be settled again by whoever reads its log.

    `commission` is the house bank's; `levy`, `bank`, `stakes`, `play` and `clocks` are a player's bank's.
    """

    name: BetName
    version: Stake
    game: Game
    seats: Annotated[int, Meta(ge=1, le=64)] | UnsetType = UNSET
    procedure: Procedure
    winnings: Rounding
    commission: Commission | UnsetType = UNSET
    levy: Levy | UnsetType = UNSET
    bank: BankRules | UnsetType = UNSET
    stakes: StakeRules | UnsetType = UNSET
    play: Play | UnsetType = UNSET
    bets: Annotated[dict[BetName, Bet], Meta(min_length=1)]
    clocks: Clocks | UnsetType = UNSET


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
