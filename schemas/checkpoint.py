"""Checkpoints (C2SP tlog-checkpoint): the note that says how large a log is, and what its tree's root is."""

import base64
import re

from msgspec import Struct

from schemas.note import ED25519, NoteError, Signer, Verifier, from_base64, open_note
from schemas.note import sign as sign_note
from schemas.tree import EMPTY_ROOT

MAX_SIZE = 2**63 - 1
_ROOT_BYTES = 32
_FEWEST_LINES = 3
_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")


class CheckpointError(NoteError):
    """A note whose text is no checkpoint, or is one of another log."""


class Checkpoint(Struct, frozen=True, kw_only=True):
    """The state of a log: `root` is the 32 bytes over its first `size` leaves. Extension lines are opaque."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()


def encode(checkpoint: Checkpoint) -> bytes:
    """Give the text that is signed. Raises CheckpointError for what no checkpoint can say."""
    root = base64.b64encode(checkpoint.root).decode()
    lines = (checkpoint.origin, str(checkpoint.size), root, *checkpoint.extensions)
    text = "".join(f"{line}\n" for line in lines).encode()
    if parse(text) != checkpoint:
        raise CheckpointError("a line of a checkpoint has no line feed in it")
    return text


def parse(text: bytes) -> Checkpoint:
    """Read a note's text as a checkpoint. Raises CheckpointError."""
    origin, size, encoded, *extensions = _lines(text)
    if not _SIZE.fullmatch(size) or int(size) > MAX_SIZE:
        raise CheckpointError(f"the size of a tree is a number from 0 to 2^63-1, not {size[:32]!r}")
    root = _root(encoded)
    if size == "0" and root != EMPTY_ROOT:
        raise CheckpointError("the root of an empty tree is the hash of nothing")
    return Checkpoint(origin=origin, size=int(size), root=root, extensions=tuple(extensions))


def _lines(text: bytes) -> list[str]:
    try:
        *lines, rest = text.decode().split("\n")
    except UnicodeDecodeError as error:
        raise CheckpointError(f"a checkpoint is UTF-8: {error}") from None
    if rest or not all(lines) or len(lines) < _FEWEST_LINES:
        raise CheckpointError("a checkpoint has three lines or more, none empty: origin, size, root")
    return lines


def _root(encoded: str) -> bytes:
    try:
        root = from_base64(encoded)
    except ValueError as error:
        raise CheckpointError(f"the root of a tree is {error}") from None
    if len(root) != _ROOT_BYTES:
        raise CheckpointError(f"the root of a tree has {_ROOT_BYTES} bytes, not {len(root)}")
    return root


def sign(checkpoint: Checkpoint, *signers: Signer) -> bytes:
    """Give the signed note of a checkpoint."""
    return sign_note(encode(checkpoint), *signers)


def open_checkpoint(note: bytes, verifier: Verifier) -> Checkpoint:
    """Open a log's checkpoint with the log's key, whose name is the origin. Raises NoteError."""
    if verifier.algorithm != ED25519:
        raise CheckpointError(f"{verifier.name} is a witness's key, not a log's")
    checkpoint = parse(open_note(note, [verifier]).text)
    if checkpoint.origin != verifier.name:
        raise CheckpointError(f"a checkpoint of {checkpoint.origin}, not of {verifier.name}")
    return checkpoint
