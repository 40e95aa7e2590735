"""The bank: every line exact under the rounding that the rules name."""

from fractions import Fraction
from math import floor
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET

from schemas.rules import RoundingMode, Rules
from services.table.game.bank import net_odds, round_to, settle
from services.table.game.paytable import paytable, ratio_text
from services.table.game.rules import builtin, house_banked
from services.table.game.tableau import Facts, deal

PLAYER_WINS = deal(["5d", "Kd", "5s", "Ac", "9s", "5c"]).facts
BANKER_WINS = deal(["Kd", "4c", "Qd", "4h"]).facts
BANKER_BY_FIVE = deal(["Kd", "2c", "Qd", "3c", "Js"]).facts
BANKER_BY_SIX = deal(["2c", "Kc", "3d", "6h", "Ks"]).facts
BANKER_BY_THREE_CARD_SEVEN = deal(["Kd", "Kc", "Qd", "2c", "2h", "5s"]).facts
PLAYER_BY_THREE_CARD_EIGHT = deal(["Kd", "Kc", "3d", "7c", "5h"]).facts
TIE = deal(["4c", "4d", "4h", "4d"]).facts

MODES: list[RoundingMode] = ["floor", "half-up", "half-even"]


def rules(name: str, **changes: dict[str, Any]) -> Rules:
    tree: dict[str, Any] = msgspec.to_builtins(builtin(name).rules)
    for part, change in changes.items():
        tree[part].update(change)
    return msgspec.convert(tree, Rules)


def odds(name: str, facts: Facts) -> dict[str, str]:
    played = builtin(name).rules
    return {bet: ratio_text(net_odds(played, bet, facts)) for bet in played.bets}


def test_a_five_dollar_banker_win_returns_nine_seventy_five() -> None:
    (line,) = settle(paytable(builtin("punto-banco").rules), BANKER_WINS, [("p1", "banker", 500)])

    assert (line.stake, line.won, line.commission, line.returned) == (500, 500, 25, 975)
    assert line.marked is UNSET


def test_a_rate_of_several_parts_in_a_hundred_is_taken_whole() -> None:
    bets = {"banker": {"commission": "3/50", "ladder": [{"winner": "banker", "pays": "1/1"}]}}

    (line,) = settle(paytable(rules("punto-banco", bets=bets)), BANKER_WINS, [("p1", "banker", 500)])

    assert (line.won, line.commission, line.returned) == (500, 30, 970)


def test_lines_stand_in_the_order_of_the_stakes() -> None:
    stakes = [("p2", "tie", 100), ("p1", "banker", 200), ("p2", "player", 300), ("p1", "player", 400)]

    lines = settle(paytable(builtin("punto-banco").rules), PLAYER_WINS, stakes)

    assert [(line.patron, line.bet, line.stake) for line in lines] == stakes
    assert [line.returned for line in lines] == [0, 0, 600, 800]


def test_player_and_banker_push_on_a_tie() -> None:
    stakes = [("p1", "player", 100), ("p1", "banker", 200), ("p1", "tie", 300)]

    lines = settle(paytable(builtin("punto-banco").rules), TIE, stakes)

    assert [(line.won, line.commission, line.returned) for line in lines] == [(0, 0, 100), (0, 0, 200), (2400, 0, 2700)]


def test_marked_commission_is_owed_and_not_taken() -> None:
    marking = paytable(rules("punto-banco", commission={"collect": "marked"}))

    won, pushed, lost = (
        settle(marking, facts, [("p1", "banker", 500)])[0] for facts in (BANKER_WINS, TIE, PLAYER_WINS)
    )

    assert (won.won, won.commission, won.returned, won.marked) == (500, 0, 1000, 25)
    assert (pushed.commission, pushed.returned, pushed.marked) == (0, 500, 0)
    assert (lost.commission, lost.returned, lost.marked) == (0, 0, 0)


def test_a_line_is_logged_with_its_keys_in_order() -> None:
    marking = paytable(rules("punto-banco", commission={"collect": "marked"}))

    at_once = settle(paytable(builtin("punto-banco").rules), BANKER_WINS, [("p1", "banker", 500)])
    marked = settle(marking, BANKER_WINS, [("p1", "banker", 500)])

    assert msgspec.json.encode(at_once) == (
        b'[{"patron":"p1","bet":"banker","stake":500,"won":500,"commission":25,"returned":975}]'
    )
    assert msgspec.json.encode(marked) == (
        b'[{"patron":"p1","bet":"banker","stake":500,"won":500,"commission":0,"returned":1000,"marked":25}]'
    )


