"""The notary: keeps the log's tree, and signs how large it is and what its root is.

Before it signs, it compares the log with the checkpoint that was kept last: every entry that one covered must still be
there. If one is not, the notary refuses, and the service should serve no more. One notary signs at a time, the one with
the advisory lock; the others look on, and take over when it goes. Checkpoints kept outside the database, which a
superuser cannot reach, will be compared here too.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence

import asyncpg
import structlog
from msgspec import Struct

from schemas import checkpoint
from schemas.checkpoint import Checkpoint
from schemas.note import NoteError, Signer
from schemas.proof import Proof
from schemas.tree import verify_inclusion
from services.table import tiles
from services.table.command import UnavailableError
from services.table.database import BROKEN, Connection, Pool, fetch, leave, reach
from services.table.tiles import LEVELS_PER_ROW, Edge, MissingNodesError

PERIOD_SECONDS = 1.0
PATIENCE_SECONDS = 10.0
_LOOK_ON_SECONDS = 0.1
_LOCK = 0x6E6F74617279  # "notary"
_LEAVES_AT_ONCE = 2048
_HASH_BYTES = 32

_LAST_KEPT = "select note from journal.checkpoint order by size desc limit 1"
_KEPT = "select note from journal.checkpoint where size = $1"
_LEAVES = """
    select coalesce(string_agg(leaf, ''::bytea order by position), ''::bytea) as hashes, max(position) as last
    from journal.entry where position >= $1 and position < $2
"""
_NODES = """
    select coalesce(string_agg(hash, ''::bytea order by index), ''::bytea) as hashes
    from journal.node where level = $1 and index >= $2 and index < $3
"""
_log = structlog.get_logger()


class MismatchError(Exception):
    """The log is not what was signed."""


class Signed(Struct, frozen=True):
    """A checkpoint that is kept: the tree's size, its root, and the note."""

    size: int
    root: bytes
    note: bytes


