"""`shoelog simulate`: its figures as text and as JSON, whoever plays them, and when it ends with 1."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from services.house.cli import main
from services.table.game.rules import builtin

SEED = ("--seed", "tuesday")


def simulated(*words: str) -> Result:
    return CliRunner().invoke(main, ["simulate", "--jobs", "1", *words])


RARE = """
name = "rare"
version = 1
game = "house"

[procedure]
decks = 8
burn = "one"
cut = 14
after_cut = "finish"

[winnings]
mode = "floor"
unit = 1

[bets.player-pair]
ladder = [{ player_pair = "suited", banker_pair = "suited", pays = "1000/1" }]

[limits.bets]
player-pair = { min = 100, max = 100000 }
"""


@pytest.fixture
def rare(tmp_path: Path) -> str:
    """A rule file whose one bet hardly ever wins."""
    (tmp_path / "rare.toml").write_text(RARE)
    return str(tmp_path / "rare.toml")


def test_json_is_one_line_with_every_bet_beside_its_edge() -> None:
    said = simulated("--shoes", "20", *SEED, "--rules", "ez", "--json")

    answer = json.loads(said.stdout)
    assert (said.exit_code, said.stderr, said.stdout.count("\n")) == (0, "", 1)
    assert (answer["rules"], answer["decks"], answer["seed"], answer["shoes"]) == ("ez", 8, "tuesday", 20)
    assert list(answer["bets"]) == list(builtin("ez").rules.bets)
    assert answer["bets"]["player"]["edge"] == "0.012350813289166"
    assert answer["bets"]["dragon-7"]["edge"].startswith("0.076113344724")
    assert answer["outcomes"]["tie"]["probability"].startswith("0.0951559680236")
    assert 1500 < answer["coups"] < 1800


def test_the_same_seed_gives_the_same_figures_however_many_play() -> None:
    words = ("--shoes", "150", *SEED, "--json")

    alone, together, other = simulated(*words), simulated(*words, "--jobs", "2"), simulated(*words, "--seed", "monday")

    assert alone.stdout == together.stdout
    assert json.loads(other.stdout)["bets"] != json.loads(alone.stdout)["bets"]


def test_without_a_seed_one_is_drawn_and_told() -> None:
    first, second = (json.loads(simulated("--shoes", "1", "--json").stdout)["seed"] for _ in range(2))

    assert first != second
    again = simulated("--shoes", "1", "--json", "--seed", first)
    assert json.loads(again.stdout)["seed"] == first


def test_figures_for_people_stand_in_a_table() -> None:
    said = simulated("--shoes", "20", *SEED).stdout

    assert said.startswith("punto-banco, 8 decks, seed tuesday: 20 shoes, 1,6")
    assert "Coups a shoe 8" in said
    for bet in builtin("punto-banco").rules.bets:
        assert f"\n{bet} " in said
    assert "0.0105790578" in said


def test_a_rule_file_is_played_too(rare: str) -> None:
    answer = json.loads(simulated("--shoes", "1", *SEED, "--rules", rare, "--json").stdout)

    assert (answer["rules"], list(answer["bets"])) == ("rare", ["player-pair"])


def test_a_figure_beyond_five_standard_errors_ends_with_1(rare: str) -> None:
    ended = simulated("--shoes", "1", "--seed", "59", "--rules", rare, "--json")

    assert ended.exit_code == 1
    assert abs(float(json.loads(ended.stdout)["bets"]["player-pair"]["z"])) > 5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rules", "roulette"], "'roulette' is not a rule set of the house; it has ba"),
        (["--shoes", "0"], "0 is not in the range x>=1"),
        (["--jobs", "0"], "0 is not in the range x>=1"),
        (["--seed", "x" * 65], "65 signs; at most 64"),
        (["ez"], "unexpected extra argument"),
    ],
)
def test_wrong_usage_ends_with_64_and_says_what_would_be_right(words: list[str], said: str) -> None:
    ended = simulated(*words)

    assert (ended.exit_code, ended.stdout) == (64, "")
    assert said in ended.stderr


def test_rules_that_are_none_are_refused_with_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("name = 3\n")

    ended = simulated("--rules", str(tmp_path / "bad.toml"))

    assert (ended.exit_code, ended.stdout) == (1, "")
    assert "bad.toml, line 1, name: " in ended.stderr
