"""Evolve: what every event makes true, whole evenings folded anew, and events that cannot have happened."""

from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events import (
    AnyEvent,
    BetPlaced,
    BetsClosed,
    BetWithdrawn,
    CardDealt,
    CardsBurned,
    ChipsBought,
    ChipsCarried,
    ChipsCashed,
    ChipsCredited,
    ChipsFilled,
    CommissionCollected,
    CommissionWaived,
    CutCardReached,
    DealerChanged,
    DecisionMade,
    EntropyContributed,
    LimitsChanged,
    Line,
    LinesSettled,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SettlementReversed,
    ShoeClosed,
    ShoeCommitted,
    ShoeFrozen,
    ShoeShuffled,
    ShoeVoided,
    TableEvent,
    TableOpened,
    TableResumed,
    TableSuspended,
)
from schemas.seats import (
    BankBroken,
    BetAgreed,
    BetAsked,
    BetRefused,
    CardDrawn,
    SeatLeft,
    SeatsSet,
    SeatTaken,
    TurnPassed,
)
from schemas.words import Carried, Seated
from services.table.game import play, shoes
from services.table.game.evolve import evolve
from services.table.game.impossible import ImpossibleError
from services.table.game.rules import builtin, house_banked
from tests.table.game.evening import PATRONS, Evening, chips_that_must_be_there, debts_that_must_be_there
from tests.table.game.moments import PHASES, in_phase
from tests.table.game.sitting import (
    ANNA,
    BERT,
    BOTH,
    CLOSING,
    DIGEST,
    SEED,
    chips_on,
    fold,
    opening,
    ruled,
    seen,
)

SHORT: dict[str, Any] = {"decks": 1, "cut": 14}
TABLES = {
    **{name: ruled(name, procedure=SHORT) for name in house_banked()},
    "marked": ruled("punto-banco", procedure=SHORT | {"cut": 6}, commission={"collect": "marked", "unit": 5}),
}


def an_evening(rules: str, seed: int, commands: int = 150) -> Evening:
    named = rules if rules in house_banked() else "punto-banco"
    evening = Evening(TABLES[rules], builtin(named).limits, seed)
    evening.go_on(commands)
    return evening


@pytest.mark.parametrize("rules", TABLES)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=12)
def test_a_chapter_alone_tells_all_that_the_whole_history_tells(rules: str, seed: int) -> None:
    evening = an_evening(rules, seed)

    whole, chapter = fold(evening.log), fold(evening.chapter)

    assert whole is not None
    assert chapter is not None
    chapter.name, chapter.title = whole.name, whole.title  # these stand in `table-opened`
    assert seen(chapter) == seen(whole) == seen(evening.table)


@pytest.mark.parametrize("rules", TABLES)
@given(seed=st.integers(0, 2**32))
@settings(max_examples=12)
def test_no_chip_is_made_or_lost_and_no_stack_or_debt_falls_below_nothing(rules: str, seed: int) -> None:
    evening = an_evening(rules, seed, commands=0)
    for _ in range(100):
        evening.go_on(1)

        assert chips_on(evening.table) == chips_that_must_be_there(evening.log)
        assert sum(evening.table.owed.values()) == debts_that_must_be_there(evening.log)
        assert min([0, *evening.table.stacks.values(), *evening.table.owed.values()]) == 0
        assert set(evening.table.stacks) <= set(PATRONS)


def test_what_is_decided_can_be_written_and_read() -> None:
    for seed, rules in enumerate(TABLES):
        for event in an_evening(rules, seed, commands=300).log:
            assert msgspec.json.decode(msgspec.json.encode(event), type=AnyEvent) == event


def test_evenings_meet_every_event_that_the_house_can_cause() -> None:
    met = {type(event) for seed in range(12) for event in an_evening("marked", seed, commands=400).log}

    # More than 200 patrons, or lines: the tests of shoes and of play. The rest: what happens only where a player banks.
    assert set(get_args(TableEvent)) - met == {ChipsCarried, LinesSettled, *WHERE_A_PLAYER_BANKS}


def test_a_round_voided_and_a_shoe_ended_leave_nothing_in_escrow() -> None:
    sitting = in_phase("betting")
    chips = chips_on(sitting.table)

    sitting.do(shoes.void(sitting.table, seed=SEED, reason="marked-card", approved_by=(ANNA,)))

    assert sum(sitting.table.stacks.values()) == chips_on(sitting.table) == chips


