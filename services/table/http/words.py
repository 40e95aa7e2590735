"""The words of a request: its headers, the names in its path, its query and its body, each held to its pattern."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeVar, get_args

import msgspec
from litestar import Request
from litestar.types import Receive, Scope

from schemas import tile as tiles
from services.door.entrance import MAX_BODY_BYTES
from services.door.keys import Caller
from services.door.problems import Declined
from services.table.game import rulefile
from services.table.game.lines import pointed
from services.table.http.route import Place

Body = TypeVar("Body")

NAME = r"[a-z0-9-]{1,64}"
KEY = r"[A-Za-z0-9._~-]{1,64}"
ACTOR = r"[a-z-]{1,32}:[a-z0-9-]{1,64}"
HASH = r"[0-9a-f]{64}"
TILE = "tile/<level>/<number>, and .p/<width> for a partial one: tile/0/x001/x234/067.p/5"
NUMBERED = ("log", "shoe", "round")
OF_TILES = ("level", "number")
LARGEST = 2**53 - 1
ENTRIES_PER_PAGE = 1000
# A key of the API speaks for people at the tables; never for the house's own machinery, nor for another key.
NOT_SPOKEN_FOR = ("system", "operator", "auditor", "dashboard")

_name, _key, _actor = re.compile(NAME), re.compile(KEY.encode()), re.compile(ACTOR)
_number = re.compile(r"0|[1-9][0-9]{0,15}")


def order_of(scope: Scope) -> tuple[str, str]:
    """Read who gives an order, and under which idempotency key. Raises Declined."""
    key = spoken_for = b""
    for name, value in scope["headers"]:
        if name == b"idempotency-key":
            key = b"%b, %b" % (key, value) if key else value  # two, in one line as HTTP means them, are no key
        elif name == b"shoelog-actor":
            spoken_for = b"%b, %b" % (spoken_for, value) if spoken_for else value
    if not _key.fullmatch(key):
        raise Declined(
            400,
            "a command needs an idempotency key: repeated under it, it is done once" if not key else "no such key",
            code="idempotency-key-missing" if not key else "idempotency-key-malformed",
            where="header Idempotency-Key",
            would_be_right=f"{KEY}, new for every command",
        )
    caller: Caller = scope["user"]
    return (_spoken(caller, spoken_for.decode("latin-1")) if spoken_for else caller.actor), key.decode()


@lru_cache(maxsize=4096)
def _spoken(caller: Caller, actor: str) -> str:
    """Let a caller speak for somebody at the tables. Raises Declined."""
    if not _actor.fullmatch(actor):
        raise Declined(400, "this names nobody", where="header Shoelog-Actor", would_be_right=f"{ACTOR}: dealer:anna")
    if actor.partition(":")[0] in NOT_SPOKEN_FOR and actor != caller.actor:
        raise Declined(
            403,
            f"{caller.actor} does not speak for {actor}",
            where="header Shoelog-Actor",
            would_be_right="a dealer, a patron, or another person at the tables",
        )
    return actor


def place_of(scope: Scope, names: Sequence[str]) -> Mapping[str, str]:
    """Read the names in a path. Raises Declined (404), since nothing is called by another."""
    place: Mapping[str, str] = scope["path_params"]
    for name in names:
        if name not in OF_TILES and not _name.fullmatch(place[name]):
            raise Declined(
                404, f"no {name} is called so", code=f"unknown-{name}", where=f"path {name}", would_be_right=NAME
            )
    return place


def wants_receipt(request: Request[Any, Any, Any], *, has_receipts: bool) -> bool:
    """Tell whether a command's answer is to carry a receipt. Raises Declined."""
    said = request.query_params.get("receipt")
    if said is None:
        return False
    if not has_receipts or said not in ("true", "false"):
        right = "true or false" if has_receipts else "no receipt: only bets have one"
        raise Declined(400, f"a receipt is not given for {said[:20]}", where="query receipt", would_be_right=right)
    return bool(said == "true")


def is_hash(text: str) -> bool:
    """Tell whether this is a hash in hex."""
    return re.fullmatch(HASH, text) is not None


def where_to_look(request: Request[Any, Any, Any], names: Sequence[str], query: Sequence[str]) -> Place:
    """Read the path and the query of a view. Raises Declined."""
    place = place_of(request.scope, names)
    asked = {name: _numbered(place[name], f"path {name}", 404) for name in names if name in NUMBERED}
    if "number" in names:
        takes_gzip = "gzip" in request.headers.get("accept-encoding", "")
        return Place(tile=_tile(place), takes_gzip=takes_gzip, log=asked.get("log", 0))
    asked |= {name: _numbered(value, f"query {name}", 400) for name, value in _queried(request, query).items()}
    if not 1 <= asked.get("limit", 1) <= ENTRIES_PER_PAGE:
        raise Declined(400, "a page has entries", where="query limit", would_be_right=f"1 to {ENTRIES_PER_PAGE}")
    return Place(**{**place, **asked})  # type: ignore[arg-type]  # numbers in place of their digits


