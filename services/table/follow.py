"""Following: the log, or a table's roads, as server-sent events, until the reader goes or the service stops."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from functools import partial
from typing import cast

import msgspec
import structlog

from services.table import views
from services.table.command import OutrunError, UnavailableError
from services.table.croupier import About, At
from services.table.journal import IDLE_SECONDS, Placed
from services.table.pit import Pit
from services.table.told import RoadsView

KEEP_ALIVE = b": nothing new\n\n"
LOOK_SECONDS = 0.25  # between two looks at a table: bets ring the bell too, and change no road
_log = structlog.get_logger("follow")


async def events(pit: Pit, after: int) -> AsyncIterator[bytes]:
    """Give every entry behind a place, page by page, and a comment now and then when there is none."""
    pages = cast("AsyncGenerator[list[Placed], None]", pit.journal.follow(after))
    closing = asyncio.ensure_future(pit.closing.wait())
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


async def roads(pit: Pit, table: str, after: int) -> AsyncIterator[bytes]:
    """Give a table's roads, unless nothing behind that place has changed them, and again whenever something does."""
    pit.journal.bell.listen()
    closing = asyncio.ensure_future(pit.closing.wait())
    version = 0
    try:
        yield KEEP_ALIVE
        while not closing.done():
            heard = pit.journal.bell.rings
            shown = await pit.croupier.view(About(table=table), partial(_changed, version))
            if shown is not None:
                version = shown.version
                if (place := await _place(pit, shown)) > after:
                    yield b"id: %d\ndata: %b\n\n" % (place, msgspec.json.encode(shown))
            await asyncio.wait((closing,), timeout=LOOK_SECONDS)
            await _news(pit, heard, closing)
            if pit.journal.bell.rings == heard:
                yield KEEP_ALIVE
    except (UnavailableError, OutrunError):
        _log.warning("a stream of roads ends: the database does not answer")
    finally:
        closing.cancel()


def _changed(version: int, at: At) -> RoadsView | None:
    """Show the roads, if they are not those of this version."""
    return None if at.table.scorecard.version == version else views.roads_view(at.table)


async def _place(pit: Pit, shown: RoadsView) -> int:
    """Find the place in the log of what changed these roads."""
    place = await pit.journal.position(f"table/{shown.table}", shown.version)
    assert place is not None, "it was shown because it is durable"
    return place


async def _news(pit: Pit, heard: int, closing: asyncio.Future[None]) -> None:
    """Wait for the doorbell, for a sign of life to be due, or for the service to stop."""
    ringing = asyncio.ensure_future(pit.journal.bell.wait(heard, IDLE_SECONDS))
    try:
        await asyncio.wait((ringing, closing), return_when=asyncio.FIRST_COMPLETED)
    finally:
        ringing.cancel()


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
