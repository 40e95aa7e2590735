"""Odds: every deal of a fresh eight- and six-deck shoe, cell by cell, and the edges that the tables must come to."""

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from schemas.rules import Rules
from services.table.game.bank import net_odds
from services.table.game.deals import all_deals, deals, fresh
from services.table.game.odds import bet_told, decimal, decimal_root, edge, fresh_odds, odds_of
from services.table.game.paytable import ratio_text
from services.table.game.prices import outcomes_told, prices
from services.table.game.rules import builtin, with_readings, with_side_bets
from services.table.game.tableau import Facts

COUNTED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "combinations.json").read_text(encoding="utf-8")
)["decks"]
LETTER = {"player": "P", "banker": "B", "tie": "T"}
PAIRED = ["mixed", "suited"]

# games.md, section 6: the house edge of every bet, eight decks.
EDGES = {
    "tie": ".143596287787",
    "tie-9": ".048440319764",
    "player-pair": ".103614457831",
    "banker-pair": ".103614457831",
    "either-pair": ".137098768799",
    "perfect-pair": ".080470444786",
    "player-dragon-bonus": ".026516745320",
    "banker-dragon-bonus": ".093730740125",
    "dragon-7": ".076113344724",
    "panda-8": ".101876321693",
    "super-6": ".299771693849",
    "lucky-6": ".166835720406",
    "lucky-6-23": ".116984730364",
    "small-tiger": ".143325458921",
    "big-tiger": ".152533169298",
    "tiger-tie": ".114952467500",
    "tiger-pair": ".161217223880",
    "small": ".052828772799",
    "big": ".043457475956",
    "four-cards": ".052828772799",
    "five-cards": ".089667494357",
    "six-cards": ".046937978284",
    "final-6": ".046937978284",
    "final-5": ".089667494357",
    "player-natural": ".052826691381",
    "banker-natural": ".052826691381",
    "egalite-0": ".124526523637",
    "egalite-1": ".114150019204",
    "egalite-2": ".095411623801",
    "egalite-3": ".105242861912",
    "egalite-4": ".121400515331",
    "egalite-5": ".118731852531",
    "egalite-6": ".114952467500",
    "egalite-7": ".063898766865",
    "egalite-8": ".110668557072",
    "egalite-9": ".106347647255",
}


def count(decks: int, cell: Callable[[Facts], str | None]) -> dict[str, int]:
    """Count deals by the cell that they fall into; those without one are left out."""
    counted: Counter[str] = Counter()
    for facts, ways in deals(decks).items():
        if (name := cell(facts)) is not None:
            counted[name] += ways
    return dict(counted)


def filled(cells: dict[str, int]) -> dict[str, int]:
    """Leave out the cells that no deal falls into."""
    return {name: ways for name, ways in cells.items() if ways}


def bets(tree: dict[str, Any]) -> Rules:
    rules: dict[str, Any] = msgspec.to_builtins(builtin("simplified").rules)
    return msgspec.convert(rules | {"bets": tree}, Rules)


def bet_on(ladder: list[dict[str, Any]], decks: int = 8) -> Rules:
    tree: dict[str, Any] = msgspec.to_builtins(builtin("simplified").rules)
    tree["procedure"]["decks"] = decks
    tree["bets"] = {"bet": {"ladder": ladder}}
    return msgspec.convert(tree, Rules)


@pytest.mark.parametrize("decks", range(1, 13))
def test_every_deal_of_a_fresh_shoe_is_counted_once(decks: int) -> None:
    assert sum(deals(decks).values()) == all_deals(decks)


@pytest.mark.parametrize("decks", [8, 6])
def test_every_cell_agrees_with_the_published_counts(decks: int) -> None:
    published = COUNTED[str(decks)]

    assert all_deals(decks) == published["total"]
    assert count(decks, lambda facts: LETTER[facts.winner]) == {letter: published[letter] for letter in "BPT"}
    assert count(decks, lambda facts: str(facts.cards)) == published["cards"]
    assert count(decks, lambda facts: str(facts.player) if facts.winner == "tie" else None) == published["tie_by_total"]
    assert count(decks, lambda facts: "ways" if facts.natural == "both" and facts.winner == "tie" else None) == {
        "ways": published["natural_tie"]
    }
    assert len(published) == 13


