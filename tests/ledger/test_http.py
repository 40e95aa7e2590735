"""What the ledger answers, over a real log and real books."""

import asyncio
import re
import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import httpx
import pytest
from litestar.testing import TestClient

from services.door.keys import new_key
from services.ledger import config
from services.ledger.app import build
from tests.ledger.evening import evening
from tests.ledger.rooms import Ledger, Log, connected
from tests.ledger.tape import Tape, lost, won


def hand_written() -> Tape:
    """Two tables and two patrons: figures that can be worked out by hand."""
    tape = Tape()
    tape.open("b1")
    tape.open("m2", currency="EUR", tray=0)
    tape.fund("anna", 10_000)
    tape.to_table("anna", 4_000, balance=6_000)
    tape.buy("bob", 5_000)
    tape.shoe(1, ("anna", 4_000, 0), ("bob", 5_000, 0))
    tape.coup(1, won("anna", "banker", 500, commission=25), lost("bob", "player", 1_000))
    tape.coup(2, lost("bob", "tie", 100))
    tape.stakes(3, ("bob", "player", 300))
    tape.buy("anna", 900, table="m2")
    tape.shoe(1, ("anna", 900, 0), table="m2", currency="EUR")
    tape.coup(1, won("anna", "banker", 600, marked=30), table="m2")
    return tape


@pytest.fixture
def tape() -> Tape:
    return hand_written()


