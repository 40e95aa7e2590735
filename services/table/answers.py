"""Answers: what a command says once it is done, from what is true then and what it made happen."""

from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from schemas.events import AnyEvent, BetPlaced, BetWithdrawn, CardDealt, CutCardReached, RoundSettled, RoundVoided
from schemas.seats import CardDrawn
from services.table.croupier import At
from services.table.done import (
    AccountDone,
    BetDone,
    BetsDone,
    CoupDone,
    Done,
    RoundDone,
    ShoeDone,
    StackDone,
    TableDone,
)
from services.table.game import faces, grade
from services.table.game.contradictions import warnings
from services.table.game.grade import Grade
from services.table.game.state import Betting, Between, Closed, Dealing, Idle, Playing, ShoeInPlay
from services.table.salon import actions_told, seats_told
from services.table.stream import TableStream
from services.table.told import Voided
from services.table.turns import DrawDone, Drawn, SeatDone, TurnDone
from services.table.views import phase_of, round_view, totals_told

Events = Sequence[AnyEvent]
MOST_WARNINGS = 20


def done(at: At, events: Events) -> Done:
    """Say that it is done."""
    held = at.table
    return Done(stream=held.tip.stream, version=held.tip.version, entries=len(events), phase=phase_of(held.here))


def table_done(at: At, events: Events) -> TableDone:
    """Say that the table is open, and what is doubtful about its rules."""
    told, table = done(at, events), at.table.here
    doubts = warnings(table.rules, table.next_limits)[:MOST_WARNINGS]
    return TableDone(
        stream=told.stream,
        version=told.version,
        entries=told.entries,
        phase=told.phase,
        warnings=tuple(doubts) or UNSET,
    )


def stack_done(at: At, events: Events) -> StackDone:
    """Say what the patron of the last event has now."""
    held = at.table
    patron: str = events[-1].patron  # type: ignore[union-attr]  # asked of events about chips and commission only
    return StackDone(
        stream=held.tip.stream,
        version=held.tip.version,
        entries=len(events),
        patron=patron,
        stack=held.here.stack(patron),
        owed=held.here.debt(patron),
    )


def account_done(at: At, events: Events) -> AccountDone:
    """Say what stands in the account now."""
    held, account = at.account, at.account.account
    assert account is not None, "something was just written to it"
    return AccountDone(
        stream=held.tip.stream,
        version=held.tip.version,
        entries=len(events),
        patron=held.name,
        currency=account.currency,
        balance=account.balance,
    )


def moved(at: At, events: Events) -> AccountDone:
    """Say what stands in the account, and before the patron on the table, now."""
    told, table = account_done(at, events), at.table.here
    return AccountDone(
        stream=told.stream,
        version=told.version,
        entries=told.entries,
        patron=told.patron,
        currency=told.currency,
        balance=told.balance,
        table=table.name,
        stack=table.stack(told.patron),
    )


def shoe_done(at: At, events: Events) -> ShoeDone:
    """Say how far the shoe is; the seed, once it is revealed."""
    held, last = at.table, events[-1]
    table = held.here
    shoe = None if isinstance(table.phase, Closed | Idle) else table.phase.shoe
    return ShoeDone(
        stream=held.tip.stream,
        version=held.tip.version,
        entries=len(events),
        phase=phase_of(table),
        shoe=table.shoes,
        seed_commitment=shoe.commitment if shoe and shoe.commitment else UNSET,
        root=shoe.root if shoe and shoe.root else UNSET,
        entropy=_grade(at, shoe),
        seed=getattr(last, "seed", UNSET),
    )


def _grade(at: At, shoe: ShoeInPlay | None) -> Grade | UnsetType:
    """Give the entropy's grade once the shoe is shuffled, as long as it is there, and when it ends."""
    entropy = at.entropy if shoe is None else grade.of_shoe(at.table.name, shoe)
    return UNSET if entropy is None else entropy.grade


def round_done(at: At, events: Events) -> RoundDone:
    """Say which coup it is, and how many bet entries it has."""
    held, last = at.table, events[-1]
    return RoundDone(
        stream=held.tip.stream,
        version=held.tip.version,
        entries=len(events),
        phase=phase_of(held.here),
        shoe=held.shoe.number,
        round=last.round,  # type: ignore[union-attr]  # asked of events about rounds only
        bets=held.bets,
        digest=getattr(last, "digest", UNSET),
    )


