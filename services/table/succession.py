"""Succession: what is done when entries were lost for good. The old origin is finished, and the next log opens.

The next log's tree begins with `log-succeeded`, which holds the old log's last checkpoint. With it, in the same
command, every shoe that was open in the restored state is voided and its seed revealed: its next cards may have been
seen. The journal's places go on, and so do its streams, whose links reach back into the old log. All of it is one
transaction; a ceremony that died on the way from there to the register is held once more, and goes on where it was.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator, Sequence
from hashlib import sha256

import asyncpg
from msgspec import Struct

from schemas import checkpoint, note
from schemas.accounts import LogSucceeded
from schemas.checkpoint import Checkpoint
from schemas.entry import decode
from schemas.events import ShoeVoided
from schemas.note import NoteError, Signer
from services.table.appender import APPEND, Waiting, columns
from services.table.command import Command, Sealed
from services.table.database import Connection, Pool
from services.table.game import shoes
from services.table.game.state import Closed, Idle
from services.table.journal import Journal
from services.table.notary import LOCK
from services.table.register import Register
from services.table.scribe import derived, opened
from services.table.shelf import MismatchError, Shelf
from services.table.stream import Tip, read_table
from services.table.vault import SeedLostError, Vault
from services.table.volume import Volume, volumes

REASON = "log-succeeded"
_STREAM = "log"
_BEGIN = """
    insert into journal.volume (number, base, vkey)
    select coalesce((select max(number) from journal.volume), 0) + 1, size, $1 from journal.head for update
"""


class SuccessionError(ValueError):
    """Why there is nothing to be done, or nothing that may be; and what would be right."""


class Succession(Struct, frozen=True, kw_only=True):
    """Who asks for it, and why: a word, and an actor of the log."""

    reason: str
    approved_by: str


class Succeeded(Struct, frozen=True, kw_only=True):
    """What came of it: the log that ended, and how much of it was signed; its successor, and what that one voided.

    `old_left` is how many entries of the old log are still under a checkpoint that is here, and all of them with it.
    """

    old_origin: str
    old_size: int
    old_number: int
    old_left: int
    origin: str
    vkey: str
    base: int
    size: int
    voided: tuple[str, ...]


class Ceremony:
    """Opens the log of `signer` as the successor of the one in the register. `pool` enters as the journal's owner."""

    def __init__(self, pool: Pool, register: Register, signer: Signer, vault: Vault) -> None:
        self._pool = pool
        self._register = register
        self._signer = signer
        self._vault = vault

    async def hold(self, succession: Succession) -> Succeeded:
        """Hold it, or what is left of it. Raises SuccessionError, MismatchError."""
        async with alone(self._pool) as connection:
            last = self._last_signed()
            old = _parsed(last)
            volume = next(reversed(await volumes(connection.fetch)), None)
            if old.origin == self._signer.verifier.name:
                raise SuccessionError(
                    f"{old.origin} is the log that signed last: set SHOELOG_LOG_ORIGIN to an origin that was never used"
                )
            if volume is None or volume.vkey != self._signer.verifier.vkey:
                await self._insist_on_a_loss(connection, old, volume)
                await self._open(connection, last, old, succession)
            return await self._sign(connection, last, old)

    def _last_signed(self) -> bytes:
        last = self._register.read()
        if last is None:
            raise SuccessionError(f"the register ({self._register}) is empty: it knows of no log that could have ended")
        return last

    async def _insist_on_a_loss(self, connection: Connection, old: Checkpoint, volume: Volume | None) -> None:
        """Refuse to end a log of which everything is there."""
        if volume is None or volume.verifier.name != old.origin:
            return
        with contextlib.suppress(MismatchError):
            tree = await derived(Shelf(connection.fetch, base=volume.base), old.size)
            if tree.root() == old.root:
                raise SuccessionError(f"nothing is lost: the database holds all {old.size} entries of {old.origin}")

    async def _open(self, connection: Connection, last: bytes, old: Checkpoint, succession: Succession) -> None:
        """Begin the volume, write its first entry, void every shoe: all of it, or nothing."""
        journal = Journal(self._pool)
        try:
            command, seeds = await self._command(journal, last, old, succession)
            async with connection.transaction():
                await connection.execute(_BEGIN, self._signer.verifier.vkey)
                waiting = Waiting(command, asyncio.get_running_loop().create_future())
                answer = await connection.fetchrow(APPEND, *columns([waiting]))
                if answer is None or answer["used"] or answer["outrun"]:
                    raise SuccessionError("somebody writes in the journal: stop every service first")
            for stream, shoe in seeds:
                await journal.forget_seed(stream, shoe)
        finally:
            await journal.close()

    async def _command(
        self, journal: Journal, last: bytes, old: Checkpoint, succession: Succession
    ) -> tuple[Command, list[tuple[str, int]]]:
        """Make the one command of the ceremony, and say whose seeds it reveals."""
        actor, key = succession.approved_by, f"log-succeeded.{sha256(last).hexdigest()[:40]}"
        tip = Tip(_STREAM)
        if (before := await journal.last(_STREAM)) is not None:
            tip.follow(decode(before.line), before.leaf)
        event = LogSucceeded(origin=old.origin, checkpoint=last.decode(), reason=succession.reason)
        entries, seeds = [tip.seal(event, actor=actor, key=key)], []
        for stream in await journal.tables():
            voided, shoe = await self._voided(journal, stream, actor=actor, key=key)
            entries += voided
            seeds += [(stream, shoe)] if voided else []
        command = Command(actor=actor, key=key, request=sha256(last).digest(), answer=b"{}", entries=tuple(entries))
        return command, seeds

    async def _voided(self, journal: Journal, stream: str, *, actor: str, key: str) -> tuple[Sequence[Sealed], int]:
        """Void a table's open shoe, its open coup first; nothing when none is open."""
        held = read_table(stream, await journal.chapter(stream))
        if isinstance(held.here.phase, Closed | Idle):
            return (), 0
        number = held.shoe.number
        with contextlib.suppress(SeedLostError):  # what cannot be revealed is voided without
            self._vault.open(held, await journal.seed(stream, number))
        events = shoes.void(held.here, seed=held.seed, reason=REASON, approved_by=(actor,))
        return [held.tip.seal(event, actor=actor, key=key) for event in events], number

    async def _sign(self, connection: Connection, last: bytes, old: Checkpoint) -> Succeeded:
        """Sign the successor for the first time: into the register, in the old log's place, and into the database."""
        verifier = self._signer.verifier
        all_logs = await volumes(connection.fetch)
        base = all_logs[-1].base
        size = await connection.fetchval("select size from journal.head") - base
        shelf = Shelf(connection.fetch, base=base)
        lines = await shelf.lines(0, size)
        first = decode(lines[0]).event
        if not isinstance(first, LogSucceeded) or first.checkpoint.encode() != last:
            raise MismatchError(f"{verifier.name} does not begin with the checkpoint in the register: who opened it?")
        root = (await derived(shelf, size)).root()
        signed = checkpoint.sign(Checkpoint(origin=verifier.name, size=size, root=root), self._signer)
        await asyncio.to_thread(self._register.replace, last, signed)
        await connection.execute("select journal.keep_checkpoint($1, $2)", base + size, signed.decode())
        number, left = await _left(connection, all_logs, old)
        return Succeeded(
            old_origin=old.origin,
            old_size=old.size,
            old_number=number,
            old_left=left,
            origin=verifier.name,
            vkey=verifier.vkey,
            base=base,
            size=size,
            voided=tuple(_voided_in(lines)),
        )


