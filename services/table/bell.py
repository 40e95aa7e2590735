"""The doorbell: it rings when something was written, by whichever service. It says that there is news, not what."""

import asyncio
import contextlib
from typing import Any

from services.table.command import UnavailableError
from services.table.database import BROKEN, Connection, Pool, leave, reach

_PATIENCE_SECONDS = 60.0


class Bell:
    """Listens on PostgreSQL's channel `journal`, from the first who follows on: until then no append wakes anybody.

    A lost connection is made anew, and that rings too.
    """

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self._rung = asyncio.Event()
        self.rings = 0
        self._task: asyncio.Task[None] | None = None

    def listen(self) -> None:
        """Listen from now on. It rings as soon as it does."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._listen_always())

    async def wait(self, heard: int, seconds: float) -> None:
        """Wait for a ring after number `heard`, but not longer than so many seconds."""
        if self.rings == heard:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._rung.wait()

    async def close(self) -> None:
        """Listen no more; whoever waits is let go."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self._ring()

    def _ring(self, *_: Any) -> None:
        self.rings += 1
        self._rung.set()
        self._rung = asyncio.Event()

    async def _listen_always(self) -> None:
        while True:
            with contextlib.suppress(UnavailableError, *BROKEN):
                connection = await reach(self._pool, patience_seconds=_PATIENCE_SECONDS)
                try:
                    await self._listen(connection)
                finally:
                    await leave(self._pool, connection)

    async def _listen(self, connection: Connection) -> None:
        """Listen until the connection is lost."""
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _: lost.set())
        await connection.add_listener("journal", self._ring)
        self._ring()  # for what was written while nobody listened
        await lost.wait()
