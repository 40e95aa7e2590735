"""Books made anew from the log alone, in a shadow beside the old ones; proved equal, and switched in."""

import contextlib
import time
from collections.abc import AsyncIterator

import asyncpg
import structlog
from msgspec import Struct

from services.ledger import books
from services.ledger.books import OWNER, Desk
from services.ledger.cashier import draw_up
from services.ledger.feed import BATCH, Feed

SHADOW = "books_shadow"
_OLD = "books_old"
_NEAR = 10 * BATCH
_EXAMPLES = 3
_log = structlog.get_logger()

# Everything that is projected, in words that do not depend on the order in which accounts were opened.
_PAGES = {
    "checkpoint": "select position, command from {0}.checkpoint",
    "accounts": "select path, currency, pattern, balance, version from {0}.account",
    "entries": "select position, stream, version, at, what from {0}.entry",
    "postings": "select p.position, p.line, a.path, a.currency, p.version, p.amount, p.before, p.after"
    " from {0}.posting p join {0}.account a on a.id = p.account",
    "figures": "select * from {0}.figure",
    "shoes": "select * from {0}.shoe",
    "coups": "select at_table, memory from {0}.coup",
    "tips": "select stream, version, leaf from {0}.stream_tip",
}


class Rebuilt(Struct, frozen=True, kw_only=True):
    """What came of it. `differences` are examples: what only the old or only the new books say."""

    position: int
    entries: int
    accounts: int
    postings: int
    is_equal: bool
    is_switched: bool
    differences: tuple[str, ...]
    seconds: float


async def rebuild(*, feed_url: str, migrator_url: str, accept_differences: bool = False) -> Rebuilt:
    """Build the books again up to where the old ones stand, compare, and switch them in if they are equal.

    The cashier may work meanwhile; he waits only for the last step. Books that differ are left standing beside the old
    ones, as schema `books_shadow`, unless `accept_differences`: then they replace them, even when the log ends before
    the old ones do. Raises Halted at an entry that cannot be posted, TornFeed, and LookupError for a log that is short.
    """
    began = time.perf_counter()
    async with _as_owner(migrator_url, books.SCHEMA) as control, _as_owner(migrator_url, SHADOW) as shadow:
        async with contextlib.aclosing(await Feed.open(feed_url)) as feed:
            await control.execute(f"drop schema if exists {SHADOW}, {_OLD} cascade")
            await books.migrate(control, SHADOW)
            desk = await books.sit_down(shadow)
            while (end := await _end(control, feed, accept_differences)) - desk.position > _NEAR:
                await _replay(feed, shadow, desk, end)
            differences = await _finish(control, feed, shadow, desk, accept_differences=accept_differences)
        is_switched = accept_differences or not differences
        if is_switched:
            await control.execute(f"drop schema {_OLD} cascade")
        return Rebuilt(
            position=desk.position,
            entries=desk.position + 1,
            **await _counts(control, books.SCHEMA if is_switched else SHADOW),
            is_equal=not differences,
            is_switched=is_switched,
            differences=tuple(differences),
            seconds=round(time.perf_counter() - began, 3),
        )


@contextlib.asynccontextmanager
async def _as_owner(url: str, schema: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await books.connect(url, schema, patience_seconds=None)
    try:
        await connection.execute(f"set role {OWNER}")
        yield connection
    finally:
        await connection.close()


async def _end(control: asyncpg.Connection, feed: Feed, accept_differences: bool, lock: str = "") -> int:  # noqa: FBT001
    """Tell up to which position the books are built: as far as the old ones go, and the log."""
    position = int(await control.fetchval(f"select position from books.checkpoint {lock}"))  # noqa: S608  # our own words
    return min(position, await feed.size() - 1) if accept_differences else position


async def _replay(feed: Feed, shadow: asyncpg.Connection, desk: Desk, end: int) -> None:
    """Post to the shadow, up to and with position `end`."""
    while desk.position < end:
        rows = await feed.read(desk.position, min(BATCH, end - desk.position))
        if not rows:
            raise LookupError(f"the log ends at {desk.position}, before the books do at {end}")
        await books.recall_streams(shadow, desk, {row.stream for row in rows})
        await books.write(shadow, desk, draw_up(desk, rows))
        _log.info("rebuilding", position=desk.position, of=end)


async def _finish(
    control: asyncpg.Connection, feed: Feed, shadow: asyncpg.Connection, desk: Desk, *, accept_differences: bool
) -> list[str]:
    """Hold the old books still, bring the new ones level, compare, and switch, in one transaction."""
    async with control.transaction():
        end = await _end(control, feed, accept_differences, "for update")
        await _replay(feed, shadow, desk, end)
        differences = await compare(control, books.SCHEMA, SHADOW)
        if differences and not accept_differences:
            return differences
        # A cashier who waits for the checkpoint finds another edition on it, and begins again with the new books.
        await control.execute("update books.checkpoint set edition = gen_random_uuid()")
        await control.execute(f"insert into {SHADOW}.api_key select * from books.api_key")  # noqa: S608
        await control.execute(f"alter schema books rename to {_OLD}")
        await control.execute(f"alter schema {SHADOW} rename to books")
    return differences


async def compare(control: asyncpg.Connection, old: str, new: str) -> list[str]:
    """Compare two schemas' books, all that is projected; give some of what differs."""
    found: list[str] = []
    for page, query in _PAGES.items():
        for one, other in ((old, new), (new, old)):
            rows = await control.fetch(f"{query.format(one)} except all {query.format(other)} limit {_EXAMPLES}")
            found += [f"{page}, only in {one}: {', '.join(map(str, row.values()))}" for row in rows]
    return found


async def _counts(control: asyncpg.Connection, schema: str) -> dict[str, int]:
    row = await control.fetchrow(
        f"select (select count(*) from {schema}.account) accounts, (select count(*) from {schema}.posting) postings"  # noqa: S608
    )
    return dict(row) if row else {}
