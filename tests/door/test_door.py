"""A service with a door, asked everything that it must refuse."""

import json
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import asyncpg
import httpx
import pytest
from litestar import Request, get, post
from litestar.datastructures import State
from litestar.params import FromPath, FromQuery, JSONBody
from litestar.testing import TestClient
from msgspec import Struct

from services.door import problems
from services.door.entrance import Sign, build
from services.door.keys import Caller, KeyRing, Role, may, new_key
from services.door.metrics import Metrics


class Wish(Struct, forbid_unknown_fields=True):
    """A body."""

    amount: int


@get("/v1/things/{number:int}", responses=problems.responses(404))
async def thing(number: FromPath[int], request: Request[Caller, Any, State], limit: FromQuery[int] = 10) -> list[Any]:
    """A thing."""
    return [number, limit, request.user.actor]


@post("/v1/wishes", guards=[may("operator")])
async def wish(data: JSONBody[Wish]) -> Wish:
    """A wish."""
    return data


@get("/v1/broken")
async def broken() -> None:
    """Breaks."""
    raise RuntimeError("a secret detail")


@get("/v1/away")
async def away() -> None:
    """Finds no database."""
    raise asyncpg.CannotConnectNowError


class House:
    """What the service of these tests knows."""

    def __init__(self) -> None:
        self.keys: dict[bytes, Caller] = {}
        self.missing: list[str] = []
        self.loads = 0

    def key(self, role: Role, name: str = "anna") -> dict[str, str]:
        """Make a key, and the header that shows it."""
        text, hashed = new_key(role)
        self.keys[hashed] = Caller(role, name)
        return {"Authorization": f"Bearer {text}"}

    async def load(self) -> list[tuple[bytes, Caller]]:
        """Give all keys."""
        self.loads += 1
        return list(self.keys.items())

    async def readiness(self) -> list[str]:
        """Tell what is missing."""
        return self.missing


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture
def client(house: House) -> Iterator[TestClient[Any]]:
    app = build(
        Sign(title="Test", version="1", description="A service."),
        [thing, wish, broken, away],
        ring=KeyRing(house.load),
        readiness=house.readiness,
        counts=Metrics(),
    )
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


def problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check that an answer is a problem, and give it."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    told: dict[str, Any] = answer.json()
    assert (told["status"], told["type"]) == (status, f"urn:shoelog:problem:{code}")
    assert told["title"]
    assert told["detail"]
    return told


def test_a_known_key_opens_the_door(house: House, client: TestClient[Any]) -> None:
    answer = client.get("/v1/things/7", headers=house.key("auditor"))

    assert answer.json() == [7, 10, "auditor:anna"]


def test_a_key_made_while_the_service_runs_is_known_a_second_later(house: House, client: TestClient[Any]) -> None:
    client.get("/v1/things/7", headers=house.key("auditor"))
    late = house.key("operator")
    for _ in range(200):
        client.get("/v1/things/7", headers={"Authorization": "Bearer nobody"})

    assert house.loads == 1
    assert len(late["Authorization"]) == len("Bearer shoelog_operator_") + 43


@pytest.mark.parametrize("shown", [None, "Bearer", "Bearer shoelog_operator_guess", "Basic YTpi", "Bearer \xe9"])
def test_no_key_and_a_wrong_key_are_sent_away(client: TestClient[Any], shown: str | None) -> None:
    headers = {b"Authorization": shown.encode("latin-1")} if shown else {}
    told = client.get("/v1/things/7", headers=headers)

    assert problem(told, 401, "no-key")["where"] == "header Authorization"
    assert told.headers["www-authenticate"] == "Bearer"


def test_a_key_of_another_role_does_not_open(house: House, client: TestClient[Any]) -> None:
    told = client.post("/v1/wishes", json={"amount": 1}, headers=house.key("dashboard"))

    assert problem(told, 403, "not-allowed")["would_be_right"] == "a key of role operator"


@pytest.mark.parametrize(
    ("request_line", "status", "code"),
    [
        ("GET /v1/nowhere", 404, "not-found"),
        ("GET /v1/things/seven", 404, "not-found"),
        ("GET /schema/nowhere", 404, "not-found"),
        ("DELETE /v1/things/7", 405, "method-not-allowed"),
        ("GET /v1/things/7?limit=many", 400, "malformed"),
        ("GET /v1/broken", 500, "our-fault"),
        ("GET /v1/away", 503, "database-away"),
    ],
)
def test_every_error_is_a_problem(
    house: House, client: TestClient[Any], request_line: str, status: int, code: str
) -> None:
    told = problem(client.request(*request_line.split(), headers=house.key("operator")), status, code)

    assert "secret" not in json.dumps(told)
    assert "where" in told or status >= 500


