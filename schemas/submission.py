"""What a log hands to a witness, and what the witness answers (C2SP tlog-witness, `add-checkpoint`)."""

import base64
import re
from hashlib import sha256

from msgspec import Struct

from schemas.checkpoint import MAX_SIZE
from schemas.note import MAX_BYTES as MAX_NOTE_BYTES
from schemas.note import from_base64

ROUTE = "/add-checkpoint"
SIZE_MEDIA_TYPE = "text/x.tlog.size"
MAX_HASHES = 63
_HASH_BYTES = 32
_OLD = re.compile(rb"old (0|[1-9][0-9]{0,18})")
_SIZE = re.compile(rb"(0|[1-9][0-9]{0,18})\n")


class UnreadableSubmissionError(ValueError):
    """Bytes that are no submission, or no answer to one; the message says why."""


class Submission(Struct, frozen=True, kw_only=True):
    """A checkpoint to be cosigned: a signed note, and the proof that it grew out of the tree of `old_size`."""

    old_size: int
    proof: tuple[bytes, ...]
    checkpoint: bytes


def encode(submission: Submission) -> bytes:
    """Give a submission's text."""
    lines = [b"old %d" % submission.old_size, *map(base64.b64encode, submission.proof), b"", submission.checkpoint]
    return b"\n".join(lines)


def parse(text: bytes) -> Submission:
    """Read a submission; the note inside is not looked at. Raises UnreadableSubmissionError."""
    if len(text) > 2 * MAX_NOTE_BYTES:
        raise UnreadableSubmissionError(f"a submission is at most {2 * MAX_NOTE_BYTES} bytes long")
    head, blank, checkpoint = text.partition(b"\n\n")
    if not blank:
        raise UnreadableSubmissionError("a submission has a blank line before its checkpoint")
    first, *lines = head.split(b"\n")
    old = _OLD.fullmatch(first)
    if old is None or int(old[1]) > MAX_SIZE:
        raise UnreadableSubmissionError("a submission begins with `old` and a size from 0 to 2^63-1")
    if len(lines) > MAX_HASHES:
        raise UnreadableSubmissionError(f"a proof has at most {MAX_HASHES} hashes, this one has {len(lines)}")
    return Submission(old_size=int(old[1]), proof=tuple(map(_hash, lines)), checkpoint=checkpoint)


def encode_size(size: int) -> bytes:
    """Give the body of a 409: the size that the witness cosigned last."""
    return b"%d\n" % size


def parse_size(body: bytes) -> int:
    """Read the body of a 409. Raises UnreadableSubmissionError."""
    size = _SIZE.fullmatch(body)
    if size is None or int(size[1]) > MAX_SIZE:
        raise UnreadableSubmissionError("a conflict says a size from 0 to 2^63-1, and a line feed")
    return int(size[1])


def mark_of(origin: str) -> str:
    """Give the mark of a log in a witness's addresses: `/<mark>/checkpoint` shows what it cosigned last."""
    return sha256(origin.encode()).hexdigest()


def _hash(line: bytes) -> bytes:
    try:
        value = from_base64(line)
    except ValueError as error:
        raise UnreadableSubmissionError(f"a line of the proof is {error}") from None
    if len(value) != _HASH_BYTES:
        raise UnreadableSubmissionError(f"each hash of a proof has {_HASH_BYTES} bytes")
    return value