def seat_done(at: At, events: Events) -> SeatDone:
    """Say who sits where."""
    held = at.table
    return SeatDone(
        stream=held.tip.stream,
        version=held.tip.version,
        entries=len(events),
        phase=phase_of(held.here),
        seats=seats_told(held.here),
    )


def draw_done(at: At, events: Events) -> DrawDone:
    """Say what was drawn, and who deals first."""
    held = at.table
    turn = held.here.standing.turn
    assert turn is not None, "the draw decides"
    return DrawDone(
        stream=held.tip.stream,
        version=held.tip.version,
        entries=len(events),
        phase=phase_of(held.here),
        drawn=tuple(Drawn(seat=event.seat, card=event.card) for event in events if isinstance(event, CardDrawn)),
        turn=turn,
    )


def turn_done(at: At, events: Events) -> TurnDone:
    """Say what each may do next, or why the rules have voided the round."""
    held, last = at.table, events[-1]
    voided = last if isinstance(last, RoundVoided) else None
    return TurnDone(
        stream=held.tip.stream,
        version=held.tip.version,
        entries=len(events),
        phase=phase_of(held.here),
        round=last.round,  # type: ignore[union-attr]  # asked of events about rounds only
        voided=Voided(reason=voided.reason, approved_by=voided.approved_by) if voided else UNSET,
        actions=actions_told(held.here),
    )


def bet_done(at: At, events: Events) -> BetDone:
    """Say what the patron has left."""
    held = at.table
    event = next(event for event in reversed(events) if isinstance(event, BetPlaced | BetWithdrawn))
    return BetDone(held.name, event.round, held.tip.version, held.here.stack(event.patron))


def bets_done(at: At, events: Events) -> BetsDone:
    """Say what each patron of the list has left."""
    held = at.table
    placed = [event for event in events if isinstance(event, BetPlaced)]
    stacks = {event.patron: held.here.stack(event.patron) for event in placed}
    return BetsDone(held.name, placed[-1].round, held.tip.version, stacks)


def coup_done(at: At, events: Events) -> CoupDone:
    """Say what fell, who won, and what was paid."""
    held = at.table
    table = held.here
    settled = next((event for event in events if isinstance(event, RoundSettled)), None)
    voided = next((event for event in events if isinstance(event, RoundVoided)), None)
    player, banker = _hands(held, events)
    shown = None if table.rules.game == "house" else round_view(held)
    return CoupDone(
        stream=held.tip.stream,
        version=held.tip.version,
        entries=len(events),
        phase=phase_of(table),
        shoe=held.shoe.number,
        round=held.shoe.rounds,
        state="settled" if settled else "voided" if voided else "dealing",
        player=player,
        banker=banker,
        right=UNSET if shown is None else shown.right,
        left=UNSET if shown is None else shown.left,
        face_down=UNSET if shown is None else shown.face_down,
        totals=totals_told(settled) if settled else UNSET,
        lines=table.phase.last.lines if isinstance(table.phase, Between) and table.phase.last else (),
        voided=Voided(reason=voided.reason, approved_by=voided.approved_by) if voided else UNSET,
        cut_card=any(isinstance(event, CutCardReached) for event in events),
        coups_left=UNSET if held.shoe.coups_left is None else held.shoe.coups_left,
    )


def _hands(held: TableStream, events: Events) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give both hands; of a coup that was voided, the cards that fell last."""
    phase = held.here.phase
    if isinstance(phase, Dealing):
        return tuple(phase.player), tuple(phase.banker)
    if isinstance(phase, Playing):
        shown, _ = faces.shown(held.here, phase)
        return tuple(shown.player), tuple(shown.banker)
    if isinstance(phase, Between) and phase.last is not None:
        return phase.last.player, phase.last.banker
    assert not isinstance(phase, Betting), "its bets were closed"
    dealt = [event for event in events if isinstance(event, CardDealt)]
    return tuple(e.card for e in dealt if e.hand == "player"), tuple(e.card for e in dealt if e.hand == "banker")
