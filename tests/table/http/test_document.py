"""The OpenAPI document says what is served, and everything that is served stands in it."""

import re
from typing import Any

import httpx
import pytest

from services.table.app import ROUTES, document
from services.table.game.phases import WORDS
from services.table.http.route import CommandRoute, ViewRoute
from services.table.told import Phase
from tests.table.http.service import Service

DOCUMENT: dict[str, Any] = document()


def operations() -> list[tuple[str, str, dict[str, Any]]]:
    """List the table's own routes: those of every service's door are tried at the door."""
    paths: dict[str, dict[str, Any]] = DOCUMENT["paths"]
    items = [(path, item) for path, item in paths.items() if path.startswith("/v1")]
    return [(path, method, operation) for path, item in items for method, operation in item.items()]


def method_of(route: CommandRoute | ViewRoute) -> str:
    return "post" if isinstance(route, CommandRoute) else route.method.lower()


def test_every_route_is_documented_and_nothing_else() -> None:
    said = {(method, path) for path, method, _ in operations() if path.startswith("/v1")}

    served = {
        ("post" if isinstance(route, CommandRoute) else route.method.lower(), f"/v1{route.path}") for route in ROUTES
    }
    assert said == served


@pytest.mark.parametrize(("path", "method", "operation"), operations())
def test_every_operation_names_itself_and_its_problems(path: str, method: str, operation: dict[str, Any]) -> None:
    assert operation["summary"]
    assert operation["description"].endswith(".")
    problems = {status for status in operation["responses"] if status >= "400"}
    assert "500" in problems
    named = {parameter["name"] for parameter in operation.get("parameters", []) if parameter["in"] == "path"}
    assert named == set(re.findall(r"\{(\w+)\}", path))
    if method == "post" and path != "/v1/log/checkpoint":
        assert problems >= {"400", "401", "403", "404", "409", "413", "415", "422", "500", "503"}
        assert "Idempotency-Key" in {parameter["name"] for parameter in operation["parameters"]}
        assert "application/json" in operation["requestBody"]["content"]


def test_every_reference_leads_somewhere() -> None:
    schemas = DOCUMENT["components"]["schemas"]

    references = set(re.findall(r"#/components/schemas/([\w.]+)", str(DOCUMENT)))

    assert references <= set(schemas)


def test_the_document_is_served(shared_service: Service) -> None:
    assert httpx.get(f"{shared_service.url}/schema/openapi.json").json()["paths"].keys() == DOCUMENT["paths"].keys()


def test_what_is_not_served_is_told_as_a_problem_too(shared_service: Service) -> None:
    desk = shared_service.client()
    for answer, status in (
        (desk.get("/no-such-route"), 404),
        (desk.http.delete("/v1/tables"), 405),
        (desk.http.get("/v1/tables/t/rounds"), 405),
    ):
        assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
        assert answer.json()["type"].startswith("urn:shoelog:problem:")


def test_a_phase_has_one_word_everywhere() -> None:
    assert set(Phase.__args__) == {phase.__name__.lower() for phase in WORDS}  # type: ignore[attr-defined]
