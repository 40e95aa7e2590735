"""Every proof there is in trees of up to 600 leaves holds; beside another tree, checkpoint or key it does not."""

import base64
from functools import lru_cache
from hashlib import sha256

import pytest

from schemas import proof as proofs
from schemas import tree
from schemas.checkpoint import Checkpoint, open_checkpoint, sign
from schemas.note import NoteError, Signer, UnsignedNoteError, Verifier
from schemas.proof import Proof
from schemas.tree import Frontier

LARGEST = 600
LEAVES = [sha256(b"\x00%d" % number).digest() for number in range(LARGEST)]
OTHERS = [sha256(b"\x00other %d" % number).digest() for number in range(LARGEST)]
NODE = tree.leaf_nodes(LEAVES)
SIGNER = Signer("casino.example/log/1", bytes(range(32)))


def roots(leaves: list[bytes]) -> list[bytes]:
    frontier, found = Frontier(), []
    for leaf in leaves:
        found.append(frontier.root())
        frontier.append(leaf)
    return [*found, frontier.root()]


ROOTS, OTHER_ROOTS = roots(LEAVES), roots(OTHERS)


@pytest.fixture(autouse=True)
def _subtrees_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash each subtree once, though half a million proofs are made of them."""
    monkeypatch.setattr(tree, "range_root", lru_cache(maxsize=None)(tree.range_root))


def test_every_leaf_of_every_tree_leads_to_its_root_and_to_no_other() -> None:
    for size in range(1, LARGEST + 1):
        wrong = {ROOTS[size - 1], OTHER_ROOTS[size]}
        for index in range(size):
            proof = tree.inclusion_proof(index, size, NODE)
            climbed = tree.root_from_inclusion(index, size, LEAVES[index], proof)
            assert climbed == ROOTS[size]
            assert climbed not in wrong


def test_no_leaf_leads_to_the_root_of_an_older_tree_or_from_another_place() -> None:
    for size in range(2, LARGEST):
        for index in {0, size // 2, size - 2}:
            proof = tree.inclusion_proof(index, size, NODE)
            for other_index, other_size in ((index, size - 1), (index, size + 1), (index ^ 1, size)):
                assert not tree.verify_inclusion(
                    index=other_index, size=other_size, leaf=LEAVES[index], proof=proof, root=ROOTS[other_size]
                )


def test_every_tree_begins_every_later_one_and_no_other() -> None:
    for size in range(LARGEST + 1):
        for old_size in range(size + 1):
            proof = tree.consistency_proof(old_size, size, NODE)
            assert tree.verify_consistency(
                old_size=old_size, size=size, old_root=ROOTS[old_size], root=ROOTS[size], proof=proof
            )
        for old_size in range(1, size, 7):
            proof = tree.consistency_proof(old_size, size, NODE)
            for old_root, root in (
                (OTHER_ROOTS[old_size], ROOTS[size]),
                (ROOTS[old_size], OTHER_ROOTS[size]),
                (ROOTS[old_size - 1], ROOTS[size]),
                (ROOTS[old_size], ROOTS[size - 1]),
            ):
                assert not tree.verify_consistency(
                    old_size=old_size, size=size, old_root=old_root, root=root, proof=proof
                )


def holds(text: bytes, leaf: bytes, verifier: Verifier) -> bool:
    """Check a proof as its reader does: the note by the log's key, the way to the note's root."""
    read = proofs.parse(text)
    signed = open_checkpoint(read.checkpoint, verifier)
    return tree.verify_inclusion(index=read.index, size=signed.size, leaf=leaf, proof=read.hashes, root=signed.root)


def text(index: int, size: int, note: bytes) -> bytes:
    hashes = tuple(tree.inclusion_proof(index, size, NODE))
    return proofs.encode(Proof(index=index, hashes=hashes, checkpoint=note))


def note_of(size: int, root: bytes, *, signer: Signer = SIGNER, origin: str = SIGNER.verifier.name) -> bytes:
    return sign(Checkpoint(origin=origin, size=size, root=root), signer)


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 600])
def test_a_proof_beside_another_checkpoint_does_not_hold(size: int) -> None:
    index = size - 1
    assert holds(text(index, size, note_of(size, ROOTS[size])), LEAVES[index], SIGNER.verifier)

    for note in (
        note_of(size - 1, ROOTS[size - 1]),
        note_of(size, OTHER_ROOTS[size]),
        note_of(size, ROOTS[size - 1] if size > 1 else OTHER_ROOTS[1]),
    ):
        assert not holds(text(index, size, note), LEAVES[index], SIGNER.verifier)


def test_a_proof_under_a_key_id_that_does_not_fit_is_under_no_known_key() -> None:
    note = note_of(600, ROOTS[600])
    head, _, signature = note.rpartition(b" ")
    raw = bytearray(base64.b64decode(signature))
    for place in range(4):
        for bit in range(8):
            raw[place] ^= 1 << bit
            spoiled = head + b" " + base64.b64encode(raw) + b"\n"
            with pytest.raises(UnsignedNoteError):
                holds(text(7, 600, spoiled), LEAVES[7], SIGNER.verifier)
            raw[place] ^= 1 << bit


def test_a_proof_under_another_logs_key_or_name_is_under_no_known_key() -> None:
    stranger = Signer(SIGNER.verifier.name, b"x" * 32)
    renamed = Signer("casino.example/log/2", bytes(range(32)))
    for signer, verifier in ((stranger, SIGNER.verifier), (renamed, SIGNER.verifier), (SIGNER, renamed.verifier)):
        note = note_of(600, ROOTS[600], signer=signer, origin=signer.verifier.name)
        with pytest.raises(NoteError):
            holds(text(7, 600, note), LEAVES[7], verifier)
