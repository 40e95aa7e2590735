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
    try:
        yield KEEP_ALIVE
        while (page := await _next(pages, closing)) is not None:
            yield b"".join(map(told, page)) or KEEP_ALIVE
    except UnavailableError:
        _log.warning("a stream ends: the database does not answer")
    finally:
        closing.cancel()
        await pages.aclose()


def told(entry: Placed) -> bytes:
    """Write an entry as an event; its bytes hold no line feed."""
    return b"id: %d\ndata: %b\n\n" % (entry.position, entry.line)


async def _next(pages: AsyncGenerator[list[Placed], None], closing: asyncio.Task[None]) -> list[Placed] | None:
    """Wait for the next page; None when the service stops first."""
    page = asyncio.ensure_future(anext(pages))
    try:
        await asyncio.wait((page, closing), return_when=asyncio.FIRST_COMPLETED)
        return None if closing.done() else page.result()
    finally:
        if not page.done():
            page.cancel()
            await asyncio.wait((page,))
