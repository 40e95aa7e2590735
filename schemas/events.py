"""What can happen at a table, with an account, and to the log: one frozen struct each, one tagged union.

Amounts are minor units of the table's currency. Fields stand in the order of their bytes; `UNSET` marks a field that
may be absent. Never edited once released: a changed shape is a new struct under a higher `schema`.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from schemas.accounts import AccountOpened, FundsDeposited, FundsFromTable, FundsToTable, FundsWithdrawn, LogSucceeded
from schemas.rules import BetName, Limits, Rules
from schemas.seats import (
    BankBroken,
    BetAgreed,
    BetAsked,
    BetRefused,
    CardDrawn,
    SeatLeft,
    SeatsSet,
    SeatTaken,
    TurnPassed,
)
from schemas.words import (
    ITEMS_PER_ENTRY,
    Actor,
    Amount,
    Base64,
    Card,
    Carried,
    Chips,
    Choice,
    Contribution,
    Count,
    Currency,
    Event,
    FinalSource,
    Hand,
    Hash,
    Means,
    Money,
    Name,
    Ordinal,
    Position,
    Reason,
    Salt,
    Source,
    TableTitle,
    Total,
    Winner,
    Winners,
)


class TableOpened(Event, frozen=True, kw_only=True, tag="table-opened"):
    """A table opens, or opens again, with a counted float."""

    table: Name
    name: TableTitle
    currency: Currency
    rules: Rules
    limits: Limits
    float: Chips
    counted_by: Actor
    verified_by: Actor


class TableSuspended(Event, frozen=True, kw_only=True, tag="table-suspended"):
    """Play pauses."""

    reason: Reason


class TableResumed(Event, frozen=True, kw_only=True, tag="table-resumed"):
    """Play goes on."""


class TableClosed(Event, frozen=True, kw_only=True, tag="table-closed"):
    """The table closes; no patron's stack is left on it."""

    float: Chips
    counted_by: Actor
    verified_by: Actor


class DealerChanged(Event, frozen=True, kw_only=True, tag="dealer-changed"):
    """Another dealer takes the table."""

    dealer: Actor


class LimitsChanged(Event, frozen=True, kw_only=True, tag="limits-changed"):
    """New limits, complete; in force from the next `round-opened`."""

    limits: Limits


class ChipsFilled(Event, frozen=True, kw_only=True, tag="chips-filled"):
    """Chips come from the cage to the table's float."""

    slip: Name
    amount: Amount
    chips: Chips
    requested_by: Actor
    issued_by: Actor
    received_by: Actor


class ChipsCredited(Event, frozen=True, kw_only=True, tag="chips-credited"):
    """Chips go from the table's float to the cage."""

    slip: Name
    amount: Amount
    chips: Chips
    requested_by: Actor
    issued_by: Actor
    received_by: Actor


class ChipsBought(Event, frozen=True, kw_only=True, tag="chips-bought"):
    """A patron brings chips to the table."""

    patron: Name
    amount: Amount
    means: Means


class ChipsCashed(Event, frozen=True, kw_only=True, tag="chips-cashed"):
    """A patron takes chips from the table."""

    patron: Name
    amount: Amount
    means: Means


class ShoeCommitted(Event, frozen=True, kw_only=True, tag="shoe-committed"):
    """A chapter begins: the seed is committed to, and every stack, debt, rule and limit is carried forward."""

    shoe: Ordinal
    decks: Annotated[int, Meta(ge=1, le=12)]
    source: Literal["committed", "scanned"]
    currency: Currency
    rules: Rules
    limits: Limits
    carried: Annotated[tuple[Carried, ...], Meta(max_length=ITEMS_PER_ENTRY)]
    seed_commitment: Hash | UnsetType = UNSET
    final_source: FinalSource | UnsetType = UNSET


class ChipsCarried(Event, frozen=True, kw_only=True, tag="chips-carried"):
    """More of the list in `shoe-committed`, same command."""

    carried: Annotated[tuple[Carried, ...], Meta(min_length=1, max_length=ITEMS_PER_ENTRY)]


class EntropyContributed(Event, frozen=True, kw_only=True, tag="entropy-contributed"):
    """Somebody adds to the shuffle; `value` is hex."""

    shoe: Ordinal
    source: Source
    value: Contribution


class ShoeShuffled(Event, frozen=True, kw_only=True, tag="shoe-shuffled"):
    """Every card is sealed: `leaves` is base64 of all N leaf hashes, `root` the Merkle root over them."""

    shoe: Ordinal
    mix: Hash
    root: Hash
    leaves: Base64


class CardsBurned(Event, frozen=True, kw_only=True, tag="cards-burned"):
    """Cards leave unplayed, the first of them opened; `count` is all positions consumed."""

    shoe: Ordinal
    count: Ordinal
    position: Position
    card: Card
    salt: Salt | UnsetType = UNSET


class CutCardReached(Event, frozen=True, kw_only=True, tag="cut-card-reached"):
    """The cut card came out, just before the card at `position`."""

    shoe: Ordinal
    position: Position


class RoundOpened(Event, frozen=True, kw_only=True, tag="round-opened"):
    """A coup begins and bets are taken; `free`: a coup without bets."""

    shoe: Ordinal
    round: Ordinal
    free: Literal[True] | UnsetType = UNSET


class BetPlaced(Event, frozen=True, kw_only=True, tag="bet-placed"):
    """A patron stakes from his stack."""

    round: Ordinal
    patron: Name
    bet: BetName
    amount: Amount


