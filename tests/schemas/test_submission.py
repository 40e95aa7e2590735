"""What a log hands to a witness, read as strictly as it is written; and a stranger's lines, taken up one by one."""

import pytest

from schemas import checkpoint, note, submission
from schemas.checkpoint import Checkpoint
from schemas.note import COSIGNATURE, ForgedNoteError, Signer, UnreadableNoteError, UnsignedNoteError
from schemas.submission import Submission, UnreadableSubmissionError

LOG = Signer("casino.example/log/1", b"l" * 32)
WITNESS, OTHER = (Signer(f"{name}.example/w", name.encode() * 32, algorithm=COSIGNATURE) for name in "wo")
NOTE = checkpoint.sign(Checkpoint(origin="casino.example/log/1", size=7, root=b"r" * 32), LOG)
HASH = b"cnJycnJycnJycnJycnJycnJycnJycnJycnJycnJycnI=\n"


def line_by(signer: Signer, shown: bytes = NOTE) -> bytes:
    return note.cosign(shown, signer, timestamp=1).removeprefix(shown)


@pytest.mark.parametrize("hashes", [0, 1, 63])
@pytest.mark.parametrize("old_size", [0, 1, 2**63 - 1])
def test_a_submission_reads_as_it_was_written(old_size: int, hashes: int) -> None:
    made = Submission(old_size=old_size, proof=(b"r" * 32,) * hashes, checkpoint=NOTE)

    text = submission.encode(made)

    assert text == b"old %d\n" % old_size + HASH * hashes + b"\n" + NOTE
    assert submission.parse(text) == made


@pytest.mark.parametrize(
    "text",
    [
        b"",
        NOTE,
        b"old 1\n" + NOTE,
        b"\n\n" + NOTE,
        b"old\n\n" + NOTE,
        b"old -1\n\n" + NOTE,
        b"old 01\n\n" + NOTE,
        b"old  1\n\n" + NOTE,
        b"OLD 1\n\n" + NOTE,
        b"old 1 \n\n" + NOTE,
        b"old 9223372036854775808\n\n" + NOTE,
        b"old 1\n" + HASH * 64 + b"\n" + NOTE,
        b"old 1\n" + HASH[:-2] + b"\n\n" + NOTE,
        b"old 1\n" + HASH.replace(b"I=", b"J=") + b"\n" + NOTE,
        b"old 1\ncnJy\n\n" + NOTE,
        b"old 1\n\n" + b"x" * (1 << 21),
    ],
)
def test_what_is_written_otherwise_is_no_submission(text: bytes) -> None:
    with pytest.raises(UnreadableSubmissionError):
        submission.parse(text)


@pytest.mark.parametrize("size", [0, 1, 2**63 - 1])
def test_a_conflicts_size_reads_as_it_was_written(size: int) -> None:
    assert submission.parse_size(submission.encode_size(size)) == size


@pytest.mark.parametrize("body", [b"", b"1", b"01\n", b"-1\n", b"1\n\n", b"one\n", b"9223372036854775808\n", b" 1\n"])
def test_what_is_written_otherwise_is_no_size(body: bytes) -> None:
    with pytest.raises(UnreadableSubmissionError):
        submission.parse_size(body)


def test_of_a_strangers_lines_the_one_by_the_known_key_is_taken_up() -> None:
    lines = line_by(OTHER) + line_by(WITNESS) + line_by(WITNESS)

    assert note.taken_up(NOTE, lines, WITNESS.verifier) == NOTE + line_by(WITNESS)


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        (b"", UnreadableNoteError),
        (b"\n", UnreadableNoteError),
        (line_by(WITNESS)[:-1], UnreadableNoteError),
        (b"more\n\n" + line_by(WITNESS), UnreadableNoteError),
        (b"more\n\n" + line_by(WITNESS, NOTE.replace(b"\n\n", b"\n\nmore\n\n")), UnreadableNoteError),
        (line_by(OTHER), UnsignedNoteError),
        (line_by(WITNESS, NOTE.replace(b"\n7\n", b"\n8\n")), ForgedNoteError),
        (line_by(WITNESS) + line_by(WITNESS, NOTE.replace(b"\n7\n", b"\n8\n")), ForgedNoteError),
    ],
)
def test_lines_that_do_not_hold_are_taken_up_by_nobody(lines: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        note.taken_up(NOTE, lines, WITNESS.verifier)


def test_a_note_is_cut_to_the_lines_of_known_keys() -> None:
    full = NOTE + line_by(OTHER) + line_by(WITNESS)

    assert note.signed_only(full, [LOG.verifier]) == NOTE
    assert note.signed_only(full, [WITNESS.verifier, LOG.verifier]) == NOTE + line_by(WITNESS)
    with pytest.raises(UnsignedNoteError):
        note.signed_only(NOTE, [WITNESS.verifier])