WHERE_A_PLAYER_BANKS = {
    BankBroken,
    BetAgreed,
    BetAsked,
    BetRefused,
    CardDrawn,
    DecisionMade,
    SeatLeft,
    SeatsSet,
    SeatTaken,
    TurnPassed,
}
LINE = Line(patron="p1", bet="banker", stake=500, won=0, commission=0, returned=0, marked=0)
SHOE = ShoeCommitted(
    shoe=2,
    decks=8,
    source="committed",
    currency="EUR",
    rules=opening().rules,
    limits=opening().limits,
    carried=(),
    seed_commitment=DIGEST,
    final_source="none",
)
SLIP: dict[str, Any] = {
    "slip": "f-17",
    "amount": 100,
    "chips": ((100, 1),),
    "requested_by": ANNA,
    "issued_by": BERT,
    "received_by": ANNA,
}
END: dict[str, Any] = {"shoe": 1, "reason": "end-of-day", "dealt": 0, "burned": 0, "remaining": 416}
OPEN = " ".join(PHASES[1:])
# Every event, and the phases in which it can happen.
MOMENTS: list[tuple[TableEvent, str]] = [
    (opening(), "closed"),
    (CLOSING, "idle"),
    (TableSuspended(reason="break"), OPEN),
    (TableResumed(), OPEN),
    (DealerChanged(dealer=ANNA), OPEN),
    (LimitsChanged(limits=opening().limits), OPEN),
    (ChipsFilled(**SLIP), OPEN),
    (ChipsCredited(**SLIP), OPEN),
    (ChipsBought(patron="p1", amount=1, means="cash"), OPEN),
    (ChipsCashed(patron="p1", amount=1, means="cash"), OPEN),
    (CommissionCollected(patron="p2", amount=1), OPEN),
    (CommissionWaived(patron="p2", amount=1, reason="goodwill", approved_by=BOTH), OPEN),
    (SHOE, "idle"),
    (ChipsCarried(carried=(Carried(patron="p1", chips=1, owed=0),)), "committed"),
    (EntropyContributed(shoe=1, source="patron:p1", value="07"), "committed"),
    (ShoeShuffled(shoe=1, mix=DIGEST, root=DIGEST, leaves=""), "committed"),
    (CardsBurned(shoe=1, count=1, position=0, card="As", salt="00" * 16), "shuffled"),
    (RoundOpened(shoe=1, round=3), "between"),
    (BetPlaced(round=3, patron="p1", bet="tie", amount=100), "betting"),
    (BetWithdrawn(round=3, patron="p1", bet="banker"), "betting"),
    (BetsClosed(round=3, count=1, digest=DIGEST), "betting"),
    (CutCardReached(shoe=1, position=402), "dealing"),
    (CardDealt(round=3, hand="player", card="As", position=10, salt="00" * 16), "dealing"),
    (LinesSettled(round=3, lines=(LINE,)), "dealing reversed"),
    (RoundSettled(round=3, player=1, banker=2, winner="banker", lines=(LINE,)), "dealing reversed"),
    (RoundVoided(round=3, reason="misdeal", approved_by=(ANNA,)), "betting dealing reversed frozen-in-coup"),
    (SettlementReversed(round=2, reason="misread", approved_by=BOTH), "between"),
    (DecisionMade(round=3, hand="player", choice="draw"), ""),
    (SeatTaken(seat=1, patron="p1"), ""),
    (SeatLeft(seat=1, patron="p1", reason="left"), ""),
    (CardDrawn(shoe=1, seat=1, card="As", position=10, salt="00" * 16), ""),
    (SeatsSet(round=3, seats=(Seated(seat=1, patron="p1"), Seated(seat=2, patron="p2"))), ""),
    (TurnPassed(round=3, patron="p1"), ""),
    (BetAsked(round=3, patron="p1", bet="tie", amount=100), ""),
    (BetAgreed(round=3, patron="p1", bet="tie", amount=100), ""),
    (BetRefused(round=3, patron="p1", bet="tie", amount=100), ""),
    (BankBroken(round=3, patron="p1", due=2, paid=1), ""),
    (ShoeFrozen(shoe=1, reason="seed-lost"), "committed shuffled between betting dealing reversed"),
    (ShoeClosed(**END), "between"),
    (ShoeVoided(**END), "committed shuffled between frozen"),
]


def test_every_event_has_its_moments() -> None:
    assert {type(event) for event, _ in MOMENTS} == set(get_args(TableEvent))
    assert all(set(phases.split()) <= set(PHASES) for _, phases in MOMENTS)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(("event", "phases"), MOMENTS, ids=[type(event).__name__ for event, _ in MOMENTS])
def test_an_event_happens_in_its_phases_and_is_impossible_in_all_others(
    event: TableEvent, phases: str, phase: str
) -> None:
    table = in_phase(phase).table
    before = seen(table)

    if phase in phases.split():
        assert evolve(table, event) is table
    else:
        with pytest.raises(ImpossibleError):
            evolve(table, event)
        assert seen(table) == before


@pytest.mark.parametrize("event", [event for event, _ in MOMENTS], ids=lambda event: type(event).__name__)
def test_a_table_begins_by_being_opened_or_with_a_chapter(event: TableEvent) -> None:
    if isinstance(event, TableOpened | ShoeCommitted):
        assert evolve(None, event)
    else:
        with pytest.raises(ImpossibleError):
            evolve(None, event)


def test_a_hand_of_another_game_is_not_dealt() -> None:
    with pytest.raises(ImpossibleError, match="no left hand"):
        evolve(in_phase("dealing").table, CardDealt(round=3, hand="left", card="As"))


def test_a_settlement_is_reversed_once() -> None:
    sitting = in_phase("reversed")
    sitting.do(play.void_round(sitting.table, reason="misread", approved_by=(ANNA,)))

    with pytest.raises(ImpossibleError, match="no settlement"):
        evolve(sitting.table, SettlementReversed(round=2, reason="misread", approved_by=BOTH))
