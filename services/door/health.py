"""Whether the service lives, and whether it is ready: two routes that ask for no key."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from msgspec import Struct

from services.door import problems
from services.door.keys import PUBLIC

Readiness = Callable[[], Awaitable[Sequence[str]]]


class Alive(Struct, frozen=True):
    """The process answers."""

    alive: Literal[True] = True


class Ready(Struct, frozen=True):
    """Everything that requests need is there."""

    ready: Literal[True] = True


def routes(readiness: Readiness) -> list[HTTPRouteHandler]:
    """Make `/livez`, and `/readyz` from a function that gives what is missing, in words; nothing missing is ready."""

    @get("/livez", opt=PUBLIC, security=[{}], tags=["health"], sync_to_thread=False)
    def livez() -> Alive:
        """Whether the process answers."""
        return Alive()

    @get("/readyz", opt=PUBLIC, security=[{}], tags=["health"], responses=problems.responses(503))
    async def readyz() -> Response[Ready]:
        """Whether requests can be served; what is missing, if not."""
        missing = await readiness()
        if missing:
            raise problems.Declined(503, "; ".join(missing), code="not-ready")
        return Response(Ready())

    found: list[Any] = [livez, readyz]
    return found
