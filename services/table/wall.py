"""The wall: the roads of tables as they change, for all who look at them. Whoever looks, each table is read once.

When the bell rings, one look at the log tells at which of the tables that somebody looks at anything was written.
"""

import asyncio
from collections.abc import AsyncIterator
from functools import partial

import msgspec
import structlog

from services.door.entrance import Closing
from services.table import views
from services.table.command import OutrunError, UnavailableError
from services.table.croupier import At, Croupier
from services.table.follow import KEEP_ALIVE
from services.table.journal import IDLE_SECONDS, End, Journal
from services.table.told import RoadsView

LOOK_SECONDS = 0.25  # between two looks: bets ring the bell too, and change no road
_log = structlog.get_logger("wall")


class Board:
    """A table's roads as they hang on the wall: `told` when something changed them last, at `place` in the log."""

    __slots__ = ("changed", "end", "is_down", "lookers", "place", "told", "version")

    def __init__(self) -> None:
        self.lookers = 0
        self.version = 0  # of the roads
        self.end = 0  # of the table's stream, as it was looked at last
        self.place = -1
        self.told = b""
        self.is_down = False
        self.changed = asyncio.Event()

    def show(self, shown: RoadsView, place: int) -> None:
        """Hang new roads up."""
        self.version, self.place = shown.version, place
        self.told = b"id: %d\ndata: %b\n\n" % (place, msgspec.json.encode(shown))
        self._tell()

    def take_down(self) -> None:
        """Show nothing more."""
        self.is_down = True
        self._tell()

    async def wait(self, seconds: float) -> bool:
        """Wait for the next change, but not longer than so many seconds; tell whether there was one."""
        changed = self.changed
        try:
            async with asyncio.timeout(seconds):
                return await changed.wait()
        except TimeoutError:
            return False

    def _tell(self) -> None:
        self.changed.set()
        self.changed = asyncio.Event()


class Wall:
    """All boards that somebody looks at, and the one who keeps them, as long as there are any."""

    def __init__(self, journal: Journal, croupier: Croupier, closing: Closing) -> None:
        self._journal = journal
        self._croupier = croupier
        self._closing = closing
        self._boards: dict[str, Board] = {}
        self._wanted = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    async def roads(self, table: str, after: int) -> AsyncIterator[bytes]:
        """Give a table's roads, unless nothing behind that place has changed them, and again whenever something does.

        A comment now and then shows that the stream is alive; it ends when the service does, or without a database.
        """
        board = self._hang(table)
        try:
            yield KEEP_ALIVE
            while not board.is_down:
                if board.place > after:
                    after = board.place
                    yield board.told
                elif not await board.wait(IDLE_SECONDS):
                    yield KEEP_ALIVE
        finally:
            self._leave(table, board)

    async def close(self) -> None:
        """Take every board down."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.wait((self._keeper,))

    def _hang(self, table: str) -> Board:
        board = self._boards.get(table)
        if board is None:
            board = self._boards[table] = Board()
            self._wanted.set()
        board.lookers += 1
        if self._keeper is None:
            self._keeper = asyncio.get_running_loop().create_task(self._keep())
        return board

    def _leave(self, table: str, board: Board) -> None:
        board.lookers -= 1
        if not board.lookers and self._boards.get(table) is board:
            del self._boards[table]
            self._wanted.set()

    async def _keep(self) -> None:
        """Keep the boards as the tables are, until there are none."""
        bell = self._journal.bell
        bell.listen()
        closing = asyncio.ensure_future(self._closing.wait())
        try:
            while self._boards and not closing.done():
                heard = bell.rings
                self._wanted.clear()
                await self._look()
                await self._rest(closing, heard)
        except UnavailableError:
            _log.warning("streams of roads end: the database does not answer")
        finally:
            closing.cancel()
            self._keeper = None
            boards, self._boards = self._boards, {}
            for board in boards.values():
                board.take_down()

    async def _look(self) -> None:
        """Look where anything was written, and at the roads there."""
        for end in await self._journal.ends([f"table/{table}" for table in self._boards]):
            board = self._boards.get(end.table)
            if board is not None and board.end != end.version:
                try:
                    await self._draw(board, end)
                except OutrunError:
                    _log.warning("roads are late: others write faster than they can be read", table=end.table)

    async def _draw(self, board: Board, end: End) -> None:
        """Show a table's roads, if anything changed them."""
        shown = await self._croupier.view_at(end, partial(_changed, board.version))
        if shown is not None:
            place = await self._journal.position(end.stream, shown.version)
            assert place is not None, "it was shown because it is durable"
            board.show(shown, place)
        board.end = end.version

    async def _rest(self, closing: asyncio.Future[None], heard: int) -> None:
        """Wait a moment, and then for the doorbell; no longer when a board is wanted, or the service stops."""
        wanted = asyncio.ensure_future(self._wanted.wait())
        ringing = asyncio.ensure_future(self._journal.bell.wait(heard, IDLE_SECONDS))
        try:
            await asyncio.wait((closing, wanted), timeout=LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.wait((closing, wanted, ringing), return_when=asyncio.FIRST_COMPLETED)
        finally:
            wanted.cancel()
            ringing.cancel()


def _changed(version: int, at: At) -> RoadsView | None:
    """Show the roads, if they are not those of this version."""
    return None if at.table.scorecard.version == version else views.roads_view(at.table)
