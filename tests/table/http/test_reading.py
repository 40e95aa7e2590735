"""What can be looked at, by whom, and how the log is read."""

import contextlib
import io
import json
import re
import time
import zipfile
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from schemas import bundle, checkpoint, note
from schemas.entry import check_bytes
from tests.table.http.conftest import MakeService
from tests.table.http.service import (
    AUDITOR,
    DASHBOARD,
    PATIENCE_SECONDS,
    Desk,
    Service,
    dashed,
    entries_of,
    open_round,
    open_table,
)
from tests.table.http.test_bad_input import BET, told

CURRENT = "/rounds/current"


def test_pages_give_the_log_verbatim_in_order_and_without_a_gap(desk: Desk) -> None:
    open_round(desk)
    first = desk.get("/log/entries?limit=3")
    lines = first.content.splitlines()

    for line in lines:
        check_bytes(line)
    assert first.headers["content-type"] == "application/x-ndjson"
    assert (len(lines), first.headers["shoelog-next"]) == (3, "2")
    following = desk.get("/log/entries?limit=2&after=2").content.splitlines()
    assert desk.get("/log/entries?limit=5").content.splitlines() == [*lines, *following]


def test_a_page_behind_the_end_is_empty_and_says_where_to_go_on(desk: Desk) -> None:
    answer = desk.get("/log/entries?after=9007199254740991")

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["shoelog-next"] == "9007199254740991"


@pytest.mark.parametrize(
    "query",
    ["after=x", "after=-2", "limit=0", "limit=1001", "after=1.5", "before=1", f"after={2**63}", "limit=9" + "9" * 400],
)
def test_a_page_that_makes_no_sense_is_refused(desk: Desk, query: str) -> None:
    told(desk.get(f"/log/entries?{query}"), 400, "malformed")


def test_a_stream_tells_what_is_written_and_resumes_where_it_broke_off(desk: Desk, shared_service: Service) -> None:
    at = open_round(desk)
    start = desk.tell(f"{at}{CURRENT}/bets", BET)["position"]
    with stream(shared_service, f"after={start}") as events:
        placed = [desk.tell(f"{at}{CURRENT}/bets", BET)["position"] for _ in range(3)]
        seen = [next(events) for _ in placed]

    assert [position for position, _ in seen] == placed
    assert all(entry["event"]["type"] == "bet-placed" for _, entry in seen)
    with stream(shared_service, "after=-1", Last_Event_ID=str(placed[0])) as events:
        assert [next(events) for _ in placed[1:]] == seen[1:]


def test_who_leaves_a_stream_leaves_no_fault_in_the_log(make_service: MakeService) -> None:
    service = make_service()
    at = open_table(service.client())

    for path in ("/log/stream", f"{at}/roads/stream", "/log/stream"):
        shown = {"Authorization": f"Bearer {AUDITOR}"}
        with httpx.stream("GET", f"{service.url}/v1{path}", headers=shown, timeout=30) as answer:
            assert any(b"data: " in chunk for chunk in answer.iter_raw())  # and waits for more
    deadline = time.monotonic() + PATIENCE_SECONDS
    while streams_left(service) < len(("log", "roads", "log")):
        assert time.monotonic() < deadline, "a stream that was left goes on"

    assert service.stop() == 0
    assert b'"level":"error"' not in service.log.read_bytes()


def streams_left(service: Service) -> int:
    """Count the streams that have ended."""
    counted = re.findall(r'requests_total\{method="GET",route="[^"]*/stream",status="200"\} (\d+)', metrics_of(service))
    return sum(map(int, counted))


def metrics_of(service: Service) -> str:
    return httpx.get(f"{service.url}/metrics").text


def test_who_asks_for_a_web_socket_is_answered_by_http(make_service: MakeService) -> None:
    service = make_service()
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }

    answer = httpx.get(f"{service.url}/v1/log/vkey", headers=upgrade)

    assert (answer.status_code, answer.text) == (200, httpx.get(f"{service.url}/v1/log/vkey").text)
    assert service.stop() == 0
    assert b'"level":"error"' not in service.log.read_bytes()


