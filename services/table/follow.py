"""Following the log as server-sent events, until the reader goes or the service stops."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import cast

import structlog

from services.door.entrance import Closing
from services.table.command import UnavailableError
from services.table.journal import Journal, Placed

KEEP_ALIVE = b": nothing new\n\n"
_log = structlog.get_logger("follow")


async def events(journal: Journal, stopping: Closing, after: int) -> AsyncIterator[bytes]:
    """Give every entry behind a place, page by page, and a comment now and then when there is none."""
    pages = cast("AsyncGenerator[list[Placed], None]", journal.follow(after))
    closing = asyncio.ensure_future(stopping.wait())
    page: asyncio.Task[list[Placed]] | None = None
    try:
        yield KEEP_ALIVE
        while not closing.done():
            page = asyncio.create_task(_next(pages))
            await asyncio.wait((page, closing), return_when=asyncio.FIRST_COMPLETED)
            if page.done():
                yield b"".join(map(told, page.result())) or KEEP_ALIVE
    except UnavailableError:
        _log.warning("a stream ends: the database does not answer")
    finally:
        closing.cancel()
        # Whoever goes is cancelled again at every step that he waits for: what is left to do is done beside him.
        await asyncio.shield(asyncio.create_task(_leave(pages, page)))


def told(entry: Placed) -> bytes:
    """Write an entry as an event; its bytes hold no line feed."""
    return b"id: %d\ndata: %b\n\n" % (entry.position, entry.line)


async def _next(pages: AsyncGenerator[list[Placed], None]) -> list[Placed]:
    """Wait for the next page."""
    return await anext(pages)


async def _leave(pages: AsyncGenerator[list[Placed], None], page: asyncio.Task[list[Placed]] | None) -> None:
    """Read no further page."""
    if page is not None:
        page.cancel()
        await asyncio.wait((page,))
    await pages.aclose()
