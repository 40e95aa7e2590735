"""The pay table: the first rung that matches pays, and every fact that a rung may name works."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from schemas.rules import Bet, Rules
from services.table.game.paytable import is_of_one_tableau, paytable, ratio, ratio_text
from services.table.game.rules import FACTS, builtin
from services.table.game.tableau import Facts, deal

SIX_CARDS = deal(["5d", "Kd", "5s", "Ac", "9s", "5c"]).facts  # 9 to 6, Player's fives a mixed pair
NATURAL_TIE = deal(["4c", "4d", "4h", "4d"]).facts  # 8 to 8, all fours, Banker's suited
BANKER_STANDS = deal(["Kd", "2c", "Qd", "3c", "Js"]).facts  # 0 to 5, Banker stands against a face


def table_of(ladder: list[dict[str, Any]]) -> Rules:
    tree: dict[str, Any] = msgspec.to_builtins(builtin("simplified").rules)
    tree["bets"] = {"bet": {"ladder": ladder}}
    return msgspec.convert(tree, Rules)


def paid(facts: Facts, *ladder: dict[str, Any]) -> Fraction | None:
    return paytable(table_of(list(ladder))).pays("bet", facts)


@pytest.mark.parametrize(
    ("facts", "fact", "value"),
    [
        (SIX_CARDS, "winner", "player"),
        (BANKER_STANDS, "winner", "banker"),
        (NATURAL_TIE, "winner", "tie"),
        (SIX_CARDS, "player", 9),
        (SIX_CARDS, "banker", 6),
        (BANKER_STANDS, "player_cards", 3),
        (BANKER_STANDS, "banker_cards", 2),
        (NATURAL_TIE, "cards", 4),
        (BANKER_STANDS, "cards", 5),
        (SIX_CARDS, "cards", 6),
        (SIX_CARDS, "margin", 3),
        (SIX_CARDS, "natural", "none"),
        (NATURAL_TIE, "natural", "both"),
        (SIX_CARDS, "player_pair", "mixed"),
        (NATURAL_TIE, "banker_pair", "suited"),
        (BANKER_STANDS, "banker_pair", "none"),
        (BANKER_STANDS, "pairs", "none"),
        (SIX_CARDS, "pairs", "one"),
        (NATURAL_TIE, "pairs", "alike"),
    ],
)
def test_a_rung_holds_for_its_value_and_for_no_other(facts: Facts, fact: str, value: str | int) -> None:
    others = [other for other in FACTS[fact] if other != value]

    assert paid(facts, {fact: value, "pays": "2/1"}) == 2
    assert paid(facts, {fact: [*others, value], "pays": "2/1"}) == 2
    assert paid(facts, {fact: others, "pays": "2/1"}) is None


def test_every_fact_of_a_coup_can_be_named() -> None:
    assert set(Facts.__struct_fields__) | {"right_winner", "left_winner"} == set(FACTS)


def test_a_bet_is_of_one_tableau_unless_it_asks_for_a_side() -> None:
    def asking(**rung: Any) -> Bet:
        return msgspec.convert({"ladder": [{"winner": "tie", "pays": "1/1"}, {**rung, "pays": "1/1"}]}, Bet)

    assert is_of_one_tableau(asking(pairs="one"))
    assert not is_of_one_tableau(asking(right_winner="player"))


def test_all_facts_named_must_hold() -> None:
    assert paid(SIX_CARDS, {"winner": "player", "margin": 3, "pays": "2/1"}) == 2
    assert paid(SIX_CARDS, {"winner": "player", "margin": 4, "pays": "2/1"}) is None


def test_the_first_rung_that_matches_pays() -> None:
    assert paid(SIX_CARDS, {"winner": "player", "pays": "3/1"}, {"margin": 3, "pays": "4/1"}) == 3
    assert paid(SIX_CARDS, {"margin": 2, "pays": "4/1"}, {"pays": "1/2"}) == Fraction(1, 2)


def test_odds_of_nothing_are_a_push_and_no_rung_is_a_loss() -> None:
    assert paid(NATURAL_TIE, {"winner": "tie", "pays": "0/1"}) == 0
    assert paid(NATURAL_TIE, {"winner": "player", "pays": "1/1"}) is None


def test_a_bet_that_the_rules_do_not_have_has_no_odds() -> None:
    with pytest.raises(KeyError):
        paytable(builtin("ez").rules).pays("super-6", SIX_CARDS)


def test_the_same_rules_share_one_pay_table() -> None:
    rules = builtin("ez").rules

    assert paytable(rules) is paytable(msgspec.convert(msgspec.to_builtins(rules), Rules))


@pytest.mark.parametrize("text", ["", "1", "1/", "/1", "1/0", "-1/1", "1/-1", "1.5/1", " 1/1", "1/1/1", "½"])
def test_what_is_no_ratio_is_not_read(text: str) -> None:
    with pytest.raises(ValueError, match="is not a ratio"):
        ratio(text)


def test_a_ratio_is_written_in_lowest_terms() -> None:
    assert [ratio_text(value) for value in (Fraction(95, 100), Fraction(0), Fraction(-1), ratio("1/2"))] == [
        "19/20",
        "0/1",
        "-1/1",
        "1/2",
    ]
