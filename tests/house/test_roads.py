"""`shoelog roads`: what it prints, byte for byte where programs read it, and what it refuses."""

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from schemas.bundle import open_bundle
from services.audit.coups import Coup, Ending, coups
from services.house.boards import Ink, drawing
from services.house.cli import main
from services.house.roads import winner_of
from services.table.game.roads import ROWS, Roads

DATA = Path(__file__).parents[1] / "data"
VECTORS = json.loads((DATA / "road_vectors.json").read_text())["vectors"]
SAMPLE = DATA / "sample-punto-banco.zip"
PLAIN = Ink(in_colour=False, with_boxes=True, width=None)


def shoelog(*words: str) -> Result:
    return CliRunner().invoke(main, ["roads", *words])


def test_roads_in_json_are_one_line_of_exactly_these_bytes() -> None:
    said = shoelog("BPPTP", "--json")

    assert said.exit_code == 0
    assert said.stdout == (
        '{"big_eye_boy":"BR","small_road":"","cockroach_pig":"",'
        '"big_road":[{"winner":"B","length":1,"ties":[0]},{"winner":"P","length":3,"ties":[0,1,0]}]}\n'
    )


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["outcomes"])
def test_the_published_roads_are_printed(vector: dict[str, Any]) -> None:
    answer = json.loads(shoelog(vector["outcomes"], "--json").stdout)

    columns = [[column["winner"], column["length"], column["ties"]] for column in answer.pop("big_road")]
    assert columns == vector["big_road_columns"]
    assert answer == {name: vector[name] for name in ("big_eye_boy", "small_road", "cockroach_pig")}


def test_all_there_is_comes_behind_the_roads() -> None:
    answer = json.loads(shoelog("tbpp", "--json", "--full").stdout)

    assert list(answer)[:4] == ["big_eye_boy", "small_road", "cockroach_pig", "big_road"]
    assert answer["bead_plate"] == "TBPP"
    assert answer["drawn"]["big_road"] == [[1, 1], [2, 1], [2, 2]]
    assert answer["ask"]["player"] == {"big_eye_boy": "R", "small_road": "", "cockroach_pig": ""}


def test_the_roads_of_a_bundle_are_those_of_its_winners() -> None:
    winners = "".join(map(winner_of, coups(open_bundle(SAMPLE))))

    assert len(winners) == 83
    assert shoelog("--bundle", str(SAMPLE), "--json").stdout == shoelog(winners, "--json").stdout


@pytest.mark.parametrize(
    ("deeds", "letter"),
    [(["settled"], "P"), (["settled", "reversed", "settled"], "P"), (["settled", "reversed", "voided"], ""), ([], "")],
)
def test_a_coup_counts_as_it_ended_last(deeds: list[str], letter: str) -> None:
    coup = Coup(table="b1", shoe=1, round=1, currency="EUR", version=1, at="", free=False)
    coup.endings = [Ending(deed=deed, winner="player") for deed in deeds]

    assert winner_of(coup) == letter


def test_the_boards_are_drawn_six_rows_deep() -> None:
    said = shoelog("BBBBBBBBPPTPB").stdout

    assert "\nBig road\n┌──────┐\n│B P B │\n│B P1  │\n│B P   │\n│B     │\n│B     │\n│B B B │\n└" in said
    assert "\x1b" not in said


def test_what_would_come_next_is_drawn() -> None:
    lines = shoelog("BBPPBB").stdout.splitlines()

    assert "Banker     B            B           -" in lines
    assert "Player     R            R           -" in lines


@given(st.lists(st.sampled_from("BPT"), max_size=90), st.integers(10, 60))
def test_on_a_screen_no_line_of_a_board_is_wider_than_it(outcomes: list[str], width: int) -> None:
    lines = drawing(Roads(outcomes), Ink(in_colour=True, with_boxes=True, width=width)).splitlines()

    boxes = [click.unstyle(line) for line in lines if click.unstyle(line)[:1] in "┌│└"]
    assert bool(boxes) == bool(outcomes)
    assert all(len(line) <= width for line in boxes)
    assert len([line for line in boxes if line[0] == "│"]) % ROWS == 0


@given(st.lists(st.sampled_from("BPT"), max_size=90))
def test_colours_and_boxes_change_no_place(outcomes: list[str]) -> None:
    plain = drawing(Roads(outcomes), PLAIN).splitlines()
    painted = drawing(Roads(outcomes), Ink(in_colour=True, with_boxes=False, width=None)).splitlines()

    without_boxes = [line.translate(str.maketrans("┌┐└┘─│", "++++-|")) for line in plain]
    assert [click.unstyle(line) for line in painted] == without_boxes[:-1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["BPX"], "'X' in place 3 is no winner: write B for Banker, P for Player or T for a tie"),
        (["B P"], "' ' in place 2"),
        (["BP", "BP"], "unexpected extra argument"),
        ([], "say who won"),
        (["BP", "--bundle", "b1.zip"], "say who won"),
        (["BP", "--full"], "--full is of --json"),
    ],
)
def test_wrong_usage_ends_with_64_and_says_what_would_be_right(words: list[str], said: str) -> None:
    ended = shoelog(*words)

    assert (ended.exit_code, ended.stdout) == (64, "")
    assert said in ended.stderr


def test_what_the_page_shows_is_what_is_printed() -> None:
    page = (Path(__file__).parents[2] / "docs" / "roads.md").read_text()
    examples = re.findall(r"^\$ shoelog roads (.*)\n((?:(?!```).*\n)*)", page, re.MULTILINE)

    assert len(examples) == 2
    for words, shown in examples:
        assert shoelog(*words.split()).stdout == shown


def test_a_bundle_that_cannot_be_read_ends_with_3(tmp_path: Path) -> None:
    (tmp_path / "b1.zip").write_text("no zip")

    ended = shoelog("--bundle", str(tmp_path / "b1.zip"))

    assert (ended.exit_code, ended.stdout) == (3, "")
    assert "could not be read" in ended.stderr
