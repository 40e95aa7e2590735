"""The simulation: its shoes are those of play, dealt as at a table, and its figures those that were published."""

import random
from collections import Counter
from hashlib import sha256
from math import sqrt
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from schemas.events import RoundVoided
from schemas.rules import Procedure
from services.table.game import shoes
from services.table.game.cards import CARDS, CODES
from services.table.game.rules import builtin, house_banked
from services.table.game.shoe import derive, mix
from services.table.game.simulation import Tally, compare, compare_winners, order, play, play_shoe, seed_of
from services.table.game.state import Between
from services.table.game.tableau import Facts, facts_of
from tests.table.game.sitting import SEED, Sitting, ruled, stacked

Burn = Literal["none", "one", "first-card", "decks"]
PROFILES = {
    "us": Procedure(decks=8, burn="first-card", cut=14, after_cut="one-more"),
    "macau": Procedure(decks=8, burn="decks", cut=14, after_cut="finish"),
    "home": Procedure(decks=6, burn="one", cut=7, after_cut="finish"),
}


def dealt_at_a_table(codes: list[int], procedure: Procedure) -> tuple[Counter[Facts], int]:
    """Play a shoe by every rule of the house, and give the coups by their facts, and how many were void."""
    sitting = Sitting(replace(ruled(), procedure=procedure))
    sitting.cards = stacked([CARDS[code] for code in codes], decks=procedure.decks)
    sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))
    sitting.do(shoes.shuffle(sitting.table, sitting.cards, mix=mix([])))
    coups: Counter[Facts] = Counter()
    void = 0
    while isinstance(phase := sitting.table.phase, Between) and phase.shoe.coups_left != 0:
        events = sitting.coup()
        if isinstance(events[-1], RoundVoided):
            void += 1
        elif isinstance(after := sitting.table.phase, Between) and after.last is not None:
            coups[facts_of(after.last.player, after.last.banker)] += 1
    return coups, void


def simulated(codes: list[int], procedure: Procedure) -> Tally:
    tally = Tally()
    play_shoe(codes, procedure, tally)
    return tally


def shuffled_codes(decks: int, seed: int) -> list[int]:
    codes = list(range(52)) * decks
    random.Random(seed).shuffle(codes)
    return codes


@pytest.mark.parametrize("decks", [1, 8, 12])
def test_a_shoe_is_the_committed_one_of_its_seed(decks: int) -> None:
    codes = order("tuesday", 7, decks)

    committed = derive(seed=seed_of("tuesday", 7), shoe_id="simulation/7", decks=decks, mix=mix(()))
    assert tuple(CARDS[code] for code in codes) == committed.cards


@pytest.mark.parametrize("profile", PROFILES)
def test_a_whole_shoe_comes_to_what_it_comes_to_at_a_table(profile: str) -> None:
    procedure = PROFILES[profile]
    codes = shuffled_codes(procedure.decks, 1)

    tally = simulated(codes, procedure)

    coups, void = dealt_at_a_table(codes, procedure)
    assert (tally.by_facts(), tally.void, tally.shoes) == (coups, void, 1)
    assert tally.coups_squared == coups.total() ** 2


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    burn=st.sampled_from(["none", "one", "first-card", "decks"]),
    cut=st.integers(6, 40),
    after=st.sampled_from(["finish", "one-more"]),
)
def test_any_procedure_is_followed_to_the_last_card(
    seed: int, burn: Burn, cut: int, after: Literal["finish", "one-more"]
) -> None:
    procedure = Procedure(decks=1, burn=burn, cut=cut, after_cut=after)
    codes = shuffled_codes(1, seed)

    tally = simulated(codes, procedure)

    assert (tally.by_facts(), tally.void) == dealt_at_a_table(codes, procedure)


def test_a_coup_that_runs_out_of_cards_is_void_and_ends_the_shoe() -> None:
    procedure = Procedure(decks=1, burn="none", cut=7, after_cut="one-more")
    # Ten coups of four cards, one of six with the cut card in it, and six cards left; or eleven of four, and two left.
    tied = [CODES[card] for card in ("4c", "4d", "4h", "4s")]
    drawing = [CODES[card] for card in ("Kc", "Kd", "Qc", "Qd", "2c", "2d")]

    whole = simulated([*tied * 10, *drawing, *drawing], procedure)
    short = simulated([*tied * 10, *tied, *drawing[:4], *drawing[:4]], procedure)

    assert (whole.coups, whole.void) == (12, 0)
    assert (short.coups, short.void) == (12, 1)


