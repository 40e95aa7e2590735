"""The table service's API keys: added, listed and revoked by whoever may change its database; only hashes are kept."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any

import asyncpg
from msgspec import Struct

from services.door.keys import ROLES, Caller, Role, new_key
from services.table.database import Pool, fetch
from services.table.migrate import OWNER

LOAD = "select hash, role, name from journal.api_key"
PATIENCE_SECONDS = 2.0


class NameTakenError(ValueError):
    """There is a key of that role and name already."""


class KnownKey(Struct, frozen=True, kw_only=True):
    """What is known of a key."""

    role: Role
    name: str
    created_at: str


async def add(url: str, *, role: Role, name: str, text: str | None = None) -> str:
    """Add a key and give its text, which is kept nowhere. A text that is given replaces the key of that role and name.

    `url` is the migrator's or a superuser's. Raises NameTakenError, and ValueError for a name that is none.
    """
    if role not in ROLES:
        raise ValueError(f"{role!r} is not a role: {', '.join(ROLES)}")
    shown, hashed = new_key(role)
    if text is not None:
        shown, hashed = text, sha256(text.encode()).digest()
    async with _as_owner(url) as connection:
        if text is not None:
            await connection.execute(
                "delete from journal.api_key where role = $1 and name = $2 and hash <> $3", role, name, hashed
            )
        try:
            added = await connection.fetchval(
                "insert into journal.api_key (hash, role, name) values ($1, $2, $3)"
                " on conflict do nothing returning true",
                hashed,
                role,
                name,
            )
        except asyncpg.CheckViolationError:
            raise ValueError(f"{name!r} is not a name: [a-z0-9-]{{1,64}}") from None
        if not added and text is None:
            raise NameTakenError(f"there is a key {role} {name} already; revoke it first")
    return shown


async def list_keys(url: str) -> list[KnownKey]:
    """List the keys there are, without what opens anything."""
    async with _as_owner(url) as connection:
        rows = await connection.fetch("select role, name, created_at from journal.api_key order by role, name")
    return [KnownKey(role=r["role"], name=r["name"], created_at=r["created_at"].isoformat()) for r in rows]


async def revoke(url: str, *, name: str, role: Role | None = None) -> int:
    """Take back the keys of a name, of one role or of all, and count them. Services notice within half a minute."""
    async with _as_owner(url) as connection:
        rows = await connection.fetch(
            "delete from journal.api_key where name = $1 and ($2::text is null or role = $2) returning hash", name, role
        )
    return len(rows)


async def load(pool: Pool) -> list[tuple[bytes, Caller]]:
    """Load the hashes of all keys, for the door."""
    rows = await fetch(pool, LOAD, patience_seconds=PATIENCE_SECONDS)
    return [(row["hash"], Caller(row["role"], row["name"])) for row in rows]


@asynccontextmanager
async def _as_owner(url: str) -> AsyncIterator["asyncpg.Connection[Any]"]:
    """Enter as whoever owns the keys, in one transaction."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute(f"set local role {OWNER}")
            yield connection
    finally:
        await connection.close()
