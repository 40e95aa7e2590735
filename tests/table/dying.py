"""A notary that is killed at a step of its choosing: a process that forks one for each line it is told.

A line on standard input is `STEP SIZE`; the answer is `killed`, when the notary died as it began that step, or `done`,
when it had signed so many entries before there was such a step. Steps are statements to the database, and whatever is
done to a file.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import asyncpg

from services.table.notary import Notary
from services.table.register import FileRegister
from tests.table.office import SELDOM, SIGNER

_STATEMENTS = ("execute", "fetch", "fetchrow", "fetchval")


class Steps:
    """Counts, and kills at the one."""

    def __init__(self, fatal: int) -> None:
        self._left = fatal

    def take(self) -> None:
        """Begin another step."""
        self._left -= 1
        if not self._left:
            os.kill(os.getpid(), signal.SIGKILL)

    def before(self, deed: Callable[..., Any]) -> Callable[..., Any]:
        """Make a step of a deed."""

        def step(*values: Any, **more: Any) -> Any:
            self.take()
            return deed(*values, **more)

        return step


class Connection:
    """A connection that takes a step for each statement."""

    def __init__(self, connection: Any, steps: Steps) -> None:
        self.inner = connection
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        """Pass everything on."""
        deed = getattr(self.inner, name)
        return self._steps.before(deed) if name in _STATEMENTS else deed


class Pool:
    """A pool of such connections."""

    def __init__(self, pool: asyncpg.Pool, steps: Steps) -> None:
        self._pool = pool
        self._steps = steps

    async def acquire(self, **more: Any) -> Any:
        """Give one out."""
        return Connection(await self._pool.acquire(**more), self._steps)

    async def release(self, connection: Connection) -> None:
        """Take it back."""
        await self._pool.release(connection.inner)


async def sign(url: str, path: Path, size: int, fatal: int) -> None:
    """Sign so many entries, or die."""
    steps = Steps(fatal)
    for place, name in ((os, "fsync"), (os, "open"), (Path, "open"), (Path, "replace")):
        setattr(place, name, steps.before(getattr(place, name)))
    async with asyncpg.create_pool(url, min_size=1, max_size=2) as pool:
        counted: Any = Pool(pool, steps)
        notary = Notary(counted, SIGNER, FileRegister(path), period_seconds=SELDOM)
        signed = await notary.ready()
        if signed.size < size:
            await notary.cover(size - 1)
        await notary.close()


def die(url: str, path: Path, size: int, fatal: int) -> bool:
    """Fork a notary, and tell whether it was killed."""
    child = os.fork()
    if not child:
        status = 1
        try:
            asyncio.run(sign(url, path, size, fatal))
            status = 0
        finally:
            os._exit(status)
    _, ended = os.waitpid(child, 0)
    if os.WIFSIGNALED(ended):
        return True
    assert os.WEXITSTATUS(ended) == 0, "it failed, and was not killed"
    return False


if __name__ == "__main__":
    for line in sys.stdin:
        step, entries = map(int, line.split())
        print("killed" if die(sys.argv[1], Path(sys.argv[2]), entries, step) else "done", flush=True)  # noqa: T201
