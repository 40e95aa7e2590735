"""A coup of baccarat banque until its last call, as a state machine. Pure.

A stage is what can be true, and knows who is asked. `begin` gives the first stage, `evolve` the one after an event,
`settled` and `voided` what the coup leaves to the next.
"""

from collections.abc import Sequence

from msgspec import Struct

from schemas.events import Line, RoundSettled
from services.table.game.impossible import Said, out_of_stage
from services.table.game.seats import Standing, Terms
from services.table.game.stakes import Stakes


class BanqueReady(Struct, frozen=True):
    """All is said: the dealer closes the bets."""


BanqueStage = BanqueReady


def begin(terms: Terms) -> BanqueStage:  # noqa: ARG001
    """Give the stage that a coup begins in."""
    return BanqueReady()


def evolve(terms: Terms, stage: BanqueStage, event: Said, stakes: Stakes) -> BanqueStage:  # noqa: ARG001
    """Give the stage after an event; `stakes` are all that lie on the table with it."""
    raise out_of_stage(stage, event)


def settled(terms: Terms, stage: BanqueStage, event: RoundSettled, lines: Sequence[Line]) -> Standing:  # noqa: ARG001
    """Give what a settled coup leaves to the next."""
    return terms.before


def voided(terms: Terms, stage: BanqueStage) -> Standing:  # noqa: ARG001
    """Give what a void coup leaves to the next."""
    return terms.before


def bank_stands(stage: BanqueStage) -> bool:  # noqa: ARG001
    """Whether the standing banker is still to name his bank, or to pass."""
    return False
