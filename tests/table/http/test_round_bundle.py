"""A round's bundle over REST and by the command line, while its shoe is open; and the whole log, verified."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from schemas.note import parse_vkey
from services.audit.log import Trust
from services.audit.verdict import judge
from services.house.cli import main
from tests.table.http.conftest import MakeService
from tests.table.http.service import AUDITOR, DASHBOARD, Desk, Service, new_name, open_round, open_table

BET = {"patron": "p1", "bet": "banker", "amount": 500}


@pytest.fixture
def desk(shared_service: Service) -> Desk:
    return shared_service.client()


def trust(desk: Desk) -> Trust:
    return Trust(log_key=parse_vkey(desk.get("/log/vkey").text.strip()))


def fetched(desk: Desk, at: str, number: int, folder: Path) -> Path:
    got = desk.get(f"{at}/shoes/1/rounds/{number}/bundle")
    assert got.is_success, got.text
    name = got.headers["content-disposition"].partition('filename="')[2].rstrip('"')
    assert name == f"{at.removeprefix('/tables/')}-shoe-1-round-{number}.zip"
    (folder / name).write_bytes(got.content)
    return folder / name


def failures(path: Path, believed: Trust) -> tuple[int, list[Any]]:
    judgement = judge(path, believed)
    return judgement.exit_code, [check for check in judgement.report.checks if check.result == "failed"]


def test_rounds_of_an_open_shoe_are_proved_one_by_one(desk: Desk, tmp_path: Path) -> None:
    at = open_table(desk)
    desk.tell(f"{at}/shoes")
    desk.tell(f"{at}/shoes/current/entropy", {"source": "patron:p1", "value": "c0ffee"})
    desk.tell(f"{at}/shoes/current/shuffle")
    for number in (1, 2, 3):
        desk.tell(f"{at}/rounds")
        desk.tell(f"{at}/rounds/current/bets", BET)
        if number == 2:
            desk.tell(f"{at}/rounds/current/void", {"reason": "misdeal"})
            limits = desk.ask(at)["limits"]
            limits["bets"]["banker"]["max"] = 777
            desk.tell(f"{at}/limits", {"limits": limits})
        else:
            desk.tell(f"{at}/rounds/current/coup")
        desk.tell(f"{at}/chips/buy", {"patron": "p2", "amount": 100})

    for number in (1, 2, 3):
        assert failures(fetched(desk, at, number, tmp_path), trust(desk)) == (2, [])
    people = {"reason": "error", "approved_by": ["floor:ben", "floor:eva"], "then": "settle"}
    desk.tell(f"{at}/rounds/current/reverse", people)
    assert failures(fetched(desk, at, 3, tmp_path), trust(desk)) == (2, [])


def test_a_round_that_is_not_over_has_no_bundle_yet(desk: Desk) -> None:
    at = open_round(desk)

    for _ in ("betting", "dealing"):
        answer = desk.get(f"{at}/shoes/1/rounds/1/bundle")
        assert (answer.status_code, answer.json()["type"]) == (409, "urn:shoelog:problem:wrong-phase")
        desk.post(f"{at}/rounds/current/close")


def test_a_round_that_never_was_is_not_there(desk: Desk) -> None:
    at = open_round(desk)

    for place in ("shoes/1/rounds/2", "shoes/2/rounds/1", "shoes/1/rounds/0", "shoes/1/rounds/x"):
        assert desk.get(f"{at}/{place}/bundle").status_code == 404


def test_a_dashboard_gets_no_bundle(shared_service: Service, desk: Desk) -> None:
    at = open_round(desk)
    desk.tell(f"{at}/rounds/current/coup")

    assert shared_service.client(DASHBOARD).get(f"{at}/shoes/1/rounds/1/bundle").status_code == 403
    assert shared_service.client(AUDITOR).get(f"{at}/shoes/1/rounds/1/bundle").is_success


def call(*words: str | Path) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_the_command_line_fetches_one_round(shared_service: Service, desk: Desk, tmp_path: Path) -> None:
    at = open_round(desk)
    desk.tell(f"{at}/rounds/current/coup")
    table = at.removeprefix("/tables/")
    words = ("--url", shared_service.url, "--key", AUDITOR, "--table", table, "--shoe", "1", "--round", "1")

    said = call("export", *words, "--out", tmp_path)

    assert said.exit_code == 0, said.output
    key = desk.get("/log/vkey").text.strip()
    assert call("verify", "--log-key", key, tmp_path / f"{table}-shoe-1-round-1.zip").exit_code == 2


def test_the_whole_log_is_exported_and_every_shoe_of_it_verified(make_service: MakeService, tmp_path: Path) -> None:
    service = make_service()
    desk = service.client()
    patron = new_name("p")
    desk.tell(f"/patrons/{patron}/account", {"currency": "EUR"})
    desk.tell(f"/patrons/{patron}/deposit", {"amount": 500_000})
    tables = [open_table(desk), open_table(desk)]
    for turn, at in enumerate((*tables, *tables)):
        desk.tell(f"/patrons/{patron}/to-table", {"table": at.removeprefix("/tables/"), "amount": 50_000})
        desk.tell(f"{at}/shoes/start")
        desk.tell(f"{at}/rounds")
        desk.tell(f"{at}/rounds/current/bets", [BET, {"patron": patron, "bet": "player", "amount": 700}])
        desk.tell(f"{at}/rounds/current/coup")
        desk.tell(f"{at}/shoes/current/{'void' if turn == 1 else 'close'}", {"reason": "early"})
        desk.tell(f"{at}/chips/cash", {"patron": "p2", "amount": 1_000})
    key = desk.get("/log/vkey").text.strip()
    assert desk.post("/log/checkpoint").is_success

    exported = call("export", "--url", service.url, "--key", AUDITOR, "--log", "--out", tmp_path / "log")
    said = call("verify", "--json", "--log-key", key, tmp_path / "log")

    assert exported.exit_code == 0, exported.output
    reports = json.loads(said.output)
    assert {
        (report["table"], report["shoe"], check["check"]): check["findings"]
        for report in reports
        for check in report["checks"]
        if check["result"] == "failed"
    } == {}
    assert said.exit_code == 0
    told = {table["table"]: table for table in reports[-1]["log"]["tables"]}
    first, second = (told[at.removeprefix("/tables/")] for at in tables)
    assert (first["shoes"], first["void_rate"]) == (2, "0/1")
    assert (second["shoes"], second["void_rate"], second["voided"][0]["shoe"]) == (2, "1/2", 1)
