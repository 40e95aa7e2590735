"""The notary: keeps the log's tree, and signs how large it is and what its root is.

Before anything is signed, the journal is compared with the checkpoints that were signed before: the one that the
database shows, and the one in the register, which the database's administrator cannot reach. Every entry that they
covered must still be there. If one is not, the notary refuses, and the service should serve no more. One notary signs
at a time, the one with the advisory lock; the others look on, and take over when it goes.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import asyncpg
import structlog

from schemas.note import Signer, Verifier
from schemas.proof import Proof
from schemas.tree import verify_consistency, verify_inclusion
from services.table import tiles
from services.table.command import UnavailableError
from services.table.database import BROKEN, Connection, Pool, fetch, leave, reach
from services.table.register import Register, RegisterMovedError
from services.table.scribe import RegisterAwayError, Scribe, Signed, opened
from services.table.shelf import MismatchError, Shelf
from services.table.volume import Volume, volumes

PERIOD_SECONDS = 1.0
PATIENCE_SECONDS = 10.0
_LOOK_ON_SECONDS = 0.1
ENTRIES_READ_FIRST = 1 << 20  # some seconds' worth
LOCK = 0x6E6F74617279  # "notary"

_LAST = "select note from journal.checkpoint order by size desc limit 1"
_KEPT = "select note from journal.checkpoint where size = $1"
_log = structlog.get_logger()

Proved = TypeVar("Proved")


class UnprovableError(Exception):
    """The entry was written before its log ended, and no checkpoint of that log that is still here covers it."""


class Notary:
    """Signs at least every second while there is news, and when asked. Made within the running event loop."""

    def __init__(
        self, pool: Pool, signer: Signer, register: Register, *, period_seconds: float = PERIOD_SECONDS
    ) -> None:
        self._pool = pool
        self._scribe = Scribe(signer, register)
        self._period_seconds = period_seconds
        self._wanted = asyncio.Event()
        self._turn = asyncio.Event()
        self._refusal: str | None = None
        self._trouble: str | None = None
        self._task = asyncio.get_running_loop().create_task(self._serve_always())

    @property
    def verifier(self) -> Verifier:
        """The key of the log that is being filled; its name is the origin."""
        return self._scribe.verifier

    @property
    def vkey(self) -> str:
        """What a reader needs to check the log's signatures."""
        return self.verifier.vkey

    @property
    def refusal(self) -> str | None:
        """Why nothing is signed any more: the service should serve no more either."""
        return self._refusal

    @property
    def trouble(self) -> str | None:
        """Why nothing is signed at the moment."""
        return self._trouble

    @property
    def latest(self) -> Signed | None:
        """The checkpoint that was kept last; None until the log has been compared with it."""
        return self._scribe.latest

    @property
    def base(self) -> int:
        """The journal's place of the first entry of the log that is being filled."""
        return self._scribe.base

    @property
    def shelf(self) -> Shelf:
        """Where the tree of this log is read."""
        return Shelf(self._fetch, base=self.base)

    async def ready(self, *, patience_seconds: float = PATIENCE_SECONDS) -> Signed:
        """Wait until the log has been compared with what is kept, and is signed. Raises as `cover` does."""
        return await self._signed_behind(-1, patience_seconds)

    async def cover(self, position: int, *, patience_seconds: float = PATIENCE_SECONDS) -> Signed:
        """Give a checkpoint that covers this place in the journal, signed now if need be.

        Raises LookupError when nothing is written there, MismatchError, UnavailableError.
        """
        latest = await self.ready(patience_seconds=patience_seconds)
        if latest.size <= position - self.base:
            size = (await self._fetch("select size from journal.head"))[0]["size"]
            if not 0 <= position < size:
                raise LookupError(f"the journal has {size} entries, none at {position}")
        return await self._signed_behind(position, patience_seconds)

    async def prove(self, position: int, *, size: int | None = None) -> Proof:
        """Prove that the entry at this place is in its log: in the latest checkpoint, or in the kept one of this size.

        Raises LookupError when there is no such entry or checkpoint, UnprovableError, MismatchError, UnavailableError.
        """
        signed, base = await self._checkpoint_over(position, size)
        index = position - base
        if not 0 <= index < signed.size:
            raise LookupError(f"a checkpoint of {signed.size} covers nothing at {index}")
        shelf = Shelf(self._fetch, base=base)

        async def proved() -> Proof | None:
            leaf, hashes = await tiles.prove(index, signed.size, shelf.read)
            holds = verify_inclusion(index=index, size=signed.size, leaf=leaf, proof=hashes, root=signed.root)
            return Proof(index=index, hashes=tuple(hashes), checkpoint=signed.note) if holds else None

        what = f"the entry at {position} does not lead to the root that was signed at {signed.size}"
        return await self._insist(proved, what)

    async def prove_beginning(self, old_size: int, size: int) -> list[bytes]:
        """Prove that the tree of one size is the beginning of the tree of another.

        Raises LookupError when no checkpoint covers that size, or the first is larger; MismatchError, UnavailableError.
        """
        latest = await self.ready()
        if not 0 <= old_size <= size <= latest.size:
            raise LookupError(f"a log of {latest.size} signed entries has no sizes {old_size} and {size}")
        shelf = self.shelf

        async def proved() -> list[bytes] | None:
            roots = [(await tiles.read_edge(each, shelf.read)).root() for each in (old_size, size)]
            proof = await tiles.prove_beginning(old_size, size, shelf.read)
            holds = verify_consistency(old_size=old_size, size=size, old_root=roots[0], root=roots[1], proof=proof)
            return proof if holds and (size < latest.size or roots[1] == latest.root) else None

        return await self._insist(proved, f"the tree does not lead to the root that was signed at {latest.size}")

    async def log_of(self, position: int) -> Verifier:
        """Give the key of the log that holds the entry at this place in the journal. Raises as `prove` does."""
        await self.ready()
        return self.verifier if position >= self.base else (await self._volume_of(position)).verifier

    def covers(self, signed: Signed, position: int) -> bool:
        """Tell whether a checkpoint of this log covers this place in the journal."""
        return 0 <= position - self.base < signed.size

    async def newer(self, seen: Signed | None) -> Signed:
        """Wait for another checkpoint than the one that was seen last. Raises MismatchError, UnavailableError."""
        while self.latest is None or self.latest == seen:
            if self._refusal is not None:
                raise MismatchError(self._refusal)
            if self._task.done():
                raise UnavailableError("the notary is closed")
            await self._turn.wait()
        return self.latest

    async def reread(self) -> Signed:
        """Read the checkpoint that the database shows, whoever signed it. Raises MismatchError, UnavailableError."""
        return opened((await self._fetch(_LAST))[0]["note"].encode(), self.verifier, "in the database")

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

    async def _fetch(self, query: str, *values: Any) -> list[asyncpg.Record]:
        return await fetch(self._pool, query, *values, patience_seconds=PATIENCE_SECONDS)

    async def _insist(self, prove: Callable[[], Awaitable[Proved | None]], what: str) -> Proved:
        """Prove; when it fails, have the tree derived again and prove once more. Raises MismatchError."""
        proved = await prove()
        if proved is None:
            await self._doubt()
            proved = await prove()
        if proved is None:
            raise MismatchError(what)
        return proved

    async def _doubt(self) -> None:
        """Have the tree made anew from the entries, and wait until that is done. Raises as `ready` does."""
        self._scribe.is_doubted = True
        await self._wait_until(lambda: not self._scribe.is_doubted, PATIENCE_SECONDS)

    async def _checkpoint_over(self, position: int, size: int | None) -> tuple[Signed, int]:
        """Give the checkpoint to prove an entry in, and the base of its log."""
        if size is not None:
            await self.ready()
            return await self._kept(size), self.base
        latest = await self.ready()
        if position < self.base:
            return await self._last_of_old(position)
        signed = latest if position - self.base < latest.size else await self.cover(position)
        return signed, self.base

    async def _kept(self, size: int) -> Signed:
        """Read this log's checkpoint of this size."""
        rows = await self._fetch(_KEPT, self.base + size)
        if not rows:
            raise LookupError(f"no checkpoint of {size} is kept")
        return opened(rows[0]["note"].encode(), self.verifier, "in the database")

    async def _last_of_old(self, position: int) -> tuple[Signed, int]:
        """Read the last checkpoint that is still here of a log that has ended. Raises UnprovableError, LookupError."""
        volume = await self._volume_of(position)
        async with self._pool.acquire() as connection:
            note = await volume.last_kept(connection)
        if note is not None:
            signed = opened(note, volume.verifier, "in the database")
            if position - volume.base < signed.size:
                return signed, volume.base
        raise UnprovableError(f"the entry at {position} was in no checkpoint when the entries behind it were lost")

    async def _volume_of(self, position: int) -> Volume:
        """Find the log that holds the entry at this place in the journal. Raises LookupError."""
        if position < 0:
            raise LookupError(f"the journal has no entry at {position}")
        return next(volume for volume in reversed(await volumes(self._fetch)) if volume.base <= position)

    async def _signed_behind(self, position: int, patience_seconds: float) -> Signed:
        """Wait for a checkpoint that covers this place, and have it signed soon."""
        await self._wait_until(
            lambda: self.latest is not None and self.latest.size > position - self.base, patience_seconds
        )
        assert self.latest is not None, "it has been waited for"
        return self.latest

    async def _wait_until(self, is_so: Callable[[], bool], patience_seconds: float) -> None:
        """Wait, turn by turn, and have the next one soon. Raises MismatchError, UnavailableError."""
        deadline = asyncio.get_running_loop().time() + patience_seconds
        while not is_so() and self._refusal is None and not self._task.done():
            self._wanted.set()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._turn.wait()
            except TimeoutError:
                raise UnavailableError(self._trouble or "no checkpoint was signed in time") from None
        if self._refusal is not None:
            raise MismatchError(self._refusal)
        if not is_so():
            raise UnavailableError("the notary is closed")

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
        except RegisterMovedError as error:
            _log.warning("notary_was_outrun", error=str(error))
        except RegisterAwayError as error:
            self._trouble = str(error)
            _log.error("notary_register_away", error=self._trouble)  # the error says it all
            await asyncio.sleep(self._period_seconds)
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
            if not is_signing or self._scribe.is_doubted:
                is_signing = is_signing or bool(await connection.fetchval("select pg_try_advisory_lock($1)", LOCK))
                await self._scribe.examine(connection)
                if self._scribe.unread > ENTRIES_READ_FIRST:
                    self._tell()  # the service may open; nothing is signed before all of it has been read
            if not is_signing or not await self._scribe.sign(connection):
                await self._scribe.rest(connection)
            self._trouble = None
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