def test_a_wrong_way_in_is_told_with_what_would_be_right(house: House, client: TestClient[Any]) -> None:
    key = house.key("dashboard")

    nowhere = problem(client.get("/v1/nowhere", headers=key), 404, "not-found")
    asked_otherwise = problem(client.delete("/v1/things/7", headers=key), 405, "method-not-allowed")
    not_allowed = problem(client.post("/v1/wishes", json={"amount": 1}, headers=key), 403, "not-allowed")

    assert (nowhere["where"], nowhere["would_be_right"]) == ("path", "a route of the document at /schema/openapi.json")
    assert asked_otherwise["where"] == "method"
    assert "GET" in asked_otherwise["would_be_right"]
    assert not_allowed["where"] == "header Authorization"


@pytest.mark.parametrize(
    ("body", "media_type", "told"),
    [
        (b'{"amount":', "application/json", (400, "malformed")),
        (b'{"amount":"1"}', "application/json", (400, "malformed")),
        (b'{"amount":1,"more":2}', "application/json", (400, "malformed")),
        (b"\xff", "application/json", (400, "malformed")),
        (b"amount=1", "application/x-www-form-urlencoded", (415, "unsupported-media-type")),
        (b'{"amount":1}', "text/plain", (415, "unsupported-media-type")),
        (b'{"amount":' + b"1" * 2_000_000 + b"}", "application/json", (413, "too-large")),
    ],
    ids=["cut", "string", "unknown", "bytes", "form", "text", "large"],
)
def test_a_body_of_the_wrong_shape_is_a_problem(
    house: House, client: TestClient[Any], body: bytes, media_type: str, told: tuple[int, str]
) -> None:
    headers = {**house.key("operator"), "Content-Type": media_type}

    problem(client.post("/v1/wishes", content=body, headers=headers), *told)


def test_a_wrong_shape_is_told_with_its_place(house: House, client: TestClient[Any]) -> None:
    key = house.key("operator")
    query = problem(client.get("/v1/things/7?limit=many", headers=key), 400, "malformed")
    body = problem(client.post("/v1/wishes", json={"amount": 1.5}, headers=key), 400, "malformed")

    assert query["where"] == "query limit"
    assert (body["where"], body["detail"]) == ("body $.amount", "Expected `int`, got `float`")


def test_health_and_counts_ask_for_no_key(house: House, client: TestClient[Any]) -> None:
    assert client.get("/livez").json() == {"alive": True}
    assert client.get("/readyz").json() == {"ready": True}
    house.missing = ["the cashier stopped"]
    assert problem(client.get("/readyz"), 503, "not-ready")["detail"] == "the cashier stopped"
    assert client.get("/schema/openapi.json").status_code == 200
    assert client.get("/metrics").status_code == 200


def test_requests_are_counted_by_route_and_never_by_path(house: House, client: TestClient[Any]) -> None:
    key = house.key("operator")
    for path in ("/v1/things/1", "/v1/things/2", "/v1/guess/1", "/v1/guess/2"):
        client.get(path, headers=key)
    counts = client.get("/metrics").text

    assert 'shoelog_http_requests_total{method="GET",route="/v1/things/{number}",status="200"} 2.0' in counts
    assert 'shoelog_http_requests_total{method="GET",route="unmatched",status="404"} 2.0' in counts
    assert "guess" not in counts


def test_problems_are_documented_with_every_route(client: TestClient[Any]) -> None:
    document = client.get("/schema/openapi.json").json()

    answers = document["paths"]["/v1/things/{number}"]["get"]["responses"]
    assert sorted(answers) == ["200", "400", "401", "403", "404", "500", "503"]
    for status in ("400", "404", "500"):
        assert answers[status]["content"] == {
            "application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}
        }
    assert document["paths"]["/livez"]["get"]["security"] == [{}]


def test_keys_are_kept_as_hashes() -> None:
    text, hashed = new_key("operator")

    assert hashed == sha256(text.encode()).digest()