@contextlib.contextmanager
def stream(service: Service, query: str, **headers: str) -> Iterator[Iterator[tuple[int, Any]]]:
    """The log's stream, as places and entries."""

    def events(lines: Iterator[str]) -> Iterator[tuple[int, Any]]:
        position = -1
        for line in lines:
            if line.startswith("id: "):
                position = int(line.removeprefix("id: "))
            elif line.startswith("data: "):
                yield position, json.loads(line.removeprefix("data: "))

    shown = {"Authorization": f"Bearer {AUDITOR}", **dashed(headers)}
    with httpx.stream("GET", f"{service.url}/v1/log/stream?{query}", headers=shown, timeout=30) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream"), answer.headers
        yield events(answer.iter_lines())


def test_the_checkpoint_is_signed_on_demand_and_covers_everything(desk: Desk, shared_service: Service) -> None:
    position = desk.tell(f"{open_table(desk)}/dealer", {"dealer": "dealer:anna"})["position"]

    asked = desk.http.post("/v1/log/checkpoint")

    verifier = note.parse_vkey(httpx.get(f"{shared_service.url}/v1/log/vkey").text.strip())
    assert checkpoint.open_checkpoint(asked.content, verifier).size > position
    public = httpx.get(f"{shared_service.url}/v1/log/checkpoint")
    assert checkpoint.open_checkpoint(public.content, verifier).size > position
    assert verifier.name == "shoelog.test/log/1"


def test_a_bundle_of_an_open_shoe_says_that_it_is_not_complete(desk: Desk) -> None:
    at = open_round(desk)

    answer = desk.get(f"{at}/shoes/1/bundle")

    table = at.rpartition("/")[2]
    assert answer.headers["content-disposition"] == f'attachment; filename="{table}-shoe-1.zip"'
    assert int(answer.headers["content-length"]) == len(answer.content)
    with zipfile.ZipFile(io.BytesIO(answer.content)) as opened:
        manifest = json.loads(opened.read(bundle.MANIFEST))
    assert (manifest["complete"], manifest["last_version"]) == (False, desk.ask(at)["version"])
    assert desk.get(f"{at}/shoes/2/bundle").status_code == 404
    assert desk.get(f"{at}/shoes/0/bundle").status_code == 404


def test_a_bundle_ends_with_its_shoe_whatever_was_written_before_the_next(desk: Desk) -> None:
    at = open_round(desk)
    desk.tell(f"{at}{CURRENT}/coup")
    closed = desk.tell(f"{at}/shoes/current/close", {"reason": "test"})["version"]
    for _ in range(120):
        desk.tell(f"{at}/chips/buy", {"patron": "p1", "amount": 5})
    desk.tell(f"{at}/shoes/start")

    for number, complete, last in ((1, True, closed), (2, False, desk.ask(at)["version"])):
        answer = desk.get(f"{at}/shoes/{number}/bundle")
        with zipfile.ZipFile(io.BytesIO(answer.content)) as opened:
            manifest = json.loads(opened.read(bundle.MANIFEST))
        assert (manifest["complete"], manifest["last_version"]) == (complete, last)


def test_a_shoe_is_told_alike_while_it_is_open_and_from_the_log(desk: Desk) -> None:
    at = open_table(desk)
    desk.tell(f"{at}/shoes")
    desk.tell(f"{at}/shoes/current/entropy", {"source": "patron:p1", "value": "c0ffee"})
    desk.tell(f"{at}/shoes/current/shuffle")
    desk.tell(f"{at}/rounds")
    desk.tell(f"{at}{CURRENT}/coup")
    before = desk.ask(f"{at}/shoes/1")

    closed = desk.tell(f"{at}/shoes/current/close", {"reason": "test"})

    after = desk.ask(f"{at}/shoes/1")
    assert (before["state"], after["state"], after["reason"]) == ("in-play", "closed", "test")
    assert after["seed"] == closed["seed"]
    kept = set(before) - {"state", "last_version"}
    assert {part: after[part] for part in kept} == {part: before[part] for part in kept}
    assert desk.ask(f"{at}/shoes")["shoes"] == [
        {"shoe": 1, "first_version": before["first_version"], "last_version": closed["version"]}
    ]


