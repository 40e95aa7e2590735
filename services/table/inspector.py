"""The inspector: goes over the entries that were signed long ago, so that damage is noticed before more is signed.

He reads each full piece of 256 entries once, hashes it leaf by leaf, and insists that all pieces lead to the tree's
right edge, which the notary took up from the last checkpoint. Of each he remembers a hash over its bytes, and what it
weighs: 64 bits that the database makes of it where it stands, with a salt that nobody else has. Before each signature
the old pieces are weighed, which costs little; beside that they are read again, in turn. What he remembers never was in
the database.
"""

import asyncio
import math
import secrets
from array import array
from collections.abc import Iterator, Sequence
from functools import reduce
from hashlib import sha256
from operator import xor

import structlog

from schemas.edge import Edge
from schemas.entry import leaf as leaf_of
from schemas.tile import WIDTH
from schemas.tree import root as root_over
from services.table.shelf import Hashed, MismatchError, Piece, Shelf

PIECES_AT_ONCE = 16  # read: 4,096 entries, some 1.7 MB, little enough to be hashed in passing
WEIGHED_AT_ONCE = 64
SIGNING_PIECES = 256  # weighed before each signature, 65,536 entries: of a log that has no more, all
SIGNING_SECONDS = 0.1  # so long of a larger one, so that no checkpoint is late
READ_PIECES = 4  # read before each signature, in turn
RESTING_PIECES = 32  # read in each second without news
_HASH_BYTES = 32
_log = structlog.get_logger()


class Inspector:
    """What is remembered of the full pieces of one tree, and which of them is looked at next."""

    def __init__(self) -> None:
        self.salt = secrets.randbits(63)
        self._digests = bytearray()
        self._roots = bytearray()
        self._weights = array("q")
        self._next_read = 0
        self._next_weighed = 0
        self._fresh = 0
        self._rested_since = 0.0

    @property
    def pieces(self) -> int:
        """Count the pieces that he knows, all of them from the first one on."""
        return len(self._digests) // _HASH_BYTES

    async def learn(self, shelf: Shelf, edge: Edge) -> None:
        """Hash every full piece that he does not know. Raises MismatchError when they do not lead to the edge."""
        known, full = self.pieces, edge.size // WIDTH
        if known >= full:
            return
        digests, roots, weights = bytearray(), bytearray(self._roots), array("q")
        for start, end in _in_turn(known, full - known, full, PIECES_AT_ONCE):
            pieces = await shelf.pieces(start, end, salt=self.salt)
            for digest, root in await asyncio.to_thread(_learned, pieces, shelf.base):
                digests += digest
                roots += root
            weights.extend(piece.weight for piece in pieces)
        if not await asyncio.to_thread(_lead_to, edge, _apart(roots)):
            raise MismatchError(f"the first {full * WIDTH} entries are not those that were signed")
        self._digests += digests
        self._weights += weights
        self._roots = roots  # not fresh: to read so many took its time

    def take_note(self, piece: int, entries: Hashed, root: bytes) -> None:
        """Remember a piece that the notary has hashed, entry by entry, when it became full."""
        if piece == self.pieces:
            self._digests += _digest(b"\n".join(entries.lines), b"".join(entries.leaves))
            self._weights.append(reduce(xor, entries.weights))
            self._roots += root
            self._fresh += 1

    def forget_beyond(self, pieces: int) -> None:
        """Remember only so many: what stood behind them was never signed."""
        self._fresh = 0
        del self._digests[pieces * _HASH_BYTES :]
        del self._roots[pieces * _HASH_BYTES :]
        del self._weights[pieces:]

    async def read_all(self, shelf: Shelf) -> bool:
        """Tell whether all pieces are as they are remembered."""
        return await self._read(shelf, self.pieces)

    async def look_before_signing(self, shelf: Shelf) -> bool:
        """Tell the same of as many as there is time for, of a small log of all: weighed, and some of them read.

        Those that became full since the last time have just been hashed.
        """
        old, self._fresh = self.pieces - self._fresh, 0
        patience_seconds = math.inf if old <= SIGNING_PIECES else SIGNING_SECONDS
        return await self._weigh(shelf, old, patience_seconds) and await self._read(shelf, min(READ_PIECES, old))

    async def look_meanwhile(self, shelf: Shelf) -> bool:
        """Tell the same of a few, when there is nothing to sign: as many as are due since they were read last."""
        due = min(int(RESTING_PIECES * self._rested_seconds()), self.pieces)
        return due < min(PIECES_AT_ONCE, self.pieces) or await self._read(shelf, due)

    def _rested_seconds(self) -> float:
        """How long nothing has been read, at most a second."""
        return min(asyncio.get_running_loop().time() - self._rested_since, 1.0)

    async def _weigh(self, shelf: Shelf, of: int, patience_seconds: float) -> bool:
        """Have the first pieces weighed, from the next one on, until it was all of them or patience is at its end."""
        clock = asyncio.get_running_loop().time
        began = clock()
        for start, end in _in_turn(self._next_weighed, of, of, WEIGHED_AT_ONCE):
            if await shelf.weighed(start, end, salt=self.salt) != self._weight(start, end):
                return False
            self._next_weighed = end
            if clock() - began > patience_seconds:
                break
        return True

    def _weight(self, start: int, end: int) -> tuple[int, int]:
        return (end - start) * WIDTH, reduce(xor, self._weights[start:end])

    async def _read(self, shelf: Shelf, count: int) -> bool:
        """Read so many pieces again, from the next one on, and hash them."""
        self._rested_since = asyncio.get_running_loop().time()
        for start, end in _in_turn(self._next_read, count, self.pieces, PIECES_AT_ONCE):
            found = await asyncio.to_thread(_digests, await shelf.pieces(start, end, salt=self.salt))
            if found != self._digests[start * _HASH_BYTES : end * _HASH_BYTES]:
                return False
            await self._mend(shelf, start, end)
            self._next_read = end
        return True

    async def _mend(self, shelf: Shelf, start: int, end: int) -> None:
        """Put the roots right that are kept of these pieces: the tree is served and proved from them."""
        roots = _apart(self._roots[start * _HASH_BYTES : end * _HASH_BYTES])
        if list(await shelf.stored(1, start, end)) != roots:
            _log.warning("notary_mends_the_tree", row=1, start=start, end=end)
            await shelf.keep([(1, index, root) for index, root in enumerate(roots, start)])


