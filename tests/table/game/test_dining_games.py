"""The dining-room: games by chance, played to their end: nothing is lost, nobody is stuck, one player is left."""

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.events import RoundSettled, RoundVoided, ShoeClosed
from schemas.seats import BankBroken, SeatsSet
from services.table.game import play, salon, shoes
from services.table.game.deeds import Deeds, event_of
from services.table.game.evolve import evolve
from services.table.game.shoe import mix
from services.table.game.state import Between, Idle, Playing, Staking, Table
from tests.table.game.dinner import Dinner, limits_of, rules_of
from tests.table.game.party import command_of
from tests.table.game.sitting import ANNA, SEED, derived, fold, kinds, seen

# More than any of these games takes; without a bound a game that goes in circles would hang the test.
MOST_COMMANDS = 20_000
VARIANTS = st.fixed_dictionaries(
    {
        "unit": st.sampled_from([1, 5]),
        "start": st.sampled_from([1, 3]),
        "absent": st.sampled_from(["out", "player", "banker"]),
        "high": st.sampled_from(["king", "ace"]),
        "unable": st.sampled_from(["richest", "close"]),
    }
)
SEEDS = st.integers(0, 2**32)


def a_game(variant: dict[str, Any], seed: int) -> Dinner:
    """Play a game, two to four at the table, until its shoe is closed because it is over."""
    chance = Random(seed)
    rules = rules_of(**variant)
    players = chance.randint(2, 4)
    least = variant["unit"] * variant["start"] * (players - 1)
    stacks = {f"p{seat}": least + chance.randint(0, 2 * least) for seat in range(1, players + 1)}
    game = Dinner(rules, limits_of(rules), **stacks)
    for _ in range(MOST_COMMANDS):
        game.does(next_command(game, chance))
        if is_over(game):
            return game
    raise AssertionError("the game goes in circles")


def is_over(game: Dinner) -> bool:
    """Whether the last entry ends the game."""
    last = game.log[-1]
    return isinstance(last, ShoeClosed) and last.reason in ("last-player", "no-dealer")


def next_command(game: Dinner, chance: Random) -> Deeds:
    """Choose what happens next among what somebody may do; now and then one leaves, is silent, or deals wrong."""
    table = game.table
    if isinstance(table.phase, Idle):
        game.do(shoes.commit(table, seed_commitment=SEED))
        game.cards = shuffled(game.table, chance)
        return [*shoes.shuffle(game.table, game.cards, mix=mix([]))]
    mays = salon.mays(table)
    if isinstance(table.phase, Between) and not mays:
        return [*shoes.close(table, seed=SEED)]
    if isinstance(table.phase, Between) and table.standing.turn and chance.random() < 0.03:
        return [*salon.leave_seat(table, patron=chance.choice([*table.seats.values()]))]
    assert mays, f"nobody may do anything: {table.phase}"
    if isinstance(table.phase, Staking | Playing) and chance.random() < 0.003:
        return [*play.void_round(table, reason="misdeal", approved_by=(ANNA,))]
    if chance.random() < 0.05 and game.asked():
        return salon.silence(table)
    return command_of(game, chance.choice(mays), chance)


def shuffled(table: Table, chance: Random) -> Any:
    """Give a shoe in an order of chance: its proofs are another test's."""
    cards = derived(table)
    order = chance.sample(cards.cards, len(cards.cards))
    return type(cards)(**{name: getattr(cards, name) for name in cards.__struct_fields__} | {"cards": tuple(order)})


@given(VARIANTS, SEEDS)
@settings(max_examples=25, deadline=None)
def test_every_chip_returns_in_every_round_and_a_game_ends_with_one_player_or_without_a_dealer(
    variant: dict[str, Any], seed: int
) -> None:
    game = a_game(variant, seed)

    for event in game.log:
        if isinstance(event, RoundSettled):
            assert sum(line.stake for line in event.lines) == sum(line.returned for line in event.lines)
            assert not any(line.commission for line in event.lines)
            assert min(line.returned for line in event.lines) >= 0
    ending = game.log[-1].reason  # type: ignore[union-attr]  # a shoe-closed
    assert (len(game.table.seats) == 1) == (ending == "last-player")
    assert ending == "last-player" or variant["unable"] == "close" or not game.table.seats
    assert min(game.table.stacks.values()) >= 0


@given(VARIANTS, SEEDS)
@settings(max_examples=10, deadline=None)
def test_a_log_of_games_by_chance_folds_to_the_same_table(variant: dict[str, Any], seed: int) -> None:
    game = a_game(variant, seed)

    folded = fold(game.log)

    assert folded is not None
    assert seen(folded) == seen(game.table)


@given(VARIANTS, SEEDS)
@settings(max_examples=10, deadline=None)
def test_the_seats_of_every_round_follow_from_what_went_before(variant: dict[str, Any], seed: int) -> None:
    table: Table | None = None

    for event in a_game(variant, seed).log:
        if isinstance(event, SeatsSet):
            assert table is not None
            assert event == salon.game_of(table).standing(table).stated(event.round, table.seats)
        table = evolve(table, event)


def test_games_by_chance_meet_every_way_a_coup_goes() -> None:
    met: set[str] = set()
    for seed in range(60):
        variant = {"unit": 1, "start": 1 + seed % 3, "absent": "out", "high": "king", "unable": "richest"}
        game = a_game(variant, seed)
        for event in [event_of(deed) for deed in game.log]:
            word = getattr(event, "reason", "") if isinstance(event, RoundVoided | ShoeClosed) else ""
            met.add(f"{kinds([event])[0]} {word}".strip())
            met |= {"tied"} if isinstance(event, SeatsSet) and event.tied is True else set()
            met |= {"a dealer who pays a part"} if isinstance(event, BankBroken) and event.paid else set()

    assert {
        "card-drawn",
        "turn-passed",
        "bet-asked",
        "bet-agreed",
        "bet-refused",
        "bank-broken",
        "a dealer who pays a part",
        "seat-left",
        "tied",
        "round-voided no-stakes",
        "round-voided misdeal",
        "shoe-closed last-player",
        "shoe-closed cut-card",
    } <= met
