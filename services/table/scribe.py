"""The notary's scribe: compares the journal with what was signed, adds to the tree what is new, and signs.

What he is about to sign he has hashed himself, from the bytes of the entries; and each time the old ones are gone over
too: all of a small log, of a large one so many in turn, and all of them when anybody has laid hands on the table. A
checkpoint goes into the register first, and then into the database, where all can see it.
"""

import asyncio
from collections.abc import Awaitable, Callable

import asyncpg
import structlog
from msgspec import Struct

from schemas import checkpoint
from schemas.checkpoint import Checkpoint
from schemas.edge import Completed, Edge
from schemas.note import NoteError, Signer, Verifier
from schemas.tile import LEVELS_PER_ROW, WIDTH
from services.table.database import Connection
from services.table.inspector import Inspector
from services.table.register import Register
from services.table.shelf import MismatchError, Shelf
from services.table.tiles import read_edge
from services.table.volume import Volume, current

ENTRIES_AT_ONCE = 2048
SUCCEED = (
    "Bring back what is missing, from a newer backup or a replica. If it is lost for good, this origin is finished:"
    " `shoelog log succeed` opens the next log"
)
REMEMBER = "If the database lost nothing, `shoelog log remember` writes its last checkpoint into the register"

_SIZE = "select size from journal.head"
_log = structlog.get_logger()


class Signed(Struct, frozen=True):
    """A checkpoint: the tree's size, its root, and the note."""

    size: int
    root: bytes
    note: bytes

    def is_same_tree(self, other: "Signed | None") -> bool:
        """Tell whether another checkpoint speaks of the same tree, whoever cosigned it."""
        return other is not None and (self.size, self.root) == (other.size, other.root)


class RegisterAwayError(Exception):
    """The register cannot be read, or written."""


