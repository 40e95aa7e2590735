"""The books' database refuses what must never happen."""

import asyncpg
import pytest

from services.ledger import books
from tests.ledger.evening import evening
from tests.ledger.rooms import Ledger, Log, connected

pytestmark = pytest.mark.anyio


@pytest.fixture
async def kept(log: Log, ledger: Ledger) -> Ledger:
    """The books of a short evening."""
    tape = evening(1, coups=5)
    await log.append(tape.rows)
    await ledger.level(len(tape.rows) - 1)
    return ledger


STAYS = [
    "update books.entry set what = what",
    "update books.posting set amount = amount",
    "delete from books.entry",
    "delete from books.posting",
    "delete from books.account",
    "delete from books.checkpoint",
    "truncate books.entry",
    "truncate books.posting",
    "truncate books.account",
    "truncate books.checkpoint",
]
ONE = "from account where balance <> 0 order by id limit 1"
COOKED = {
    "one side only": (f"insert into posting select 0, 90, id, version + 1, 5, balance, balance + 5 {ONE}", "balance"),
    "of no entry": (f"insert into posting select 9999, 0, id, version + 1, 5, balance, balance + 5 {ONE}", "balance"),
    "from another balance": (f"insert into posting select 0, 90, id, version + 1, 5, 1, 6 {ONE}", "do not follow"),
    "a version twice": (f"insert into posting select 0, 90, id, version, 5, balance, balance + 5 {ONE}", "balance"),
    "wrong sum": (
        f"insert into posting select 0, 90, id, version + 1, 5, balance, balance + 6 {ONE}",
        "violates check",
    ),
    "a line twice": (f"insert into posting select 1, 0, id, version + 1, 5, balance, balance + 5 {ONE}", "duplicate"),
    "another balance": ("update account set balance = balance + 1", "not what its postings say"),
    "another version": ("update account set version = version + 1", "not what its postings say"),
    "money from nowhere": (
        "insert into account (path, currency, pattern, balance) values ('x', 'USD', 'x', 5)",
        "not what its postings say",
    ),
    "back in time": ("update checkpoint set position = position - 1", "cannot go back"),
}


async def test_what_is_written_stays_written_even_for_a_superuser(kept: Ledger) -> None:
    async with connected(kept.database.superuser) as connection:
        for statement in STAYS:
            with pytest.raises(asyncpg.RestrictViolationError):
                await connection.execute(statement)


async def test_the_service_itself_cannot_cook_the_books(kept: Ledger) -> None:
    connection = await books.connect(kept.url)
    try:
        for statement, why in COOKED.values():
            with pytest.raises(asyncpg.PostgresError, match=why):
                await connection.execute(statement)
    finally:
        await connection.close()


async def test_the_service_may_make_no_tables_and_no_keys(kept: Ledger) -> None:
    connection = await books.connect(kept.url)
    try:
        for statement in (
            "create table mine (one int)",
            "delete from posting",
            "update posting set amount = 1",
            "insert into api_key (hash, role, name) values (decode(repeat('00', 32), 'hex'), 'operator', 'me')",
        ):
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.execute(statement)
    finally:
        await connection.close()


async def test_migrating_again_changes_nothing(kept: Ledger) -> None:
    before = await kept.balances()
    async with connected(kept.migrator_url) as connection:
        await books.migrate(connection)

    assert await kept.balances() == before
    assert await kept.fetch("select count(*) from checkpoint") == [(1,)]
