"""What the service tells of its tables: views that may be read, and the answers of commands.

Nothing secret can stand in them: they are made of what is in the log. Amounts are minor units beside a currency.
"""

from typing import Literal

from msgspec import UNSET, Struct, UnsetType

from schemas.events import Line
from schemas.rules import Limits, Rules
from schemas.words import (
    Actor,
    Base64,
    Card,
    Count,
    Currency,
    FinalSource,
    Hash,
    Name,
    Ordinal,
    Reason,
    Seated,
    TableTitle,
    Total,
    Winner,
    Winners,
)
from services.table.game.grade import Grade
from services.table.game.reader import Due
from services.table.game.rules import Edition
from services.table.game.scoreboard import RoadsTold

Phase = Literal[
    "closed",
    "idle",
    "committed",
    "shuffled",
    "between",
    "betting",
    "dealing",
    "drawing",
    "seating",
    "staking",
    "playing",
    "reversed",
    "frozen",
]
ShoeState = Literal["committed", "shuffled", "in-play", "frozen", "closed", "voided"]
RoundState = Literal["betting", "dealing", "settled", "voided"]


class Staked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a patron has staked on a bet."""

    patron: Name
    bet: str
    amount: Count


class Totals(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a coup came out; at two tableaux `left`, `right` and `winners` in place of `player` and `winner`."""

    player: Total | UnsetType = UNSET
    left: Total | UnsetType = UNSET
    right: Total | UnsetType = UNSET
    banker: Total
    winner: Winner | UnsetType = UNSET
    winners: Winners | UnsetType = UNSET


class Voided(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a coup does not count, and by whose word; nobody's when the rules void it."""

    reason: Reason
    approved_by: tuple[Actor, ...]


class RoundView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A coup: its stakes in the order first placed, its cards as they fell, and its settlement line by line.

    `right` and `left` in place of `player` at two tableaux; `face_down` counts the cards of a hand that are not shown.
    """

    table: Name
    shoe: Ordinal
    round: Ordinal
    state: RoundState
    free: bool = False
    stakes: tuple[Staked, ...] = ()
    player: tuple[Card, ...] = ()
    banker: tuple[Card, ...] = ()
    right: tuple[Card, ...] | UnsetType = UNSET
    left: tuple[Card, ...] | UnsetType = UNSET
    face_down: dict[str, Ordinal] | UnsetType = UNSET
    totals: Totals | UnsetType = UNSET
    lines: tuple[Line, ...] = ()
    voided: Voided | UnsetType = UNSET
    reversals: Count = 0


class Addition(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody added to a shuffle, in hex."""

    source: str
    value: str


class EntropyTold(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who had a part in the shuffle, as the house may say it; a verifier who knows the signer's key may say more."""

    grade: Grade
    reason: str


class ShoeView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A shoe: what was published of it, and what has left it. `coups_left` appears once the cut card is out.

    `expects` is where the next card of a real shoe goes, which is at `position`.
    """

    table: Name
    shoe: Ordinal
    state: ShoeState
    source: Literal["committed", "scanned"]
    cards: Ordinal
    cut_at: Count
    seed_commitment: Hash | UnsetType = UNSET
    final_source: FinalSource | UnsetType = UNSET
    contributions: tuple[Addition, ...] = ()
    root: Hash | UnsetType = UNSET
    entropy: EntropyTold | UnsetType = UNSET
    position: Count = 0
    dealt: Count = 0
    burned: Count = 0
    rounds: Count = 0
    coups_left: Count | UnsetType = UNSET
    expects: Due | UnsetType = UNSET
    reason: Reason | UnsetType = UNSET
    seed: Hash | UnsetType = UNSET
    first_version: Ordinal
    last_version: Ordinal


class RoadsView(RoadsTold, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The roads of a shoe; `version` is that of the entry which changed them last. No `shoe`: none has begun."""

    table: Name
    shoe: Ordinal | UnsetType = UNSET
    version: Ordinal


class ShoeLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A shoe in the list of a table's shoes; what was written after its end counts with it."""

    shoe: Ordinal
    first_version: Ordinal
    last_version: Ordinal


class ShoeList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table's shoes, in order."""

    table: Name
    shoes: tuple[ShoeLine, ...]


class TableView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table as it is. `limits` bind the open coup, `next_limits` those after it; `stacks` do not count stakes."""

    table: Name
    name: TableTitle
    phase: Phase
    currency: Currency
    suspended: Reason | UnsetType = UNSET
    dealer: Actor | UnsetType = UNSET
    shoe: ShoeView | UnsetType = UNSET
    round: RoundView | UnsetType = UNSET
    seats: tuple[Seated, ...] | UnsetType = UNSET
    stacks: dict[str, Count]
    owed: dict[str, Count]
    limits: Limits
    next_limits: Limits | UnsetType = UNSET
    rules: Rules
    shoes: Count
    version: Ordinal


class TableLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table in the list of tables."""

    table: Name
    name: TableTitle
    phase: Phase
    currency: Currency
    rules: str
    shoes: Count
    version: Ordinal


class TableList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Every table that was ever opened."""

    tables: tuple[TableLine, ...]


class RulesView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A rule set of the house, with the limits it suggests."""

    rules: Rules
    limits: Limits


class RulesList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The names of the rule sets of the house, and every version of them; a retired one is asked for by its version."""

    rules: tuple[str, ...]
    editions: tuple[Edition, ...]


class AccountView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A patron's house account."""

    patron: Name
    currency: Currency
    balance: Count
    version: Ordinal


class CheckpointTold(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A checkpoint: the signed note itself, and the number of entries it covers."""

    size: Count
    checkpoint: str


class Beginning(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """That the log of `old` entries is the beginning of the log of `new` ones: a proof, its hashes in base64."""

    old: Count
    new: Count
    hashes: tuple[Base64, ...]


class LogLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A log of this journal: where in it the log begins, and how many of its entries a checkpoint covers, and are here.

    One that has ended had more: they were lost. The last checkpoint that it signed stands at its successor's beginning.
    """

    number: Ordinal
    origin: str
    vkey: str
    first_position: Count
    size: Count
    has_ended: bool


class LogList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All logs of this journal, the one that is being filled last."""

    logs: tuple[LogLine, ...]
