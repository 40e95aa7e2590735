"""A log on paper, signed by a key that may be made to lie: `fork` says from which entry on it tells another story."""

from schemas import checkpoint, submission
from schemas.checkpoint import Checkpoint
from schemas.note import Signer
from schemas.submission import Submission
from schemas.tree import Node, consistency_proof, leaf_nodes, root

ORIGIN = "casino.example/log/1"
LOG = Signer(ORIGIN, b"l" * 32)
STRANGER = Signer(ORIGIN, b"s" * 32)


def leaves(size: int, *, fork: int | None = None) -> list[bytes]:
    """The log's first entries."""
    return [bytes([fork is not None and at >= fork]) * 24 + at.to_bytes(8, "big") for at in range(size)]


def tree(size: int, *, fork: int | None = None) -> Node:
    return leaf_nodes(leaves(size, fork=fork))


def note(size: int, *, fork: int | None = None, signer: Signer = LOG) -> bytes:
    """A signed checkpoint."""
    state = Checkpoint(origin=signer.verifier.name, size=size, root=root(leaves(size, fork=fork)))
    return checkpoint.sign(state, signer)


def request(old_size: int, size: int, *, fork: int | None = None, signer: Signer = LOG) -> bytes:
    """What the log sends when it thinks that the witness has cosigned `old_size`; the proof is of its own story."""
    proof = consistency_proof(old_size, size, tree(size, fork=fork)) if old_size <= size else ()
    checkpoint_note = note(size, fork=fork, signer=signer)
    return submission.encode(Submission(old_size=old_size, proof=tuple(proof), checkpoint=checkpoint_note))
