"""Chemin de fer: games by chance, played on and on: nothing is lost, nobody is stuck."""

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import convert, to_builtins

from schemas.events import ChipsBought, ChipsCashed, RoundSettled
from schemas.rules import Rules
from schemas.seats import SeatsSet
from services.table.game import salon
from services.table.game.evolve import evolve
from services.table.game.state import Table
from tests.table.game.party import Party, by_chance
from tests.table.game.sitting import (
    chips_on,
    fold,
    kinds,
    limited,
    ruled,
    seen,
)

MODES: list[dict[str, Any]] = [{"mode": "tableau"}, {"mode": "options", "cells": ["3-9", "5-4"]}, {"mode": "free"}]
VARIANTS = st.fixed_dictionaries(
    {
        "procedure": st.just({"decks": 1, "cut": 7}),
        "bank": st.fixed_dictionaries({"withdraw": st.booleans(), "add": st.booleans()}),
        "stakes": st.fixed_dictionaries(
            {
                "late_banco": st.booleans(),
                "suivi": st.booleans(),
                "tie": st.sampled_from(["stay", "return"]),
                "bystanders": st.booleans(),
            }
        ),
        "levy": st.fixed_dictionaries(
            {"rate": st.sampled_from(["1/20", "1/80", "0/1"]), "on": st.sampled_from(["gross", "net"])}
        ),
    }
)


def an_evening(variant: dict[str, Any], mode: dict[str, Any], seed: int, commands: int) -> Party:
    rules = convert(to_builtins(ruled("chemin-de-fer", **variant)) | {"play": mode}, Rules)
    made = Party(rules, limited({"bank": (500, 40_000), "player": (500, 30_000), "banco": (500, 40_000)}))
    by_chance(made, Random(seed), commands)
    return made


@given(VARIANTS, st.sampled_from(MODES), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_in_games_by_chance_no_chip_is_made_or_lost_and_somebody_may_always_go_on(
    variant: dict[str, Any], mode: dict[str, Any], seed: int
) -> None:
    made = an_evening(variant, mode, seed, 250)

    on_the_table, levied = 0, 0
    for event in made.log:
        match event:
            case ChipsBought():
                on_the_table += event.amount
            case ChipsCashed():
                on_the_table -= event.amount
            case RoundSettled():
                commission = sum(line.commission for line in event.lines)
                assert sum(line.stake for line in event.lines) == commission + sum(x.returned for x in event.lines)
                levied += commission
    assert chips_on(made.table) == on_the_table - levied
    assert min([0, *made.table.stacks.values()]) == 0


@given(VARIANTS, st.sampled_from(MODES), st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_a_log_of_games_by_chance_folds_to_the_same_table(
    variant: dict[str, Any], mode: dict[str, Any], seed: int
) -> None:
    made = an_evening(variant, mode, seed, 200)

    folded = fold(made.log)

    assert folded is not None
    assert seen(folded) == seen(made.table)


@given(VARIANTS, st.sampled_from(MODES), st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_the_seats_of_every_round_follow_from_what_went_before(
    variant: dict[str, Any], mode: dict[str, Any], seed: int
) -> None:
    table: Table | None = None

    for event in an_evening(variant, mode, seed, 200).log:
        if isinstance(event, SeatsSet):
            assert table is not None
            assert event == salon.game_of(table).standing(table).stated(event.round, table.seats)
        table = evolve(table, event)


def test_games_by_chance_meet_every_way_a_coup_goes() -> None:
    met: dict[str, int] = {}
    for seed in range(30):
        variant: dict[str, Any] = {"procedure": {"decks": 1, "cut": 7}}
        for event in an_evening(variant, MODES[2], seed, 400).log:
            name = getattr(event, "reason", None) or getattr(event, "bet", None) or getattr(event, "choice", None)
            met[f"{kinds([event])[0]} {name or ''}".strip()] = met.get(kinds([event])[0], 0) + 1

    assert {
        "round-voided no-bank",
        "round-voided no-stakes",
        "round-voided misdeal",
        "bet-placed banco",
        "bet-withdrawn player",
        "decision-made draw",
        "decision-made stand",
        "seat-left left",
        "cut-card-reached",
    } <= set(met)
