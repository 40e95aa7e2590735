"""Phases: every command in every phase; out of its phase it is refused, and nothing changes."""

from collections.abc import Callable, Sequence
from typing import Any, get_args

import pytest
from msgspec import structs

from schemas.events import ChipsCredited, ChipsFilled, TableEvent
from services.table.game import floor, phases, play, shoes, wagers
from services.table.game.shoe import mix
from services.table.game.state import Drawing, Phase, Playing, Seating, Staking, Table
from tests.table.game.moments import CARDS, PHASES, REVERSE, VOID, in_phase
from tests.table.game.sitting import (
    ANNA,
    BERT,
    BOTH,
    CLOSING,
    DIGEST,
    SEED,
    opening,
    refusal,
    seen,
)

SLIP: dict[str, Any] = {
    "slip": "f-17",
    "amount": 100,
    "chips": ((100, 1),),
    "requested_by": ANNA,
    "issued_by": BERT,
    "received_by": "dealer:carl",
}


def swept(table: Table) -> Table:
    """Give the table with no chip and no debt left on it."""
    return structs.replace(table, stacks={}, owed={})


# Phases of a coup that a player banks: the tests of those games bring a table into them.
PLAYERS_BANK = {Drawing, Seating, Staking, Playing}
Command = Callable[[Table], Sequence[TableEvent]]
COMMANDS: dict[str, tuple[Command, str]] = {
    "open-table": (lambda table: floor.open_table(table, opening()), "closed"),
    "close-table": (lambda table: floor.close_table(swept(table), CLOSING), "idle"),
    "commit": (lambda table: shoes.commit(table, seed_commitment=SEED), "idle"),
    "contribute": (lambda table: shoes.contribute(table, source="patron:p1", value=b"1"), "committed"),
    "shuffle": (lambda table: shoes.shuffle(table, CARDS, mix=mix([])), "committed"),
    "close-shoe": (lambda table: shoes.close(table, seed=SEED, reason="end-of-day"), "between"),
    "void-shoe": (
        lambda table: shoes.void(table, seed=SEED, **VOID),
        "committed shuffled between betting dealing reversed frozen frozen-in-coup",
    ),
    "freeze": (
        lambda table: shoes.freeze(table, reason="seed-lost"),
        "committed shuffled between betting dealing reversed",
    ),
    "open-round": (play.open_round, "between"),
    "place-bets": (lambda table: wagers.place_bets(table, [("p1", "player", 500)]), "betting"),
    "withdraw-bet": (lambda table: wagers.withdraw_bet(table, patron="p1", bet="banker"), "betting"),
    "close-bets": (lambda table: play.close_bets(table, count=1, digest=DIGEST), "betting"),
    "play-coup": (lambda table: play.play_coup(table, CARDS, count=1, digest=DIGEST), "betting dealing"),
    "deal": (lambda table: play.deal(table, CARDS), "dealing"),
    "deal-card": (lambda table: play.deal(table, CARDS, whole=False), "dealing"),
    "void-round": (lambda table: play.void_round(table, **VOID), "betting dealing reversed frozen-in-coup"),
    "reverse": (lambda table: play.reverse_settlement(table, **REVERSE), "between"),
    "suspend": (lambda table: floor.suspend(table, reason="break"), "open"),
    "change-dealer": (lambda table: floor.change_dealer(table, dealer="dealer:dora"), "open"),
    "change-limits": (lambda table: floor.change_limits(table, limits=opening().limits), "open"),
    "fill": (lambda table: floor.fill(table, ChipsFilled(**SLIP)), "open"),
    "credit": (lambda table: floor.credit(table, ChipsCredited(**SLIP)), "open"),
    "buy": (lambda table: floor.buy_chips(table, patron="p1", amount=1, means="cash"), "open"),
    "cash": (lambda table: floor.cash_chips(table, patron="p3", amount=1, means="cash"), "open"),
    "collect": (lambda table: floor.collect_commission(table, patron="p2", amount=1), "open"),
    "waive": (
        lambda table: floor.waive_commission(table, patron="p2", amount=1, reason="goodwill", approved_by=BOTH),
        "open",
    ),
}


def is_right(command: str, phase: str) -> bool:
    """Whether the rules let a command be given in a phase."""
    wanted = COMMANDS[command][1]
    return phase != "closed" if wanted == "open" else phase in wanted.split()


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_taken_in_its_phases_and_refused_in_all_others(command: str, phase: str) -> None:
    sitting = in_phase(phase)
    give = COMMANDS[command][0]
    before = seen(sitting.table)

    if is_right(command, phase):
        events = give(sitting.table)
        assert seen(sitting.table) == before
        assert events
        sitting.do(events)
    else:
        no = refusal(sitting.table, give)
        assert (no.code, no.where) == ("wrong-phase", "phase")


@pytest.mark.parametrize("phase", PHASES)
def test_each_phase_has_its_word(phase: str) -> None:
    table = in_phase(phase).table

    assert phases.word(table.phase) == phase.removesuffix("-in-coup")
    assert type(table.phase) in phases.WORDS


def test_every_phase_is_tried() -> None:
    tried = {type(in_phase(phase).table.phase) for phase in PHASES}

    assert tried == set(get_args(Phase)) - PLAYERS_BANK
    assert set(get_args(Phase)) == set(phases.WORDS)


def test_a_refusal_says_which_phase_there_is_and_which_there_should_be() -> None:
    no = refusal(in_phase("between").table, COMMANDS["place-bets"][0])

    assert no.detail == "to take a bet, the table must be taking bets; it is between coups"
    assert no.right == "taking bets"