def _tile(place: Mapping[str, str]) -> tiles.Tile:
    """Read which tile is wanted. Raises Declined."""
    try:
        return tiles.parse(place.get("level", "entries"), place["number"].removeprefix("/"))
    except ValueError as error:
        raise Declined(404, str(error), code="unknown-tile", where="path", would_be_right=TILE) from None


def _queried(request: Request[Any, Any, Any], query: Sequence[str]) -> dict[str, str]:
    """Give what the query says of what may be asked; `Last-Event-ID` says better where a stream broke off."""
    if unknown := set(request.query_params) - set(query):
        right = " or ".join(query) or "no query"
        raise Declined(400, f"nothing is asked by {min(unknown)}", where=f"query {min(unknown)}", would_be_right=right)
    said: dict[str, str] = {name: request.query_params[name] for name in query if name in request.query_params}
    if "last_event_id" in query:
        said["after"] = request.headers.get("last-event-id") or said.get("after", "-1")
    return {name: value for name, value in said.items() if (name, value) != ("after", "-1")}


def _numbered(text: str, where: str, status: int) -> int:
    if not _number.fullmatch(text) or int(text) > LARGEST:
        raise Declined(status, f"{text[:20]} is no number", where=where, would_be_right=f"0 to {LARGEST}")
    return int(text)


async def body_of(scope: Scope, receive: Receive) -> bytes:
    """Read a body, up to what is the most. Raises Declined (413) as soon as it is too large, read or announced."""
    announced = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    if not announced.isdigit() or int(announced) > MAX_BODY_BYTES:
        raise _too_large()
    body, is_more = b"", True
    while is_more:
        message = await receive()
        if message["type"] != "http.request":
            raise Declined(400, "the caller went away", where="body")
        body += message["body"]
        is_more = message["more_body"]
        if len(body) > MAX_BODY_BYTES:
            raise _too_large()
    return body


def _too_large() -> Declined:
    return Declined(413, "this body is too large", where="body", would_be_right=f"at most {MAX_BODY_BYTES} bytes")


def read(decode: Callable[[bytes], Body], body: bytes, shape: Any) -> Body:
    """Read a body strictly; none at all is `{}`. Raises Declined with what is wrong, where, and what would be right."""
    try:
        return decode(body or b"{}")
    except msgspec.ValidationError as error:
        raise misshapen_rules(body) or misshapen(str(error), shape) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Declined(400, f"not JSON: {error}", where="body", would_be_right="a JSON object") from None


def misshapen_rules(body: bytes) -> Declined | None:
    """Say everything that has the wrong shape in the rules and limits of a body; None when they are not to blame."""
    try:
        told = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if not isinstance(told, dict) or not isinstance(told.get("rules"), dict):
        return None
    tree = rulefile.completed(told["rules"] | ({"limits": told["limits"]} if "limits" in told else {}))
    complaints = pointed(rulefile.misshapen(tree), "rules")
    if not complaints:
        return None
    what = "; ".join(f"{complaint['pointer']}: {complaint['what']}" for complaint in complaints)
    return Declined(
        400,
        what,
        code="misshapen",
        where=complaints[0]["pointer"],
        would_be_right=complaints[0]["what"].rpartition("; ")[2],
        values={"complaints": complaints},
    )


def misshapen(said: str, shape: Any) -> Declined:
    """Say what is wrong with a body of the wrong shape."""
    what, _, where = said.partition(" - at ")
    where = where.strip("`") or "$"
    wanted = what.removeprefix("Expected ").partition(", got ")[0]
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", what):
        where, wanted = f"{where}.{missing[1]}", "the field is needed"
    elif unknown := re.fullmatch(r"Object contains unknown field `(.*)`", what):
        where, wanted = f"{where}.{unknown[1][:64]}", "only " + ", ".join(_fields(shape))
    elif wanted == what:
        wanted = "what the API's document says at /schema/openapi.json"
    return Declined(400, what, code="misshapen", where=f"body {where}", would_be_right=wanted)


def _fields(shape: Any) -> list[str]:
    """List the fields that a body, or each item of it, may have."""
    shapes = get_args(shape) or (shape,)
    struct = next((s for s in shapes if isinstance(s, type) and issubclass(s, msgspec.Struct)), None)
    return [] if struct is None else [field.encode_name for field in msgspec.structs.fields(struct)]
