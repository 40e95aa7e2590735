"""A log to read and books to write, in real databases."""

import asyncio

import pytest

from tests.databases import Database, MakeDatabase
from tests.ledger.rooms import Ledger, Log


@pytest.fixture
def log(table_database: Database) -> Log:
    """An empty log, whose feed the ledger may read."""
    log = Log(table_database)
    asyncio.run(log.make())
    return log


@pytest.fixture
def ledger(make_database: MakeDatabase, log: Log) -> Ledger:
    """Empty books beside the log."""
    database = make_database("ledger")
    ledger = Ledger(database, log)
    asyncio.run(ledger.make())
    return ledger
