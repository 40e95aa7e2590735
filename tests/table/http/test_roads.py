"""Roads over REST: as the coups made them, rewritten when a coup is, and told to dashboards as they change."""

import contextlib
import json
import signal
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from services.table.game.roads import DERIVED, Roads
from tests.table.http.conftest import MakeService
from tests.table.http.service import AUDITOR, DASHBOARD, Desk, Service, dashed, entries_of, open_table
from tests.table.http.test_bad_input import told
from tests.table.http.test_wrong_phase import UNDO

CURRENT = "/rounds/current"
LETTERS = {"banker": "B", "player": "P", "tie": "T"}


def open_shoe(desk: Desk) -> str:
    at = open_table(desk)
    desk.tell(f"{at}/shoes/start")
    return at


def play(desk: Desk, at: str, *, coups: int) -> str:
    """Play so many coups, and give their winners' letters."""
    winners = []
    for _ in range(coups):
        desk.tell(f"{at}/rounds")
        winners.append(LETTERS[desk.tell(f"{at}{CURRENT}/coup")["totals"]["winner"]])
    return "".join(winners)


@contextlib.contextmanager
def watched(service: Service, at: str, query: str = "", **headers: str) -> Iterator[Iterator[tuple[int, Any]]]:
    """A table's stream of roads, as a dashboard has it: places and roads."""

    def events(lines: Iterator[str]) -> Iterator[tuple[int, Any]]:
        place = -1
        for line in lines:
            if line.startswith("id: "):
                place = int(line.removeprefix("id: "))
            elif line.startswith("data: "):
                yield place, json.loads(line.removeprefix("data: "))

    shown = {"Authorization": f"Bearer {DASHBOARD}", **dashed(headers)}
    with httpx.stream("GET", f"{service.url}/v1{at}/roads/stream{query}", headers=shown, timeout=30) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream"), answer.headers
        yield events(answer.iter_lines())


def test_the_roads_of_a_table_are_what_its_coups_make(desk: Desk, shared_service: Service) -> None:
    at = open_shoe(desk)

    winners = play(desk, at, coups=12)

    roads = Roads(winners)
    shown = desk.ask(f"{at}/roads")
    assert (shown["bead_plate"], shown["shoe"], shown["format"]) == (winners, 1, "roads/v1")
    assert shown["big_road"] == [{"winner": c.winner, "length": c.length, "ties": c.ties} for c in roads.big_road]
    assert {name: shown[name] for name in DERIVED} == {name: "".join(roads.derived[name]) for name in DERIVED}
    assert shown["drawn"]["big_road"] == [list(place) for place in roads.boards["big_road"].places]
    assert shown["ask"]["banker"]["big_eye_boy"] == (roads.ask("B")["big_eye_boy"] or "")
    assert desk.ask(f"{at}/shoes/1/roads") == shown
    for reader in (shared_service.client(AUDITOR), shared_service.client(DASHBOARD)):
        assert reader.ask(f"{at}/roads") == reader.ask(f"{at}/shoes/1/roads") == shown


def test_a_void_coup_is_on_no_road(desk: Desk) -> None:
    at = open_shoe(desk)
    first = play(desk, at, coups=2)
    desk.tell(f"{at}/rounds")
    desk.tell(f"{at}{CURRENT}/close")
    desk.tell(f"{at}{CURRENT}/card")
    desk.tell(f"{at}{CURRENT}/void", {"reason": "misdeal"})

    last = play(desk, at, coups=2)

    assert desk.ask(f"{at}/roads")["bead_plate"] == first + last


@pytest.mark.parametrize(("then", "is_left"), [("settle", True), ("void", False)])
def test_a_reversed_coup_counts_as_it_is_settled_again(desk: Desk, then: str, is_left: bool) -> None:  # noqa: FBT001
    at = open_shoe(desk)
    winners = play(desk, at, coups=3)

    desk.tell(f"{at}{CURRENT}/reverse", {**UNDO, "then": then})

    assert desk.ask(f"{at}/roads")["bead_plate"] == (winners if is_left else winners[:-1])


def test_a_shoe_s_roads_are_the_same_when_it_is_over_and_another_is_in_play(desk: Desk) -> None:
    at = open_shoe(desk)
    play(desk, at, coups=5)
    desk.tell(f"{at}{CURRENT}/reverse", {**UNDO, "then": "void"})
    play(desk, at, coups=2)
    open_roads = desk.ask(f"{at}/shoes/1/roads")

    desk.tell(f"{at}/shoes/current/close", {"reason": "test"})
    between = desk.ask(f"{at}/roads")
    desk.tell(f"{at}/shoes/start")

    assert between == open_roads == desk.ask(f"{at}/shoes/1/roads")
    assert len(open_roads["bead_plate"]) == 6
    fresh = desk.ask(f"{at}/roads")
    assert (fresh["shoe"], fresh["bead_plate"], fresh["big_road"]) == (2, "", [])


def test_a_table_without_a_shoe_has_empty_roads(desk: Desk) -> None:
    at = open_table(desk)

    shown = desk.ask(f"{at}/roads")

    assert "shoe" not in shown
    assert (shown["bead_plate"], shown["version"]) == ("", 1)


def test_roads_that_are_not_there_are_not_found(desk: Desk) -> None:
    at = open_shoe(desk)

    told(desk.get("/tables/nowhere/roads"), 404, "unknown-table")
    told(desk.get("/tables/nowhere/roads/stream"), 404, "unknown-table")
    assert desk.get(f"{at}/shoes/2/roads").status_code == 404
    told(desk.get(f"{at}/roads/stream?limit=3"), 400, "malformed")


def test_a_dashboard_is_told_the_roads_whenever_they_change(desk: Desk, shared_service: Service) -> None:
    at = open_shoe(desk)
    with watched(shared_service, at) as events:
        _, first = next(events)
        winners = play(desk, at, coups=1)
        place, second = next(events)
        desk.tell(f"{at}{CURRENT}/reverse", {**UNDO, "then": "void"})
        _, third = next(events)

    assert [one["bead_plate"] for one in (first, second, third)] == ["", winners, ""]
    stream = at[1:].replace("tables", "table")
    (settled,) = [entry for entry in entries_of(desk, stream) if entry["event"]["type"] == "round-settled"]
    assert settled["version"] == second["version"]
    assert json.loads(desk.get(f"/log/entries?after={place - 1}&limit=1").text) == settled


def test_a_stream_of_roads_resumes_with_what_has_changed_since(desk: Desk, shared_service: Service) -> None:
    at = open_shoe(desk)
    with watched(shared_service, at) as events:
        place, _ = next(events)

    with watched(shared_service, at, Last_Event_ID=str(place)) as events:
        winners = play(desk, at, coups=1)
        later, roads = next(events)
    with watched(shared_service, at, f"?after={place}") as events:
        assert next(events) == (later, roads)

    assert later > place
    assert roads["bead_plate"] == winners


def test_a_stream_of_roads_tells_what_another_service_dealt_and_ends_when_its_own_stops(
    make_service: MakeService,
) -> None:
    one = make_service()
    other = make_service(one.database)
    at = open_shoe(one.client())
    with watched(one, at) as events:
        next(events)
        winners = play(other.client(), at, coups=1)
        _, roads = next(events)
        one.process.send_signal(signal.SIGTERM)
        rest = list(events)

    assert roads["bead_plate"] == winners
    assert rest == []
    assert one.process.wait() == 0
