"""The right edge of a log's Merkle tree in pieces of 256: leaves, roots over 256 leaves, roots over 256 roots.

Row 0 holds leaf hashes, row r the roots of complete subtrees at level 8 r. Pure.
"""

from collections.abc import Sequence
from typing import NamedTuple

from schemas.tile import LEVELS_PER_ROW, WIDTH
from schemas.tree import EMPTY_ROOT, Frontier
from schemas.tree import root as root_over


class Completed(NamedTuple):
    """The root of a complete subtree: its row, its place there, and the 256 hashes of the row below that it is over."""

    row: int
    place: int
    root: bytes
    below: Sequence[bytes]


class Edge:
    """The right edge of a growing tree: of each row, the hashes that do not fill a piece yet."""

    def __init__(self, size: int = 0, rows: Sequence[Sequence[bytes]] = ()) -> None:
        self.size = size
        self._rows = [list(row) for row in rows] or [[]]

    @property
    def rows(self) -> Sequence[Sequence[bytes]]:
        """The hashes of each row that do not fill a piece yet, the leaves first."""
        return self._rows

    def append(self, leaf: bytes) -> list[Completed]:
        """Add a leaf; give the roots that became complete, the lowest first."""
        self.size += 1
        completed: list[Completed] = []
        rows, number, value = self._rows, 0, leaf
        while True:
            below = rows[number]
            below.append(value)
            if len(below) < WIDTH:
                return completed
            rows[number] = []
            value = root_over(below)
            number += 1
            if number == len(rows):
                rows.append([])
            completed.append(Completed(number, (self.size >> LEVELS_PER_ROW * number) - 1, value, below))

    def root(self) -> bytes:
        """Give the root over all leaves so far."""
        if not self.size:
            return EMPTY_ROOT
        hashes: list[bytes] = []
        for row in reversed(self._rows):
            start = 0
            for height in range(LEVELS_PER_ROW - 1, -1, -1):
                if len(row) >> height & 1:
                    hashes.append(root_over(row[start : start + (1 << height)]))
                    start += 1 << height
        return Frontier(self.size, hashes).root()
