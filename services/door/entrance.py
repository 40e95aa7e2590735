"""The whole door around a service's routes: keys, problems, counts, health, and the document of it all."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from http import HTTPStatus
from typing import Any

from litestar import Litestar, Response
from litestar.di import Provide
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin, YamlRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.router import Router
from litestar.types import ASGIApp, ControllerRouterHandler, Receive, Scope, Send
from msgspec import Struct

from services.door import health, keys, metrics, problems
from services.door.bodies import StrictRequest

MAX_BODY_BYTES = 1 << 20
_WITH_BODY = frozenset({"POST", "PUT", "PATCH"})
Lifespan = Callable[[Litestar], AbstractAsyncContextManager[None]]


class Closing:
    """Told once when the service is to stop: whoever streams without end waits for it beside his news."""

    def __init__(self) -> None:
        self._told = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    def watch(self) -> None:
        """Bind to the loop that runs; called when the service starts."""
        self._loop = asyncio.get_running_loop()

    def announce(self) -> None:
        """Tell everybody, from any thread or signal handler."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._told.set)

    @property
    def is_announced(self) -> bool:
        """Whether the service is stopping."""
        return self._told.is_set()

    async def wait(self) -> None:
        """Wait until the service is to stop."""
        await self._told.wait()


class Sign(Struct, frozen=True, kw_only=True):
    """What is written above the door: the head of the OpenAPI document."""

    title: str
    version: str
    description: str


def build(  # noqa: PLR0913 (one service, said in one call)
    sign: Sign,
    routes: Sequence[ControllerRouterHandler],
    *,
    ring: keys.KeyRing,
    readiness: health.Readiness,
    counts: metrics.Metrics,
    lifespan: Sequence[Lifespan] = (),
    dependencies: Mapping[str, Provide] | None = None,
    exception_handlers: Mapping[type[Exception] | int, Any] | None = None,
    takes_json: bool = True,
) -> Litestar:
    """Build the application of a service. Handlers may ask for `closing: NamedDependency[Closing]`.

    Handlers whose `opt` is `keys.PUBLIC` ask for no key; the others have `request.user`, a `keys.Caller`. A service
    whose bodies are no JSON takes them whatever they are called.
    """
    closing = Closing()

    async def open_door(_: Litestar) -> None:
        closing.watch()

    app = Litestar(
        [*routes, *health.routes(readiness), counts.route()],
        dependencies={"closing": Provide(lambda: closing, sync_to_thread=False), **(dependencies or {})},
        exception_handlers={**problems.tellers(), **(exception_handlers or {})},
        lifespan=list(lifespan),
        logging_config=None,
        middleware=[keys.key_asked(ring), *([json_asked] if takes_json else [])],
        on_startup=[open_door],
        openapi_config=_openapi(sign),
        request_class=StrictRequest,
        request_max_body_size=MAX_BODY_BYTES,
    )
    app.state.closing = closing
    app.asgi_handler = metrics.counted(app.asgi_handler, counts)
    return app


def json_asked(app: ASGIApp) -> ASGIApp:
    """Refuse bodies that do not say that they are JSON."""

    async def ask(scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("method") in _WITH_BODY:
            _check_media_type(scope["headers"])
        await app(scope, receive, send)

    return ask


def _check_media_type(headers: Iterable[tuple[bytes, bytes]]) -> None:
    said, has_body = b"", False
    for name, value in headers:
        if name == b"content-type":
            said = value
        elif name == b"transfer-encoding" or (name == b"content-length" and value != b"0"):
            has_body = True
    if has_body and said.partition(b";")[0].strip().lower() != b"application/json":
        raise problems.Declined(415, "bodies are JSON", where="header Content-Type", would_be_right="application/json")


def _tell_no_document(answer: Response[Any]) -> Response[Any]:
    """Tell what is not below /schema as everything else that is not there, in place of the framework's page."""
    if answer.status_code != HTTPStatus.NOT_FOUND:
        return answer
    return problems.response(problems.problem(HTTPStatus.NOT_FOUND, "there is no such document", **problems.NO_ROUTE))


def _openapi(sign: Sign) -> OpenAPIConfig:
    return OpenAPIConfig(
        title=sign.title,
        version=sign.version,
        description=sign.description,
        components=Components(security_schemes={"key": SecurityScheme(type="http", scheme="bearer")}),
        security=[{"key": []}],
        openapi_router=Router("/schema", route_handlers=[], opt=dict(keys.PUBLIC), after_request=_tell_no_document),
        render_plugins=[JsonRenderPlugin(), YamlRenderPlugin()],
        use_handler_docstrings=True,
    )
