"""A service with a stream that has no end, run as a process of its own: `python -m tests.door.endless`."""

from collections.abc import AsyncIterator

from litestar import get
from litestar.di import NamedDependency
from litestar.response import ServerSentEvent

from services.door import logs
from services.door.entrance import Closing, Sign, build
from services.door.keys import PUBLIC, Caller, KeyRing
from services.door.metrics import Metrics
from services.door.serve import serve


@get("/stream", opt=PUBLIC)
async def stream(closing: NamedDependency[Closing]) -> ServerSentEvent:
    """Tell one thing, and then nothing until the house closes."""

    async def news() -> AsyncIterator[str]:
        yield "open"
        await closing.wait()
        yield "closing"

    return ServerSentEvent(news())


async def no_keys() -> list[tuple[bytes, Caller]]:
    """Nobody has a key."""
    return []


async def ready() -> list[str]:
    """Nothing is missing."""
    return []


def main() -> None:
    """Serve on a free port."""
    logs.set_up("endless")
    app = build(
        Sign(title="Endless", version="1", description="Streams."),
        [stream],
        ring=KeyRing(no_keys),
        readiness=ready,
        counts=Metrics(),
    )
    serve(app, host="127.0.0.1", port=0)


if __name__ == "__main__":
    main()
