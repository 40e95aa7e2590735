"""Bad input: each gets a problem that says what, where, and what would be right; and nothing changes."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.table.http.service import Desk, Service, new_key, open_round, opening

BET: dict[str, Any] = {"patron": "p1", "bet": "player", "amount": 1000}


def told(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Give a problem that has all its parts."""
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json"), answer.text
    problem: dict[str, Any] = answer.json()
    assert problem["type"] == f"urn:shoelog:problem:{code}", problem
    assert problem["status"] == status
    assert all(problem[part] for part in ("title", "detail", "where", "would_be_right")), problem
    return problem


@pytest.fixture(scope="module")
def table(shared_service: Service) -> str:
    """A table that takes bets, p1 with 100,000 before him."""
    return open_round(shared_service.client(), chips=100_000)


@pytest.fixture
def unchanged(desk: Desk, table: str) -> Iterator[None]:
    """Compare the table, its stacks and its version, before and after."""
    before = desk.ask(table)
    yield
    assert desk.ask(table) == before


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    ("wrong", "no", "where"),
    [
        ({"bet": "no-such-bet"}, (422, "unknown-bet"), "bet"),
        ({"bet": "Player!"}, (400, "misshapen"), "body $.bet"),
        ({"amount": 499}, (422, "limit-bet"), "amount"),
        ({"amount": 100_001}, (422, "stack-too-small"), "amount"),
        ({"amount": 0}, (400, "misshapen"), "body $.amount"),
        ({"amount": -500}, (400, "misshapen"), "body $.amount"),
        ({"amount": 500.5}, (400, "misshapen"), "body $.amount"),
        ({"amount": 500.0}, (400, "misshapen"), "body $.amount"),
        ({"amount": 2**63}, (400, "misshapen"), "body $.amount"),
        ({"amount": 2**53}, (400, "misshapen"), "body $.amount"),
        ({"amount": "500"}, (400, "misshapen"), "body $.amount"),
        ({"amount": None}, (400, "misshapen"), "body $.amount"),
        ({"amount": True}, (400, "misshapen"), "body $.amount"),
        ({"patron": "p1\n"}, (400, "misshapen"), "body $.patron"),
        ({"patron": ["p1"]}, (400, "misshapen"), "body $.patron"),
        ({"note": "for luck"}, (400, "misshapen"), "body $.note"),
        ({"patron": "stranger"}, (422, "stack-too-small"), "amount"),
    ],
)
def test_a_bet_that_is_wrong_is_refused(
    desk: Desk, table: str, wrong: dict[str, Any], no: tuple[int, str], where: str
) -> None:
    problem = told(desk.post(f"{table}/rounds/current/bets", {**BET, **wrong}), *no)

    assert problem["where"] == where


@pytest.mark.usefixtures("unchanged")
def test_a_list_of_bets_stands_or_falls_together(desk: Desk, table: str) -> None:
    bets = [BET, BET, {**BET, "amount": 98_001}]

    problem = told(desk.post(f"{table}/rounds/current/bets", bets), 422, "stack-too-small")

    assert problem["would_be_right"] == "1 to 98000"


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("bets", [[], [BET] * 501])
def test_a_list_of_bets_has_one_to_five_hundred(desk: Desk, table: str, bets: list[Any]) -> None:
    told(desk.post(f"{table}/rounds/current/bets", bets), 400, "misshapen")


def test_a_bet_above_its_limit_is_refused(desk: Desk) -> None:
    at = open_round(desk, chips=2_000_000)

    told(desk.post(f"{at}/rounds/current/bets", {**BET, "amount": 1_000_001}), 422, "limit-bet")

    assert desk.ask(at)["stacks"]["p1"] == 2_000_000


