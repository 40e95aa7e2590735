"""Scrutiny: what may just be written down, and what is one more than may be."""

import pytest

from schemas.rules import Rules, encode
from services.table.game import scrutiny
from services.table.game.ratios import LARGEST_AMOUNT
from services.table.game.scrutiny import RulesError, check, check_limits, insist
from services.table.game.state import MAX_STACK
from tests.table.game.sitting import limited, ruled

PLAYER = {"player": (1, 10)}


def of_limits(rules: Rules, bets: dict[str, tuple[int, int]]) -> list[str]:
    return check_limits(rules, limited(bets))


def test_a_bets_least_may_be_its_most() -> None:
    assert of_limits(ruled(), {"player": (10, 10)}) == []
    assert of_limits(ruled(), {"player": (10, 9)}) == [
        "limits.bets.player: min 10 is above max 9; a smaller min, or a larger max"
    ]


def test_a_players_bank_may_be_the_largest_stack_and_no_more() -> None:
    rules = ruled("chemin-de-fer")

    assert of_limits(rules, {"bank": (10, 10), **PLAYER}) == []
    assert of_limits(rules, {"bank": (10, 9), **PLAYER}) == [
        "limits.bets.bank: min 10 is above max 9; a smaller min, or a larger max"
    ]
    assert of_limits(rules, {"bank": (10, MAX_STACK), **PLAYER}) == []
    assert of_limits(rules, {"bank": (10, MAX_STACK + 1), **PLAYER}) == [
        f"limits.bets.bank.max: more than the largest stack, {MAX_STACK}"
    ]


def test_the_house_has_no_bank_to_limit_and_a_players_bank_no_bet_that_its_rules_lack() -> None:
    (of_the_house,) = of_limits(ruled(), {"bank": (10, 100), **PLAYER})
    (of_a_player,) = of_limits(ruled("chemin-de-fer"), {"bank": (10, 100), "tie": (1, 10), **PLAYER})

    assert of_the_house.startswith("limits.bets.bank: punto-banco has no such bet")
    assert of_a_player.startswith("limits.bets.tie: chemin-de-fer has no such bet")


def test_the_largest_stake_is_the_one_whose_best_win_can_just_be_written() -> None:
    rules = ruled(bets={"tie": {"ladder": [{"winner": "tie", "pays": "8/1"}]}})
    most = LARGEST_AMOUNT // 9

    (complaint,) = of_limits(rules, {"tie": (1, most + 1)})
    assert complaint == f"limits.bets.tie.max: a win at {most + 1} could not be written down; at most {most}"
    assert not any("could not be written down" in other for other in of_limits(rules, {"tie": (1, most)}))
    assert of_limits(rules, {"tie": (most + 1, most + 1)}) == [complaint]


def test_the_best_coup_may_just_fill_what_a_stack_leaves() -> None:
    room = LARGEST_AMOUNT - MAX_STACK
    half, odd = divmod(room, 2)
    assert odd
    stakes = {"player": (1, half)}

    assert of_limits(ruled(), stakes) == []
    one_more = ruled(bets={"tie": {"ladder": [{"winner": "tie", "pays": "0/1"}]}})
    assert of_limits(one_more, {**stakes, "tie": (1, 1)}) == []
    assert of_limits(one_more, {**stakes, "tie": (2, 2)}) != []


def test_rules_and_limits_may_just_fill_their_part_of_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    rules, limits = ruled(), limited(PLAYER)
    size = len(encode(rules)) + len(encode(limits))

    monkeypatch.setattr(scrutiny, "LARGEST_RULES_BYTES", size)
    assert check_limits(rules, limits) == []
    monkeypatch.setattr(scrutiny, "LARGEST_RULES_BYTES", size - 1)
    assert check_limits(rules, limits) == [f"rules and limits: {size} bytes as they are logged; at most {size - 1}"]


def test_rules_are_insisted_on_and_limits_once_the_rules_are_sound() -> None:
    unsound = ruled(procedure={"cut": 405})

    insist(ruled())
    insist(ruled(), limited(PLAYER))
    with pytest.raises(RulesError, match="min 10 is above max 9") as of_the_limits:
        insist(ruled(), limited({"player": (10, 9)}))
    with pytest.raises(RulesError, match=r"procedure\.cut") as of_the_rules:
        insist(unsound, limited({"player": (10, 9)}))

    assert len(of_the_limits.value.complaints) == len(of_the_rules.value.complaints) == 1
    assert list(of_the_rules.value.complaints) == check(unsound)


VALUES: dict[str, list[int | str]] = {
    "winner": ["player", "banker", "tie"],
    "player": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    "banker": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    "player_cards": [2, 3],
    "banker_cards": [2, 3],
    "cards": [4, 5, 6],
    "margin": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    "natural": ["none", "player", "banker", "both"],
    "player_pair": ["none", "mixed", "suited"],
    "banker_pair": ["none", "mixed", "suited"],
    "pairs": ["none", "one", "two", "alike"],
}


@pytest.mark.parametrize("fact", VALUES)
def test_a_rung_may_ask_for_every_value_of_a_fact_and_for_none_beside_them(fact: str) -> None:
    every = ruled(bets={"tie": {"ladder": [{fact: VALUES[fact], "pays": "1/1"}]}})
    outside = [value for values in VALUES.values() for value in [*values, 10] if value not in VALUES[fact]]

    assert check(every) == []
    for value in outside:
        (complaint,) = check(ruled(bets={"tie": {"ladder": [{fact: value, "pays": "1/1"}]}}))
        assert "is not a value of this fact" in complaint


@pytest.mark.parametrize(("game", "least", "most"), [("punto-banco", 6, 8 * 52 - 12), ("banque", 9, 3 * 52 - 12)])
def test_a_cut_card_may_lie_just_where_the_longest_coups_fit(game: str, least: int, most: int) -> None:
    assert check(ruled(game, procedure={"cut": least})) == check(ruled(game, procedure={"cut": most})) == []
    (complaint,) = check(ruled(game, procedure={"cut": most + 1}))
    assert complaint.startswith(f"procedure.cut: {most + 1} is too deep; {least} to {most} with ")
