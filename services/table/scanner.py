"""The scanner: what a reader of real cards tells becomes events, and the answer says where each card went.

For a card that cannot have come, play is held: the table is suspended in the same breath, and people decide.
"""

from collections.abc import Sequence
from http import HTTPStatus

from msgspec import UNSET, UnsetType

from schemas.events import AnyEvent, CardDealt, CardsBurned, CutCardReached, RoundVoided, TableEvent
from schemas.words import Card
from services.door.problems import Problem, problem
from services.table.croupier import At
from services.table.done import CardsDone, CardTold
from services.table.game import reader as readers
from services.table.game.reader import IrregularError, Reader
from services.table.game.state import Between, Dealing, Settled
from services.table.game.tableau import facts_of
from services.table.told import RoundState, Totals, Voided
from services.table.views import phase_of

DECISION = "people decide: void the round, or resume the table and go on with the card that was expected"


def place(position: int | UnsetType) -> int | None:
    """Give the place of a card, if its reader counts."""
    return None if position is UNSET else position


def tell(at: At, cards: Sequence[Card], *, reader: Reader | None, position: int | None) -> Sequence[TableEvent]:
    """Take real cards, all of them or none; when one cannot have come, hold the table."""
    try:
        return readers.tell(at.table.here, cards, reader=reader, position=position)
    except IrregularError as irregular:
        at.irregular = irregular
        return readers.stop(at.table.here, irregular)


def told(at: At, events: Sequence[AnyEvent]) -> CardsDone | Problem:
    """Say where the cards went and where the next one goes; or what is irregular."""
    if at.irregular is not None:
        return _problem(at.irregular)
    held = at.table
    shoe, phase = held.shoe, held.here.phase
    voided = next((event for event in events if isinstance(event, RoundVoided)), None)
    burned = next((event for event in events if isinstance(event, CardsBurned)), None)
    last = phase.last if isinstance(phase, Between) else None
    hands = phase if isinstance(phase, Dealing) else last
    return CardsDone(
        stream=held.tip.stream,
        version=held.tip.version,
        entries=len(events),
        phase=phase_of(held.here),
        shoe=shoe.number,
        round=shoe.rounds,
        state=_state(at, voided),
        went=_went(at, events),
        expects=readers.due(held.here),
        next_position=shoe.position,
        burned=UNSET if burned is None else burned.count,
        player=tuple(hands.player) if hands else (),
        banker=tuple(hands.banker) if hands else (),
        totals=UNSET if last is None else _totals(last),
        lines=last.lines if last else (),
        voided=UNSET if voided is None else Voided(reason=voided.reason, approved_by=voided.approved_by),
        cut_card=any(isinstance(event, CutCardReached) for event in events),
        coups_left=UNSET if shoe.coups_left is None else shoe.coups_left,
    )


def _state(at: At, voided: RoundVoided | None) -> RoundState | UnsetType:
    phase = at.table.here.phase
    if voided is not None:
        return "voided"
    if isinstance(phase, Between):
        return UNSET if phase.last is None else "settled"
    return "dealing"


def _totals(last: Settled) -> Totals:
    facts = facts_of(last.player, last.banker)
    return Totals(player=facts.player, banker=facts.banker, winner=facts.winner)


def _went(at: At, events: Sequence[AnyEvent]) -> tuple[CardTold, ...]:
    """Say where each card went; its place in the shoe follows from how many are out now."""
    if events and isinstance(events[0], CardsBurned):
        return (CardTold(card=events[0].card, to="burn", position=0),)
    dealt = [event for event in events if isinstance(event, CardDealt)]
    first = at.table.shoe.position - len(dealt)
    return tuple(
        CardTold(card=event.card, to=event.hand, position=position)  # type: ignore[arg-type]  # at one tableau
        for position, event in enumerate(dealt, first)
    )


def _problem(irregular: IrregularError) -> Problem:
    return problem(
        HTTPStatus.CONFLICT,
        f"{irregular.detail}; play is held",
        code="irregular-card",
        title="Irregular card",
        where="body $.cards",
        would_be_right=DECISION,
        values={"irregularity": irregular.what, **irregular.facts},
    )
