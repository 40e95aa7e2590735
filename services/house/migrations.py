"""Each service's schema, made or brought up to date by a login that may do so; again changes nothing."""

import asyncpg


async def migrate_journal(url: str) -> None:
    """The table service's."""
    from services.table import migrate

    connection = await asyncpg.connect(url)
    try:
        await migrate.migrate(connection)
    finally:
        await connection.close()


async def migrate_books(url: str) -> None:
    """The ledger's."""
    from services.ledger import books

    connection = await asyncpg.connect(url)
    try:
        await books.migrate(connection)
    finally:
        await connection.close()
