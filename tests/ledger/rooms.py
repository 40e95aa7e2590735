"""The rooms on either side of the cashier: the log that he reads, and the books that he writes."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import asyncpg

from services.ledger import books
from services.ledger.cashier import Cashier
from services.table.migrate import migrate
from tests.databases import Database
from tests.ledger.tape import Row

_ENTRY = ("position", "version", "chapter", "stream", "leaf", "line")


class Log:
    """A log's database, written to as nobody may in earnest."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.feed_url = database.url("shoelog_feed")

    async def make(self) -> None:
        """Make the journal, as the table service has it."""
        async with connected(self.database.url("shoelog_table_migrator")) as connection:
            await migrate(connection)

    async def append(self, rows: Iterable[Row]) -> None:
        """Append entries, and ring."""
        async with connected(self.database.superuser) as connection, connection.transaction():
            records = [(row.position, row.version, 1, row.stream, row.leaf, row.line) for row in rows]
            await connection.copy_records_to_table("entry", schema_name="journal", records=records, columns=_ENTRY)
            await connection.execute("notify journal")


class Ledger:
    """The books' database, and cashiers for it."""

    def __init__(self, database: Database, log: Log) -> None:
        self.database = database
        self.log = log
        self.url = database.url("shoelog_ledger")
        self.migrator_url = database.url("shoelog_ledger_migrator")

    async def make(self) -> None:
        """Make the books."""
        async with connected(self.migrator_url) as connection:
            await books.migrate(connection)

    def cashier(self) -> Cashier:
        """Take on a cashier."""
        return Cashier(feed_url=self.log.feed_url, books_url=self.url)

    async def level(self, position: int) -> None:
        """Post up to a position, with a cashier of its own."""
        async with working(self.cashier()) as cashier:
            await until(lambda: cashier.progress.position >= position or cashier.progress.state == "stopped")

    async def fetch(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Read the books as their service."""
        connection = await books.connect(self.url)
        try:
            return [tuple(row) for row in await connection.fetch(query, *values)]
        finally:
            await connection.close()

    async def balances(self) -> dict[tuple[str, str], int]:
        """Read every balance that is not zero, debit positive."""
        rows = await self.fetch("select path, currency, balance from account where balance <> 0")
        return {(path, currency): balance for path, currency, balance in rows}


@contextlib.asynccontextmanager
async def connected(url: str) -> AsyncIterator[asyncpg.Connection]:
    """Connect for a moment."""
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


@contextlib.asynccontextmanager
async def working(cashier: Cashier) -> AsyncIterator[Cashier]:
    """Let a cashier work meanwhile."""
    task = asyncio.create_task(cashier.follow())
    try:
        yield cashier
    finally:
        cashier.stop()
        await task


async def until(is_true: Callable[[], bool], seconds: float = 60) -> None:
    """Wait until something is true."""
    async with asyncio.timeout(seconds):
        while not is_true():  # noqa: ASYNC110 (what is waited for lies in a process or database of its own)
            await asyncio.sleep(0.005)
