"""The gate: routes as they are written down become routes that are served."""

from collections.abc import Sequence
from hashlib import sha256
from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Request, get, post
from litestar.handlers import HTTPRouteHandler
from litestar.response import Response
from litestar.response.base import ASGIResponse
from litestar.types import Receive, Scope, Send

from services.door import bodies, keys, problems
from services.door.keys import Caller
from services.table import receipts
from services.table.croupier import Order, Taken
from services.table.http import documented, words
from services.table.http.route import Asked, CommandRoute, ViewRoute, names_in
from services.table.pit import Pit

PREFIX = "/v1"

Asking = Request[Caller, Any, Any]


class Reply(ASGIResponse):
    """The answer of a command: the bytes kept with it, its place in the log, and what else was asked for.

    Kept as a problem, it is told as one: of a card that cannot have come, nothing is done but that play is held.
    """

    def __init__(self, status: int, taken: Taken, more: bytes = b"") -> None:  # its parent's fields are for slower ones
        is_no = taken.answer.startswith(problems.FIRST_BYTES)
        self._status = HTTPStatus.CONFLICT if is_no else status
        self._type = problems.MEDIA_TYPE.encode() if is_no else b"application/json"
        self._body = b'%b,"position":%d%b}' % (taken.answer[:-1], taken.position, more)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002  # ASGI's shape
        """Send it."""
        headers = [(b"content-type", self._type), (b"content-length", b"%d" % len(self._body))]
        await send({"type": "http.response.start", "status": self._status, "headers": headers})
        await send({"type": "http.response.body", "body": self._body, "more_body": False})


def served(pit: Pit, routes: Sequence[CommandRoute | ViewRoute]) -> list[HTTPRouteHandler]:
    """Serve these routes."""
    return [
        serve_command(pit, route) if isinstance(route, CommandRoute) else serve_view(pit, route) for route in routes
    ]


def serve_command(pit: Pit, route: CommandRoute) -> HTTPRouteHandler:
    """Serve a command: read it strictly, let the croupier take it, say what he says."""
    decode = bodies.decoder(route.takes)
    names = names_in(route.path)
    translate, status = route.translate, route.status

    async def take(request: Asking) -> Reply:
        pit.insist_on_the_log()
        scope = request.scope
        body = await words.body_of(scope, request.receive)
        actor, key = words.order_of(scope)
        place = words.place_of(scope, names)
        wants_receipt = bool(scope["query_string"]) and words.wants_receipt(request, has_receipts=route.has_receipts)
        asked = Asked(words.read(decode, body, route.takes), actor, place)
        deed = translate(asked)
        order = Order(actor, key, sha256(f"POST {scope['path']}\n".encode() + body).digest())
        if (first := deed.before) is not None:
            await pit.take(order.before, first.about, first.decide, first.answer)
        taken = await pit.take(order, deed.about, deed.decide, deed.answer)
        return Reply(status, taken, await _receipts(pit, taken, asked) if wants_receipt else b"")

    return post(
        written(route.path),
        guards=[keys.may("operator")],
        status_code=status,
        operation_class=documented.command(route),
        **documented.names(route),
    )(take)


async def _receipts(pit: Pit, taken: Taken, asked: Asked[Any]) -> bytes:
    """Write the receipts: of one entry, or for a list of them a list."""
    given = await receipts.of(pit, taken)
    if isinstance(asked.body, tuple):
        return b',"receipts":%b' % msgspec.json.encode(given)
    return b',"receipt":%b' % msgspec.json.encode(given[-1])


def serve_view(pit: Pit, route: ViewRoute) -> HTTPRouteHandler:
    """Serve a view: read where to look, and show what is there."""
    names, query, show = names_in(route.path), route.query, route.show

    async def look(request: Asking) -> Response[Any]:
        place = words.where_to_look(request, names, query)
        shown = await show(pit, place)
        return shown if isinstance(shown, Response) else Response(shown)

    made = get if route.method == "GET" else post
    return made(
        written(route.path),
        guards=[keys.may(*route.roles)] if route.roles else [],
        opt={} if route.roles else dict(keys.PUBLIC),
        security=[] if route.roles else [{}],
        status_code=HTTPStatus.OK,
        operation_class=documented.view(route),
        **documented.names(route),
    )(look)


def written(path: str) -> str:
    """Write a path as the framework wants it: every name in it is text, which we judge ourselves."""
    for name in names_in(path):
        kind = "path" if name == "number" else "str"  # of a tile; it has slashes in it
        path = path.replace(f"{{{name}}}", f"{{{name}:{kind}}}")
    return PREFIX + path
