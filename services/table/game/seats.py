"""Seats: the order in which players sit, and what one coup of a player's bank leaves to the next. Pure.

Seats rise anticlockwise, the way the deal and the bank travel. *Next* is the next higher occupied seat, and after the
highest the lowest; *in turn after* a seat ends before that seat; clockwise is the reverse.
"""

from collections.abc import Iterable, Mapping

from msgspec import UNSET, Struct, UnsetType

from schemas.rules import Limits, Rules
from schemas.seats import SeatsSet
from schemas.words import Seated

FEWEST_SEATED = 2


class Standing(Struct, frozen=True, kw_only=True):
    """What one coup leaves to the next, as `seats-set` will say it. All but `standing`, an amount, are seats."""

    turn: int | None = None
    banker: int | None = None
    standing: int | None = None
    suivi: int | None = None
    right: int | None = None
    left: int | None = None
    tied: bool = False

    def stated(self, number: int, seats: Mapping[int, str]) -> SeatsSet:
        """Give the event that states it, for a coup and those who sit."""
        return SeatsSet(
            round=number,
            seats=tuple(Seated(seat=seat, patron=seats[seat]) for seat in sorted(seats)),
            turn=_told(self.turn),
            banker=_told(self.banker),
            standing=_told(self.standing),
            suivi=_told(self.suivi),
            right=_told(self.right),
            left=_told(self.left),
            tied=True if self.tied else UNSET,
        )


def stood(event: SeatsSet) -> Standing:
    """Give what a coup starts from, as its `seats-set` states it."""
    return Standing(
        turn=event.turn or None,
        banker=event.banker or None,
        standing=event.standing or None,
        suivi=event.suivi or None,
        right=event.right or None,
        left=event.left or None,
        tied=event.tied is True,
    )


class Terms(Struct, frozen=True, kw_only=True):
    """What holds for the whole of a coup: rules, limits, who sits where, and what went before."""

    rules: Rules
    limits: Limits
    seats: dict[int, str]
    before: Standing

    def patron(self, seat: int) -> str:
        """Give who sits on an occupied seat."""
        return self.seats[seat]

    def seat(self, patron: str) -> int | None:
        """Give a patron's seat; None for a bystander."""
        return next((seat for seat, name in self.seats.items() if name == patron), None)

    def offers(self, bet: str) -> bool:
        """Whether a bet is offered."""
        return bet in self.limits.bets and (bet in self.rules.bets or bet == "bank")


def next_seat(seats: Iterable[int], seat: int) -> int:
    """Give the next occupied seat, anticlockwise; the seat itself when nobody else sits."""
    occupied = sorted(seats)
    return next((other for other in occupied if other > seat), min(occupied))


def in_turn_after(seats: Iterable[int], seat: int) -> tuple[int, ...]:
    """Give the others, anticlockwise from the seat after this one."""
    occupied = sorted(seats)
    return (*(other for other in occupied if other > seat), *(other for other in occupied if other < seat))


def round_from(seats: Iterable[int], seat: int) -> tuple[int, ...]:
    """Give all who sit, anticlockwise from this seat, or from the next one when it is empty."""
    occupied = sorted(seats)
    return (*(other for other in occupied if other >= seat), *(other for other in occupied if other < seat))


def clockwise_after(seats: Iterable[int], seat: int) -> tuple[int, ...]:
    """Give the others, clockwise: from the dealer's left, when the seat is the dealer's."""
    return in_turn_after(seats, seat)[::-1]


def _told(value: int | None) -> int | UnsetType:
    return UNSET if value is None else value
