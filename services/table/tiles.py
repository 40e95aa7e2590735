"""The log's Merkle tree in pieces of 256 hashes, read from where they are kept: its edge, and its proofs.

The lower rows stand in the database: a root or a proof needs at most two pieces of each row, however large the log.
"""

from collections.abc import Awaitable, Callable, Sequence

from schemas.edge import Edge
from schemas.tile import LEVELS_PER_ROW, WIDTH
from schemas.tree import Node, consistency_proof, inclusion_proof
from schemas.tree import root as root_over

# Reads the hashes of a row from one index up to another (exclusive).
ReadRow = Callable[[int, int, int], Awaitable[Sequence[bytes]]]


class MissingNodesError(Exception):
    """Hashes that were derived from the leaves are not where they should be."""


async def read_edge(size: int, read: ReadRow) -> Edge:
    """Take up a tree where it had this size. Raises MissingNodesError."""
    rows, number = [], 0
    while count := size >> LEVELS_PER_ROW * number:
        rows.append(await _whole(read, number, count // WIDTH * WIDTH, count))
        number += 1
    return Edge(size, rows)


async def prove(index: int, size: int, read: ReadRow) -> tuple[bytes, list[bytes]]:
    """Give a leaf and its inclusion proof in the tree of this size. Raises MissingNodesError."""
    node = await _nodes(index, size, read)
    return node(0, index), inclusion_proof(index, size, node)


async def prove_beginning(old_size: int, size: int, read: ReadRow) -> list[bytes]:
    """Give the proof that the tree of one size is the beginning of the tree of another. Raises MissingNodesError.

    Raises ValueError when the first is the larger one.
    """
    if not 0 < old_size < size:
        return consistency_proof(old_size, size, lambda *_: b"")  # nothing needs to be shown, or nothing can be
    return consistency_proof(old_size, size, await _nodes(old_size - 1, size, read))


async def _nodes(index: int, size: int, read: ReadRow) -> Node:
    """Read the pieces above a leaf and those along the right edge, which are all that its proof is made of."""
    known: dict[tuple[int, int], bytes] = {}
    number = 0
    while count := size >> LEVELS_PER_ROW * number:
        for piece in {(index >> LEVELS_PER_ROW * number) // WIDTH, count // WIDTH}:
            start, end = piece * WIDTH, min((piece + 1) * WIDTH, count)
            hashes = await _whole(read, number, start, end)
            known.update(((number, start + place), value) for place, value in enumerate(hashes))
        number += 1

    def node(level: int, at: int) -> bytes:
        row, height = divmod(level, LEVELS_PER_ROW)
        return root_over([known[row, place] for place in range(at << height, (at + 1) << height)])

    return node


async def _whole(read: ReadRow, row: int, start: int, end: int) -> Sequence[bytes]:
    if start >= end:
        return []
    hashes = await read(row, start, end)
    if len(hashes) != end - start:
        raise MissingNodesError(
            f"of row {row} of the tree, {end - start} hashes from {start} on, {len(hashes)} are there"
        )
    return hashes