def test_tables_and_rule_sets_are_listed(desk: Desk) -> None:
    at = open_table(desk, rules="berlin")

    tables = {table["table"]: table for table in desk.ask("/tables")["tables"]}
    assert tables[at.rpartition("/")[2]]["rules"] == "berlin"
    assert "berlin" in desk.ask("/rules")["rules"]
    assert desk.ask("/rules/berlin")["rules"] == desk.ask(at)["rules"]
    assert desk.get("/rules/roulette").status_code == 404


def test_an_entry_names_whom_the_operator_spoke_for(desk: Desk) -> None:
    at = open_round(desk)
    desk.tell(f"{at}{CURRENT}/bets", BET, Shoelog_Actor="patron:p1")
    desk.tell(f"{at}{CURRENT}/close")

    *_, bet, close = entries_of(desk, at[1:].replace("tables", "table"))

    assert (bet["actor"], close["actor"]) == ("patron:p1", "operator:test")


@pytest.mark.parametrize(
    ("actor", "status"),
    [("system:table", 403), ("auditor:test", 403), ("operator:other", 403), ("anna", 400), ("Dealer:anna", 400)],
)
def test_an_operator_speaks_for_people_at_the_tables_alone(desk: Desk, actor: str, status: int) -> None:
    at = open_table(desk)
    before = desk.ask(at)

    answer = desk.post(f"{at}/shoes", Shoelog_Actor=actor)

    assert (answer.status_code, answer.json()["where"]) == (status, "header Shoelog-Actor")
    assert desk.ask(at) == before


def test_auditors_read_everything_and_dashboards_what_is_on_the_tables(desk: Desk, shared_service: Service) -> None:
    at = open_round(desk)
    auditor, dashboard = shared_service.client(AUDITOR), shared_service.client(DASHBOARD)

    for path in (at, f"{at}/shoes", f"{at}/shoes/1", f"{at}{CURRENT}", "/tables", "/rules"):
        assert (auditor.get(path).status_code, dashboard.get(path).status_code) == (200, 200)
    for path in (f"{at}/shoes/1/bundle", "/log/entries"):
        assert (auditor.get(path).status_code, dashboard.get(path).status_code) == (200, 403)
    for reader in (auditor, dashboard):
        assert reader.post(f"{at}{CURRENT}/bets", BET).status_code == 403
    assert desk.ask(at)["stacks"] == {"p1": 1_000_000, "p2": 1_000_000}


def test_what_asks_for_no_key_needs_none(shared_service: Service) -> None:
    for path in ("/livez", "/readyz", "/metrics", "/schema/openapi.json", "/v1/log/checkpoint", "/v1/log/vkey"):
        assert httpx.get(shared_service.url + path).status_code == 200, path
    for path in ("/v1/tables", "/v1/log/entries", "/v1/rules"):
        answer = httpx.get(shared_service.url + path)
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")


def test_metrics_have_few_words_for_labels(desk: Desk, shared_service: Service) -> None:
    at = open_round(desk)
    desk.post(f"{at}{CURRENT}/bets", {**BET, "bet": "no-such-bet"})

    metrics = httpx.get(f"{shared_service.url}/metrics").text

    assert 'shoelog_refusals_total{code="unknown-bet"}' in metrics
    assert "shoelog_journal_queued" in metrics
    assert at.rpartition("/")[2] not in metrics


def test_logs_tell_no_bodies_and_no_keys(desk: Desk, shared_service: Service) -> None:
    at = open_round(desk)
    desk.tell(f"{at}{CURRENT}/bets", {**BET, "amount": 777_777})

    log = shared_service.log.read_text()

    assert '"route":"/v1/tables/{table}/rounds/current/bets"' in log
    assert "777777" not in log
    assert not any(key in log for key in (AUDITOR, DASHBOARD, "shoelog_operator_test"))
