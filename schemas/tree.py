"""The log's Merkle tree (RFC 6962): roots, a growing frontier, inclusion and consistency proofs. Pure.

Every hash is 32 raw bytes. A *node* function answers for complete subtrees: `node(level, index)` is the root over the
leaves `index << level` up to `(index + 1) << level`; at level 0 it gives the leaf hash itself.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256

Node = Callable[[int, int], bytes]
EMPTY_ROOT = sha256(b"").digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Join two subtrees."""
    return sha256(b"\x01" + left + right).digest()


def root(leaves: Sequence[bytes]) -> bytes:
    """Give the root over leaf hashes (already hashed with the 0x00 prefix)."""
    frontier = Frontier()
    for leaf in leaves:
        frontier.append(leaf)
    return frontier.root()


class Frontier:
    """A tree that only grows, kept as its complete subtrees: at most log2(size) + 1 hashes, the largest first."""

    __slots__ = ("hashes", "size")

    def __init__(self, size: int = 0, hashes: Sequence[bytes] = ()) -> None:
        if len(hashes) != size.bit_count():
            raise ValueError(f"a frontier of size {size} has {size.bit_count()} hashes, not {len(hashes)}")
        self.size = size
        self.hashes = list(hashes)

    def append(self, leaf: bytes) -> None:
        """Add one leaf hash at the right edge."""
        size, hashes = self.size, self.hashes
        while size & 1:
            leaf = node_hash(hashes.pop(), leaf)
            size >>= 1
        hashes.append(leaf)
        self.size += 1

    def root(self) -> bytes:
        """Give the root of all leaves so far."""
        if not self.hashes:
            return EMPTY_ROOT
        result = self.hashes[-1]
        for left in reversed(self.hashes[:-1]):
            result = node_hash(left, result)
        return result

    def copy(self) -> "Frontier":
        """Give an independent frontier at the same place."""
        return Frontier(self.size, self.hashes)


def leaf_nodes(leaves: Sequence[bytes]) -> Node:
    """Give the node function of leaves held in memory (for tests and small trees)."""
    levels: list[list[bytes]] = [list(leaves)]
    while len(levels[-1]) > 1:
        below = levels[-1]
        levels.append([node_hash(below[i], below[i + 1]) for i in range(0, len(below) - 1, 2)])
    return lambda level, index: levels[level][index]


def range_root(start: int, end: int, node: Node) -> bytes:
    """Give the RFC 6962 root over leaves `start` to `end` (exclusive); `start` must be aligned to the size."""
    frontier: list[bytes] = []
    position = start
    for level in range((end - start).bit_length() - 1, -1, -1):
        if (end - start) >> level & 1:
            frontier.append(node(level, position >> level))
            position += 1 << level
    if not frontier:
        return EMPTY_ROOT
    result = frontier.pop()
    while frontier:
        result = node_hash(frontier.pop(), result)
    return result


def _split(count: int) -> int:
    """Give the largest power of two below `count` (count >= 2)."""
    return 1 << (count - 1).bit_length() - 1


def inclusion_proof(index: int, size: int, node: Node) -> list[bytes]:
    """Give the hashes that lead from leaf `index` to the root at `size`, nearest first.

    Raises ValueError when `index` is not below `size`.
    """
    if not 0 <= index < size:
        raise ValueError(f"no leaf {index} in a tree of size {size}")
    start, end, proof = 0, size, []
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            proof.append(range_root(middle, end, node))
            end = middle
        else:
            proof.append(range_root(start, middle, node))
            start = middle
    return proof[::-1]


def root_from_inclusion(index: int, size: int, leaf: bytes, proof: Sequence[bytes]) -> bytes:
    """Climb from a leaf to the root that the proof implies. Raises ValueError when the proof has the wrong length."""
    if not 0 <= index < size:
        raise ValueError(f"no leaf {index} in a tree of size {size}")
    inner = (index ^ (size - 1)).bit_length()
    if len(proof) != inner + (index >> inner).bit_count():
        raise ValueError(f"a proof for leaf {index} of {size} does not have {len(proof)} hashes")
    result = leaf
    for level, sibling in enumerate(proof[:inner]):
        result = node_hash(sibling, result) if index >> level & 1 else node_hash(result, sibling)
    for sibling in proof[inner:]:
        result = node_hash(sibling, result)
    return result


def verify_inclusion(*, index: int, size: int, leaf: bytes, proof: Sequence[bytes], root: bytes) -> bool:
    """Tell whether `leaf` is number `index` of the tree with this size and root."""
    try:
        return root_from_inclusion(index, size, leaf, proof) == root
    except ValueError:
        return False


def consistency_proof(old_size: int, size: int, node: Node) -> list[bytes]:
    """Give the hashes that show the tree at `old_size` to begin the tree at `size` (none for 0 and for equal sizes).

    Raises ValueError when `old_size` is above `size`.
    """
    if not 0 <= old_size <= size:
        raise ValueError(f"a tree of size {size} has no beginning of size {old_size}")
    if old_size in (0, size):
        return []
    start, end, whole, proof = 0, size, True, []
    while start + (end - start) != old_size:
        middle = start + _split(end - start)
        if old_size <= middle:
            proof.append(range_root(middle, end, node))
            end = middle
        else:
            proof.append(range_root(start, middle, node))
            start, whole = middle, False
    if not whole:
        proof.append(range_root(start, end, node))
    return proof[::-1]


def verify_consistency(*, old_size: int, size: int, old_root: bytes, root: bytes, proof: Sequence[bytes]) -> bool:
    """Tell whether the first tree is a beginning of the second (RFC 9162, 2.1.4.2)."""
    if old_size in (0, size):
        return not proof and old_root == (root if old_size == size else EMPTY_ROOT)
    if not 0 < old_size < size or not proof:
        return False
    path = list(proof)
    if old_size & (old_size - 1) == 0:
        path.insert(0, old_root)
    index, last = old_size - 1, size - 1
    while index & 1:
        index, last = index >> 1, last >> 1
    first = second = path[0]
    for sibling in path[1:]:
        if last == 0:
            return False
        if index & 1 or index == last:
            first, second = node_hash(sibling, first), node_hash(sibling, second)
            while index and not index & 1:
                index, last = index >> 1, last >> 1
        else:
            second = node_hash(second, sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and first == old_root and second == root
