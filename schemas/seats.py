"""What can happen only where a player banks: seats, turns, consent. See `events`, whose union they belong to."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, UnsetType

from schemas.rules import BetName
from schemas.words import Amount, Card, Event, Money, Name, Ordinal, Position, Salt, Seat, Seated


class SeatTaken(Event, frozen=True, kw_only=True, tag="seat-taken"):
    """A patron sits down; between rounds only."""

    seat: Seat
    patron: Name


class SeatLeft(Event, frozen=True, kw_only=True, tag="seat-left"):
    """A patron stands up, or has lost his last chip; between rounds only."""

    seat: Seat
    patron: Name
    reason: Literal["left", "eliminated"]


class CardDrawn(Event, frozen=True, kw_only=True, tag="card-drawn"):
    """A card for the first deal: the highest makes its seat the first dealer. Counted as dealt."""

    shoe: Ordinal
    seat: Seat
    card: Card
    position: Position | UnsetType = UNSET
    salt: Salt | UnsetType = UNSET


class SeatsSet(Event, frozen=True, kw_only=True, tag="seats-set"):
    """Who plays this round, and what it starts from; follows `round-opened` in the same command.

    All but `standing`, an amount, are seats: whose `turn` it is, the `banker` of a standing bank, who may call banco
    `suivi`, and whose hand the `right` and the `left` one is. `tied`: the stakes of the round before stay.
    """

    round: Ordinal
    seats: Annotated[tuple[Seated, ...], Meta(min_length=2, max_length=64)]
    turn: Seat | UnsetType = UNSET
    banker: Seat | UnsetType = UNSET
    standing: Amount | UnsetType = UNSET
    suivi: Seat | UnsetType = UNSET
    right: Seat | UnsetType = UNSET
    left: Seat | UnsetType = UNSET
    tied: Literal[True] | UnsetType = UNSET


class TurnPassed(Event, frozen=True, kw_only=True, tag="turn-passed"):
    """Who was asked says no."""

    round: Ordinal
    patron: Name


class BetAsked(Event, frozen=True, kw_only=True, tag="bet-asked"):
    """A patron asks the dealer for a bet that needs consent, or bids for the bank."""

    round: Ordinal
    patron: Name
    bet: BetName
    amount: Amount


class BetAgreed(Event, frozen=True, kw_only=True, tag="bet-agreed"):
    """The dealer consents; `bet-placed` follows in the same command."""

    round: Ordinal
    patron: Name
    bet: BetName
    amount: Amount


class BetRefused(Event, frozen=True, kw_only=True, tag="bet-refused"):
    """The dealer does not consent."""

    round: Ordinal
    patron: Name
    bet: BetName
    amount: Amount


class BankBroken(Event, frozen=True, kw_only=True, tag="bank-broken"):
    """The bank could not pay all that the side bets won; follows `round-settled`."""

    round: Ordinal
    patron: Name
    due: Amount
    paid: Money