@pytest.fixture
def client(log: Log, ledger: Ledger, tape: Tape) -> Iterator[TestClient[Any]]:
    """A client with a key, of a ledger that is level with the tape."""
    text, hashed = new_key("dashboard")

    async def prepare() -> None:
        await log.append(tape.rows)
        async with connected(ledger.database.superuser) as connection:
            query = "insert into books.api_key (hash, role, name) values ($1, 'dashboard', 'wall')"
            await connection.execute(query, hashed)

    asyncio.run(prepare())
    settings = config.read({"SHOELOG_LEDGER_DATABASE_URL": ledger.url, "SHOELOG_LEDGER_FEED_URL": log.feed_url})
    with TestClient(build(settings), raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {text}"
        deadline = time.monotonic() + 60
        while (told := client.get("/v1/position").json())["behind"] or told["log_size"] < len(tape.rows):
            assert told["state"] != "stopped", told
            assert time.monotonic() < deadline, told
        yield client


def page(client: TestClient[Any], path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_the_position_says_how_far_behind_the_books_are(client: TestClient[Any], tape: Tape) -> None:
    size = len(tape.rows)

    assert page(client, "/v1/position") == {
        "position": size - 1,
        "log_size": size,
        "behind": 0,
        "state": "following",
        "reason": "",
    }
    assert page(client, "/readyz") == {"ready": True}


def test_a_patrons_balance_is_account_stacks_stakes_and_debts(client: TestClient[Any]) -> None:
    anna, bob = page(client, "/v1/patrons/anna/balance"), page(client, "/v1/patrons/bob/balance")

    assert anna["money"] == [
        {"currency": "EUR", "account": 0, "stacks": 1_500, "escrow": 0, "owed": 30, "total": 1_470},
        {"currency": "USD", "account": 6_000, "stacks": 4_475, "escrow": 0, "owed": 0, "total": 10_475},
    ]
    assert bob["tables"] == [
        {"patron": "bob", "table": "b1", "currency": "USD", "stack": 3_600, "escrow": 300, "owed": 0}
    ]


def test_a_tables_balance_is_the_houses_and_the_patrons(client: TestClient[Any]) -> None:
    told = page(client, "/v1/tables/b1/balance")

    assert told["house"] == [
        {
            "currency": "USD",
            "win": 600,
            "commission": 25,
            "commission_owed": 0,
            "float": 100_000 - 9_000 + 625,
            "chips_out": 4_475 + 3_900,
            "float_difference": 0,
        }
    ]
    assert [seat["patron"] for seat in told["patrons"]] == ["anna", "bob"]


def test_a_statement_tells_before_and_after(client: TestClient[Any]) -> None:
    movements = page(client, "/v1/patrons/anna/statement?limit=1000")["movements"]
    stack = [line for line in movements if line["account"] == "patron/anna/stack/b1"]

    assert [(line["what"], line["amount"], line["before"], line["after"]) for line in stack] == [
        ("chips-bought", 4_000, 0, 4_000),
        ("bet-placed", -500, 4_000, 3_500),
        ("round-settled", 975, 3_500, 4_475),
    ]
    assert movements[0]["at"] == "2026-11-30T00:00:03.000000Z"
    assert {"position", "stream", "currency"} <= movements[0].keys()


def test_a_statement_comes_page_by_page_without_cutting_an_entry(client: TestClient[Any]) -> None:
    for of, limit in product(("patrons/anna", "tables/b1"), (1, 2, 7)):
        whole = page(client, f"/v1/{of}/statement?limit=1000")["movements"]
        pieces: list[Any] = []
        after = -1
        while after is not None:
            piece = page(client, f"/v1/{of}/statement?limit={limit}&after={after}")
            assert len({line["position"] for line in piece["movements"]}) <= limit
            pieces += piece["movements"]
            after = piece["next"]
        assert pieces == whole


def test_commission_is_told_by_table_shoe_and_patron(client: TestClient[Any]) -> None:
    def rows(by: str) -> list[tuple[Any, ...]]:
        told = page(client, f"/v1/commission?by={by}")["commission"]
        keys = ("table", "shoe", "patron", "currency", "taken", "marked", "owed")
        return [tuple(row[key] for key in keys) for row in told]

    assert rows("table") == [("b1", None, None, "USD", 25, 0, 0), ("m2", None, None, "EUR", 0, 30, 30)]
    assert rows("shoe") == [("b1", 1, None, "USD", 25, 0, 0), ("m2", 1, None, "EUR", 0, 30, 30)]
    assert rows("patron") == [
        (None, None, "anna", "EUR", 0, 30, 30),
        (None, None, "anna", "USD", 25, 0, 0),
        (None, None, "bob", "USD", 0, 0, 0),
    ]


def test_figures_are_handle_win_and_hold(client: TestClient[Any]) -> None:
    told = page(client, "/v1/figures?by=shoe&table=b1")["figures"]

    assert told == [
        {
            "table": "b1",
            "shoe": 1,
            "patron": None,
            "currency": "USD",
            "rounds": 2,
            "voided": 0,
            "bets": 3,
            "handle": 1_600,
            "win": 600,
            "hold": "3/8",
            "commission": 25,
            "net": 625,
            "net_hold": "25/64",
        }
    ]
    assert [row["table"] for row in page(client, "/v1/figures")["figures"]] == ["b1", "m2"]
    assert len(page(client, "/v1/figures?limit=1")["figures"]) == page(client, "/v1/figures?limit=1")["next"] == 1


def test_the_trial_balance_balances(client: TestClient[Any]) -> None:
    told = page(client, "/v1/trial-balance")

    assert told["balanced"] is True
    assert [currency["currency"] for currency in told["currencies"]] == ["EUR", "USD"]
    for currency in told["currencies"]:
        assert currency["debit"] == currency["credit"] == sum(line["debit"] for line in currency["lines"]) > 0
        assert currency["difference"] == 0


def test_balances_come_by_prefix_and_page_by_page(client: TestClient[Any]) -> None:
    whole = page(client, "/v1/balances?limit=1000")["balances"]
    pieces: list[Any] = []
    after = ""
    while after is not None:
        piece = page(client, f"/v1/balances?limit=3&after={after}")
        pieces += piece["balances"]
        after = piece["next"]

    assert pieces == whole
    anna = page(client, "/v1/balances?prefix=patron/anna/stack/")["balances"]
    assert [(row["account"], row["currency"], row["balance"]) for row in anna] == [
        ("patron/anna/stack/b1", "USD", 4_475),
        ("patron/anna/stack/m2", "EUR", 1_500),
    ]


def test_the_chart_names_every_account(client: TestClient[Any]) -> None:
    assert "house/*/win" in [line["pattern"] for line in page(client, "/v1/accounts")["accounts"]]


NONSENSE = {
    "/v1/patrons/nobody/balance": 404,
    "/v1/patrons/nobody/statement": 404,
    "/v1/tables/none/balance": 404,
    "/v1/tables/none/statement": 404,
    "/v1/nowhere": 404,
    "/v1/patrons/ANNA/balance": 400,
    "/v1/patrons/anna/statement?limit=0": 400,
    "/v1/patrons/anna/statement?after=x": 400,
    "/v1/figures?by=day": 400,
    "/v1/balances?limit=1001": 400,
}


def test_what_is_not_there_and_what_makes_no_sense_are_problems(client: TestClient[Any]) -> None:
    for path, status in NONSENSE.items():
        answer = client.get(path)
        assert answer.status_code == answer.json()["status"] == status, path
        assert answer.headers["content-type"] == "application/problem+json", path


@pytest.mark.parametrize("query", ["tabel=b1", "table=b1&table=m2", "table=b1%0A", "limit=5&books=1"])
def test_a_misspelt_or_repeated_filter_shows_nothing_rather_than_everything(
    client: TestClient[Any], query: str
) -> None:
    answer = client.get(f"/v1/figures?{query}")

    assert answer.status_code == 400, answer.text
    assert answer.json()["where"].startswith("query ")


@pytest.mark.parametrize(
    "path",
    [
        f"/v1/figures?offset={10**400}",
        f"/v1/commission?offset={2**63}",
        f"/v1/tables/b1/statement?after={2**63}",
        f"/v1/patrons/anna/statement?after={10**400}",
        "/v1/balances?prefix=%00",
        "/v1/balances?after=%00",
        "/v1/balances?after=house/b1/win%7CEUR%0A",
    ],
)
def test_a_number_or_a_text_that_no_database_takes_is_the_callers_fault(client: TestClient[Any], path: str) -> None:
    answer = client.get(path)

    assert answer.status_code == 400, answer.text
    assert answer.json()["where"].startswith("query ")


def test_every_route_asks_for_a_key(client: TestClient[Any]) -> None:
    paths = client.get("/schema/openapi.json").json()["paths"]
    assert "/v1/trial-balance" in paths

    for path, methods in paths.items():
        answer: httpx.Response = client.get(path.replace("{", "").replace("}", ""), headers={"Authorization": ""})
        assert (answer.status_code == 401) is path.startswith("/v1/"), path
        assert set(methods) == {"get"}


def test_the_ledgers_counts_are_told(client: TestClient[Any], tape: Tape) -> None:
    counts = client.get("/metrics").text

    assert f"shoelog_ledger_entries_total {len(tape.rows)}.0" in counts
    assert "shoelog_ledger_behind 0.0" in counts
    assert 'shoelog_ledger_state{state="following"} 1.0' in counts


@pytest.mark.parametrize("tape", [evening(11, coups=80)], ids=["an evening"])
def test_an_evening_adds_up(client: TestClient[Any], tape: Tape) -> None:
    assert tape.rows
    figures = page(client, "/v1/figures?by=table")["figures"]
    patrons = page(client, "/v1/figures?by=patron")["figures"]
    trial = page(client, "/v1/trial-balance")["currencies"][0]
    wins = next(line for line in trial["lines"] if line["account"] == "house/*/win")

    for key in ("handle", "win", "bets", "commission"):
        assert sum(row[key] for row in figures) == sum(row[key] for row in patrons)
    assert sum(row["win"] for row in figures) == wins["credit"] - wins["debit"]


LARGE = 10**15
TRAY = str(11 * LARGE + 100_000)


def high() -> Tape:
    """Sums above 2^53-1, each of entries that stay below it."""
    tape = Tape()
    tape.open("b1")
    for _ in range(12):
        tape.fill(LARGE)
    for number in range(10):
        tape.fund(f"rich-{number}", LARGE)
    tape.buy("bob", LARGE)
    tape.shoe(1, ("bob", LARGE, 0))
    for number in range(1, 11):
        tape.coup(number, lost("bob", "player", LARGE))
        tape.buy("bob", LARGE)
    return tape


@pytest.mark.parametrize("tape", [high()], ids=["high"])
def test_a_sum_that_json_integers_do_not_hold_is_told_as_text_and_to_the_cent(client: TestClient[Any]) -> None:
    house = page(client, "/v1/tables/b1/balance")["house"][0]
    figure = page(client, "/v1/figures")["figures"][0]
    trial = page(client, "/v1/trial-balance")
    cash = page(client, "/v1/balances?prefix=cage/cash")["balances"][0]
    movements = page(client, "/v1/tables/b1/statement?limit=1000")["movements"]
    last = [movement for movement in movements if movement["account"] == "house/b1/float"][-1]

    assert (house["win"], house["float"], house["chips_out"]) == (str(10 * LARGE), TRAY, LARGE)
    assert (figure["handle"], figure["win"], figure["net"], figure["hold"]) == (*[str(10 * LARGE)] * 3, "1/1")
    assert trial["balanced"] is True
    assert trial["currencies"][0]["debit"] == trial["currencies"][0]["credit"]
    assert int(trial["currencies"][0]["debit"]) > 21 * LARGE
    assert trial["currencies"][0]["difference"] == 0
    assert cash["balance"] == str(21 * LARGE)
    assert (last["amount"], last["after"]) == (-LARGE, TRAY)


@pytest.mark.parametrize("tape", [high()], ids=["high"])
def test_no_number_of_an_answer_is_rounded_by_those_who_read_it_as_a_double(client: TestClient[Any]) -> None:
    paths = [
        "/v1/balances?limit=1000",
        "/v1/trial-balance",
        "/v1/tables/b1/balance",
        "/v1/tables/b1/statement?limit=1000",
        "/v1/patrons/bob/balance",
        "/v1/patrons/bob/statement?limit=1000",
        *(f"/v1/{kind}?by={by}" for kind in ("figures", "commission") for by in ("table", "shoe", "patron")),
    ]
    for path in paths:
        numbers = re.findall(r"(?<=:)-?\d+", client.get(path).text)
        assert numbers
        assert all(abs(int(number)) <= 2**53 - 1 for number in numbers), path
