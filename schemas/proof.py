"""Proofs of inclusion as text (C2SP tlog-proof): that an entry stands in a log, to be checked offline."""

import base64
import re

from msgspec import Struct

from schemas.note import MAX_BYTES, from_base64

MAX_INDEX = 2**63 - 2
_MAGIC = b"c2sp.org/tlog-proof@v1"
_HASH_BYTES = 32
_MAX_HASHES = 63
_INDEX = re.compile(rb"index (0|[1-9][0-9]{0,18})")


class UnreadableProofError(ValueError):
    """Bytes that are no tlog-proof; the message says why."""


class Proof(Struct, frozen=True, kw_only=True):
    """That leaf `index` stands under `checkpoint`, a signed note: the hashes lead from the leaf's sibling to the root.

    `extra` is by nobody in particular; readers make no use of it.
    """

    index: int
    hashes: tuple[bytes, ...]
    checkpoint: bytes
    extra: bytes | None = None


def encode(proof: Proof) -> bytes:
    """Give a proof's text."""
    extra = [] if proof.extra is None else [b"extra " + base64.b64encode(proof.extra)]
    lines = [_MAGIC, *extra, b"index %d" % proof.index, *map(base64.b64encode, proof.hashes), b"", proof.checkpoint]
    return b"\n".join(lines)


def parse(text: bytes) -> Proof:
    """Read a proof; the note inside is not looked at. Raises UnreadableProofError."""
    if len(text) > 2 * MAX_BYTES:
        raise UnreadableProofError(f"a proof is at most {2 * MAX_BYTES} bytes long, this one is {len(text)}")
    head, blank, checkpoint = text.partition(b"\n\n")
    if not blank:
        raise UnreadableProofError("a proof has a blank line before its checkpoint")
    magic, *lines = head.split(b"\n")
    if magic != _MAGIC:
        raise UnreadableProofError(f"a proof begins with {_MAGIC.decode()}")
    extra = _base64(lines.pop(0)[6:]) if lines and lines[0].startswith(b"extra ") else None
    index = _INDEX.fullmatch(lines.pop(0)) if lines else None
    if index is None or int(index[1]) > MAX_INDEX:
        raise UnreadableProofError("a proof says the index of its entry, a number from 0 to 2^63-2")
    if len(lines) > _MAX_HASHES:
        raise UnreadableProofError(f"a proof has at most {_MAX_HASHES} hashes, this one has {len(lines)}")
    hashes = tuple(map(_base64, lines))
    if not all(len(value) == _HASH_BYTES for value in hashes):
        raise UnreadableProofError(f"each hash of a proof has {_HASH_BYTES} bytes")
    return Proof(index=int(index[1]), hashes=hashes, checkpoint=checkpoint, extra=extra)


def _base64(line: bytes) -> bytes:
    try:
        return from_base64(line)
    except ValueError as error:
        raise UnreadableProofError(f"a line of the proof is {error}") from None
