"""The two sides of baccarat banque: whose seats they are, who is active there, and who plays the hand. Pure.

The low half of the seats is the right side, the high half the left one. The nearest seat of the right side is its
lowest, of the left side its highest; outward goes away from there, and wraps. Whoever banks is passed over.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, Literal

from schemas.rules import Rules
from services.table.game.seats import Terms

Side = Literal["right", "left"]
RIGHT: Final[Side] = "right"
LEFT: Final[Side] = "left"
SIDES: Final[tuple[Side, Side]] = (RIGHT, LEFT)
CHEVAL: Final = "cheval"
BANCO: Final[dict[Side, str]] = {RIGHT: "banco-right", LEFT: "banco-left"}
STAKES: Final = (RIGHT, LEFT, CHEVAL)

Staked = Iterable[tuple[str, str]]
"""Patron and bet of each stake, in the order first placed."""


def side_of(rules: Rules, seat: int) -> Side:
    """Give the side that a seat is on."""
    return RIGHT if seat <= (rules.seats or 0) // 2 else LEFT


def outward(rules: Rules, seats: Collection[int], side: Side, *, aside: int | None) -> tuple[int, ...]:
    """Give the occupied seats of a side, from the nearest outward; the banker's seat is set aside."""
    there = sorted(seat for seat in seats if side_of(rules, seat) == side and seat != aside)
    return tuple(there if side == RIGHT else reversed(there))


def beyond(order: Sequence[int], side: Side, seat: int) -> tuple[int, ...]:
    """Give the seats of a side outward from beyond this one, wrapping; this one, when it is among them, last."""
    farther = [other for other in order if (other > seat if side == RIGHT else other < seat)]
    return (*farther, *(other for other in order if other not in farther))


def next_outward(order: Sequence[int], side: Side, seat: int) -> int | None:
    """Give the seat one outward, wrapping; None when nobody sits on that side."""
    return next(iter(beyond(order, side, seat)), None)


def active(order: Sequence[int], side: Side, seat: int | None) -> int | None:
    """Give a side's active seat: this one while it may be, else the next outward; the nearest when none is said."""
    if seat in order:
        return seat
    return next(iter(order), None) if seat is None else next_outward(order, side, seat)


def in_turn_of_banco(rules: Rules, seats: Collection[int], *, banker: int, offered: Collection[Side]) -> list[int]:
    """Give the order in which banco is offered: right nearest, left nearest, right second, and so on.

    Nearest and second count the occupied seats. When one side has no more, the other goes on alone.
    """
    sides = [outward(rules, seats, side, aside=banker) if side in offered else () for side in SIDES]
    longest = max(map(len, sides))
    return [side[place] for place in range(longest) for side in sides if place < len(side)]


def player_of(terms: Terms, side: Side, *, banker: int, staked: Staked) -> str | None:
    """Give who plays a side's hand; None when the tableau does.

    Banco's caller; else the active seat of that side when it has a stake there, à cheval too; else the next outward
    that has one, wrapping; else the first bystander to have staked there. A seat of the other side plays only its own
    side's hand, whatever it has staked: when all that is staked came from there, the tableau plays.
    """
    stakes = list(staked)
    if caller := next((patron for patron, bet in stakes if bet == BANCO[side]), None):
        return caller
    there = [patron for patron, bet in stakes if bet in (side, CHEVAL)]
    order = outward(terms.rules, terms.seats, side, aside=banker)
    first = active_in(terms, side, banker=banker)
    seated = () if first is None else (first, *beyond(order, side, first))
    patrons = [terms.patron(seat) for seat in seated]
    bystanders = [patron for patron in there if terms.seat(patron) is None]
    return next((patron for patron in (*patrons, *bystanders) if patron in there), None)


def active_in(terms: Terms, side: Side, *, banker: int) -> int | None:
    """Give the active seat of a side in a coup: as it began, or the next outward when that one banks."""
    stated = terms.before.right if side == RIGHT else terms.before.left
    return active(outward(terms.rules, terms.seats, side, aside=banker), side, stated)
