"""Connections that note what they are asked, for tests of how often a database is asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, ClassVar

import asyncpg


class Listening(asyncpg.Connection):
    """A connection that notes every statement which reads rows."""

    asked: ClassVar[list[str]] = []

    async def fetch(self, query: str, *values: Any, **more: Any) -> Any:
        """Note it, and read."""
        self.asked.append(query)
        return await super().fetch(query, *values, **more)


@asynccontextmanager
async def counted(url: str) -> AsyncIterator[tuple["asyncpg.Pool[Any]", list[str]]]:
    """Connections, and the statements that were sent on any of them."""
    Listening.asked.clear()
    async with asyncpg.create_pool(url, min_size=0, max_size=6, connection_class=Listening) as pool:
        yield pool, Listening.asked
