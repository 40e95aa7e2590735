"""A notary's office in a test: who signs, what there is to sign, and how somebody cheats."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AbstractContextManager

import asyncpg

from schemas.checkpoint import Checkpoint, open_checkpoint
from schemas.note import Signer
from services.table.journal import Journal
from services.table.notary import Notary
from services.table.scribe import Signed
from tests.table.tapes import Tape

SIGNER = Signer("casino.example/log/1", bytes(range(32)))
OFTEN = 0.01
SELDOM = 3600.0

Office = Callable[..., AbstractAsyncContextManager[Notary]]
FullDisk = Callable[[], AbstractContextManager[None]]

_TRIGGERS = {
    "entry": ("stays",),
    "head": ("stays", "grows"),
    "command": ("stays",),
    "checkpoint": ("stays",),
    "volume": ("stays",),
}


async def leaves_of(journal: Journal) -> list[bytes]:
    """Read the leaf hashes of the whole journal."""
    return [entry.leaf for entry in await journal.page(-1, 100_000)]


def opened(signed: Signed) -> Checkpoint:
    """Open a checkpoint with the key that signed it."""
    return open_checkpoint(signed.note, SIGNER.verifier)


async def write(journal: Journal, entries: int, stream: str = "table/b1") -> None:
    """Write so many entries, in one command."""
    last = await journal.last(stream)
    tape = Tape(stream).after(last) if last else Tape(stream)
    await journal.append(tape.bet(count=entries))


async def cheat(superuser: asyncpg.Connection, statement: str) -> None:
    """Do what only a superuser can: switch the triggers off and change what is written."""
    for table in _TRIGGERS:
        await superuser.execute(f"alter table journal.{table} disable trigger all")
    await superuser.execute(statement)
    for table, triggers in _TRIGGERS.items():
        for trigger in triggers:
            await superuser.execute(f"alter table journal.{table} enable always trigger {trigger}")


async def kept(pool: asyncpg.Pool) -> list[int]:
    """List the sizes of the checkpoints that are kept in the database."""
    return [row["size"] for row in await pool.fetch("select size from journal.checkpoint order by size")]


async def take_back(superuser: asyncpg.Connection, size: int) -> None:
    """Put the journal back to where it was when it had so many entries, as a backup would."""
    await cheat(
        superuser,
        f"delete from journal.entry where position >= {size}; update journal.head set size = {size};"  # noqa: S608
        f" delete from journal.command where first_position >= {size};"
        f" delete from journal.checkpoint where size > {size}",
    )


def flipped(column: str, bit: int, *, of: str) -> str:
    """Say how one bit is turned over, wherever that is."""
    table, _, where = of.partition(" ")
    turned = f"set_bit({column}, {bit}, 1 - get_bit({column}, {bit}))"
    return f"update journal.{table} set {column} = {turned} where {where}"  # noqa: S608  # the test's own words