class Scribe:
    """One log's signer. `latest` is the checkpoint that all can see; None until the journal was compared with it."""

    def __init__(self, signer: Signer, register: Register) -> None:
        self._signer = signer
        self._register = register
        self._registered: Signed | None = None
        self._edge = Edge()
        self._inspector = Inspector()
        self._guard: str | None = None
        self._volume = Volume(number=1, base=0, vkey=signer.verifier.vkey)
        self.latest: Signed | None = None
        self.is_doubted = False

    @property
    def verifier(self) -> Verifier:
        """The key of the log that is signed."""
        return self._signer.verifier

    @property
    def base(self) -> int:
        """The journal's place of the log's first entry."""
        return self._volume.base

    @property
    def unread(self) -> int:
        """Count the entries that were signed, and whose bytes were not read yet."""
        return self._edge.size - self._inspector.pieces * WIDTH

    async def examine(self, connection: Connection) -> None:
        """Compare the journal with all that was signed: seen by this scribe, kept in the database, in the register."""
        await self._find_volume(connection)
        shelf = Shelf(connection.fetch, base=self.base)
        kept = await self._last_kept(connection)  # before the register, into which whoever signs writes first
        registered = await self._read_register()
        self._compare(kept, registered)
        size = await connection.fetchval(_SIZE) - self.base
        edge, known = Edge(), [signed for signed in (self.latest, kept, registered) if signed is not None]
        for signed in sorted(known, key=lambda signed: signed.size):
            if size < signed.size:
                raise MismatchError(
                    f"the database is behind: it has {size} entries of {self.verifier.name}, and {signed.size} were"
                    f" signed. {SUCCEED}"
                )
            if (edge.size, edge.root()) != (signed.size, signed.root):
                edge = await self._take_up(shelf, signed)
        self._inspector.forget_beyond(edge.size // WIDTH)
        self._edge, self.latest, self._registered, self.is_doubted = edge, kept, registered, False

    async def sign(self, connection: Connection) -> bool:
        """Sign what has been written since, if anything has; tell whether it had."""
        shelf = Shelf(connection.fetch, base=self.base)
        await self._learn(shelf)
        await self._catch_up(shelf)
        if self._registered is not None and not self._registered.is_same_tree(self.latest):
            await self._publish(connection, self._registered)  # somebody died between the register and the database
        if self.latest is not None and self.latest.size == self._edge.size:
            return False
        if await self._last_kept(connection) != self.latest:
            raise MismatchError("the checkpoint that is kept last is not the one that was signed last")
        await self._go_over_the_frontier(shelf)
        await self._inspect(shelf, self._inspector.look_before_signing)
        size, root = self._edge.size, self._edge.root()
        note = checkpoint.sign(Checkpoint(origin=self.verifier.name, size=size, root=root), self._signer)
        signed = Signed(size, root, note)
        await self._write_down(signed)
        await self._publish(connection, signed)
        return True

    async def rest(self, connection: Connection) -> None:
        """Go over some of the old entries while there is nothing to sign."""
        shelf = Shelf(connection.fetch, base=self.base)
        await self._learn(shelf)
        await self._inspect(shelf, self._inspector.look_meanwhile)

    async def _find_volume(self, connection: Connection) -> None:
        """Find where the log begins; the database must be filling this one."""
        volume = await current(connection, self.verifier.vkey)
        if volume.vkey != self.verifier.vkey:
            raise MismatchError(
                f"the database is filling the log {volume.vkey}; this service signs {self.verifier.vkey}."
                f" Set SHOELOG_LOG_ORIGIN and SHOELOG_LOG_KEY_FILE to the log's. If it lost entries: {SUCCEED}"
            )
        self._volume = volume

    def _compare(self, kept: Signed | None, registered: Signed | None) -> None:
        """Insist that the register knows of everything that the database shows."""
        if kept is None or (registered is None and not kept.size):
            return
        if registered is None:
            raise MismatchError(
                f"the database shows a checkpoint of {kept.size} entries, and the register ({self._register}) is empty:"
                f" whether entries were lost cannot be told. {REMEMBER}"
            )
        if registered.size < kept.size:
            raise MismatchError(
                f"the register ({self._register}) went back: it knows of {registered.size} entries, and the database"
                f" shows a checkpoint of {kept.size}. {REMEMBER}"
            )
        if registered.size == kept.size and registered.root != kept.root:
            raise MismatchError(
                f"two trees of {kept.size} entries were signed, one in the register ({self._register}), the other in"
                f" the database: the log has forked. {SUCCEED}"
            )

    async def _take_up(self, shelf: Shelf, signed: Signed) -> Edge:
        """Take up the tree at a checkpoint, deriving all of it when what is kept does not lead to its root."""
        if not self.is_doubted:
            edge = await read_edge(signed.size, shelf.read)
            if edge.root() == signed.root:
                return edge
        _log.warning("notary_reads_all_entries", size=signed.size, reason="the tree's upper rows do not hold")
        return await self._derive(shelf, signed)

    async def _derive(self, shelf: Shelf, signed: Signed) -> Edge:
        """Make the tree anew from the entries' bytes, up to a checkpoint, and put right what is kept of it."""
        edge = await derived(shelf, signed.size)
        if edge.root() != signed.root:
            raise MismatchError(
                f"the first {signed.size} entries of {self.verifier.name} are not those that were signed. {SUCCEED}"
            )
        return edge

    async def _catch_up(self, shelf: Shelf) -> None:
        """Add to the tree what has been written; the last entries that it covers must still stand there."""
        while True:
            edge, covered = self._edge, list(self._edge.rows[0])
            start = edge.size - len(covered)
            found = await shelf.hashed(start, edge.size + ENTRIES_AT_ONCE, salt=self._inspector.salt)
            leaves = found.leaves
            for at, leaf in enumerate(covered):
                if leaves[at : at + 1] != [leaf]:
                    raise MismatchError(
                        f"the entry at {self.base + start + at} is not the one that was signed. {SUCCEED}"
                    )
            if len(leaves) == len(covered):
                return
            for row, index, root, _ in await _grow(shelf, edge, leaves[len(covered) :]):
                if row == 1:
                    here = slice(index * WIDTH - start, (index + 1) * WIDTH - start)
                    self._inspector.take_note(index, found.part(here), root)

    async def _go_over_the_frontier(self, shelf: Shelf) -> None:
        """Compare the rows above the leaves with what is kept of them at the right edge, and put that right."""
        for row, hashes in enumerate(self._edge.rows[1:], 1):
            end = self._edge.size >> LEVELS_PER_ROW * row
            start = end - len(hashes)
            if list(await shelf.stored(row, start, end)) != list(hashes):
                _log.warning("notary_mends_the_tree", row=row, start=start, end=end)
                await shelf.keep([(row, index, value) for index, value in enumerate(hashes, start)])

    async def _learn(self, shelf: Shelf) -> None:
        """Read every old entry that was not read yet: at the first time all of them, before anything is signed."""
        if self._guard is None:
            self._guard = await shelf.guard()
        await self._inspector.learn(shelf, self._edge)

    async def _inspect(self, shelf: Shelf, go_over: Callable[[Shelf], Awaitable[bool]]) -> None:
        """Go over old entries; over all of them when somebody has laid hands on the table, or one does not hold.

        Raises MismatchError when the log is not what was signed.
        """
        guard = await shelf.guard()  # before they are read: what is changed meanwhile is looked at again
        if guard == self._guard:
            is_right = await go_over(shelf)
        else:
            _log.warning("notary_reads_all_entries", size=self._edge.size, reason="the table's guard was changed")
            is_right = await self._inspector.read_all(shelf)
        if not is_right:
            _log.warning("notary_reads_all_entries", size=self._edge.size, reason="an entry is not what it was")
            await self._derive(shelf, Signed(self._edge.size, self._edge.root(), b""))
        self._guard = guard

    async def _write_down(self, signed: Signed) -> None:
        """Put a checkpoint into the register, in place of the last one. Raises RegisterMovedError."""
        expected = None if self._registered is None else self._registered.note
        try:
            await asyncio.to_thread(self._register.replace, expected, signed.note)
        except OSError as error:
            raise RegisterAwayError(f"the register ({self._register}) cannot be written: {error}") from error
        self._registered = signed

    async def _publish(self, connection: Connection, signed: Signed) -> None:
        """Keep a checkpoint in the database, for all to see."""
        try:
            await connection.execute(
                "select journal.keep_checkpoint($1, $2)", self.base + signed.size, signed.note.decode()
            )
        except asyncpg.RestrictViolationError as error:
            raise MismatchError(str(error)) from error
        self.latest = signed

    async def _last_kept(self, connection: Connection) -> Signed | None:
        note = await self._volume.last_kept(connection)
        return None if note is None else opened(note, self.verifier, "in the database")

    async def _read_register(self) -> Signed | None:
        try:
            note = await asyncio.to_thread(self._register.read)
        except OSError as error:
            raise RegisterAwayError(f"the register ({self._register}) cannot be read: {error}") from error
        return None if note is None else opened(note, self.verifier, f"in the register ({self._register})")


async def derived(shelf: Shelf, size: int) -> Edge:
    """Make a tree of this size anew from the entries' bytes. Raises MismatchError when they do not go so far."""
    edge = Edge()
    while edge.size < size:
        leaves = (await shelf.hashed(edge.size, min(edge.size + ENTRIES_AT_ONCE, size))).leaves
        if not leaves:
            raise MismatchError(f"the entry at {shelf.base + edge.size} is missing. {SUCCEED}")
        await _grow(shelf, edge, leaves)
    return edge


async def _grow(shelf: Shelf, edge: Edge, leaves: list[bytes]) -> list[Completed]:
    completed = [node for leaf in leaves for node in edge.append(leaf)]
    await shelf.keep([(row, index, root) for row, index, root, _ in completed])
    return completed


def opened(note: bytes, verifier: Verifier, where: str) -> Signed:
    """Open a log's own checkpoint. Raises MismatchError, saying where it was found."""
    try:
        found = checkpoint.open_checkpoint(note, verifier)
    except NoteError as error:
        raise MismatchError(f"the checkpoint {where} is not by {verifier.vkey}: {error}. {SUCCEED}") from error
    return Signed(found.size, found.root, note)
