"""The tableau, all 88 cells of it, and the coups it makes."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from services.table.game.cards import CARDS, POINTS
from services.table.game.rulings import rulings
from services.table.game.tableau import (
    Coup,
    IllegalCoup,
    banker_draws,
    deal,
    facts_of,
    next_hand,
    player_draws,
)

ROUNDS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "data" / "live_rounds.json").read_text(encoding="utf-8")
)["rounds"]

# The rule in the words of the rule book: the third cards against which Banker draws.
BANKER_DRAWS_AGAINST: dict[int, set[int | None]] = {
    0: {None, *range(10)},
    1: {None, *range(10)},
    2: {None, *range(10)},
    3: {None, *range(10)} - {8},
    4: {None, 2, 3, 4, 5, 6, 7},
    5: {None, 4, 5, 6, 7},
    6: {6, 7},
    7: set(),
}


@pytest.mark.parametrize(("banker_total", "third"), list(product(range(8), [None, *range(10)])))
def test_each_of_the_88_cells_of_the_tableau(banker_total: int, third: int | None) -> None:
    assert banker_draws(banker_total, third) == (third in BANKER_DRAWS_AGAINST[banker_total])


def test_player_draws_on_nought_to_five_and_stands_on_six_and_seven() -> None:
    assert [player_draws(player_total) for player_total in range(8)] == [True] * 6 + [False] * 2


def test_banker_stands_on_three_only_against_an_eight() -> None:
    assert [third for third in range(10) if not banker_draws(3, third)] == [8]


def test_a_third_card_of_no_value_is_not_no_card() -> None:
    assert banker_draws(4, None)
    assert not banker_draws(4, 0)


def test_cards_go_to_player_and_banker_in_turn() -> None:
    assert next_hand([], []) == "player"
    assert next_hand(["2c"], []) == "banker"
    assert next_hand(["2c"], ["3c"]) == "player"
    assert next_hand(["2c", "2d"], ["3c"]) == "banker"
    assert next_hand(["2c", "2d"], ["3c", "Kd"]) == "player"
    assert next_hand(["2c", "2d", "7h"], ["3c", "Kd"]) == "banker"
    assert next_hand(["2c", "2d", "8h"], ["3c", "Kd"]) is None
    assert next_hand(["2c", "2d", "7h"], ["3c", "Kd", "9c"]) is None


@pytest.mark.parametrize(
    ("player", "banker"), [(["9c", "Kd"], ["2c", "2d"]), (["2c", "2d"], ["4c", "4d"]), (["8c", "Td"], ["9c", "Td"])]
)
def test_a_natural_in_either_hand_ends_the_coup(player: list[str], banker: list[str]) -> None:
    assert next_hand(player, banker) is None


@pytest.mark.parametrize("seen", ROUNDS, ids=[str(seen["round_id"]) for seen in ROUNDS])
def test_rounds_seen_at_a_real_table_come_out_as_announced(seen: dict[str, Any]) -> None:
    player, banker = seen["player"], seen["banker"]
    dealt = [player[0], banker[0], player[1], banker[1], *player[2:], *banker[2:]]

    coup = deal(dealt)

    assert coup == Coup(player=tuple(player), banker=tuple(banker))
    facts = coup.facts
    assert (facts.player, facts.banker) == (seen["player_total"], seen["banker_total"])
    assert facts.winner == seen["winner"].lower()
    assert (facts.natural != "none") == seen["natural"]
    assert (facts.player_pair != "none") == seen["player_pair"]
    assert (facts.banker_pair != "none") == seen["banker_pair"]


def test_the_facts_of_a_coup_with_six_cards() -> None:
    facts = deal(["5d", "Kd", "5s", "Ac", "9s", "5c"]).facts

    assert (facts.winner, facts.player, facts.banker, facts.margin) == ("player", 9, 6, 3)
    assert (facts.player_cards, facts.banker_cards, facts.cards) == (3, 3, 6)
    assert (facts.natural, facts.player_pair, facts.banker_pair, facts.pairs) == ("none", "mixed", "none", "one")


@pytest.mark.parametrize(
    ("player", "banker", "natural"),
    [
        (("9c", "Kd"), ("2c", "2d"), "player"),
        (("2c", "2d"), ("4c", "4d"), "banker"),
        (("8c", "Td"), ("9c", "Td"), "both"),
        (("6c", "Td"), ("7c", "Td"), "none"),
        (("4c", "Td", "4d"), ("7c", "Td"), "none"),
    ],
)
def test_a_natural_is_a_two_card_eight_or_nine(player: tuple[str, ...], banker: tuple[str, ...], natural: str) -> None:
    assert facts_of(player, banker).natural == natural


@pytest.mark.parametrize(
    ("player", "banker", "player_pair", "banker_pair", "pairs"),
    [
        (("7c", "7d"), ("2c", "5d"), "mixed", "none", "one"),
        (("2c", "5d"), ("Kh", "Kh"), "none", "suited", "one"),
        (("3c", "3c"), ("4c", "4d"), "suited", "mixed", "two"),
        (("4c", "4c"), ("4d", "4d"), "suited", "suited", "alike"),
        (("9c", "Kc"), ("9d", "Kd"), "none", "none", "none"),
        (("Kc", "Qc"), ("Jc", "Tc"), "none", "none", "none"),
    ],
)
def test_a_pair_is_two_cards_of_one_rank_suited_when_of_one_suit(
    player: tuple[str, ...], banker: tuple[str, ...], player_pair: str, banker_pair: str, pairs: str
) -> None:
    facts = facts_of(player, banker)

    assert (facts.player_pair, facts.banker_pair, facts.pairs) == (player_pair, banker_pair, pairs)


def test_a_third_card_makes_no_pair() -> None:
    assert facts_of(("2c", "3d", "3d"), ("6c", "Kd")).player_pair == "none"


@pytest.mark.parametrize(
    ("dealt", "complaint"),
    [
        ("", "one card is missing: Player is to have card 1"),
        ("5d,Kd,5s", "one card is missing: Banker is to have card 2"),
        ("5d,Kd,5s,Ac", "one card is missing: Player is to have card 3"),
        ("5d,Kd,5s,Ac,9s", "one card is missing: Banker is to have card 3"),
        ("5d,Kd,5s,Ac,9s,5c,2h", "one card too many: the coup was complete before 2h"),
        ("9d,Kd,Ks,Ac,9s", "one card too many: the coup was complete before 9s"),
        ("5d,Kd,5s,1c", "'1c' is not a card"),
    ],
)
def test_cards_that_no_dealer_could_have_dealt_are_refused(dealt: str, complaint: str) -> None:
    with pytest.raises(IllegalCoup, match=complaint):
        deal(dealt.split(",") if dealt else [])


def test_replay_says_which_rule_drew_or_stood() -> None:
    assert rulings(("5d", "5s", "9s"), ("Kd", "Ac", "5c")) == ("Player draws on 0", "Banker draws on 1 against a 9")
    assert rulings(("5d", "Ks", "8s"), ("Kd", "3c")) == ("Player draws on 5", "Banker stands on 3 against an 8")
    assert rulings(("7d", "Ks"), ("Kd", "6c")) == ("Player stands on 7", "Banker stands on 6, Player having stood")
    assert rulings(("8d", "Ks"), ("Kd", "6c")) == ("Player has a natural 8: no more cards",)
    assert rulings(("8d", "Ks"), ("Kd", "9c")) == (
        "Player has a natural 8: no more cards",
        "Banker has a natural 9: no more cards",
    )


def test_rulings_agree_with_the_cards_that_fell() -> None:
    by_points = {POINTS[card]: card for card in CARDS}
    for first, second, third, fourth in product(by_points, repeat=4):
        player, banker = [by_points[first], by_points[third]], [by_points[second], by_points[fourth]]
        while (hand := next_hand(player, banker)) is not None:
            (player if hand == "player" else banker).append("7s")
        said = rulings(player, banker)
        assert (len(player) == 3) == any("Player draws" in line for line in said)
        assert (len(banker) == 3) == any("Banker draws" in line for line in said)
