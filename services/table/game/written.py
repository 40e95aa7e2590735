"""Rules as people write them, in a file or in a request: what has a usual value is left out, side bets are named.

A part here is the part of that name in `schemas.rules`, with every field of it left open.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, to_builtins

from schemas.rules import (
    BankRules,
    Bet,
    BetName,
    Cell,
    Commission,
    Game,
    Ratio,
    RoundingMode,
    Seconds,
    Stake,
    StakeRules,
)
from services.table.game import rulefile


class ProcedureWritten(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the shoe is made up and how it ends."""

    decks: Annotated[int, Meta(ge=1, le=12)] | UnsetType = UNSET
    burn: Literal["none", "one", "first-card", "decks"] | UnsetType = UNSET
    cut: Annotated[int, Meta(ge=6, le=12 * 52)] | UnsetType = UNSET
    after_cut: Literal["finish", "one-more"] | UnsetType = UNSET


class RoundingWritten(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A policy for fractions of the minor unit."""

    mode: RoundingMode | UnsetType = UNSET
    unit: Stake | UnsetType = UNSET


class LevyWritten(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the house takes of a bank; a `rate` of `0/1` is nothing."""

    rate: Ratio | UnsetType = UNSET
    on: Literal["gross", "net"] | UnsetType = UNSET
    mode: RoundingMode | UnsetType = UNSET
    unit: Stake | UnsetType = UNSET


class PlayWritten(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which choices are free."""

    mode: Literal["tableau", "options", "free"] | UnsetType = UNSET
    cells: tuple[Cell, ...] | UnsetType = UNSET


class ClocksWritten(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Seconds to name a bank, to take a turn, and to decide on a card."""

    bank: Seconds | UnsetType = UNSET
    turn: Seconds | UnsetType = UNSET
    decide: Seconds | UnsetType = UNSET


class RulesWritten(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule set as it may be written: where a player banks, what has a usual value may be left out.

    What has none must be there. `side_bets` names bets of the shared file. All of it is logged written out.
    """

    name: BetName
    version: Stake
    game: Game
    seats: Annotated[int, Meta(ge=1, le=64)] | UnsetType = UNSET
    side_bets: tuple[str, ...] | UnsetType = UNSET
    procedure: ProcedureWritten | UnsetType = UNSET
    winnings: RoundingWritten | UnsetType = UNSET
    commission: Commission | UnsetType = UNSET
    levy: LevyWritten | UnsetType = UNSET
    bank: BankRules | UnsetType = UNSET
    stakes: StakeRules | UnsetType = UNSET
    play: PlayWritten | UnsetType = UNSET
    bets: Annotated[dict[BetName, Bet], Meta(min_length=1)] | UnsetType = UNSET
    clocks: ClocksWritten | UnsetType = UNSET

    def __post_init__(self) -> None:
        """Insist on what has no usual value. Raises ValueError."""
        if complaints := list(rulefile.misshapen(rulefile.completed(to_builtins(self)))):
            raise ValueError("; ".join(complaints))

    @property
    def whole(self) -> rulefile.RuleFile:
        """The rules as they are logged."""
        return rulefile.expanded(rulefile.completed(to_builtins(self)), rulefile.SIDE_BETS)
