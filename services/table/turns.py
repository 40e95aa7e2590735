"""Turns: what the service tells of a table where a player banks: who sits, what each may do, and what was done."""

from msgspec import UNSET, Struct, UnsetType

from schemas.rules import BetName
from schemas.words import Card, Choice, Count, Hand, Name, Ordinal, Seat, Seated, Time
from services.table.game.deeds import Doing
from services.table.told import Phase, Voided


class SeatDone(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody has sat down or stood up; who sits where now."""

    stream: str
    version: Ordinal
    entries: Ordinal
    phase: Phase
    seats: tuple[Seated, ...]
    position: Count | UnsetType = UNSET


class Drawn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A card that a seat has drawn for the first deal."""

    seat: Seat
    card: Card


class DrawDone(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first deal is drawn for: every card, those that were drawn again after a tie too, and the seat that deals."""

    stream: str
    version: Ordinal
    entries: Ordinal
    phase: Phase
    drawn: tuple[Drawn, ...]
    turn: Seat
    position: Count | UnsetType = UNSET


class Action(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody may do now: a patron, or the dealer when none is named. `least` and `most` bound its amount.

    Where there is `by` the amount is a multiple of it.
    `of` is the patron whose request is answered; `seconds` after `since` the system answers for who is asked.
    """

    does: Doing
    patron: Name | UnsetType = UNSET
    bet: BetName | UnsetType = UNSET
    least: Count | UnsetType = UNSET
    most: Count | UnsetType = UNSET
    by: Count | UnsetType = UNSET
    of: Name | UnsetType = UNSET
    hand: Hand | UnsetType = UNSET
    choices: tuple[Choice, ...] | UnsetType = UNSET
    seconds: Count | UnsetType = UNSET


class ActionsView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What each may do now at a table where a player banks, and since when: the time of its last entry."""

    table: Name
    phase: Phase
    version: Ordinal
    since: Time
    round: Ordinal | UnsetType = UNSET
    seats: tuple[Seated, ...]
    actions: tuple[Action, ...]


class HandView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The cards of the hands that a patron plays, face down or not.

    `advice`, for a hand whose third card he is to choose now, is what the system would decide if he were silent.
    """

    table: Name
    round: Ordinal
    hands: dict[Hand, tuple[Card, ...]]
    advice: dict[Hand, Choice] | UnsetType = UNSET


class TurnDone(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Somebody has said yes or no, and the game goes on; or the rules void the round. What each may do next."""

    stream: str
    version: Ordinal
    entries: Ordinal
    phase: Phase
    round: Ordinal
    voided: Voided | UnsetType = UNSET
    actions: tuple[Action, ...]
    position: Count | UnsetType = UNSET
