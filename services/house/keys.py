"""The key cabinet of either service: API keys added, listed, revoked by who owns its schema; only hashes are kept."""

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256
from typing import Literal, NamedTuple

import asyncpg

Service = Literal["table", "ledger"]
ROLES = ("operator", "auditor", "dashboard")
HOUSE = "house"  # the name of the keys that `shoelog up` keeps


class Cabinet(NamedTuple):
    """Where a service keeps its keys' hashes, and whose they are."""

    schema: str
    owner: str


CABINETS: Mapping[Service, Cabinet] = {
    "table": Cabinet("journal", "shoelog_table_owner"),
    "ledger": Cabinet("books", "shoelog_ledger_owner"),
}


class Key(NamedTuple):
    """What is known of a key."""

    role: str
    name: str
    created_at: datetime


class KeyTaken(Exception):
    """There is a key of that role and name already."""


def new_key(role: str) -> str:
    """The text of a fresh key."""
    from services.door import keys

    assert role in ROLES, "the command line asks for one of them"
    return keys.new_key(role)[0]  # type: ignore[arg-type]  # one of the roles, as said


async def add(url: str, service: Service, *, role: str, name: str) -> str:
    """Make a key; its text, which nobody can show again. Raises KeyTaken."""
    text = new_key(role)
    statement = f"insert into {CABINETS[service].schema}.api_key (hash, role, name) values ($1, $2, $3)"  # noqa: S608
    try:
        await _write(url, service, statement, hashed(text), role, name)
    except asyncpg.UniqueViolationError:
        raise KeyTaken(f"there is a key of role {role} named {name}: revoke it, or choose another name") from None
    return text


async def keep(url: str, service: Service, *, keys: Mapping[str, str], name: str = HOUSE) -> None:
    """Let these keys, a text for each role, be the ones of that name that open the service."""
    statement = (
        f"insert into {CABINETS[service].schema}.api_key (hash, role, name) values ($1, $2, $3)"  # noqa: S608
        " on conflict (role, name) do update set hash = excluded.hash where api_key.hash <> excluded.hash"
    )
    for role, text in keys.items():
        await _write(url, service, statement, hashed(text), role, name)


async def revoke(url: str, service: Service, *, role: str, name: str) -> bool:
    """Take a key away; whether there was one. A running service notices within half a minute."""
    statement = f"delete from {CABINETS[service].schema}.api_key where role = $1 and name = $2"  # noqa: S608
    return await _write(url, service, statement, role, name) != "DELETE 0"


async def listed(url: str, service: Service) -> list[Key]:
    """Every key there is, without its text, which nobody knows."""
    cabinet = CABINETS[service]
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction(readonly=True):
            await connection.execute(f"set local role {cabinet.owner}")
            rows = await connection.fetch(
                f"select role, name, created_at from {cabinet.schema}.api_key order by role, name"  # noqa: S608
            )
    finally:
        await connection.close()
    return [Key(*row) for row in rows]


def hashed(text: str) -> bytes:
    """What is kept of a key."""
    return sha256(text.encode()).digest()


async def _write(url: str, service: Service, statement: str, *values: object) -> str:
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute(f"set local role {CABINETS[service].owner}")
            return str(await connection.execute(statement, *values))
    finally:
        await connection.close()
