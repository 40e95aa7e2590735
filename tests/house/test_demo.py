"""`shoelog demo`: whole shoes are played, booked and verified, and nothing of the house is left but the bundles."""

import os
import signal
import subprocess
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from schemas import policy
from services.house.circle import Circle
from services.house.cli import main
from services.house.party import Party, Tally
from services.house.reckoning import differences, verdict_of
from services.house.runner import Runner
from tests.databases import scratch_directory
from tests.house.opened import child, command, eventually
from tests.style.checkout import ROOT

FIGURE = {"rounds": 2, "voided": 0, "handle": 1000, "win": 300, "commission": 5, "net": 305}
CHECKS = ("bytes", "chain", "log", "shoe", "rules", "money")


def party(tally: Tally) -> Party:
    seated = Party(Runner("http://127.0.0.1:1", "key"), "b1", rules="mini", patrons=1, seed="test")
    seated.tally = tally
    return seated


def report(**results: str) -> list[dict[str, object]]:
    checks = [{"check": name, "result": results.get(name, "passed"), "findings": []} for name in CHECKS]
    return [{"file": "b1.zip", "complete": "open" not in results, "entropy": "patron", "checks": checks}]


def told_in(scratch: Path, command: str) -> int:
    """How many such commands the demo's table service has answered so far."""
    return sum(log.read_text().count(command) for log in scratch.glob("*/house/table.log"))


def coups_in(scratch: Path) -> int:
    return told_in(scratch, "/rounds/current/coup")


def test_a_shoe_is_played_booked_and_verified_though_everything_is_killed_once(tmp_path: Path) -> None:
    with scratch_directory() as scratch:
        playing = subprocess.Popen(
            command("demo", "--out", str(tmp_path), "--rules", "mini", "--witnesses", "1"),
            cwd=ROOT,
            env={**os.environ, "TMPDIR": str(scratch)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for coups, words in ((10, "postgres"), (25, "witness serve"), (35, "table serve"), (50, "ledger serve")):
            eventually(lambda coups=coups: coups_in(scratch) >= coups, f"{coups} coups")  # type: ignore[misc]
            os.kill(child(playing.pid, words), signal.SIGKILL)
        said, _ = playing.communicate()
        left = list(scratch.iterdir())

    assert playing.returncode == 0, said
    assert said.count("ended by SIGKILL; it starts again") == 4
    assert "passed: bytes, chain, log, shoe, rules, money" in said
    assert "difference 0" in said
    assert {path.name for path in tmp_path.iterdir()} == {"mini-shoe-1.zip", "policy", "log.vkey"}
    assert left == []
    asked = policy.parse((tmp_path / "policy").read_bytes())
    with zipfile.ZipFile(tmp_path / "mini-shoe-1.zip") as bundle:
        assert policy.judge(asked, bundle.read("checkpoint")).cosigned == ("witness-1",)


def test_where_players_bank_each_answers_for_himself_though_the_table_is_killed_once(tmp_path: Path) -> None:
    games = ("chemin-de-fer", "banque", "dining-room")
    with scratch_directory() as scratch:
        playing = subprocess.Popen(
            command("demo", "--out", str(tmp_path), *(word for game in games for word in ("--rules", game))),
            cwd=ROOT,
            env={**os.environ, "TMPDIR": str(scratch)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        eventually(lambda: told_in(scratch, "/rounds/current/deal") >= 10, "ten deals")
        os.kill(child(playing.pid, "table serve"), signal.SIGKILL)
        said, _ = playing.communicate()

    assert playing.returncode == 0, said
    assert said.count("ended by SIGKILL; it starts again") == 1
    assert said.count("passed: bytes, chain, log, shoe, rules, money") == len(games)
    assert "difference 0" in said
    # Of the house's figures only commission is left, the levy; the dining-room has none.
    figures = {words[0]: words[4:7] for words in map(str.split, said.splitlines()) if words and words[0] in games}
    assert {game: (win, commission == net) for game, (win, commission, net) in figures.items()} == dict.fromkeys(
        games, ("0", True)
    )
    assert figures["dining-room"][1] == "0"
    assert figures["chemin-de-fer"][1] != "0"


def test_figures_that_agree_are_no_finding() -> None:
    counted = Tally(rounds=2, handle=1000, returned=695, commission=5, bought=2000, cashed=1695)

    assert list(differences(party(counted), FIGURE)) == []


@pytest.mark.parametrize("name", FIGURE)
def test_every_figure_of_the_ledger_is_held_against_the_patrons_own(name: str) -> None:
    counted = Tally(rounds=2, handle=1000, returned=695, commission=5, bought=2000, cashed=1695)

    [found] = differences(party(counted), {**FIGURE, name: FIGURE[name] + 1})

    assert name in found


def test_money_that_patrons_left_behind_must_be_the_houses() -> None:
    counted = Tally(rounds=2, handle=1000, returned=695, commission=5, bought=2000, cashed=1694)

    assert list(differences(party(counted), FIGURE)) == ["table b1: patrons left 306 behind, the house has 305"]


def test_where_a_player_banks_the_house_wins_nothing() -> None:
    circle = Circle(Runner("http://127.0.0.1:1", "key"), "b1", rules="banque", patrons=2, seed="test")
    circle.tally = Tally(rounds=2, handle=1000, returned=695, commission=5, bought=2000, cashed=1695)

    assert list(differences(circle, FIGURE)) == ["table b1: a player banks, and the ledger says that the house won 300"]


def test_a_verdict_holds_only_when_every_check_of_a_complete_shoe_passed() -> None:
    path = Path("b1.zip")

    assert verdict_of(path, report()).holds
    assert not verdict_of(path, report(money="failed")).holds
    assert not verdict_of(path, report(log="not-checked")).holds
    assert not verdict_of(path, report(open="yes")).holds


@pytest.mark.parametrize("words", [["up", "--data"], ["demo", "--out"]], ids=" ".join)
def test_strict_play_without_witnesses_is_wrong_usage(tmp_path: Path, words: list[str]) -> None:
    told = CliRunner().invoke(main, [*words, str(tmp_path), "--strict"])

    assert told.exit_code == 64
    assert "say --witnesses too" in told.stderr


def test_a_rule_set_that_the_house_does_not_have_is_wrong_usage(tmp_path: Path) -> None:
    words = ["demo", "--out", str(tmp_path), "--rules", "roulette"]

    assert CliRunner().invoke(main, words).exit_code == 64
