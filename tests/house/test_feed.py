"""The lines of live tables: each held against the tableau, and what is wrong with one named by line and field."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from services.house.cli import main
from services.table.game.cards import CARDS, RANKS
from services.table.game.live import BadLine, CoupRead, card_of, read
from services.table.game.tableau import deal

LIVE = json.loads(Path("tests/data/live_rounds.json").read_text())["rounds"]
ONE = "C.7,C.8,H.11,D.7,,C.7"


def dotted(card: str) -> str:
    """Write a card as live tables do."""
    return f"{card[1].upper()}.{RANKS.index(card[0]) + 1}"


def line_of(seen: dict[str, Any]) -> str:
    """Write a round as live tables do."""
    player, banker = seen["player"], seen["banker"]
    thirds = [dotted(hand[2]) if len(hand) > 2 else "" for hand in (player, banker)]
    return ",".join([*(dotted(card) for two in zip(player[:2], banker[:2], strict=True) for card in two), *thirds])


def feed(*arguments: str | Path, told: str | None = None) -> Result:
    return CliRunner().invoke(main, ["feed", *map(str, arguments)], input=told)


@pytest.fixture
def live(tmp_path: Path) -> Path:
    path = tmp_path / "live.txt"
    path.write_text("".join(f"{line_of(seen)}\n" for seen in LIVE))
    return path


def test_rounds_of_a_live_table_are_read_as_that_table_announced_them(live: Path) -> None:
    done = feed("--json", live)

    assert done.exit_code == 0
    read_lines = json.loads(done.stdout)
    assert len(read_lines) == len(LIVE) > 10
    for number, (told, seen) in enumerate(zip(read_lines, LIVE, strict=True), 1):
        assert told["line"] == number
        assert (told["player"], told["banker"]) == (seen["player"], seen["banker"])
        assert told["totals"] == {"player": seen["player_total"], "banker": seen["banker_total"]}
        assert told["winner"] == seen["winner"].lower()
        assert (told["natural"] != "none") == seen["natural"]


def test_coups_are_told_a_line_each_and_summed_up() -> None:
    done = feed("-", told=f"# a comment\n\n{ONE}\r\n7c,8c,Jh,7d,,7c")

    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "line    3  Player 7c Jh    7  Banker 8c 7d 7c 2  Player wins",
        "line    4  Player 7c Jh    7  Banker 8c 7d 7c 2  Player wins",
        "2 coups: Player 2, Banker 0, Tie 0",
    ]


def test_quietly_only_what_is_wrong_is_told() -> None:
    done = feed("-", "--quiet", told=f"{ONE}\nhello\n")

    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == ["line 2, field 1 (Player 1)", "1 coup"]


@pytest.mark.parametrize("card", CARDS)
def test_a_card_is_read_in_both_ways_of_writing(card: str) -> None:
    assert card_of(dotted(card)) == card_of(card) == card


@pytest.mark.parametrize(
    "field", ["", "C", "C.", "C.0", "C.14", "C.01", "c.7", "X.7", "C.7.", "C.٣", "C. 7", "7C", "1c"]
)
def test_what_is_no_card_is_not_read_as_one(field: str) -> None:
    assert card_of(field) is None


@pytest.mark.parametrize(
    ("text", "field", "what", "right"),
    [
        ("C.7,C.8,H.11,D.7,C.2,C.7", 5, "2c is one too many", "nothing: Player stands on 7"),
        ("C.7,C.8,H.11,D.7,,", 6, "a card is missing", "a card: Banker draws on 5, Player having stood"),
        ("C.9,C.8,H.11,D.13,,C.1", 6, "Ac is one too many", "nothing: Player has a natural 9"),
        ("C.1,C.2,H.11,D.13,,C.1", 5, "a card is missing", "a card: Player draws on 1"),
        ("C.1,C.3,H.11,D.13,H.8,C.1", 6, "Ac is one too many", "nothing: Banker stands on 3 against an 8"),
        ("C.7,C.8,,D.7,,C.7", 3, "a card is missing", "a suit of C D H S"),
        ("C.7,C.8,H.11,D.14,,C.7", 4, "'D.14' is no card", "a suit of C D H S"),
        ("C.7,C.8,H.11,D.7,,Z", 6, "'Z' is no card", "a suit of C D H S"),
        ("C.7,C.8,H.11,D.7", 5, "4 fields", "six"),
        (ONE + ",", 7, "7 fields", "six"),
        ("hello", 1, "'hello' is no card", "a suit of C D H S"),
        ("C" * 10_000, 1, "is no card", "a suit of C D H S"),
    ],
)
def test_a_bad_line_is_named_with_its_field_and_what_would_be_right(
    text: str, field: int, what: str, right: str
) -> None:
    done = feed("-", told=f"{ONE}\n{text}\n{ONE}\n")

    assert done.exit_code == 1
    first, bad, last, summed = done.stdout.splitlines()
    assert first.startswith("line    1")
    assert last.startswith("line    3")
    assert bad.startswith(f"line 2, field {field}")
    assert what in bad
    assert f"right: {right}" in bad
    assert summed == "2 coups: Player 2, Banker 0, Tie 0; 1 line is none"
    told = json.loads(feed("-", "--json", told=text).stdout)
    assert (told[0]["line"], told[0]["field"]) == (1, field)


def test_a_line_is_a_coup_exactly_when_a_dealer_could_have_dealt_it() -> None:
    hands = [("7c", "8c", "Jh", "7d"), ("Ac", "2c", "Kd", "2d"), ("9c", "8c", "Jh", "Qd"), ("6c", "3c", "Jh", "3d")]
    for first in hands:
        for player in ("", "8s", "As"):
            for banker in ("", "5s"):
                cards = [*first, *filter(None, (player, banker))]
                (told,) = read([",".join([*first, player, banker])])
                try:
                    dealt = deal(cards)
                except ValueError:
                    dealt = None
                if dealt is not None and len(dealt.player) - 2 == bool(player):
                    assert isinstance(told, CoupRead)
                    assert (told.coup, told.cards) == (dealt, tuple(cards))
                else:
                    assert isinstance(told, BadLine)


def test_no_card_comes_more_often_than_the_decks_hold() -> None:
    done = feed("-", "--decks", "1", told=f"{ONE}\n")
    enough = feed("-", "--decks", "2", told=f"{ONE}\n")

    assert done.exit_code == 1
    assert "line 1, field 6 (Banker's third): 7c comes out 2 times of 1 decks" in done.stdout
    assert enough.exit_code == 0


@pytest.mark.parametrize("text", ["", "\n\n# nothing\n"])
def test_where_nothing_is_said_nothing_is_passed(text: str) -> None:
    assert feed("-", told=text).exit_code == 3
    assert json.loads(feed("-", "--json", told=text).stdout) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("no-such-file",),
        ("-", "--decks", "13"),
        ("-", "--url", "http://127.0.0.1:9"),
        ("-", "--burn", "3h"),
        ("-", "--reader", "a"),
        ("-", "--json", "--url", "http://127.0.0.1:9", "--key", "k", "--table", "t"),
        ("-", "--url", "http://127.0.0.1:9", "--key", "k", "--table", "t", "--burn", "H.14"),
    ],
)
def test_wrong_usage_has_a_status_of_its_own(arguments: tuple[str, ...]) -> None:
    assert feed(*arguments, told=ONE).exit_code == 64