@pytest.mark.parametrize(
    ("name", "facts", "banker"),
    [
        ("punto-banco", BANKER_BY_FIVE, "19/20"),
        ("simplified", BANKER_BY_FIVE, "1/1"),
        ("berlin", BANKER_BY_FIVE, "1/2"),
        ("berlin", BANKER_BY_SIX, "1/1"),
        ("super-6", BANKER_BY_SIX, "1/2"),
        ("super-6", BANKER_BY_FIVE, "1/1"),
        ("ez", BANKER_BY_THREE_CARD_SEVEN, "0/1"),
        ("ez", BANKER_BY_SIX, "1/1"),
        ("mini", BANKER_WINS, "19/20"),
        ("ez", TIE, "0/1"),
        ("punto-banco", PLAYER_WINS, "-1/1"),
    ],
)
def test_banker_is_paid_with_the_exceptions_of_each_rule_set(name: str, facts: Facts, banker: str) -> None:
    assert odds(name, facts)["banker"] == banker


def test_what_each_bet_is_paid_when_player_wins_with_a_pair() -> None:
    assert odds("punto-banco", PLAYER_WINS) == {
        "player": "1/1",
        "banker": "-1/1",
        "tie": "-1/1",
        "player-pair": "11/1",
        "banker-pair": "-1/1",
    }


def test_a_tie_pays_eight_or_nine() -> None:
    assert odds("punto-banco", TIE)["tie"] == "8/1"
    assert odds("punto-banco-9", TIE)["tie-9"] == "9/1"


def test_super_6_dragon_7_and_panda_8() -> None:
    assert odds("super-6", BANKER_BY_SIX)["super-6"] == "12/1"
    assert odds("ez", BANKER_BY_THREE_CARD_SEVEN)["dragon-7"] == "40/1"
    assert odds("ez", PLAYER_BY_THREE_CARD_EIGHT)["panda-8"] == "25/1"


@pytest.mark.parametrize(
    ("mode", "rounded"),
    [
        ("floor", [0, 25, 25, 50, 50, 75, 0, 0]),
        ("half-up", [25, 25, 50, 50, 75, 100, 0, 25]),
        ("half-even", [0, 25, 50, 50, 50, 100, 0, 25]),
    ],
)
def test_each_mode_rounds_halves_its_own_way(mode: RoundingMode, rounded: list[int]) -> None:
    halves = [Fraction(25, 2), Fraction(25), Fraction(75, 2), Fraction(50), Fraction(125, 2), Fraction(175, 2)]
    amounts = [*halves, Fraction(10), Fraction(15)]

    assert [round_to(amount, mode, 25) for amount in amounts] == rounded


@given(st.fractions(min_value=0, max_value=2**53, max_denominator=1000), st.sampled_from(MODES), st.integers(1, 1000))
def test_rounding_is_what_the_formulas_say(amount: Fraction, mode: RoundingMode, unit: int) -> None:
    rounded = round_to(amount, mode, unit)

    assert rounded % unit == 0
    if mode == "floor":
        assert rounded == unit * floor(amount / unit)
    elif mode == "half-up":
        assert rounded == unit * floor(amount / unit + Fraction(1, 2))
    else:
        assert rounded == unit * round(amount / unit)


@given(
    name=st.sampled_from(house_banked()),
    facts=st.sampled_from([PLAYER_WINS, BANKER_WINS, BANKER_BY_FIVE, BANKER_BY_SIX, TIE]),
    stake=st.integers(1, 2**40),
    mode=st.sampled_from(MODES),
    unit=st.sampled_from([1, 5, 25]),
    collect=st.sampled_from(["at-once", "marked"]),
)
def test_every_line_is_the_formula_of_its_rules(  # noqa: PLR0913 - one argument for each thing that varies
    *, name: str, facts: Facts, stake: int, mode: RoundingMode, unit: int, collect: str
) -> None:
    changes: dict[str, dict[str, Any]] = {"winnings": {"mode": mode, "unit": unit}}
    if builtin(name).rules.commission is not UNSET:
        changes["commission"] = {"collect": collect, "mode": mode, "unit": unit}
    table = paytable(rules(name, **changes))

    lines = settle(table, facts, [("p1", bet, stake) for bet in table.rules.bets])

    for line in lines:
        paid = table.pays(line.bet, facts)
        won = round_to(stake * paid, mode, unit) if paid else 0
        due = round_to(won * table.rates[line.bet], mode, unit)
        assert line.won == won
        assert line.commission == (0 if table.marks else due)
        assert line.marked == (due if table.marks else UNSET)
        assert line.returned == (0 if paid is None else stake + won - line.commission)
