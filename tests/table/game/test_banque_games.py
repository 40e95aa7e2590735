"""Baccarat banque: games by chance, played on and on: nothing is lost, nobody is stuck."""

from collections.abc import Iterator
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events import BetPlaced, ChipsBought, ChipsCashed, RoundSettled, TableEvent
from schemas.seats import SeatsSet
from services.table.game import salon
from services.table.game.evolve import evolve
from services.table.game.state import Playing, Table
from tests.table.game.party import Party, by_chance
from tests.table.game.sitting import chips_on, fold, kinds, limited, ruled, seen

SPANS = {"bank": (500, 40_000), "right": (100, 30_000), "left": (100, 30_000), "cheval": (100, 30_000)}
BANCO = {"banco-right": (500, 40_000), "banco-left": (500, 40_000)}
VARIANTS = st.fixed_dictionaries(
    {
        "procedure": st.fixed_dictionaries(
            {"decks": st.just(1), "cut": st.integers(9, 20), "after_cut": st.sampled_from(["finish", "one-more"])}
        ),
        "bank": st.fixed_dictionaries({"withdraw": st.booleans(), "add": st.booleans()}),
        "stakes": st.fixed_dictionaries({"bystanders": st.booleans()}),
        "levy": st.fixed_dictionaries(
            {"rate": st.sampled_from(["1/20", "1/80", "0/1"]), "on": st.sampled_from(["gross", "net"])}
        ),
    }
)


def an_evening(variant: dict[str, Any], seed: int, commands: int, *, banco: bool = True) -> Party:
    made = Party(ruled("banque", **variant), limited(SPANS | (BANCO if banco else {})))
    by_chance(made, Random(seed), commands)
    return made


@given(VARIANTS, st.booleans(), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_in_games_by_chance_no_chip_is_made_or_lost_and_somebody_may_always_go_on(
    variant: dict[str, Any],
    banco: bool,  # noqa: FBT001
    seed: int,
) -> None:
    made = an_evening(variant, seed, 250, banco=banco)

    on_the_table = levied = 0
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
            case _:
                pass
    assert chips_on(made.table) == on_the_table - levied
    assert min([0, *made.table.stacks.values()]) == 0


@given(VARIANTS, st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_a_log_of_games_by_chance_folds_to_the_same_table(variant: dict[str, Any], seed: int) -> None:
    made = an_evening(variant, seed, 200)

    folded = fold(made.log)

    assert folded is not None
    assert seen(folded) == seen(made.table)


@given(VARIANTS, st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_what_a_round_starts_from_follows_from_what_went_before(variant: dict[str, Any], seed: int) -> None:
    for table, event in tables_before(an_evening(variant, seed, 200)):
        if isinstance(event, SeatsSet):
            assert event == salon.game_of(table).standing(table).stated(event.round, table.seats)
            right, left, banker = event.right or 0, event.left or 0, event.banker or 0
            assert right in (0, *(seated.seat for seated in event.seats if seated.seat <= 5))
            assert left in (0, *(seated.seat for seated in event.seats if seated.seat > 5))
            assert banker == 0 or banker not in (right, left)


@given(VARIANTS, st.booleans(), st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_nobody_ever_has_more_at_stake_than_the_bank_could_pay(
    variant: dict[str, Any],
    banco: bool,  # noqa: FBT001
    seed: int,
) -> None:
    made = an_evening(variant, seed, 200, banco=banco)

    for event in made.log:
        if isinstance(event, RoundSettled):
            bank, *others = event.lines
            assert bank.bet == "bank"
            assert 0 < sum(line.stake for line in others) <= bank.stake
            assert all(line.patron != bank.patron for line in others)


def test_games_by_chance_meet_every_way_a_coup_goes() -> None:
    met: set[str] = set()
    for seed in range(12):
        variant = {"procedure": {"decks": 1, "cut": 9, "after_cut": "one-more"}}
        for table, event in tables_before(an_evening(variant, seed, 400, banco=seed % 2 == 0)):
            word = getattr(event, "reason", None) or getattr(event, "bet", None) or getattr(event, "choice", None)
            met.add(f"{kinds([event])[0]} {word or ''}".strip())
            if isinstance(event, BetPlaced) and event.bet.startswith("banco"):
                met.add("banco")
            if isinstance(table.phase, Playing) and isinstance(event, RoundSettled):
                met.add(f"{table.phase.hands.dealt} cards")

    assert {
        "round-voided no-bank",
        "round-voided no-stakes",
        "round-voided out-of-cards",
        "round-voided misdeal",
        "bet-asked bank",
        "bet-placed banco-right",
        "bet-placed banco-left",
        "bet-withdrawn cheval",
        "decision-made draw",
        "decision-made stand",
        "seat-left left",
        "cut-card-reached",
        "6 cards",
        "7 cards",
        "8 cards",
        "9 cards",
    } <= met


def tables_before(made: Party) -> Iterator[tuple[Table, TableEvent]]:
    """Give each event with the table as it was before it."""
    table = evolve(None, made.log[0])
    for event in made.log[1:]:
        yield table, event
        table = evolve(table, event)