def test_shoes_played_in_parts_are_those_played_at_once() -> None:
    rules = builtin("punto-banco").rules
    parts = Tally()
    for numbers in (range(1, 8), range(8, 9), range(9, 13)):
        parts.add(play(rules, "tuesday", numbers))

    assert parts == play(rules, "tuesday", range(1, 13))


def test_void_coups_of_all_parts_are_counted() -> None:
    tally = Tally(shoes=2, void=1, coups_squared=9)

    tally.add(Tally(shoes=3, void=2, coups_squared=16))

    assert tally == Tally(shoes=5, void=3, coups_squared=25)


def test_the_seed_of_a_shoe_is_fixed_for_ever() -> None:
    told = b"simulated-shoe/v1\n" + b"\x00\x07tuesday" + bytes(7) + b"\x03"

    assert seed_of("tuesday", 3) == sha256(told).digest()


@pytest.mark.parametrize(
    ("cards", "pairs"),
    [
        (("4c", "4d", "4h", "4s"), "alike"),
        (("4c", "4d", "4c", "4d"), "alike"),
        (("4c", "4d", "4h", "4d"), "alike"),
        (("9c", "4d", "9h", "4s"), "two"),
        (("9c", "4d", "9h", "5s"), "one"),
        (("9c", "4d", "8h", "4d"), "one"),
        (("9c", "9d", "8h", "8d"), "none"),
    ],
)
def test_pairs_are_those_of_each_hands_first_two_cards(cards: tuple[str, ...], pairs: str) -> None:
    procedure = Procedure(decks=1, burn="none", cut=6, after_cut="finish")
    tally = simulated([CODES[card] for card in (*cards, *cards)], procedure)

    assert {facts.pairs for facts in tally.by_facts()} == {pairs}


def test_how_often_each_hand_wins_is_held_against_what_was_published() -> None:
    rules = builtin("punto-banco").rules
    tally = play(rules, "tuesday", range(1, 3))

    found = compare_winners(rules, tally)

    published = {"banker": 0.458597422633, "player": 0.446246609344, "tie": 0.095155968024}
    assert {winner: round(float(one.exact), 12) for winner, one in found.items()} == published
    won = Counter(dict.fromkeys(published, 0))
    for facts, coups in tally.by_facts().items():
        won[facts.winner] += coups
    assert {winner: one.counted * tally.coups for winner, one in found.items()} == won


def test_a_shoe_has_as_many_coups_as_was_published() -> None:
    tally = play(builtin("punto-banco").rules, "tuesday", range(1, 1001))
    mean = tally.coups / 1000
    sd = sqrt(tally.coups_squared / 1000 - mean**2)

    assert abs(mean - 81.28) < 5 * 1.61 / sqrt(1000)
    assert abs(sd - 1.61) < 5 * 1.61 / sqrt(2000)
    assert abs(float(tally.cards_per_coup) - 4.938818849692) < 0.01


@pytest.mark.parametrize("name", house_banked())
def test_what_a_bet_loses_is_its_edge_within_five_standard_errors(name: str) -> None:
    rules = builtin(name).rules
    tally = play(rules, "tuesday", range(1, 301))

    found = compare(rules, tally) | compare_winners(rules, tally)

    assert set(found) == {*rules.bets, "player", "banker", "tie"}
    assert all(abs(one.z) < 5 for one in found.values())


def test_standard_deviations_are_those_that_were_published() -> None:
    rules = builtin("punto-banco").rules

    found = compare(rules, play(rules, "tuesday", range(1, 3)))

    published = {"banker": 0.927372, "player": 0.951153, "tie": 2.640872}
    assert {bet: round(found[bet].sd, 6) for bet in published} == published


def test_a_tableau_that_is_not_ours_is_found_out() -> None:
    rules = builtin("punto-banco").rules
    tally = play(rules, "tuesday", range(1, 301))
    without_player_s_naturals = {ending: count for ending, count in tally.endings.items() if ending[0] < 8}
    spoiled = Tally(shoes=tally.shoes, endings=without_player_s_naturals)

    assert abs(compare(rules, spoiled)["player"].z) > 5
    assert abs(compare_winners(rules, spoiled)["player"].z) > 5
