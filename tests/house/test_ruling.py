"""`shoelog rules`: what the house plays by, and what is wrong with what somebody wrote."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from schemas.rules import encode
from services.house.cli import main
from services.table.game.rules import builtin, names
from tests.house.test_price import EVENING

DOUBTFUL = '{ winner = "player", pays = "1/1" }, { player = 6, pays = "2/1" }'


def shoelog(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["rules", *map(str, words)])


def file_of(folder: Path, text: str = EVENING) -> Path:
    path = folder / "evening.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_every_rule_set_is_listed_with_its_version_and_bets() -> None:
    told = shoelog("list").stdout.splitlines()

    assert [line.split()[0] for line in told] == names()
    assert "super-6        version 1  player banker tie super-6" in told
    listed = json.loads(shoelog("list", "--json").stdout)
    assert listed[1] == {"name": "berlin", "version": 1, "is_retired": False}


def test_a_rule_set_is_shown_for_people_and_as_it_is_logged() -> None:
    told = shoelog("show", "punto-banco@1").stdout

    assert told.startswith("punto-banco, version 1\n  8 decks, burn first-card, cut 14: one more coup\n")
    assert "  commission at-once, rounded half-up to 1\n" in told
    assert "  banker, commission 1/20\n       1 to 1  winner banker\n         push  winner tie\n" in told
    assert "      11 to 1  player_pair mixed or suited\n" in told
    ez = builtin("ez")
    both = b'{"rules":%b,"limits":%b}\n' % (encode(ez.rules), encode(ez.limits))
    assert shoelog("show", "ez", "--json").stdout.encode() == both


def test_a_sound_file_passes_and_is_told_what_it_lacks(tmp_path: Path) -> None:
    path = file_of(tmp_path)

    said = shoelog("check", path)

    assert said.exit_code == 0
    assert said.stdout.splitlines() == [
        f"{path}: sound; evening, version 1, 2 bets",
        f"{path}: it suggests no limits, so a table opened with it must be given some",
    ]


def test_a_doubt_is_a_warning_with_its_line_and_does_not_fail(tmp_path: Path) -> None:
    path = file_of(tmp_path, EVENING.replace('{ winner = "player", pays = "1/1" }', DOUBTFUL))

    said = shoelog("check", path)

    assert said.exit_code == 0
    assert f"{path}, warning, line 10, bets.player.ladder[1]: shares coups with bets.player.ladder[0]" in said.stdout
    warnings = json.loads(shoelog("check", path, "--json").stdout)["warnings"]
    assert [(warning["line"], warning["where"]) for warning in warnings] == [
        (10, "bets.player.ladder[1]"),
        (10, "bets.player.ladder[2]"),
    ]


def test_what_is_wrong_is_told_with_line_field_and_remedy(tmp_path: Path) -> None:
    path = file_of(tmp_path, EVENING.replace('winner = "tie"', 'winner = "egality"'))

    unknown = "'egality' is not a value of this fact; it is one of player, banker, tie"

    said = shoelog("check", path)

    assert said.exit_code == 1
    assert said.stdout.splitlines() == [
        f"{path}, line 10, bets.player.ladder[1].winner: {unknown}",
        f"{path}: refused",
    ]
    assert json.loads(shoelog("check", path, "--json").stdout) == {
        "file": str(path),
        "sound": False,
        "complaints": [
            {
                "line": 10,
                "where": "bets.player.ladder[1].winner",
                "what": unknown,
            }
        ],
        "warnings": [],
    }


def test_what_is_wrong_with_a_side_bet_is_told_where_it_is_named(tmp_path: Path) -> None:
    path = file_of(tmp_path, EVENING.replace("decks = 6", "decks = 1").replace("winning-8", "perfect-pair"))

    assert shoelog("check", path).stdout.startswith(
        f"{path}, line 5, bets.perfect-pair.ladder[0]: no coup of 1 deck has player_pair suited; "
    )


def test_what_the_service_shows_of_its_rules_can_be_checked(tmp_path: Path) -> None:
    path = tmp_path / "ez.json"
    path.write_bytes(b'{"rules":' + encode(builtin("ez").rules) + b',"limits":' + encode(builtin("ez").limits) + b"}")

    assert shoelog("check", path).stdout == f"{path}: sound; ez, version 1, 5 bets\n"


@pytest.mark.parametrize(
    "words", [["check"], ["check", "nowhere.toml"], ["show", "faro"], ["show"], ["shuffle"], ["list", "ez"]]
)
def test_wrong_usage_ends_with_64(words: list[str]) -> None:
    said = shoelog(*words)

    assert (said.exit_code, said.stdout) == (64, "")
