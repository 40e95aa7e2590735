"""The inspector: goes over the entries that were signed long ago, so that damage is noticed before more is signed.

He hashes each full piece of 256 entries once, leaf by leaf, and insists that all of them lead to the tree's right edge,
which the notary took up from the last checkpoint. Of every piece he remembers one hash, over the bytes of its entries
and the leaves beside them: so going over a piece again costs a third. What he remembers never was in the database.
"""

import asyncio
import math
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise

import structlog

from schemas.entry import leaf as leaf_of
from schemas.tree import root as root_over
from services.table.shelf import MismatchError, Piece, Shelf
from services.table.tiles import WIDTH, Edge

PIECES_AT_ONCE = 16  # 4,096 entries, some 1.7 MB: one statement, and little enough to be hashed in passing
SIGNING_PIECES = 256  # 65,536 entries: so many before each signature; of a larger log, in each second
SIGNING_SECONDS = 0.15  # and no longer, of a larger log, so that checkpoints are not late on a busy machine
RESTING_PIECES = 64  # in each second without news
_HASH_BYTES = 32
_log = structlog.get_logger()


class Inspector:
    """What is remembered of the full pieces of one tree, and which of them is looked at next."""

    def __init__(self) -> None:
        self._digests = bytearray()
        self._roots = bytearray()
        self._next = 0
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
        digests, roots = bytearray(), bytearray(self._roots)
        for start, end in _strides(known, full):
            for digest, root in await asyncio.to_thread(_learned, await shelf.pieces(start, end), shelf.base):
                digests += digest
                roots += root
        if not await asyncio.to_thread(_lead_to, edge, _apart(roots)):
            raise MismatchError(f"the first {full * WIDTH} entries are not those that were signed")
        self._digests += digests
        self._roots = roots  # not fresh: to read so many took its time

    def take_note(self, piece: int, lines: Sequence[bytes], leaves: Sequence[bytes], root: bytes) -> None:
        """Remember a piece that the notary has hashed, entry by entry, when it became full."""
        if piece == self.pieces:
            self._digests += _digest(b"\n".join(lines), b"".join(leaves))
            self._roots += root
            self._fresh += 1

    def forget_beyond(self, pieces: int) -> None:
        """Remember only so many: what stood behind them was never signed."""
        self._fresh = 0
        del self._digests[pieces * _HASH_BYTES :]
        del self._roots[pieces * _HASH_BYTES :]

    async def go_over_all(self, shelf: Shelf) -> bool:
        """Tell whether all pieces are as they are remembered."""
        self._fresh = 0
        return await self._go_over(shelf, self.pieces, of=self.pieces)

    async def go_over_some(self, shelf: Shelf) -> bool:
        """Tell the same, before a signature, of as many as there is time for: of a small log all.

        Those that became full since the last time have just been hashed.
        """
        old, self._fresh = self.pieces - self._fresh, 0
        if old <= SIGNING_PIECES:
            return await self._go_over(shelf, old, of=old)
        due = max(int(SIGNING_PIECES * self._rested_seconds()), PIECES_AT_ONCE)
        return await self._go_over(shelf, due, of=old, patience_seconds=SIGNING_SECONDS)

    async def go_over_few(self, shelf: Shelf) -> bool:
        """Tell the same of a few, when there is nothing to sign."""
        due = min(int(RESTING_PIECES * self._rested_seconds()), self.pieces)
        return due < min(PIECES_AT_ONCE, self.pieces) or await self._go_over(shelf, due, of=self.pieces)

    def _rested_seconds(self) -> float:
        """How long nothing has been gone over, at most a second."""
        return min(asyncio.get_running_loop().time() - self._rested_since, 1.0)

    async def _go_over(self, shelf: Shelf, count: int, *, of: int, patience_seconds: float = math.inf) -> bool:
        """Go over so many of the first pieces, from the next one on, and from the first again after the last."""
        clock = asyncio.get_running_loop().time
        self._rested_since = began = clock()
        while count > 0 and clock() - began < patience_seconds:
            start = self._next if self._next < of else 0
            end = min(start + min(count, PIECES_AT_ONCE), of)
            found = await asyncio.to_thread(_digests, await shelf.pieces(start, end))
            if found != self._digests[start * _HASH_BYTES : end * _HASH_BYTES]:
                return False
            await self._mend(shelf, start, end)
            self._next, count = end, count - (end - start)
        return True

    async def _mend(self, shelf: Shelf, start: int, end: int) -> None:
        """Put the roots right that are kept of these pieces: the tree is served and proved from them."""
        roots = _apart(self._roots[start * _HASH_BYTES : end * _HASH_BYTES])
        if list(await shelf.stored(1, start, end)) != roots:
            _log.warning("notary_mends_the_tree", row=1, start=start, end=end)
            await shelf.keep([(1, index, root) for index, root in enumerate(roots, start)])


def _strides(start: int, end: int) -> list[tuple[int, int]]:
    return list(pairwise([*range(start, end, PIECES_AT_ONCE), end]))


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
