"""`shoelog odds`: every bet's exact odds, for people and for programs."""

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from services.house.cli import main
from services.table.game.rulefile import RULEBOOK
from services.table.game.rules import builtin

EVENING = """
name = "evening"
version = 1
game = "house"
side_bets = ["winning-8"]
procedure = { decks = 6, burn = "none", cut = 20, after_cut = "finish" }
winnings = { mode = "floor", unit = 1 }

[bets.player]
ladder = [{ winner = "player", pays = "1/1" }, { winner = "tie", pays = "0/1" }]
"""


def shoelog(*words: str) -> Result:
    return CliRunner().invoke(main, ["odds", *words])


def answer(*words: str) -> dict[str, Any]:
    said = shoelog(*words, "--json")
    assert said.exit_code == 0, said.stderr
    told = json.loads(said.stdout)
    assert isinstance(told, dict)
    return told


def test_odds_in_json_are_one_line_of_this_shape() -> None:
    said = shoelog("--json")

    assert said.stdout.count("\n") == 1
    told = json.loads(said.stdout)
    assert list(told) == ["rules", "decks", "bets", "outcomes"]
    assert (told["rules"], told["decks"]) == ("punto-banco", 8)
    assert list(told["bets"]) == list(builtin("punto-banco").rules.bets)
    assert list(told["bets"]["banker"]) == ["edge", "edge_fraction", "sd", "steps"]
    assert told["bets"]["banker"]["edge"] == "0.010579057842472"
    assert told["bets"]["banker"]["sd"] == "0.927372021793213"
    assert [step["odds"] for step in told["bets"]["banker"]["steps"]] == ["19/20", "0/1", "-1/1"]
    assert list(told["outcomes"]) == ["player", "banker", "tie"]
    assert sum(Fraction(chance) for chance in told["outcomes"].values()) == 1


@pytest.mark.parametrize("words", [(), ("--rules", "ez"), ("--rules", "super-6@1", "--decks", "1")])
def test_an_edge_is_what_its_steps_come_to(words: tuple[str, ...]) -> None:
    bets = answer(*words)["bets"]
    assert {"player", "banker"} <= set(bets)

    for bet in bets.values():
        steps = [(Fraction(step["odds"]), Fraction(step["probability"])) for step in bet["steps"]]

        assert sum(chance for _, chance in steps) == 1
        edge = -sum((odds * chance for odds, chance in steps), Fraction(0))
        assert Fraction(bet["edge_fraction"]) == edge
        assert abs(Fraction(bet["edge"]) - edge) <= Fraction(1, 2 * 10**15)


def test_another_number_of_decks_has_other_odds() -> None:
    one = answer("--decks", "1")

    assert one["decks"] == 1
    assert one["bets"]["player-pair"]["edge_fraction"] == "5/17"


def test_a_file_has_odds_and_other_readings_stand_beside_its_bets(tmp_path: Path) -> None:
    path = tmp_path / "evening.toml"
    path.write_text(EVENING, encoding="utf-8")

    told = answer("--rules", str(path))

    assert (told["rules"], told["decks"]) == ("evening", 6)
    assert list(told["bets"]) == ["player", "winning-8", "winning-8-tie-loses"]
    assert Fraction(told["bets"]["winning-8"]["edge"]) < Fraction(told["bets"]["winning-8-tie-loses"]["edge"])


def test_where_hands_choose_the_odds_are_those_of_the_tableau_and_say_so() -> None:
    told = answer("--rules", "chemin-de-fer")

    assert told["choices"] == "tableau"
    assert told["bets"]["player"]["edge_fraction"] == told["bets"]["banco"]["edge_fraction"]
    assert sum(Fraction(chance) for chance in told["outcomes"].values()) == 1


def test_chemin_de_fer_with_every_choice_free_is_worth_what_kemeny_and_snell_found(tmp_path: Path) -> None:
    path = tmp_path / "free.toml"
    book = (RULEBOOK / "chemin-de-fer.toml").read_text(encoding="utf-8")
    path.write_text(re.sub(r"(?m)^mode = \"options\"\ncells = .*$", 'mode = "free"', book), encoding="utf-8")

    solved = answer("--rules", str(path))["solved"]

    assert solved["bank_gains"] == "679568/53094899"
    assert solved["player_draws_on_5"] == "9/11"
    assert solved["banker_draws"]["6-stand"] == "859/2288"


def test_banque_has_odds_on_either_side() -> None:
    told = answer("--rules", "banque")

    assert list(told["outcomes"]) == ["right", "left"]
    assert all(sum(map(Fraction, side.values())) == 1 for side in told["outcomes"].values())
    assert told["bets"]["right"]["edge"].startswith("0.014654804279926")
    assert told["bets"]["cheval"]["edge"].startswith("0.002414086264598")


def test_every_side_bet_of_the_house_can_be_had_beside() -> None:
    assert len(answer("--rules", "simplified", "--side-bets")["bets"]) == 42


def test_odds_for_people_show_each_step() -> None:
    told = shoelog("--rules", "simplified").stdout.splitlines()

    assert told == [
        "simplified, 8 decks",
        "  Player 0.446246609   Banker 0.458597423   Tie 0.095155968",
        "",
        "bet       house edge   deviation",
        "player    1.235081 %    0.951153",
        "            1 to 1     0.446246609",
        "              push     0.095155968",
        "              lost     0.458597423",
        "banker   -1.235081 %    0.951153",
        "            1 to 1     0.458597423",
        "              push     0.095155968",
        "              lost     0.446246609",
        "tie      14.359629 %    2.640872",
        "            8 to 1     0.095155968",
        "              lost     0.904844032",
    ]


@pytest.mark.parametrize(
    "words",
    [
        ["--rules", "roulette"],
        ["--rules", "ez@2"],
        ["--rules", "none.toml"],
        ["--decks", "13"],
        ["ez"],
    ],
)
def test_wrong_usage_ends_with_64(words: list[str]) -> None:
    said = shoelog(*words)

    assert (said.exit_code, said.stdout) == (64, "")


def test_a_file_that_is_refused_has_no_odds(tmp_path: Path) -> None:
    path = tmp_path / "evening.toml"
    path.write_text(EVENING.replace('"1/1"', '"2/2"'), encoding="utf-8")

    said = shoelog("--rules", str(path))

    assert (said.exit_code, said.stdout) == (1, "")
    assert "line 10, bets.player.ladder[0].pays: 2/2 is not in lowest terms; write 1/1" in said.stderr
