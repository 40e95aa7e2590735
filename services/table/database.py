"""Reaching the database: which errors say that it is gone, and how long to wait until it is back."""

import asyncio
import contextlib
from typing import Any

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from services.table.command import UnavailableError

Pool = asyncpg.Pool
Connection = PoolConnectionProxy

# After one of these a statement may have been carried out, or not.
BROKEN = (
    OSError,  # a timeout too
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # shut down, crashed, starting up, cancelled
    asyncpg.InsufficientResourcesError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # a connection that broke in the middle of an operation
)
_FIRST_WAIT_SECONDS = 0.05
_LONGEST_WAIT_SECONDS = 1.0


async def reach(pool: Pool, *, patience_seconds: float) -> Connection:
    """Take a connection, waiting for a database that is away. Raises UnavailableError when patience is at its end."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + patience_seconds
    wait_seconds = _FIRST_WAIT_SECONDS
    while True:
        try:
            return await pool.acquire(timeout=max(deadline - loop.time(), _FIRST_WAIT_SECONDS))
        except (asyncpg.PostgresError, *BROKEN) as error:
            if loop.time() + wait_seconds > deadline:
                raise UnavailableError("the database does not answer") from error
        await asyncio.sleep(wait_seconds)
        wait_seconds = min(2 * wait_seconds, _LONGEST_WAIT_SECONDS)


async def leave(pool: Pool, connection: Connection) -> None:
    """Give a connection back whose state is not known: it is cut, and the pool makes a new one when asked."""
    with contextlib.suppress(*BROKEN):
        connection.terminate()
    with contextlib.suppress(*BROKEN):
        await pool.release(connection)


async def fetch(pool: Pool, query: str, *values: Any, patience_seconds: float) -> list[asyncpg.Record]:
    """Read, and read once more when the connection breaks. Raises UnavailableError."""
    for _ in range(2):
        connection = await reach(pool, patience_seconds=patience_seconds)
        try:
            return await connection.fetch(query, *values)
        except BROKEN:
            connection.terminate()
        finally:
            with contextlib.suppress(*BROKEN):
                await pool.release(connection)
    raise UnavailableError("the database went away, twice")