def test_a_bet_after_the_close_is_refused(desk: Desk) -> None:
    at = open_round(desk)
    desk.tell(f"{at}/rounds/current/close")
    before = desk.ask(at)

    told(desk.post(f"{at}/rounds/current/bets", BET), 409, "wrong-phase")

    assert desk.ask(at) == before


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("key", [None, "", "two words", "x" * 65, "kéy"])
def test_a_command_without_a_proper_idempotency_key_is_not_done(desk: Desk, table: str, key: str | None) -> None:
    headers = [] if key is None else [(b"Idempotency-Key", key.encode())]

    answer = desk.http.post(f"/v1{table}/rounds/current/bets", json=BET, headers=headers)

    problem = told(answer, 400, "idempotency-key-missing" if not key else "idempotency-key-malformed")
    assert problem["where"] == "header Idempotency-Key"


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("body", [b"{", b"", b'{"patron":"p1"', b"\xff\xfe", b"[" * 100_000, b"nonsense", b"null"])
def test_a_body_that_is_no_json_or_no_bet_is_not_read(desk: Desk, table: str, body: bytes) -> None:
    headers = {"Idempotency-Key": new_key(), "Content-Type": "application/json"}

    answer = desk.http.post(f"/v1{table}/rounds/current/bets", content=body, headers=headers)

    assert answer.status_code == 400
    assert answer.json()["where"].startswith("body")
    assert answer.json()["would_be_right"]


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    ("path", "body", "where"),
    [
        ("bets", b'{"patron":"p1","bet":"player","amount":1000,"amount":2000}', "body $.amount"),
        ("bets", b'[{"patron":"p1","bet":"tie","bet":"player","amount":1000}]', "body $[0].bet"),
        ("bets/withdraw", b'{"patron":"p2","patron":"p1","bet":"player"}', "body $.patron"),
        ("void", b'{"reason":"a","approved_by":["pit-boss:a"],"reason":"b"}', "body $.reason"),
    ],
)
def test_a_key_that_is_said_twice_is_refused(desk: Desk, table: str, path: str, body: bytes, where: str) -> None:
    headers = {"Idempotency-Key": new_key(), "Content-Type": "application/json"}

    answer = desk.http.post(f"/v1{table}/rounds/current/{path}", content=body, headers=headers)

    assert told(answer, 400, "said-twice")["where"] == where


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("media_type", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_that_does_not_say_it_is_json_is_not_read(desk: Desk, table: str, media_type: str) -> None:
    headers = {"Idempotency-Key": new_key(), "Content-Type": media_type}

    answer = desk.http.post(f"/v1{table}/rounds/current/bets", content=json.dumps(BET), headers=headers)

    assert told(answer, 415, "unsupported-media-type")["where"] == "header Content-Type"


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("is_announced", [True, False])
def test_a_body_of_ten_megabytes_is_not_read(desk: Desk, table: str, *, is_announced: bool) -> None:
    body = b" " * 10_000_000
    content: Any = body if is_announced else (body[start : start + 65_536] for start in range(0, len(body), 65_536))
    headers = {"Idempotency-Key": new_key(), "Content-Type": "application/json"}

    try:
        answer = desk.http.post(f"/v1{table}/rounds/current/bets", content=content, headers=headers)
    except httpx.WriteError:
        return  # it was hung up on before it had said everything, which is an answer too

    told(answer, 413, "too-large")


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize("table_name", ["no-such-table", "No_Table", "x" * 65])
def test_an_unknown_table_is_not_found(desk: Desk, table_name: str) -> None:
    for path in ("/rounds/current/bets", "/rounds", "/chips/buy", "/shoes/start"):
        body = BET if path.endswith("bets") else {"patron": "p1", "amount": 5} if path.endswith("buy") else None
        told(desk.post(f"/tables/{table_name}{path}", body), 404, "unknown-table")
    assert desk.get(f"/tables/{table_name}").status_code == 404
    assert desk.get(f"/tables/{table_name}/shoes").status_code == 404


@pytest.mark.usefixtures("unchanged")
@pytest.mark.parametrize(
    ("wrong", "status", "code"),
    [
        ({"rules": "no-such-rules"}, 422, "rules-unsound"),
        ({"rules": {"name": "x"}}, 400, "misshapen"),
        ({"rules": {"name": "x", "version": 1, "game": "chemin-de-fer"}}, 400, "misshapen"),
        ({"currency": "euro"}, 400, "misshapen"),
        ({"verified_by": "staff:cashier"}, 422, "approval-missing"),
        ({"float": [[100, 1], [200, 1]]}, 422, "float"),
        ({"limits": {"bets": {"no-such-bet": {"min": 1, "max": 2}}}}, 422, "rules-unsound"),
        ({"name": ""}, 400, "misshapen"),
    ],
)
def test_a_table_that_makes_no_sense_is_not_opened(desk: Desk, wrong: dict[str, Any], status: int, code: str) -> None:
    told(desk.post("/tables", opening("never-opened", **wrong)), status, code)

    assert desk.get("/tables/never-opened").status_code == 404


@pytest.mark.usefixtures("unchanged")
def test_money_that_does_not_stand_in_an_account_cannot_be_moved(desk: Desk, table: str) -> None:
    patron = f"/patrons/{new_key()[:40].replace('.', '-')}"
    name = table.rpartition("/")[2]
    told(desk.post(f"{patron}/deposit", {"amount": 5}), 422, "account")
    desk.tell(f"{patron}/account", {"currency": "EUR"})
    desk.tell(f"{patron}/deposit", {"amount": 500})

    told(desk.post(f"{patron}/withdraw", {"amount": 501}), 422, "balance-too-small")
    told(desk.post(f"{patron}/to-table", {"table": name, "amount": 501}), 422, "balance-too-small")
    told(desk.post(f"{patron}/from-table", {"table": name, "amount": 1}), 422, "stack-too-small")
    told(desk.post(f"{patron}/account", {"currency": "EUR"}), 422, "account")

    assert desk.ask(patron)["balance"] == 500
