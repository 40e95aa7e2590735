"""`shoelog feed --url`: the lines of a live table played at a table, by one reader or by two."""

import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from schemas.note import parse_vkey
from services.audit.log import Trust
from services.audit.verdict import judge
from services.house.cli import main
from services.table.game.tableau import next_hand
from tests.house.test_feed import LIVE, line_of
from tests.table.http.service import OPERATOR, PATIENCE_SECONDS, Desk, Service, open_table

LINES = [line_of(seen) for seen in LIVE]


def feed(service: Service, at: str, file: Path, *more: str) -> Result:
    arguments = ["--url", service.url, "--key", OPERATOR, "--table", at.rpartition("/")[2], *more]
    return CliRunner().invoke(main, ["feed", str(file), *arguments])


@contextmanager
def second_reader(service: Service, at: str, file: Path) -> "Iterator[subprocess.Popen[str]]":
    """Have somebody else tell what he saw, as a process of his own."""
    arguments = ["--url", service.url, "--key", OPERATOR, "--table", at.rpartition("/")[2], "--reader", "b"]
    command = [sys.executable, "-m", "services.house.cli", "feed", str(file), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def written(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def winners(desk: Desk, at: str, count: int) -> list[str]:
    return [desk.ask(f"{at}/shoes/1/rounds/{number}")["totals"]["winner"] for number in range(1, count + 1)]


def test_live_rounds_are_played_at_a_table_and_proved(desk: Desk, shared_service: Service, tmp_path: Path) -> None:
    at, file = open_table(desk), written(tmp_path / "live.txt", *LINES)

    done = feed(shared_service, at, file, "--burn", "C.2")

    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[-1].endswith(f"round {len(LIVE)}")
    assert winners(desk, at, len(LIVE)) == [seen["winner"].lower() for seen in LIVE]
    desk.tell(f"{at}/shoes/current/close", {"reason": "test"})
    path = tmp_path / "shoe.zip"
    path.write_bytes(desk.get(f"{at}/shoes/1/bundle").content)
    assert judge(path, Trust(log_key=parse_vkey(desk.get("/log/vkey").text.strip()))).exit_code == 0


def test_two_feeds_that_agree_play_together(desk: Desk, shared_service: Service, tmp_path: Path) -> None:
    at, file = open_table(desk), written(tmp_path / "live.txt", LINES[0], *LINES[:4])

    with second_reader(shared_service, at, file) as second:
        first = feed(shared_service, at, file, "--reader", "a", "--burn", "2c")
        said = second.communicate(timeout=PATIENCE_SECONDS)

    assert (first.exit_code, second.returncode) == (0, 0), (first.output, said)
    expected = [LIVE[0], *LIVE[:4]]
    assert winners(desk, at, 5) == [seen["winner"].lower() for seen in expected]


def test_feeds_that_disagree_hold_the_table(desk: Desk, shared_service: Service, tmp_path: Path) -> None:
    at = open_table(desk)
    file, other = written(tmp_path / "a.txt", LINES[0], LINES[1]), written(tmp_path / "b.txt", LINES[1])
    desk.tell(f"{at}/shoes", {"source": "scanned"})

    with second_reader(shared_service, at, other) as second:
        first = feed(shared_service, at, file, "--reader", "a", "--burn", "2c")
        _, complaint = second.communicate(timeout=PATIENCE_SECONDS)

    assert (first.exit_code, second.returncode) == (1, 1), complaint
    assert "irregular-card" in complaint
    assert "suspended: irregular-readers-disagree" in first.output
    table = desk.ask(at)
    assert (table["suspended"], table["shoe"]["rounds"]) == ("irregular-readers-disagree", 1)


def test_what_the_tableau_does_not_allow_is_not_told(desk: Desk, shared_service: Service, tmp_path: Path) -> None:
    at, file = open_table(desk), written(tmp_path / "live.txt", LINES[0], "C.7,C.8,H.11,D.7,,", LINES[1])

    done = feed(shared_service, at, file, "--burn", "2c")

    assert done.exit_code == 1
    assert "line 2, field 6" in done.output
    assert desk.ask(at)["shoe"]["rounds"] == 1
    assert feed(shared_service, at, file, "--from", "3").exit_code == 1  # the bad line is still there
    assert feed(shared_service, at, written(tmp_path / "rest.txt", LINES[1])).exit_code == 0
    assert desk.ask(at)["shoe"]["rounds"] == 2


def test_a_table_that_waits_for_its_burn_says_so(desk: Desk, shared_service: Service, tmp_path: Path) -> None:
    at, file = open_table(desk), written(tmp_path / "live.txt", LINES[0])

    done = feed(shared_service, at, file)

    assert done.exit_code == 1
    assert "--burn" in done.output


def test_no_feed_is_played_where_a_player_banks(desk: Desk, shared_service: Service, tmp_path: Path) -> None:
    at = open_table(desk, rules="chemin-de-fer")

    told = feed(shared_service, at, written(tmp_path / "coups.txt", "7c,8c,Jh,7d,,7c"))

    assert told.exit_code != 0
    assert "a player banks at this table" in told.output
    assert desk.ask(at)["phase"] == "idle"


def test_a_feed_stops_when_the_shoe_is_over(desk: Desk, shared_service: Service, tmp_path: Path) -> None:
    rules: Any = desk.ask("/rules/punto-banco")
    rules["rules"]["procedure"] = {"decks": 1, "burn": "none", "cut": 14, "after_cut": "finish"}
    at = open_table(desk, rules=rules["rules"], limits=rules["limits"])

    done = feed(shared_service, at, written(tmp_path / "shoe.txt", *shoe_lines()))

    assert done.exit_code == 1
    assert "shoe-over" in done.output
    desk.tell(f"{at}/shoes/current/close")


def shoe_lines() -> list[str]:
    """Deal one deck into lines, as far as it goes."""
    cards = random.Random(7).sample([rank + suit for suit in "cdhs" for rank in "A23456789TJQK"], 52)
    lines = []
    while len(cards) > 6:
        hands: dict[str, list[str]] = {"player": [], "banker": []}
        while (hand := next_hand(hands["player"], hands["banker"])) is not None:
            hands[hand].append(cards.pop())
        lines.append(line_of(hands))
    return lines
