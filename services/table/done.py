"""What commands answer once they are done, and the receipts that go with them. Nothing secret can stand in them.

Amounts are minor units beside a currency.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from schemas.events import Line
from schemas.words import (
    Card,
    Count,
    Currency,
    Hash,
    Name,
    Ordinal,
    Seat,
)
from services.table.game.grade import Grade
from services.table.game.reader import Due
from services.table.told import Phase, RoundState, Totals, Voided


class Done(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command that is durable: its stream, and the version and the place in the log of its last entry there."""

    stream: str
    version: Ordinal
    entries: Ordinal
    phase: Phase
    position: Count | UnsetType = UNSET


class TableDone(Done, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table is open; `warnings` are about rules that can be played, and are hardly meant."""

    warnings: tuple[str, ...] | UnsetType = UNSET


class StackDone(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Chips or debts of a patron have moved; what he has now."""

    stream: str
    version: Ordinal
    entries: Ordinal
    patron: Name
    stack: Count
    owed: Count
    position: Count | UnsetType = UNSET


class AccountDone(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Money of a patron has moved; what stands in his account now, and before him on the table, if it was about one."""

    stream: str
    version: Ordinal
    entries: Ordinal
    patron: Name
    currency: Currency
    balance: Count
    table: Name | UnsetType = UNSET
    stack: Count | UnsetType = UNSET
    position: Count | UnsetType = UNSET


class ShoeDone(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something happened to a shoe. The seed appears when it is revealed."""

    stream: str
    version: Ordinal
    entries: Ordinal
    phase: Phase
    shoe: Ordinal
    seed_commitment: Hash | UnsetType = UNSET
    root: Hash | UnsetType = UNSET
    entropy: Grade | UnsetType = UNSET
    seed: Hash | UnsetType = UNSET
    position: Count | UnsetType = UNSET


class RoundDone(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A coup was opened, or its bets were closed, or it was given up."""

    stream: str
    version: Ordinal
    entries: Ordinal
    phase: Phase
    shoe: Ordinal
    round: Ordinal
    bets: Count
    digest: Hash | UnsetType = UNSET
    position: Count | UnsetType = UNSET


class Receipt(Struct, frozen=True, forbid_unknown_fields=True):
    """What proves an entry: GET /v1/receipts/{leaf} gives its inclusion in the log, once a checkpoint covers it."""

    leaf: Hash
    table: Name
    version: Ordinal


class BetDone(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A bet stands, or is taken back; `stack` is what the patron has left before him."""

    table: Name
    round: Ordinal
    version: Ordinal
    stack: Count
    position: Count | UnsetType = UNSET
    receipt: Receipt | UnsetType = UNSET


class BetsDone(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """All bets of the list stand; `stacks` is what their patrons have left."""

    table: Name
    round: Ordinal
    version: Ordinal
    stacks: dict[str, Count]
    position: Count | UnsetType = UNSET
    receipts: tuple[Receipt, ...] | UnsetType = UNSET


class CoupDone(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What fell, and, once both hands are complete, who won and what was paid. No card that is still in the shoe."""

    stream: str
    version: Ordinal
    entries: Ordinal
    phase: Phase
    shoe: Ordinal
    round: Ordinal
    state: RoundState
    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    right: tuple[Card, ...] | UnsetType = UNSET
    left: tuple[Card, ...] | UnsetType = UNSET
    face_down: dict[str, Ordinal] | UnsetType = UNSET
    totals: Totals | UnsetType = UNSET
    lines: tuple[Line, ...] = ()
    voided: Voided | UnsetType = UNSET
    cut_card: bool = False
    coups_left: Count | UnsetType = UNSET
    position: Count | UnsetType = UNSET


class CardTold(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a real card went, and its place in the shoe; to the draw for the deal, at which seat."""

    card: Card
    to: Literal["burn", "draw", "player", "right", "left", "banker"]
    position: Count
    seat: Seat | UnsetType = UNSET


class CardsDone(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the cards that a reader told went, and where the next one goes; once both hands are whole, what was paid.

    `next_position` is the next card's place in the shoe; `expects` where it goes: `no-card` when none may leave now,
    `decision` when somebody has a choice first, `second-reader` when the coup is whole and waits for him to agree.
    `burned` is how many leave with the burn. Hands are as everybody sees them: some of their cards may be `face_down`.
    No `entries`: nothing was written, since the second reader agrees so far, or the coup is settled already.
    """

    stream: str
    version: Ordinal
    entries: Count
    phase: Phase
    shoe: Ordinal
    round: Count
    state: RoundState | UnsetType = UNSET
    went: tuple[CardTold, ...]
    expects: Due
    next_position: Count
    burned: Ordinal | UnsetType = UNSET
    player: tuple[Card, ...] = ()
    banker: tuple[Card, ...] = ()
    right: tuple[Card, ...] | UnsetType = UNSET
    left: tuple[Card, ...] | UnsetType = UNSET
    face_down: dict[str, Ordinal] | UnsetType = UNSET
    totals: Totals | UnsetType = UNSET
    lines: tuple[Line, ...] = ()
    voided: Voided | UnsetType = UNSET
    cut_card: bool = False
    coups_left: Count | UnsetType = UNSET
    position: Count | UnsetType = UNSET
