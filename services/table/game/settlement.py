"""Settlement: a coup's lines as entries, as many as it takes, the last of them with the totals."""

from collections.abc import Callable, Iterator, Sequence

from schemas.events import Line, LinesSettled, RoundSettled
from schemas.words import ITEMS_PER_ENTRY, Card, Winners
from services.table.game.cards import total
from services.table.game.deeds import Deeds
from services.table.game.tableau import Facts, Sides, Winner, facts_of

Settle = Callable[[Facts], list[Line]]


def settled_at_one(number: int, player: Sequence[Card], banker: Sequence[Card], settle: Settle) -> Deeds:
    """Settle at one tableau."""
    facts = facts_of(player, banker)
    before, last = _in_entries(number, settle(facts))
    settled = RoundSettled(
        round=number, player=facts.player, banker=facts.banker, winner=facts.winner, lines=tuple(last)
    )
    return [*before, settled]


def settled_at_two(
    number: int,
    right: Sequence[Card],
    left: Sequence[Card],
    banker: Sequence[Card],
    settle: Callable[[Sides], list[Line]],
) -> Deeds:
    """Settle at two tableaux."""
    sides = Sides(right_winner=winner_of(right, banker), left_winner=winner_of(left, banker))
    before, last = _in_entries(number, settle(sides))
    settled = RoundSettled(
        round=number,
        left=total(left),
        right=total(right),
        banker=total(banker),
        winners=Winners(left=sides.left_winner, right=sides.right_winner),
        lines=tuple(last),
    )
    return [*before, settled]


def winner_of(player: Sequence[Card], banker: Sequence[Card]) -> Winner:
    """Give the higher of two hands."""
    ahead = total(player) - total(banker)
    return "player" if ahead > 0 else "banker" if ahead < 0 else "tie"


def _in_entries(number: int, lines: list[Line]) -> tuple[list[LinesSettled], list[Line]]:
    """Give the lines that do not fit with the totals, in entries of their own, and those that do."""
    return list(_whole_entries(number, lines)), lines[(len(lines) - 1) // ITEMS_PER_ENTRY * ITEMS_PER_ENTRY :]


def _whole_entries(number: int, lines: list[Line]) -> Iterator[LinesSettled]:
    for start in range(0, len(lines) - ITEMS_PER_ENTRY, ITEMS_PER_ENTRY):
        yield LinesSettled(round=number, lines=tuple(lines[start : start + ITEMS_PER_ENTRY]))
