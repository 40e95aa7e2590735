"""The log's tree in pieces gives the roots and proofs of the tree as a whole."""

from collections.abc import Sequence
from hashlib import sha256

import pytest

from schemas.edge import Edge
from schemas.tile import WIDTH
from schemas.tree import leaf_nodes, root, verify_inclusion
from services.table.tiles import MissingNodesError, prove, read_edge

pytestmark = pytest.mark.anyio
SIZES = (1, 2, 3, 255, 256, 257, 511, 512, 700, 65_535, 65_536, 65_537, 66_000)
LEAVES = [sha256(b"%d" % number).digest() for number in range(max(SIZES))]


class Shelf:
    """Rows of the tree, as a database would keep them."""

    def __init__(self, size: int) -> None:
        self.rows: dict[int, list[bytes]] = {0: LEAVES[:size], 1: [], 2: []}
        self.read_hashes = 0
        edge = Edge()
        for leaf in self.rows[0]:
            for row, index, value, below in edge.append(leaf):
                assert len(self.rows[row]) == index
                assert below == self.rows[row - 1][index * WIDTH : (index + 1) * WIDTH]
                self.rows[row].append(value)

    async def read(self, row: int, start: int, end: int) -> Sequence[bytes]:
        """Give what stands there, and count it."""
        found = self.rows[row][start:end]
        self.read_hashes += len(found)
        return found


@pytest.mark.parametrize("size", [0, *SIZES])
async def test_an_edge_that_was_read_goes_on_where_the_tree_had_grown_to(size: int) -> None:
    edge = await read_edge(size, Shelf(size).read)
    assert edge.root() == root(LEAVES[:size])

    more = LEAVES[size : size + 300]
    for leaf in more:
        edge.append(leaf)
    assert edge.root() == root(LEAVES[:size] + more)


@pytest.mark.parametrize("size", SIZES)
async def test_every_proof_leads_to_the_root_and_reads_two_pieces_a_row(size: int) -> None:
    shelf, whole = Shelf(size), root(LEAVES[:size])
    for index in {0, 1, size // 3, size // 2, size - 257, size - 256, size - 2, size - 1} & set(range(size)):
        shelf.read_hashes = 0

        leaf, proof = await prove(index, size, shelf.read)

        assert leaf == LEAVES[index]
        assert verify_inclusion(index=index, size=size, leaf=leaf, proof=proof, root=whole)
        assert shelf.read_hashes <= 3 * 2 * WIDTH


async def test_rows_of_the_tree_are_its_complete_subtrees() -> None:
    shelf, node = Shelf(66_000), leaf_nodes(LEAVES)

    assert shelf.rows[1] == [node(8, index) for index in range(66_000 >> 8)]
    assert shelf.rows[2] == [node(16, 0)]


async def test_a_tree_with_a_hole_is_not_taken_up() -> None:
    shelf = Shelf(700)
    shelf.rows[1].pop()

    with pytest.raises(MissingNodesError):
        await read_edge(700, shelf.read)
