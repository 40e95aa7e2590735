"""What each event makes true where a player banks, and what cannot happen there."""

from typing import Any

import pytest

from schemas.events import BetPlaced, BetsClosed, CardDealt, DecisionMade, RoundSettled, RoundVoided, TableEvent
from schemas.seats import BetAsked, CardDrawn, SeatLeft, SeatsSet, SeatTaken, TurnPassed
from schemas.words import Seated
from services.table.game import phases, play, rounds, salon, shoes
from services.table.game.evolve import evolve
from services.table.game.impossible import ImpossibleError
from services.table.game.seats import Standing
from services.table.game.state import Between, Playing
from tests.table.game.chemin_party import banked, party
from tests.table.game.party import Party
from tests.table.game.sitting import ANNA, BOTH, DIGEST, SEED, Sitting, chips_on, refusal, seen

TWO = (Seated(seat=1, patron="a"), Seated(seat=2, patron="b"))


def between() -> Party:
    return party()


def staking() -> Party:
    made = party()
    made.opened()
    return made


def playing() -> Party:
    made = banked()
    made.bet("b", "player", 100)
    made.closed_bets()
    return made


PHASES = {"between": between, "staking": staking, "playing": playing}
# Every event of a coup that a player banks, and where it can happen.
MOMENTS: list[tuple[TableEvent, str]] = [
    (BetPlaced(round=1, patron="a", bet="bank", amount=100), "staking"),
    (TurnPassed(round=1, patron="a"), "staking"),
    (BetsClosed(round=1, count=0, digest=DIGEST), "staking"),
    (CardDealt(round=1, hand="player", card="As", position=0, salt="00" * 16), "playing"),
    (DecisionMade(round=1, hand="player", choice="draw"), "playing"),
    (RoundSettled(round=1, player=1, banker=2, winner="tie", lines=()), ""),
    (RoundVoided(round=1, reason="misdeal", approved_by=(ANNA,)), "staking playing"),
    (SeatsSet(round=1, seats=TWO), ""),
    (BetAsked(round=1, patron="a", bet="bank", amount=100), ""),
    (SeatTaken(seat=9, patron="z"), "between staking playing"),
    (SeatLeft(seat=1, patron="a", reason="left"), "between staking playing"),
]


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize(("event", "where"), MOMENTS, ids=[type(event).__name__ for event, _ in MOMENTS])
def test_an_event_happens_in_its_phases_and_is_impossible_in_all_others(
    event: TableEvent, where: str, phase: str
) -> None:
    table = PHASES[phase]().table

    if phase in where.split():
        assert evolve(table, event) is table
    elif not (phase == "playing" and isinstance(event, RoundSettled)):
        with pytest.raises(ImpossibleError):
            evolve(table, event)


@pytest.mark.parametrize("phase", PHASES)
def test_each_phase_has_its_word(phase: str) -> None:
    assert phases.word(PHASES[phase]().table.phase) == phase


@pytest.mark.parametrize("phase", ["staking", "playing"])
def test_a_shoe_voided_within_a_coup_leaves_nothing_in_escrow(phase: str) -> None:
    made = PHASES[phase]()
    chips = chips_on(made.table)

    made.do(shoes.void(made.table, seed=SEED, reason="marked-card", approved_by=(ANNA,)))

    assert sum(made.table.stacks.values()) == chips
    assert made.table.seats == {1: "a", 2: "b", 3: "c", 4: "d"}


def test_a_coup_voided_in_a_frozen_shoe_leaves_its_turn() -> None:
    made = playing()
    made.do(shoes.freeze(made.table, reason="seed-lost"))

    made.do(shoes.void(made.table, seed=None, reason="seed-lost", approved_by=(ANNA,)))
    made.shoe()

    assert made.table.standing == Standing(turn=1)


def test_a_coup_without_bets_is_offered_by_the_house_alone() -> None:
    assert refusal(between().table, rounds.open_round, free=True).code == "wrong-game"


@pytest.mark.parametrize("command", [salon.open_round, salon.silence, salon.mays, salon.close_bets])
def test_the_salon_is_no_place_for_a_house_that_banks(command: Any) -> None:
    assert refusal(Sitting().table, command).code == "wrong-game"


def test_a_suspended_table_asks_nobody() -> None:
    made = staking()
    made.table.suspended = "break"

    assert salon.mays(made.table) == []
    assert refusal(made.table, salon.pass_turn, patron="a").code == "table-suspended"


def test_nothing_is_changed_by_what_is_decided() -> None:
    made = playing()
    before = seen(made.table)

    salon.deal(made.table, made.cards)

    assert seen(made.table) == before


def test_a_card_drawn_for_the_first_deal_is_of_another_game() -> None:
    with pytest.raises((ImpossibleError, NotImplementedError)):
        evolve(staking().table, CardDrawn(shoe=1, seat=1, card="As", position=0, salt="00" * 16))


def seen_cards(made: Party) -> dict[str, int]:
    phase = made.table.phase
    assert isinstance(phase, Playing | Between)
    return phase.shoe.seen


def test_the_cards_of_a_coup_are_seen_when_it_is_over_and_once() -> None:
    made = banked("2d", "2c", "4h", "4c")
    made.bet("b", "player", 100)
    made.closed_bets()
    made.does(salon.deal(made.table, made.cards, whole=False))
    before = dict(seen_cards(made))

    made.does(salon.deal(made.table, made.cards))
    made.does(rounds.reverse_settlement(made.table, reason="wrong", approved_by=BOTH, settle_again=True))

    assert before == {}
    assert seen_cards(made) == {"2d": 1, "2c": 1, "4h": 1, "4c": 1}


def test_the_cards_of_a_void_coup_are_seen() -> None:
    made = banked("2d", "2c", "4h", "4c")
    made.bet("b", "player", 100)
    made.closed_bets()
    made.does(salon.deal(made.table, made.cards, whole=False))

    made.do(play.void_round(made.table, reason="misdeal", approved_by=(ANNA,)))

    assert seen_cards(made) == {"2d": 1}
