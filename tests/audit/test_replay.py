"""`shoelog replay`: a coup as a dealer would tell it."""

import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from schemas.bundle import ENTRIES
from schemas.events import RoundSettled
from services.audit.currency import written
from services.audit.replay import replay_command
from tests.audit import tapes
from tests.audit.test_lies import rewrite

SAMPLE = Path("tests/data/sample-punto-banco.zip")


def replay(*arguments: str | Path) -> Result:
    """Call the command."""
    return CliRunner().invoke(replay_command, [str(argument) for argument in arguments])


def test_a_coup_is_told_card_by_card_and_bet_by_bet() -> None:
    told = replay(SAMPLE, "--round", "3").output.splitlines()

    assert told == [
        "Table s1, shoe 1, round 3 (2026-11-30T10:00:15.906000Z, version 36)",
        "  Bets",
        "    9f8e4f10         player                       150.60 EUR",
        "    9f8e4f10         player-dragon-bonus          144.49 EUR",
        "    82af40c5         player-dragon-bonus          189.62 EUR",
        "    77a24c83         tie                          226.95 EUR",
        "    90e0726a         banker                        57.02 EUR",
        "    56778cb8         banker                        49.91 EUR",
        "    1d0c5b97         player-dragon-bonus          210.49 EUR",
        "  Cards",
        "    Player   9s   makes 9",
        "    Banker   Js   makes 0",
        "    Player   5d   makes 4",
        "    Banker   7s   makes 7",
        "    Player draws on 4",
        "    Player   2d   makes 6",
        "    Banker stands on 7 against a 2",
        "  Banker wins, 7 over 6",
        "    9f8e4f10         player                       150.60 EUR   loses",
        "    9f8e4f10         player-dragon-bonus          144.49 EUR   loses",
        "    82af40c5         player-dragon-bonus          189.62 EUR   loses",
        "    77a24c83         tie                          226.95 EUR   loses",
        (
            "    90e0726a         banker                        57.02 EUR   wins 57.02 EUR less 2.85 EUR commission, "
            "gets back 111.19 EUR"
        ),
        (
            "    56778cb8         banker                        49.91 EUR   wins 49.91 EUR less 2.50 EUR commission, "
            "gets back 97.32 EUR"
        ),
        "    1d0c5b97         player-dragon-bonus          210.49 EUR   loses",
        "",
        (
            "Entropy  patron: no last ingredient was named; a patron contributed, but the operator may have been the "
            "last to do so"
        ),
    ]


def test_real_cards_have_no_grade(tmp_path: Path) -> None:
    told = replay(tapes.scanned().write(tmp_path / "real.zip")).output

    assert told.endswith("\nEntropy  no grade: real cards, read by a scanner\n")


def test_a_natural_ends_the_coup() -> None:
    assert "    Banker has a natural 8: no more cards" in replay(SAMPLE, "--round", "4").output.splitlines()


def test_a_whole_shoe_is_told_coup_after_coup() -> None:
    told = replay(SAMPLE).output

    assert [f"round {number} (" in told for number in range(1, 84)] == [True] * 83
    assert told.count("the cut card comes out") == 1
    assert "  Tie at " in told
    assert "   pushes, stake back" in told


def test_what_turns_a_coup_from_its_course_is_told(tmp_path: Path) -> None:
    told = replay(tapes.an_evening().write(tmp_path / "bundle.zip")).output

    for words in (
        "round 2, a free coup",
        "taken back",
        "The coup is void, every stake returns: misdeal, approved by floor:ben",
        "The settlement is reversed: error, approved by floor:ben and floor:eva",
        "commission",
        ", owes ",
    ):
        assert words in told, words


def test_a_coup_still_open_is_told_as_far_as_it_went(tmp_path: Path) -> None:
    tape = tapes.at_once()

    told = replay(tapes.Tape(tape.facts[:-4]).write(tmp_path / "bundle.zip")).output

    assert "  The coup is still open\n" in told


def test_json_has_the_same_in_minor_units() -> None:
    (coup,) = json.loads(replay(SAMPLE, "--json", "--round", "3").output)

    assert (coup["table"], coup["shoe"], coup["round"], coup["currency"]) == ("s1", 1, 3, "EUR")
    assert [card["card"] for card in coup["cards"]] == ["9s", "Js", "5d", "7s", "2d"]
    assert coup["cards"][0] == {"hand": "player", "card": "9s", "position": 12}
    assert coup["rulings"] == ["Player draws on 4", "Banker stands on 7 against a 2"]
    (ending,) = coup["endings"]
    assert (ending["player"], ending["banker"], ending["winner"]) == (6, 7, "banker")
    assert ending["lines"][4]["commission"] == 285
    assert len(json.loads(replay(SAMPLE, "--json").output)) == 83


def test_a_round_that_is_not_there_is_1() -> None:
    assert replay(SAMPLE, "--round", "99").exit_code == 1
    assert replay(SAMPLE, "--round", "99", "--json").stdout == "[]\n"


def test_wrong_usage_is_64() -> None:
    for arguments in ((), (SAMPLE, SAMPLE), ("--round", "x", SAMPLE), ("--round", "0", SAMPLE)):
        assert replay(*arguments).exit_code == 64


def test_what_cannot_be_read_is_3(tmp_path: Path) -> None:
    assert replay(tmp_path / "absent.zip").exit_code == 3


def test_lines_that_are_no_entries_are_passed_over(tmp_path: Path) -> None:
    with zipfile.ZipFile(SAMPLE) as sample:
        members = {name: sample.read(name) for name in sample.namelist()}
    members[ENTRIES] = b"nonsense\n\n\xff\n" + members[ENTRIES]

    result = replay(rewrite(tmp_path / "bundle.zip", members), "--round", "83")

    assert result.exit_code == 0
    assert "round 83" in result.output


def test_totals_that_the_cards_do_not_make_are_not_told_as_if_they_did(tmp_path: Path) -> None:
    tape = tapes.at_once()
    index = tape.find(RoundSettled)
    event = tape.event(RoundSettled)

    told = replay(
        tape.change(index, player=((event.player or 0) + 1) % 10).write(tmp_path / "bundle.zip"), "--round", "1"
    )

    assert "(the cards make" in told.output


@pytest.mark.parametrize(
    ("minor_units", "currency", "words"),
    [
        (975, "USD", "9.75 USD"),
        (5, "EUR", "0.05 EUR"),
        (-1050, "EUR", "-10.50 EUR"),
        (500, "JPY", "500 JPY"),
        (1_005, "KWD", "1.005 KWD"),
        (12, "CLF", "0.0012 CLF"),
    ],
)
def test_amounts_are_written_in_the_currencys_own_units(minor_units: int, currency: str, words: str) -> None:
    assert written(minor_units, currency) == words


def test_a_coup_in_which_a_player_banks_is_told_with_its_seats_its_passes_and_its_choices() -> None:
    golden = Path("schemas/golden/bundles/salon")

    banque, chemin = (replay(golden / f"{game}-shoe-1.zip").output for game in ("banque", "chemin-de-fer"))

    for words in ("  Seats\n    1 p1, 2 p2", "has the hand on the right", "chooses to draw", "   asks\n", "the bank's"):
        assert words in banque
    for words in ("it is the turn of seat", "has the bank, standing at", "passes\n", "   takes ", " levy", "no-bank"):
        assert words in chemin
