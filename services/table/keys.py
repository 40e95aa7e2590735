"""The table service's API keys, of which only hashes are kept; whoever may change its database makes them."""

from services.door.keys import Caller
from services.table.database import Pool, fetch

LOAD = "select hash, role, name from journal.api_key"
PATIENCE_SECONDS = 2.0


async def load(pool: Pool) -> list[tuple[bytes, Caller]]:
    """Load the hashes of all keys, for the door."""
    rows = await fetch(pool, LOAD, patience_seconds=PATIENCE_SECONDS)
    return [(row["hash"], Caller(row["role"], row["name"])) for row in rows]