class BetWithdrawn(Event, frozen=True, kw_only=True, tag="bet-withdrawn"):
    """A patron takes back the whole of a bet."""

    round: Ordinal
    patron: Name
    bet: BetName


class BetsClosed(Event, frozen=True, kw_only=True, tag="bets-closed"):
    """No more bets; `digest` is the hash over the leaves of the round's bet entries."""

    round: Ordinal
    count: Count
    digest: Hash


class CardDealt(Event, frozen=True, kw_only=True, tag="card-dealt"):
    """A card leaves the shoe; `salt` opens its leaf. Scanned shoes know neither position nor salt."""

    round: Ordinal
    hand: Hand
    card: Card
    position: Position | UnsetType = UNSET
    salt: Salt | UnsetType = UNSET


class DecisionMade(Event, frozen=True, kw_only=True, tag="decision-made"):
    """A hand whose rules leave a choice draws or stands."""

    round: Ordinal
    hand: Hand
    choice: Choice


class Line(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One patron's one bet, settled. `returned` goes back to the stack; `marked` is commission added to the debt."""

    patron: Name
    bet: BetName
    stake: Amount
    won: Money
    commission: Money
    returned: Money
    marked: Money | UnsetType = UNSET


Lines = Annotated[tuple[Line, ...], Meta(max_length=ITEMS_PER_ENTRY)]


class LinesSettled(Event, frozen=True, kw_only=True, tag="lines-settled"):
    """Settlement lines that do not fit into `round-settled`, which follows in the same command."""

    round: Ordinal
    lines: Lines


class RoundSettled(Event, frozen=True, kw_only=True, tag="round-settled"):
    """The coup is over and paid: at one tableau `player banker winner`, at two `left right banker winners`."""

    round: Ordinal
    player: Total | UnsetType = UNSET
    left: Total | UnsetType = UNSET
    right: Total | UnsetType = UNSET
    banker: Total
    winner: Winner | UnsetType = UNSET
    winners: Winners | UnsetType = UNSET
    lines: Lines

    def __post_init__(self) -> None:
        """Refuse what is told of neither one tableau nor two."""
        at_one, at_two = (self.player, self.winner), (self.left, self.right, self.winners)
        told = [part is not UNSET for part in (*at_one, *at_two)]
        if told not in ([True, True, False, False, False], [False, False, True, True, True]):
            raise ValueError("at one tableau `player` and `winner` are told, at two `left`, `right` and `winners`")


class RoundVoided(Event, frozen=True, kw_only=True, tag="round-voided"):
    """The coup does not count; every stake returns. `approved_by` is empty when the rules void it."""

    round: Ordinal
    reason: Reason
    approved_by: tuple[Actor, ...]


class SettlementReversed(Event, frozen=True, kw_only=True, tag="settlement-reversed"):
    """A settlement is undone; a new `round-settled` or `round-voided` follows."""

    round: Ordinal
    reason: Reason
    approved_by: tuple[Actor, ...]


class CommissionCollected(Event, frozen=True, kw_only=True, tag="commission-collected"):
    """A patron pays marked commission from his stack."""

    patron: Name
    amount: Amount


class CommissionWaived(Event, frozen=True, kw_only=True, tag="commission-waived"):
    """The house forgoes marked commission."""

    patron: Name
    amount: Amount
    reason: Reason
    approved_by: tuple[Actor, ...]


class ShoeFrozen(Event, frozen=True, kw_only=True, tag="shoe-frozen"):
    """The shoe could not be resumed as committed; people decide."""

    shoe: Ordinal
    reason: Reason


class ShoeClosed(Event, frozen=True, kw_only=True, tag="shoe-closed"):
    """The shoe is over and its seed revealed. `remaining` counts the cards left in it."""

    shoe: Ordinal
    reason: Reason
    seed: Hash | UnsetType = UNSET
    dealt: Count
    burned: Count
    remaining: Count


class ShoeVoided(Event, frozen=True, kw_only=True, tag="shoe-voided"):
    """The shoe is given up before its end; its seed is revealed all the same."""

    shoe: Ordinal
    reason: Reason
    seed: Hash | UnsetType = UNSET
    dealt: Count
    burned: Count
    remaining: Count


TableEvent = (
    TableOpened
    | TableSuspended
    | TableResumed
    | TableClosed
    | DealerChanged
    | LimitsChanged
    | ChipsFilled
    | ChipsCredited
    | ChipsBought
    | ChipsCashed
    | ShoeCommitted
    | ChipsCarried
    | EntropyContributed
    | ShoeShuffled
    | CardsBurned
    | CutCardReached
    | RoundOpened
    | BetPlaced
    | BetWithdrawn
    | BetsClosed
    | CardDealt
    | DecisionMade
    | LinesSettled
    | RoundSettled
    | RoundVoided
    | SettlementReversed
    | CommissionCollected
    | CommissionWaived
    | ShoeFrozen
    | ShoeClosed
    | ShoeVoided
    | SeatTaken
    | SeatLeft
    | CardDrawn
    | SeatsSet
    | TurnPassed
    | BetAsked
    | BetAgreed
    | BetRefused
    | BankBroken
)
PatronEvent = AccountOpened | FundsDeposited | FundsWithdrawn | FundsToTable | FundsFromTable
LogEvent = LogSucceeded
AnyEvent = TableEvent | PatronEvent | LogEvent
