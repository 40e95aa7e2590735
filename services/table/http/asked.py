"""What a command's body may say. Amounts are minor units of the table's, or the account's, currency."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from schemas.rules import BetName, Limits
from schemas.words import (
    Actor,
    Amount,
    Card,
    Chips,
    Choice,
    Contribution,
    Currency,
    FinalSource,
    Hand,
    Name,
    Position,
    Reason,
    Seat,
    Source,
    TableTitle,
)
from services.table.game.written import RulesWritten

BETS_PER_REQUEST = 500
CARDS_AT_ONCE = 12  # the longest burn, of twelve decks

Tray = Annotated[Chips, Meta(max_length=64, description="Pairs of denomination and count, the largest first.")]
# `account` is missing: what comes from an account goes through the patron's routes, which write to both.
Tender = Literal["cash", "voucher", "marker"]
People = Annotated[tuple[Actor, ...], Meta(min_length=1, max_length=16)]


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing more needs to be said: `{}`, or no body at all."""


class TableOpening(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table to be opened: `rules` is the name of a rule set of the house, or a rule set as a rule file has it.

    A name may say which version: `ez` is the one in force, `ez@1` version 1 of it, though it be retired. Of a rule set,
    what may be left out in a file may be here, and is logged written out; `side_bets` names bets of the shared file.

    `limits` may be left out when the rules are the house's, which bring their own.
    """

    table: Name
    name: TableTitle
    currency: Currency
    rules: Annotated[str, Meta(max_length=64)] | RulesWritten
    limits: Limits | UnsetType = UNSET
    float: Tray
    counted_by: Actor
    verified_by: Actor


class Closing(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table's float, counted as it closes."""

    float: Tray
    counted_by: Actor
    verified_by: Actor


class Why(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reason, in one word."""

    reason: Reason


class Dealer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who deals from now on."""

    dealer: Actor


class NewLimits(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Limits, complete; they bind from the next round on."""

    limits: Limits


class Slip(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Chips between the cage and a table's float; `amount` is what `chips` are worth."""

    slip: Name
    amount: Amount
    chips: Tray
    requested_by: Actor
    issued_by: Actor
    received_by: Actor


class Purchase(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Chips that a patron buys, or gives back, at a table."""

    patron: Name
    amount: Amount
    means: Tender = "cash"


class Commitment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the next shoe is sealed, and whose ingredient is the last: nobody's, a signer's, or a beacon's.

    `scanned`: its cards are real, a reader tells them, and nobody adds to its shuffle here.
    """

    source: Literal["committed", "scanned"] = "committed"
    final_source: FinalSource = "none"


class Ingredient(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody adds to the shuffle: hex of 1 to 256 bytes."""

    source: Source
    value: Contribution


class CardsRead(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Real cards in the order they left the shoe, as a reader saw them; `position` is the first one's place in it.

    `reader` is absent when there is only one. Of two, `a` tells the cards as they fall, and a coup is settled when `b`
    agrees: he tells all cards of the coup so far, from its first.
    """

    cards: Annotated[tuple[Card, ...], Meta(min_length=1, max_length=CARDS_AT_ONCE)]
    reader: Literal["a", "b"] | UnsetType = UNSET
    position: Position | UnsetType = UNSET


class MaybeWhy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a shoe ends; needed when it ends before its time."""

    reason: Reason | UnsetType = UNSET


class Voiding(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why something is given up, and by whose word; by default that of whoever asks."""

    reason: Reason
    approved_by: People | UnsetType = UNSET


class Coup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A round to be opened; `free`: without bets."""

    free: bool = False


class Wager(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False):
    """A bet."""

    patron: Name
    bet: BetName
    amount: Amount


class Stake(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose bet is taken back, the whole of it."""

    patron: Name
    bet: BetName


class Reversal(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a settlement is undone, by whose word, and what follows: settled again, or void."""

    reason: Reason
    approved_by: People
    then: Literal["settle", "void"]


class SeatTaking(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who sits down where."""

    seat: Seat
    patron: Name


class SeatLeaving(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who stands up."""

    patron: Name


class Turn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who passes."""

    patron: Name


class BankNamed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whose bank it is, and how much of his stack; of a bank that is named already, how much more."""

    patron: Name
    amount: Amount


class Banco(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who calls banco; at two tableaux `banco-right` or `banco-left`, his own side."""

    patron: Name
    bet: Literal["banco", "banco-right", "banco-left"] = "banco"


class Asking(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody asks for, or bids."""

    patron: Name
    bet: BetName
    amount: Amount


class Answering(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who answers, whom, and about which bet."""

    patron: Name
    of: Name
    bet: BetName


class Decision(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who plays a hand, and what he chooses."""

    patron: Name
    hand: Hand
    choice: Choice


class Owed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Marked commission that a patron pays from his stack."""

    patron: Name
    amount: Amount


class Waiver(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Marked commission that the house forgoes, by the word of two people."""

    patron: Name
    amount: Amount
    reason: Reason
    approved_by: People


class Account(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """In which currency an account is kept."""

    currency: Currency


class Funds(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Money that comes into an account, or leaves it."""

    amount: Amount
    means: Tender = "cash"


class ToTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Money between a patron's account and a table."""

    table: Name
    amount: Amount


Wagers = Annotated[tuple[Wager, ...], Meta(min_length=1, max_length=BETS_PER_REQUEST)]


def wagers_in(said: Wager | tuple[Wager, ...]) -> list[tuple[str, str, int]]:
    """Give the bets of a request, which says one or a list."""
    return [(wager.patron, wager.bet, wager.amount) for wager in (said if isinstance(said, tuple) else (said,))]