class Notary:
    """Signs at least every second while there is news, and when asked. Made within the running event loop."""

    def __init__(self, pool: Pool, signer: Signer, *, period_seconds: float = PERIOD_SECONDS) -> None:
        self._pool = pool
        self._signer = signer
        self._period_seconds = period_seconds
        self._latest: Signed | None = None
        self._edge = Edge()
        self._last_leaf: bytes | None = None
        self._wanted = asyncio.Event()
        self._turn = asyncio.Event()
        self._refusal: str | None = None
        self._task = asyncio.get_running_loop().create_task(self._serve_always())

    @property
    def vkey(self) -> str:
        """What a reader needs to check the log's signatures."""
        return self._signer.verifier.vkey

    @property
    def refusal(self) -> str | None:
        """Why nothing is signed any more: the service should serve no more either."""
        return self._refusal

    @property
    def latest(self) -> Signed | None:
        """The checkpoint that was kept last; None until the log has been compared with it."""
        return self._latest

    async def ready(self, *, patience_seconds: float = PATIENCE_SECONDS) -> Signed:
        """Wait until the log has been compared with what is kept, and is signed. Raises as `cover` does."""
        return await self._signed_behind(-1, patience_seconds)

    async def cover(self, position: int, *, patience_seconds: float = PATIENCE_SECONDS) -> Signed:
        """Give a checkpoint that covers this place in the log, signed now if need be.

        Raises LookupError when nothing is written there, MismatchError, UnavailableError.
        """
        if self._latest is None or self._latest.size <= position:
            size = (await self._fetch("select size from journal.head"))[0]["size"]
            if not 0 <= position < size:
                raise LookupError(f"the log has {size} entries, none at {position}")
        return await self._signed_behind(position, patience_seconds)

    async def prove(self, position: int, *, size: int | None = None) -> Proof:
        """Prove that the entry at this place is in the log: in its latest checkpoint, or in the kept one of this size.

        Raises LookupError when there is no such entry or checkpoint, MismatchError, UnavailableError.
        """
        signed = await self.cover(position) if size is None else await self._kept(size)
        if not 0 <= position < signed.size:
            raise LookupError(f"a checkpoint of {signed.size} covers nothing at {position}")
        leaf, hashes = await tiles.prove(position, signed.size, _reader(self._fetch))
        if not verify_inclusion(index=position, size=signed.size, leaf=leaf, proof=hashes, root=signed.root):
            raise MismatchError(f"the entry at {position} does not lead to the root that was signed at {signed.size}")
        return Proof(index=position, hashes=tuple(hashes), checkpoint=signed.note)

    def covers(self, signed: Signed, position: int) -> bool:
        """Tell whether a checkpoint covers this place in the log."""
        return position < signed.size

    async def newer(self, seen: Signed | None) -> Signed:
        """Wait for another checkpoint than the one that was seen last. Raises MismatchError, UnavailableError."""
        while self._latest is None or self._latest == seen:
            if self._refusal is not None:
                raise MismatchError(self._refusal)
            if self._task.done():
                raise UnavailableError("the notary is closed")
            await self._turn.wait()
        return self._latest

    async def reread(self) -> Signed:
        """Read the checkpoint that is kept last, whoever signed it. Raises MismatchError, UnavailableError."""
        return self._open((await self._fetch(_LAST_KEPT))[0]["note"].encode())

    async def prove_beginning(self, old_size: int, size: int) -> list[bytes]:
        """Prove that the tree of one size is the beginning of the tree of another. Raises as `prove` does."""
        return await tiles.prove_beginning(old_size, size, _reader(self._fetch))

    def refuse(self, reason: str) -> None:
        """Sign no more: somebody else has shown that the log is not what was signed."""
        if self._refusal is None:
            self._refusal = reason
            _log.critical("notary_refuses", reason=reason)
        self._task.cancel()
        self._tell()

    async def close(self) -> None:
        """Sign no more."""
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    async def _fetch(self, query: str, *values: int) -> list[asyncpg.Record]:
        return await fetch(self._pool, query, *values, patience_seconds=PATIENCE_SECONDS)

    async def _kept(self, size: int) -> Signed:
        """Read the checkpoint of this size."""
        rows = await self._fetch(_KEPT, size)
        if not rows:
            raise LookupError(f"no checkpoint of {size} is kept")
        return self._open(rows[0]["note"].encode())

    async def _signed_behind(self, position: int, patience_seconds: float) -> Signed:
        """Wait for a checkpoint that covers this place, and have it signed soon."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience_seconds
        while self._latest is None or self._latest.size <= position:
            if self._refusal is not None or self._task.done():
                break
            self._wanted.set()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._turn.wait()
            except TimeoutError:
                raise UnavailableError("no checkpoint was signed in time") from None
        if self._refusal is not None:
            raise MismatchError(self._refusal)
        if self._latest is None or self._latest.size <= position:
            raise UnavailableError("the notary is closed")
        return self._latest

    def _tell(self) -> None:
        """Let whoever waits look again."""
        self._turn.set()
        self._turn = asyncio.Event()

    async def _serve_always(self) -> None:
        """Go on from one connection to the next, until the log is found to be another than was signed."""
        try:
            while self._refusal is None:
                with contextlib.suppress(UnavailableError):
                    await self._serve_connected(await reach(self._pool, patience_seconds=PATIENCE_SECONDS))
        finally:
            self._tell()

    async def _serve_connected(self, connection: Connection) -> None:
        try:
            await self._serve(connection)
        except BROKEN as error:
            _log.warning("notary_connection_broke", error=type(error).__name__)
        except Exception as error:  # noqa: BLE001  # a notary that signs no more says so, whatever the reason
            self._refusal = str(error) or type(error).__name__
            _log.critical("notary_refuses", reason=self._refusal)
        finally:
            await leave(self._pool, connection)  # the lock goes with it

    async def _serve(self, connection: Connection) -> None:
        """Take turns: sign when holding the lock, else look on."""
        is_signing = False
        while True:
            began = asyncio.get_running_loop().time()
            if not is_signing:
                is_signing = bool(await connection.fetchval("select pg_try_advisory_lock($1)", _LOCK))
                await self._examine(connection)
            if is_signing:
                await self._sign(connection)
            self._tell()
            await self._rest(began, is_signing=is_signing)

    async def _rest(self, began: float, *, is_signing: bool) -> None:
        """Wait until a checkpoint is wanted, at most until a period after the turn began."""
        rest_seconds = max(began + self._period_seconds - asyncio.get_running_loop().time(), 0)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(rest_seconds):
                await self._wanted.wait()
        if self._wanted.is_set() and not is_signing:
            await asyncio.sleep(min(_LOOK_ON_SECONDS, rest_seconds))  # somebody else signs; look again soon
        self._wanted.clear()

    async def _examine(self, connection: Connection) -> None:
        """Compare the log with the checkpoint that was kept last, and with the one that this notary saw last."""
        self._edge = Edge()
        last = await self._last_kept(connection)
        for signed in dict.fromkeys((self._latest, last)):
            if signed is None:
                continue
            if last is None or last.size < signed.size:
                raise MismatchError(f"the checkpoint of {signed.size} that was signed is kept no more")
            self._edge = await self._edge_of(connection, signed)
        self._last_leaf = None
        if self._edge.size:
            [self._last_leaf] = await _read(connection.fetch, 0, self._edge.size - 1, self._edge.size)
        self._latest = last

    async def _edge_of(self, connection: Connection, signed: Signed) -> Edge:
        """Take up the tree at a checkpoint, deriving it from the leaves when what is kept does not lead to its root."""
        with contextlib.suppress(MissingNodesError):
            edge = await tiles.read_edge(signed.size, _reader(connection.fetch))
            if edge.root() == signed.root:
                return edge
        _log.warning("notary_reads_all_leaves", size=signed.size)
        edge = Edge()
        while edge.size < signed.size:
            leaves = await _read(connection.fetch, 0, edge.size, min(edge.size + _LEAVES_AT_ONCE, signed.size))
            await self._grow(connection, edge, leaves)
        if edge.root() != signed.root:
            raise MismatchError(f"the first {signed.size} entries are not those that were signed")
        return edge

    async def _sign(self, connection: Connection) -> None:
        """Sign what has been written since, if anything has."""
        await self._catch_up(connection)
        if self._latest is not None and self._latest.size == self._edge.size:
            return
        if await self._last_kept(connection) != self._latest:
            raise MismatchError("the checkpoint that is kept last is not the one that was signed last")
        size, root = self._edge.size, self._edge.root()
        note = checkpoint.sign(Checkpoint(origin=self._signer.verifier.name, size=size, root=root), self._signer)
        try:
            await connection.execute("select journal.keep_checkpoint($1, $2)", size, note.decode())
        except asyncpg.RestrictViolationError as error:
            raise MismatchError(str(error)) from error
        self._latest = Signed(size, root, note)

    async def _catch_up(self, connection: Connection) -> None:
        """Add to the tree what has been written; the last entry that it covers must still stand there."""
        while True:
            edge, overlap = self._edge, min(self._edge.size, 1)
            row = (await connection.fetch(_LEAVES, edge.size - overlap, edge.size + _LEAVES_AT_ONCE))[0]
            leaves = _apart(row["hashes"])
            if overlap and leaves[:1] != [self._last_leaf]:
                raise MismatchError(f"the entry at {edge.size - 1} is not the one that the tree covers")
            if len(leaves) == overlap:
                return
            if row["last"] != edge.size - overlap + len(leaves) - 1:
                raise MismatchError(f"of the entries from {edge.size} to {row['last']} some are missing")
            await self._grow(connection, edge, leaves[overlap:])
            self._last_leaf = leaves[-1]

    async def _grow(self, connection: Connection, edge: Edge, leaves: Sequence[bytes]) -> None:
        completed = [node for leaf in leaves for node in edge.append(leaf)]
        if completed:
            rows, indexes, hashes = zip(*completed, strict=True)
            levels = [row * LEVELS_PER_ROW for row in rows]
            await connection.execute("select journal.keep_nodes($1, $2, $3)", levels, indexes, hashes)

    async def _last_kept(self, connection: Connection) -> Signed | None:
        note = await connection.fetchval(_LAST_KEPT)
        return None if note is None else self._open(note.encode())

    def _open(self, note: bytes) -> Signed:
        try:
            opened = checkpoint.open_checkpoint(note, self._signer.verifier)
        except NoteError as error:
            raise MismatchError(f"a kept checkpoint is not this log's: {error}") from error
        return Signed(opened.size, opened.root, note)


Fetch = Callable[..., Awaitable[list[asyncpg.Record]]]


def _reader(fetch: Fetch) -> tiles.ReadRow:
    """Read the tree's rows where they are kept: the leaves beside their entries, the others apart."""
    return lambda row, start, end: _read(fetch, row, start, end)


async def _read(fetch: Fetch, row: int, start: int, end: int) -> list[bytes]:
    """Read the hashes of a row, from one index up to another. Raises MismatchError when leaves are missing."""
    if row:
        return _apart((await fetch(_NODES, row * LEVELS_PER_ROW, start, end))[0]["hashes"])
    leaves = _apart((await fetch(_LEAVES, start, end))[0]["hashes"])
    if len(leaves) != end - start:
        raise MismatchError(f"of the entries from {start} to {end - 1} some are missing")
    return leaves


def _apart(hashes: bytes) -> list[bytes]:
    return [hashes[start : start + _HASH_BYTES] for start in range(0, len(hashes), _HASH_BYTES)]
