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
    """The names of the rule sets of the house."""

    rules: tuple[str, ...]


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


class Done(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A command that is durable: its stream, and the version and the place in the log of its last entry there."""

    stream: str
    version: Ordinal
    entries: Ordinal
    phase: Phase
    position: Count | UnsetType = UNSET


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
    """Where a real card went, and its place in the shoe."""

    card: Card
    to: Literal["burn", "player", "banker"]
    position: Count


class CardsDone(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the cards that a reader told went, and where the next one goes; once both hands are whole, what was paid.

    `next_position` is the next card's place in the shoe; `expects` where it goes: `no-card` when none may leave now,
    `second-reader` when the coup is whole and waits for him to agree. `burned` is how many leave with the burn. No
    `entries`: nothing was written, since the second reader agrees so far, or the coup is settled already.
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
    totals: Totals | UnsetType = UNSET
    lines: tuple[Line, ...] = ()
    voided: Voided | UnsetType = UNSET
    cut_card: bool = False
    coups_left: Count | UnsetType = UNSET
    position: Count | UnsetType = UNSET


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
