"""The cashier: follow the feed; check, post, remember the place, in one transaction. Stop loudly, never skip."""

import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import Literal

import asyncpg
import structlog
from msgspec import Struct

from services.ledger import books
from services.ledger.book.slip import Disagreement
from services.ledger.books import Desk, Outrun, Sheet
from services.ledger.feed import Feed, Row, TornFeed, check

State = Literal["starting", "following", "waiting", "stopped"]
# A database that is away, or whose tables are not made yet: try again.
AWAY = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a connection that broke in the middle of an operation
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.UndefinedTableError,
    asyncpg.InsufficientPrivilegeError,
)
_FIRST_WAIT_SECONDS = 0.05
_LONGEST_WAIT_SECONDS = 2.0
_LISTEN_SECONDS = 1.0
_ACCOUNTS_IN_MIND = 200_000
_log = structlog.get_logger()


class Halted(ValueError):
    """An entry that cannot be posted; `good` rows of the batch stand before it."""

    def __init__(self, *, good: int, position: int, why: str) -> None:
        super().__init__(f"entry {position}: {why}")
        self.good = good


class Progress(Struct):
    """How far the books have come, for whoever asks."""

    state: State = "starting"
    reason: str = ""
    position: int = -1
    log_size: int = 0
    entries: int = 0
    postings: int = 0
    batches: int = 0
    outruns: int = 0
    seconds: float = 0.0


class Cashier:
    """Posts what the feed brings, until told to stop. Its own mind is dropped on any failure and read again."""

    def __init__(self, *, feed_url: str, books_url: str, schema: str = books.SCHEMA) -> None:
        self._feed_url = feed_url
        self._books_url = books_url
        self._schema = schema
        self._is_stopping = False
        self._feed: Feed | None = None
        self.progress = Progress()

    def stop(self) -> None:
        """Stop after the batch in hand."""
        self._is_stopping = True
        if self._feed is not None:
            self._feed.ring()

    async def follow(self) -> None:
        """Post until told to stop, whatever databases come and go; return early only when an entry cannot be posted."""
        wait_seconds = _FIRST_WAIT_SECONDS
        while not self._is_stopping:
            began = self.progress.batches
            try:
                await self._shift()
            except Outrun as error:
                self.progress.outruns += 1
                _log.info("outrun", why=str(error))
            except AWAY as error:
                self.progress.state = "waiting"
                self.progress.reason = f"a database is away: {type(error).__name__}"
                _log.warning("database away", error=str(error), kind=type(error).__name__)
                wait_seconds = _FIRST_WAIT_SECONDS if self.progress.batches > began else wait_seconds
                await asyncio.sleep(wait_seconds)
                wait_seconds = min(2 * wait_seconds, _LONGEST_WAIT_SECONDS)
            except Exception as error:  # noqa: BLE001 (whatever it is, the ledger stops and says so)
                self.progress.state = "stopped"
                self.progress.reason = str(error)
                _log.exception("the ledger stops", position=self.progress.position)
                return

    async def _shift(self) -> None:
        """Sit down at the books and the feed, and post until something fails."""
        async with contextlib.AsyncExitStack() as stack:
            connection = await books.connect(self._books_url, self._schema)
            stack.push_async_callback(_hang_up, connection)
            self._feed = feed = await Feed.open(self._feed_url)
            stack.push_async_callback(feed.aclose)
            desk = await books.sit_down(connection)
            self.progress.position = desk.position
            await insist_on_the_last(connection, feed, desk)
            while not self._is_stopping:
                rows = await feed.read(desk.position)
                if rows:
                    desk = await self._post(connection, desk, rows)
                self._tell(desk.position, await feed.size() if rows else desk.position + 1)
                if not rows:
                    await feed.wait(_LISTEN_SECONDS)

    def _tell(self, position: int, log_size: int) -> None:
        progress = self.progress
        progress.position, progress.log_size = position, log_size
        progress.state, progress.reason = "following", ""

    async def _post(self, connection: asyncpg.Connection, desk: Desk, rows: Sequence[Row]) -> Desk:
        """Post rows; of a batch that holds a bad entry, what stands before it. Raises Halted."""
        try:
            await self._write(connection, desk, rows)
        except Halted as halted:
            if halted.good:
                await self._write(connection, await books.sit_down(connection), rows[: halted.good])
            self.progress.position = desk.position + halted.good
            raise
        if len(desk.balances) > _ACCOUNTS_IN_MIND:
            return await books.sit_down(connection)
        return desk

    async def _write(self, connection: asyncpg.Connection, desk: Desk, rows: Sequence[Row]) -> None:
        began = time.perf_counter()
        await books.recall_streams(connection, desk, {row.stream for row in rows})
        sheet = draw_up(desk, rows)
        self.progress.postings += await books.write(connection, desk, sheet)
        self.progress.entries += len(rows)
        self.progress.batches += 1
        self.progress.seconds += time.perf_counter() - began


def draw_up(desk: Desk, rows: Sequence[Row]) -> Sheet:
    """Check every row against the one before it, and write its slip. Raises Halted at the first that does not fit."""
    sheet = Sheet()
    for number, row in enumerate(rows):
        position = desk.position + 1 + number
        try:
            entry = check(row, position=position, tips=desk.tips)
            slip = desk.keeper.write(entry)
        except (TornFeed, Disagreement) as error:
            raise Halted(good=number, position=position, why=str(error)) from error
        desk.tips[row.stream] = (row.version, row.leaf)
        sheet.add(position, entry, slip)
    return sheet


async def insist_on_the_last(connection: asyncpg.Connection, feed: Feed, desk: Desk) -> None:
    """Refuse to go on where the log no longer has the entry that was posted last. Raises TornFeed."""
    if desk.position < 0:
        return
    rows = await feed.read(desk.position - 1, 1)
    await books.recall_streams(connection, desk, {row.stream for row in rows})
    for row in rows:
        if (row.position, (row.version, row.leaf)) == (desk.position, desk.tips.get(row.stream)):
            return
    if (await books.sit_down(connection)).position != desk.position:
        raise Outrun("another cashier has posted meanwhile")
    raise TornFeed(
        f"the log has lost, or exchanged, entries that are posted: the books stand at {desk.position}."
        " If that log was succeeded, `shoelog ledger rebuild --accept-differences` makes the books that it tells of"
    )


async def _hang_up(connection: asyncpg.Connection) -> None:
    try:
        await connection.close(timeout=5)
    except AWAY:
        connection.terminate()
