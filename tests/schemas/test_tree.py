"""The log's tree: RFC 6962 roots, and every proof there is in small trees."""

from functools import partial
from hashlib import sha256

import pytest

from schemas import tree

LARGEST = 130
# Inputs and roots of the Certificate Transparency reference trees, sizes 1 to 8.
INPUTS = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
LEAVES = [sha256(b"\x00%d" % number).digest() for number in range(LARGEST)]
NODE = tree.leaf_nodes(LEAVES)


def recursive_root(leaves: list[bytes]) -> bytes:
    """The definition of RFC 6962, 2.1, word for word."""
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256(b"").digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return sha256(b"\x01" + recursive_root(leaves[:split]) + recursive_root(leaves[split:])).digest()


ROOT_OF = [recursive_root(LEAVES[:size]) for size in range(LARGEST + 1)]


@pytest.mark.parametrize(("size", "root"), list(enumerate(ROOTS, 1)))
def test_roots_are_those_of_the_reference_trees(size: int, root: str) -> None:
    leaves = [sha256(b"\x00" + bytes.fromhex(text)).digest() for text in INPUTS[:size]]

    assert tree.root(leaves).hex() == root


def test_the_root_of_nothing_is_the_hash_of_nothing() -> None:
    assert tree.root([]) == tree.EMPTY_ROOT == sha256(b"").digest()


def test_a_growing_frontier_has_the_root_of_the_definition_and_log_n_hashes() -> None:
    frontier = tree.Frontier()
    for size in range(LARGEST + 1):
        assert frontier.root() == tree.root(LEAVES[:size]) == ROOT_OF[size]
        assert len(frontier.hashes) == size.bit_count()
        if size < LARGEST:
            frontier.append(LEAVES[size])


def test_a_copied_frontier_grows_alone() -> None:
    frontier = tree.Frontier()
    frontier.append(LEAVES[0])

    copy = frontier.copy()
    copy.append(LEAVES[1])

    assert (frontier.root(), copy.root()) == (ROOT_OF[1], ROOT_OF[2])
    assert tree.Frontier(copy.size, copy.hashes).root() == ROOT_OF[2]


def test_a_frontier_with_a_hash_too_many_is_refused() -> None:
    with pytest.raises(ValueError, match="a frontier of size 4 has 1 hashes"):
        tree.Frontier(4, LEAVES[:2])


def test_every_leaf_of_every_tree_is_proved_and_no_other_leaf_or_place() -> None:
    for size in range(1, LARGEST + 1):
        for index in range(size):
            proof = tree.inclusion_proof(index, size, NODE)
            holds = partial(tree.verify_inclusion, index=index, size=size, proof=proof, root=ROOT_OF[size])

            assert holds(leaf=LEAVES[index])
            assert not holds(leaf=LEAVES[index - 1] if size > 1 else ROOT_OF[2])
            assert not holds(leaf=LEAVES[index], root=ROOT_OF[size - 1])
            assert not holds(leaf=LEAVES[index], index=index + 1)


@pytest.mark.parametrize(("index", "size"), [(0, 2), (5, 7), (6, 7), (63, 64), (128, 130)])
def test_a_proof_of_inclusion_with_any_hash_changed_more_or_less_is_refused(index: int, size: int) -> None:
    proof = tree.inclusion_proof(index, size, NODE)
    wrong = [[*proof[:i], ROOT_OF[3], *proof[i + 1 :]] for i in range(len(proof))]

    for spoiled in (*wrong, proof[:-1], [*proof, ROOT_OF[1]], proof[::-1] if len(proof) > 1 else []):
        assert not tree.verify_inclusion(index=index, size=size, leaf=LEAVES[index], proof=spoiled, root=ROOT_OF[size])


@pytest.mark.parametrize(("index", "size"), [(-1, 4), (4, 4), (0, 0), (0, -1)])
def test_a_leaf_outside_the_tree_has_no_proof(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="no leaf"):
        tree.inclusion_proof(index, size, NODE)
    assert not tree.verify_inclusion(index=index, size=size, leaf=LEAVES[0], proof=[], root=ROOT_OF[1])


def test_every_tree_is_proved_to_begin_every_later_one_and_no_other_root_is() -> None:
    for size in range(LARGEST + 1):
        for old_size in range(size + 1):
            proof = tree.consistency_proof(old_size, size, NODE)
            holds = partial(
                tree.verify_consistency,
                old_size=old_size,
                size=size,
                proof=proof,
                old_root=ROOT_OF[old_size],
                root=ROOT_OF[size],
            )

            assert holds()
            assert not holds(old_root=LEAVES[7])
            assert not holds(proof=[*proof, LEAVES[7]])
            if old_size > 0:
                assert not holds(root=LEAVES[7])
            if proof:
                assert not holds(proof=proof[:-1])
                assert not holds(proof=[LEAVES[7], *proof[1:]])


def test_a_tree_does_not_begin_a_smaller_one() -> None:
    with pytest.raises(ValueError, match="no beginning of size 5"):
        tree.consistency_proof(5, 4, NODE)
    assert not tree.verify_consistency(old_size=5, size=4, old_root=ROOT_OF[5], root=ROOT_OF[4], proof=[LEAVES[0]])
