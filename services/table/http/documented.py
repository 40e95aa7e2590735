"""What the OpenAPI document says of a route: made from the same words that serve it."""

from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypedDict, cast, get_args

import msgspec
from litestar.openapi.spec import Operation

from services.door.problems import CODES, MEDIA_TYPE, Problem
from services.table.http import words
from services.table.http.route import CommandRoute, ViewRoute, names_in

REF = "#/components/schemas/{name}"
JSON = "application/json"
EVERYWHERE = (401, 403, 500, 503)


class Names(TypedDict):
    """How a route is called in the document."""

    operation_id: str
    summary: str
    description: str
    tags: Sequence[str]


def names(route: CommandRoute | ViewRoute) -> Names:
    """Name a route."""
    return Names(
        operation_id=route.name,
        summary=route.name.replace("_", " ").capitalize(),
        description=route.description,
        tags=[route.path.split("/")[1]],
    )


def command(route: CommandRoute) -> type[Operation]:
    """Document a command."""
    own = (400, 404, 409, 413, 415, 422)

    @dataclass
    class Documented(Operation):
        def __post_init__(self) -> None:
            self.parameters = [*_path(route.path), *_COMMAND_HEADERS, *([_RECEIPT] if route.has_receipts else [])]
            self.request_body = cast(
                "Any",
                {"required": _is_needed(route.takes), "content": {JSON: {"schema": _schema(route.takes)}}},
            )
            done = _answer("Done, and durable.", JSON, _any_of(route.tells))
            self.responses = {str(route.status): done, **_problems(*own)}

    return Documented


def view(route: ViewRoute) -> type[Operation]:
    """Document a view."""
    own = [400] if route.query else []
    own += [404] if names_in(route.path) or route.path.endswith("current") else []

    @dataclass
    class Documented(Operation):
        def __post_init__(self) -> None:
            self.parameters = [*_path(route.path), *(_QUERY[name] for name in route.query)]
            shown = {"type": "string"} if route.tells is bytes else _schema(route.tells)
            there = _answer("What is there.", route.media_type, shown)
            self.responses = {"200": there, **_problems(*own, roles=bool(route.roles))}

    return Documented


def schemas(routes: Sequence[CommandRoute | ViewRoute]) -> dict[str, Any]:
    """Give the schemas of everything that is taken and told."""
    answers = [answer for r in routes if isinstance(r, CommandRoute) for answer in _kinds(r.tells)]
    views = [r.tells for r in routes if isinstance(r, ViewRoute) and r.tells is not bytes]
    bodies = [r.takes for r in routes if isinstance(r, CommandRoute)]
    _, components = msgspec.json.schema_components([Problem, *bodies, *answers, *views], ref_template=REF)
    for answer in dict.fromkeys(answers):
        # It is known, and said, only once the answer is kept: see `Reply`.
        components[answer.__name__]["required"].append("position")
    return components


def _schema(shape: Any) -> Any:
    (schema,), _ = msgspec.json.schema_components([shape], ref_template=REF)
    return schema


def _any_of(shape: Any) -> Any:
    """Give the schema of an answer, which may be of one kind or another."""
    schemas = [_schema(kind) for kind in _kinds(shape)]
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _kinds(shape: Any) -> tuple[type, ...]:
    return get_args(shape) or (shape,)


def _is_needed(shape: Any) -> bool:
    """Tell whether a body must be sent: `{}` would not do."""
    try:
        msgspec.json.decode(b"{}", type=shape)
    except msgspec.ValidationError:
        return True
    return False


def _path(path: str) -> list[Any]:
    return [{"name": name, "in": "path", "required": True, "schema": _PATH.get(name, _NAME)} for name in names_in(path)]


def _answer(description: str, media_type: str, schema: Any) -> Any:
    return {"description": description, "content": {media_type: {"schema": schema}}}


def _problems(*statuses: int, roles: bool = True) -> dict[str, Any]:
    everywhere = EVERYWHERE if roles else (500, 503)
    return {
        str(status): _answer(f"{HTTPStatus(status).phrase}: {CODES[status]}", MEDIA_TYPE, _schema(Problem))
        for status in sorted({*statuses, *everywhere})
    }


_NAME = {"type": "string", "pattern": f"^{words.NAME}$"}
_NUMBER = {"type": "integer", "minimum": 1, "maximum": words.LARGEST}
_PATH = {
    "log": _NUMBER,
    "shoe": _NUMBER,
    "round": _NUMBER,
    "level": {"type": "integer", "minimum": 0, "maximum": 63},
    "number": {"type": "string", "description": f"As in {words.TILE}."},
}
_COMMAND_HEADERS: list[Any] = [
    {
        "name": "Idempotency-Key",
        "in": "header",
        "required": True,
        "description": "New for every command; repeated under it, a command is done once and answered alike.",
        "schema": {"type": "string", "pattern": f"^{words.KEY}$"},
    },
    {
        "name": "Shoelog-Actor",
        "in": "header",
        "required": False,
        "description": "Whom the caller speaks for, such as `dealer:anna`; by default the key's own role and name.",
        "schema": {"type": "string", "pattern": f"^{words.ACTOR}$"},
    },
]
_RECEIPT: Any = {
    "name": "receipt",
    "in": "query",
    "required": False,
    "description": "Whether the answer carries a receipt, or one for each bet of a list.",
    "schema": {"type": "boolean", "default": False},
}
_QUERY: dict[str, Any] = {
    "after": {
        "name": "after",
        "in": "query",
        "required": False,
        "description": "The place in the log behind which to begin; -1 is the start.",
        "schema": {"type": "integer", "minimum": -1, "maximum": words.LARGEST, "default": -1},
    },
    "limit": {
        "name": "limit",
        "in": "query",
        "required": False,
        "description": "How many entries at most.",
        "schema": {"type": "integer", "minimum": 1, "maximum": words.ENTRIES_PER_PAGE, "default": 1000},
    },
    "old": {
        "name": "old",
        "in": "query",
        "required": False,
        "description": "How many entries the log had.",
        "schema": {"type": "integer", "minimum": 0, "maximum": words.LARGEST, "default": 0},
    },
    "new": {
        "name": "new",
        "in": "query",
        "required": False,
        "description": "How many it has had since; by default what the newest checkpoint covers.",
        "schema": {"type": "integer", "minimum": 0, "maximum": words.LARGEST},
    },
    "version": {
        "name": "version",
        "in": "query",
        "required": False,
        "description": "Which version of the rule set; by default the one in force.",
        "schema": {"type": "integer", "minimum": 1, "maximum": words.LARGEST},
    },
    "last_event_id": {
        "name": "Last-Event-ID",
        "in": "header",
        "required": False,
        "description": "Where a stream broke off; it says better than `after`.",
        "schema": {"type": "integer", "minimum": -1, "maximum": words.LARGEST},
    },
}