@pytest.mark.parametrize("decks", [8, 6])
@pytest.mark.parametrize("hand", ["player", "banker"])
def test_every_cell_of_a_winning_hand_agrees_with_the_published_counts(decks: int, hand: str) -> None:
    published = COUNTED[str(decks)]

    def won(facts: Facts, cell: str, *, naturals: bool | None = None) -> str | None:
        natural = facts.natural in {hand, "both"}
        return cell if facts.winner == hand and naturals in {None, natural} else None

    def total_and_cards(facts: Facts) -> str:
        return f"{getattr(facts, hand)}/{getattr(facts, f'{hand}_cards')}"

    assert count(decks, lambda facts: won(facts, str(getattr(facts, hand)))) == published[f"{hand}_win_by_total"]
    assert count(decks, lambda facts: won(facts, total_and_cards(facts))) == filled(
        published[f"{hand}_win_by_total_and_cards"]
    )
    assert (
        count(decks, lambda facts: won(facts, str(facts.margin), naturals=False))
        == published["nonnatural_margin"][LETTER[hand]]
    )
    assert count(decks, lambda facts: won(facts, "ways", naturals=True)) == {
        "ways": published["natural_win"][LETTER[hand]]
    }


@pytest.mark.parametrize(
    ("name", "bet", "expected"),
    [
        ("punto-banco", "banker", ".010579057842"),
        ("punto-banco", "player", ".012350813289"),
        ("punto-banco", "tie", ".143596287787"),
        ("punto-banco-9", "tie-9", ".048440319764"),
        ("berlin", "banker", ".009327724211"),
        ("super-6", "banker", ".014581044640"),
        ("super-6", "super-6", ".299771693849"),
        ("ez", "banker", ".010183007571"),
        ("ez", "dragon-7", ".076113344724"),
        ("ez", "panda-8", ".101876321693"),
        ("mini", "banker", ".010579057842"),
        ("simplified", "banker", "-.012350813289"),
    ],
)
def test_the_edge_of_a_bet_in_the_rulebook(name: str, bet: str, expected: str) -> None:
    assert round(edge(builtin(name).rules, bet), 12) == Fraction(expected)


@pytest.mark.parametrize("bet", ["player-pair", "banker-pair"])
def test_the_edge_of_a_pair_is_43_in_415(bet: str) -> None:
    assert edge(builtin("punto-banco").rules, bet) == Fraction(43, 415)


@pytest.mark.parametrize("bet", EDGES)
def test_the_edge_of_a_side_bet_of_the_house_is_the_published_one(bet: str) -> None:
    assert round(edge(with_side_bets(builtin("simplified").rules), bet), 12) == Fraction(EDGES[bet])


@pytest.mark.parametrize(
    ("bet", "percent"),
    [
        ("winning-8", "3.5976"),
        ("winning-7", "11.2267"),
        ("winning-8-tie-loses", "13.1132"),
        ("winning-7-tie-loses", "20.7423"),
    ],
)
def test_winning_8_and_winning_7_with_either_reading_of_a_tie(bet: str, percent: str) -> None:
    assert round(100 * edge(with_side_bets(builtin("simplified").rules), bet), 4) == Fraction(percent)


def test_other_readings_stand_beside_a_bet_but_not_beside_one_that_only_bears_its_name() -> None:
    winning = {name: {"ladder": with_side_bets(builtin("ez").rules).bets[name].ladder} for name in ("winning-8", "tie")}
    own = {"winning-8": {"ladder": [{"winner": "banker", "banker": 8, "pays": "2/1"}]}}

    assert list(with_readings(bets(winning)).bets) == ["winning-8", "winning-8-tie-loses", "tie"]
    assert list(with_readings(bets(own)).bets) == ["winning-8"]


def test_the_chances_of_a_coup_and_its_mean_number_of_cards() -> None:
    winners = count(8, lambda facts: facts.winner)
    cards = sum(facts.cards * ways for facts, ways in deals(8).items())

    assert {hand: round(Fraction(ways, all_deals(8)), 12) for hand, ways in winners.items()} == {
        "banker": Fraction(".458597422633"),
        "player": Fraction(".446246609344"),
        "tie": Fraction(".095155968024"),
    }
    assert round(Fraction(cards, all_deals(8)), 12) == Fraction("4.938818849692")


@pytest.mark.parametrize(("bet", "expected"), [("banker", ".927372"), ("player", ".951153"), ("tie", "2.640872")])
def test_the_standard_deviation_of_a_main_bet(bet: str, expected: str) -> None:
    told = bet_told(fresh_odds(builtin("punto-banco").rules).bets[bet])

    assert round(Fraction(told.sd), 6) == Fraction(expected)
    assert len(told.sd.partition(".")[2]) == len(told.edge.partition(".")[2]) == 15


def test_the_edge_follows_the_number_of_decks() -> None:
    assert edge(bet_on([{"player_pair": PAIRED, "pays": "11/1"}], decks=1), "bet") == 1 - 12 * Fraction(3, 51)
    assert fresh_odds(bet_on([{"player_pair": PAIRED, "pays": "11/1"}]), 1).bets["bet"].edge == 1 - Fraction(36, 51)


