"""The scanner: what a reader of real cards tells becomes events, and the answer says where each card went.

For a card that cannot have come, play is held: the table is suspended in the same breath, and people decide.
"""

from collections.abc import Sequence
from http import HTTPStatus

from msgspec import UNSET, UnsetType

from schemas.events import AnyEvent, CardDealt, CardsBurned, CutCardReached, RoundVoided, TableEvent
from schemas.seats import CardDrawn
from schemas.words import Card
from services.door.problems import Problem, problem
from services.table.croupier import At
from services.table.done import CardsDone, CardTold
from services.table.game import reader as readers
from services.table.game import rounds
from services.table.game.deeds import BySystem
from services.table.game.reader import IrregularError, Reader
from services.table.told import Voided
from services.table.views import phase_of, round_view

DECISION = "people decide: void the round, or resume the table and go on with the card that was expected"


def place(position: int | UnsetType) -> int | None:
    """Give the place of a card, if its reader counts."""
    return None if position is UNSET else position


def tell(
    at: At, cards: Sequence[Card], *, reader: Reader | None, position: int | None
) -> Sequence[TableEvent | BySystem]:
    """Take real cards, all of them or none; when one cannot have come, hold the table."""
    try:
        return rounds.tell_cards(at.table.here, cards, reader=reader, position=position)
    except IrregularError as irregular:
        at.irregular = irregular
        return readers.stop(at.table.here, irregular)


def told(at: At, events: Sequence[AnyEvent]) -> CardsDone | Problem:
    """Say where the cards went and where the next one goes; or what is irregular."""
    if at.irregular is not None:
        return _problem(at.irregular)
    held = at.table
    shoe = held.shoe
    voided = next((event for event in events if isinstance(event, RoundVoided)), None)
    burned = next((event for event in events if isinstance(event, CardsBurned)), None)
    coup = round_view(held)
    return CardsDone(
        stream=held.tip.stream,
        version=held.tip.version,
        entries=len(events),
        phase=phase_of(held.here),
        shoe=shoe.number,
        round=shoe.rounds,
        state="voided" if voided else coup.state if coup else UNSET,
        went=_went(at, events),
        expects=rounds.due(held.here),
        next_position=shoe.position,
        burned=UNSET if burned is None else burned.count,
        player=coup.player if coup else (),
        banker=coup.banker if coup else (),
        right=coup.right if coup else UNSET,
        left=coup.left if coup else UNSET,
        face_down=coup.face_down if coup else UNSET,
        totals=coup.totals if coup else UNSET,
        lines=coup.lines if coup else (),
        voided=UNSET if voided is None else Voided(reason=voided.reason, approved_by=voided.approved_by),
        cut_card=any(isinstance(event, CutCardReached) for event in events),
        coups_left=UNSET if shoe.coups_left is None else shoe.coups_left,
    )


def _went(at: At, events: Sequence[AnyEvent]) -> tuple[CardTold, ...]:
    """Say where each card went; its place in the shoe follows from how many are out now."""
    if events and isinstance(events[0], CardsBurned):
        return (CardTold(card=events[0].card, to="burn", position=0),)
    out = [event for event in events if isinstance(event, CardDealt | CardDrawn)]
    return tuple(_told(event, position) for position, event in enumerate(out, at.table.shoe.position - len(out)))


def _told(event: CardDealt | CardDrawn, position: int) -> CardTold:
    if isinstance(event, CardDrawn):
        return CardTold(card=event.card, to="draw", position=position, seat=event.seat)
    return CardTold(card=event.card, to=event.hand, position=position)


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
