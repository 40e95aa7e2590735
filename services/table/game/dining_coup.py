"""A coup of dining-room baccarat until its last call, as a state machine. Pure.

A stage is what can be true, and knows who is asked. `begin` gives the first stage, `evolve` the one after an event,
`settled` and `voided` what the coup leaves to the next.
"""

from collections.abc import Sequence

from msgspec import Struct

from schemas.events import Line, RoundSettled
from schemas.rules import Rules
from schemas.words import Card
from services.table.game.impossible import Said, out_of_stage
from services.table.game.seats import Standing, Terms
from services.table.game.stakes import Stakes


class DiningReady(Struct, frozen=True):
    """All is said: the dealer closes the bets."""


DiningStage = DiningReady


def begin(terms: Terms) -> DiningStage:  # noqa: ARG001
    """Give the stage that a coup begins in."""
    return DiningReady()


def evolve(terms: Terms, stage: DiningStage, event: Said, stakes: Stakes) -> DiningStage:  # noqa: ARG001
    """Give the stage after an event; `stakes` are all that lie on the table with it."""
    raise out_of_stage(stage, event)


def settled(terms: Terms, stage: DiningStage, event: RoundSettled, lines: Sequence[Line]) -> Standing:  # noqa: ARG001
    """Give what a settled coup leaves to the next."""
    return terms.before


def voided(terms: Terms, stage: DiningStage) -> Standing:  # noqa: ARG001
    """Give what a void coup leaves to the next."""
    return terms.before


def first_dealer(rules: Rules, seats: dict[int, str], drawn: Sequence[tuple[int, Card]]) -> int | None:
    """Give the seat that the draw has made the first dealer; None as long as a card is still to be drawn."""
    raise NotImplementedError(rules, seats, drawn)