@pytest.mark.parametrize("name", ["punto-banco", "ez"])
def test_steps_are_one_a_rung_and_the_loss_as_coups_are_paid(name: str) -> None:
    rules = with_side_bets(builtin(name).rules)
    odds = fresh_odds(rules)

    for bet, found in odds.bets.items():
        paid: Counter[Fraction] = Counter()
        for facts, ways in deals(8).items():
            paid[net_odds(rules, bet, facts)] += ways
        gains = [gain for gain, _ in found.steps]
        assert len(gains) == len(rules.bets[bet].ladder) + 1
        assert gains[-1] == -1
        by_gain: Counter[Fraction] = Counter()
        for gain, chance in found.steps:
            by_gain[gain] += chance  # type: ignore[assignment]  # chances add up as counts do
        assert {gain: chance for gain, chance in by_gain.items() if chance} == {
            gain: Fraction(ways, all_deals(8)) for gain, ways in paid.items()
        }


@pytest.mark.parametrize(
    ("value", "places", "written"),
    [
        ("1/8", 2, "0.12"),
        ("3/8", 2, "0.38"),
        ("-1/8", 2, "-0.12"),
        ("-1/3", 15, "-0.333333333333333"),
        ("2/3", 3, "0.667"),
        ("12/1", 1, "12.0"),
        ("1/1000", 2, "0.00"),
    ],
)
def test_a_number_is_written_to_its_places_and_a_half_goes_to_the_even_one(
    value: str, places: int, written: str
) -> None:
    assert decimal(Fraction(value), places) == written


@pytest.mark.parametrize(
    ("value", "places", "written"),
    [
        ("2/1", 15, "1.414213562373095"),
        ("9/4", 1, "1.5"),
        ("1/16", 1, "0.2"),
        ("9/64", 2, "0.38"),
        ("25/64", 2, "0.62"),
        ("0/1", 3, "0.000"),
        ("10001/40000", 2, "0.50"),
        ("3/1", 4, "1.7321"),
        ("1/399", 1, "0.1"),
        ("49/400", 1, "0.4"),
        ("81/400", 1, "0.4"),
    ],
)
def test_a_root_is_written_to_its_places_and_a_half_goes_to_the_even_one(value: str, places: int, written: str) -> None:
    assert decimal_root(Fraction(value), places) == written


def test_what_is_expected_before_a_card_is_seen_is_what_is_expected_over_all_cards_that_may_be_seen() -> None:
    rules = with_side_bets(builtin("punto-banco").rules)
    begun = list(fresh(2))
    for code in (0, 12, 12, 25, 38, 51, 7, 8, 20, 33, 33, 46):
        begun[code] -= 1
    now = odds_of(rules, tuple(begun), left=92)

    after: Counter[str] = Counter()
    for code, cards in enumerate(begun):
        if cards:
            seen = tuple(many - (other == code) for other, many in enumerate(begun))
            for bet, found in odds_of(rules, seen, left=91).bets.items():
                after[bet] += found.edge * Fraction(cards, sum(begun))  # type: ignore[assignment]

    assert dict(after) == {bet: found.edge for bet, found in now.bets.items()}


def test_cards_that_were_burned_unseen_are_as_likely_as_any() -> None:
    rules = with_side_bets(builtin("punto-banco").rules)

    assert odds_of(rules, fresh(1), left=52) == odds_of(rules, fresh(1), left=6)


def test_a_coup_that_would_run_out_of_cards_is_void_and_costs_nothing() -> None:
    rules = builtin("punto-banco").rules
    short, long = odds_of(rules, fresh(8), left=4), odds_of(rules, fresh(8), left=6)

    assert short.void == Fraction(sum(ways for facts, ways in deals(8).items() if facts.cards > 4), all_deals(8))
    assert sum(short.winners.values()) + short.void == 1
    assert long.void == 0
    assert outcomes_told(prices(rules, fresh(8), left=4)).void == ratio_text(short.void)
    assert outcomes_told(prices(rules, fresh(8), left=6)).void is UNSET
    pair = dict(short.bets["player-pair"].steps)
    four = sum(ways for facts, ways in deals(8).items() if facts.cards == 4 and facts.player_pair != "none")
    assert pair[Fraction(11)] == Fraction(four, all_deals(8))
    assert odds_of(rules, fresh(8), left=3).void == 1
    assert odds_of(rules, fresh(8), left=3).bets["tie"].edge == 0


def test_naming_more_rungs_does_not_change_what_a_bet_costs() -> None:
    together = [{"pairs": ["one", "two", "alike"], "winner": ["player", "banker", "tie"], "pays": "5/1"}]

    assert edge(bet_on(together), "bet") == edge(bet_on([{"pairs": ["one", "two", "alike"], "pays": "5/1"}]), "bet")


def test_a_bet_at_two_tableaux_is_not_counted_at_one() -> None:
    two = {"bank": {"ladder": [{"right_winner": "player", "left_winner": "player", "pays": "1/1"}]}}
    ties = {"tie": {"ladder": [{"winner": "tie", "pays": "8/1"}]}}

    assert list(fresh_odds(bets(two | ties)).bets) == ["tie"]