def _in_turn(first: int, count: int, of: int, at_once: int) -> Iterator[tuple[int, int]]:
    """Give so many of a row of pieces in stretches, from one of them on, and from the first again after the last."""
    while count > 0:
        start = first if first < of else 0
        end = min(start + min(count, at_once), of)
        yield start, end
        first, count = end, count - (end - start)


def _digest(lines: bytes, leaves: bytes) -> bytes:
    """Hash a piece whole: no entry has a line feed in it, so the bytes say where each of the 256 ends."""
    hashed = sha256(lines)
    hashed.update(leaves)
    return hashed.digest()


def _digests(pieces: Sequence[Piece]) -> bytes:
    return b"".join(_digest(piece.lines, piece.leaves) if piece.entries == WIDTH else b"" for piece in pieces)


def _learned(pieces: Sequence[Piece], base: int) -> list[tuple[bytes, bytes]]:
    """Hash pieces entry by entry: of each, what is remembered, and its root. Raises MismatchError."""
    learned = []
    for piece in pieces:
        leaves = [leaf_of(line) for line in piece.lines.split(b"\n")]
        if (piece.entries, len(leaves)) != (WIDTH, WIDTH) or b"".join(leaves) != piece.leaves:
            raise MismatchError(_what_is_wrong(piece, leaves, base + piece.number * WIDTH))
        learned.append((_digest(piece.lines, piece.leaves), root_over(leaves)))
    return learned


def _what_is_wrong(piece: Piece, leaves: Sequence[bytes], start: int) -> str:
    written = _apart(piece.leaves)
    if (piece.entries, len(leaves)) == (WIDTH, WIDTH):
        at = next(at for at, pair in enumerate(zip(leaves, written, strict=True)) if pair[0] != pair[1])
        return f"the entry at {start + at} and the leaf hash beside it do not agree"
    if piece.entries < WIDTH:
        return f"of the entries from {start} to {start + WIDTH - 1} some are missing"
    return f"of the entries from {start} to {start + WIDTH - 1} one has a line feed in it"


def _lead_to(edge: Edge, hashes: Sequence[bytes]) -> bool:
    """Tell whether the roots of all full pieces lead, row by row, to the hashes of the edge above its leaves."""
    for row in edge.rows[1:]:
        full = len(hashes) // WIDTH * WIDTH
        if list(hashes[full:]) != list(row):
            return False
        hashes = [root_over(hashes[at : at + WIDTH]) for at in range(0, full, WIDTH)]
    return not hashes


def _apart(hashes: bytes | bytearray) -> list[bytes]:
    return [bytes(hashes[start : start + _HASH_BYTES]) for start in range(0, len(hashes), _HASH_BYTES)]
