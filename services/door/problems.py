"""How a no is told: problem details (RFC 9457) for every error, documented with every route."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import asyncpg
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException
from litestar.openapi.datastructures import ResponseSpec
from litestar.types import ExceptionHandlersMap
from msgspec import UNSET, Struct, UnsetType

MEDIA_TYPE = "application/problem+json"
TYPES = "urn:shoelog:problem:"
FIRST_BYTES = b'{"type":"' + TYPES.encode()
# The word for a status that needs no better one: the end of the problem's `type`.
CODES = {
    400: "malformed",
    401: "no-key",
    403: "not-allowed",
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    409: "conflict",
    413: "too-large",
    415: "unsupported-media-type",
    422: "refused",
    429: "too-many-requests",
    500: "our-fault",
    503: "unavailable",
}
NO_ROUTE = {"where": "path", "would_be_right": "a route of the document at /schema/openapi.json"}
_log = structlog.get_logger()


class Problem(Struct, frozen=True, kw_only=True):
    """Why a request was not done. `type` is stable and made for programs, `title` and `detail` for people.

    `where` names the part of the request that is wrong, `would_be_right` what would be accepted there; `values` are
    the facts that the detail speaks of.
    """

    type: str
    title: str
    status: int
    detail: str
    instance: str | UnsetType = UNSET
    where: str | UnsetType = UNSET
    would_be_right: str | UnsetType = UNSET
    values: dict[str, Any] | UnsetType = UNSET


class Declined(Exception):
    """A no that is ready to be told; raised anywhere behind the door."""

    def __init__(
        self, status: int, detail: str, *, code: str = "", headers: Mapping[str, str] = {}, **more: Any
    ) -> None:
        """`more` are `where`, `would_be_right`, `values` and `title` of the problem."""
        super().__init__(detail)
        self.problem = problem(status, detail, code=code, **more)
        self.headers = headers


def problem(status: int, detail: str, *, code: str = "", title: str = "", **more: Any) -> Problem:
    """Make a problem; `code` ends its type, by default with the status's own word."""
    return Problem(
        type=TYPES + (code or CODES.get(status, "error")),
        title=title or HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        **more,
    )


def response(told: Problem, headers: Mapping[str, str] | None = None) -> Response[Problem]:
    """Make the response that tells a problem."""
    return Response(told, status_code=told.status, media_type=MEDIA_TYPE, headers=headers)


def responses(*statuses: int) -> dict[int, ResponseSpec]:
    """Document these statuses, and those that any route behind the door may answer with."""
    return {
        status: ResponseSpec(
            Problem, generate_examples=False, media_type=MEDIA_TYPE, description=HTTPStatus(status).phrase
        )
        for status in sorted({*statuses, 400, 401, 403, 500, 503})
    }


def tellers() -> ExceptionHandlersMap:
    """Tell every exception as a problem; a database that is away is a 503, and what nobody foresaw a 500."""
    away = (
        asyncpg.PostgresConnectionError,
        asyncpg.InterfaceError,
        asyncpg.InternalClientError,
        asyncpg.InsufficientResourcesError,
        asyncpg.OperatorInterventionError,
        ConnectionError,
        TimeoutError,
        FileNotFoundError,
    )
    handlers: dict[Any, Any] = dict.fromkeys(away, _database_is_away)
    return {
        Declined: _declined,
        ValidationException: _invalid,
        HTTPException: _http,
        Exception: _unforeseen,
        **handlers,
    }


def _declined(_: Request[Any, Any, Any], error: Declined) -> Response[Problem]:
    return response(error.problem, error.headers)


def _http(request: Request[Any, Any, Any], error: HTTPException) -> Response[Problem]:
    """Tell what the framework refuses: unknown routes and methods, bodies that are too large or no JSON."""
    if error.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _unforeseen(request, error)
    detail, more = error.detail, {}
    if error.status_code == HTTPStatus.NOT_FOUND:
        detail, more = "there is no such route", NO_ROUTE
    elif error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        right = (error.headers or {}).get("allow", "another method")
        detail, more = "this route is not asked so", {"where": "method", "would_be_right": right}
    return response(problem(error.status_code, detail, **more), error.headers)


def _invalid(_: Request[Any, Any, Any], error: ValidationException) -> Response[Problem]:
    """Tell which part of a request has the wrong shape, and what shape would be right."""
    parts = [part for part in error.extra or () if isinstance(part, dict)]
    detail = "; ".join(f"{part.get('key', 'body')}: {part.get('message', '')}" for part in parts) or error.detail
    where = ", ".join(f"{_source(part)} {part.get('key', '')}".strip() for part in parts)
    return response(problem(error.status_code, detail, where=where or UNSET))


def _source(part: dict[str, Any]) -> str:
    """Name the part of a request that the framework speaks of."""
    source = part.get("source", "body")
    return str(getattr(source, "value", source))


def _database_is_away(_: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    _log.warning("database away", error=type(error).__name__)
    told = problem(503, "the database does not answer; try again", code="database-away")
    return response(told, {"Retry-After": "1"})


def _unforeseen(request: Request[Any, Any, Any], error: Exception) -> Response[Problem]:
    _log.error("unforeseen", route=request.scope.get("path_template", ""), exc_info=error)
    return response(problem(500, "something went wrong on our side; it has been logged"))