async def _left(connection: Connection, all_logs: Sequence[Volume], old: Checkpoint) -> tuple[int, int]:
    """Give the number of the log that ended, and up to where it can still be proved; 0 and 0 if nothing is left."""
    volume = next((each for each in all_logs if each.verifier.name == old.origin), None)
    note_left = None if volume is None else await volume.last_kept(connection)
    if volume is None or note_left is None:
        return 0, 0
    return volume.number, _parsed(note_left).size


async def remember(pool: Pool, register: Register, signer: Signer) -> Checkpoint:
    """Write the database's last checkpoint into a register that is empty, or went back. Raises SuccessionError.

    Nobody but people can know that the database lost nothing. What it holds must still lead to that checkpoint.
    """
    async with alone(pool) as connection:
        verifier = signer.verifier
        volume = next((each for each in await volumes(connection.fetch) if each.vkey == verifier.vkey), None)
        kept = None if volume is None else await volume.last_kept(connection)
        if volume is None or kept is None:
            raise SuccessionError(f"the database shows no checkpoint by {verifier.vkey}")
        found = opened(kept, verifier, "in the database")
        if (await derived(Shelf(connection.fetch, base=volume.base), found.size)).root() != found.root:
            raise MismatchError(f"the first {found.size} entries are not those that the database's checkpoint covers")
        before = register.read()
        known = None if before is None else opened(before, verifier, f"in the register ({register})")
        if known is not None and known.size >= found.size:
            raise SuccessionError(f"the register ({register}) knows of {known.size} entries already")
        register.replace(before, found.note)
    return Checkpoint(origin=verifier.name, size=found.size, root=found.root)


@contextlib.asynccontextmanager
async def alone(pool: Pool) -> AsyncIterator[Connection]:
    """Hold the notary's lock, so that nobody signs meanwhile. Raises SuccessionError when somebody does."""
    async with pool.acquire() as connection:
        await connection.execute("set lock_timeout = '2s'")  # one that has just stopped lets go soon
        try:
            await connection.execute("select pg_advisory_lock($1)", LOCK)
        except asyncpg.LockNotAvailableError:
            raise SuccessionError("a service is signing: stop every table service first") from None
        try:
            yield connection
        finally:
            await connection.fetchval("select pg_advisory_unlock($1)", LOCK)


def _parsed(last: bytes) -> Checkpoint:
    """Read a checkpoint whose key may be gone. Raises SuccessionError."""
    try:
        return checkpoint.parse(note.parse(last).text)
    except NoteError as error:
        raise SuccessionError(f"the register holds no checkpoint: {error}") from None


def _voided_in(lines: Sequence[bytes]) -> Iterator[str]:
    """Name the shoes that the ceremony's command voided, as `b1/3`."""
    first = decode(lines[0])
    for entry in map(decode, lines):
        if isinstance(entry.event, ShoeVoided) and (entry.actor, entry.command) == (first.actor, first.command):
            yield f"{entry.stream.partition('/')[2]}/{entry.event.shoe}"
