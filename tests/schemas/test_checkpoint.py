"""Checkpoints and proofs: what a log says of itself, and what it says of one entry."""

import base64
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace

from schemas import checkpoint, entry, note, proof, tree
from schemas.checkpoint import Checkpoint, CheckpointError
from schemas.proof import Proof, UnreadableProofError

SAMPLE = Path(__file__).parents[1] / "data" / "sample-punto-banco.zip"
LOG = note.Signer("casino.example/log/1", b"l" * 32)
ROOT = sha256(b"root").digest()
STATE = Checkpoint(origin="casino.example/log/1", size=20852163, root=ROOT)
TEXT = b"casino.example/log/1\n20852163\n" + base64.b64encode(ROOT) + b"\n"
LEAVES = [sha256(b"\0%d" % number).digest() for number in range(7)]


def sample(member: str) -> bytes:
    with zipfile.ZipFile(SAMPLE) as bundle:
        return bundle.read(member)


def test_a_checkpoint_is_three_lines() -> None:
    assert checkpoint.encode(STATE) == TEXT
    assert checkpoint.parse(TEXT) == STATE


def test_extension_lines_are_kept_and_signed() -> None:
    extended = replace(STATE, extensions=("one", "two"))

    note_of = checkpoint.sign(extended, LOG)

    assert checkpoint.encode(extended) == TEXT + b"one\ntwo\n"
    assert checkpoint.open_checkpoint(note_of, LOG.verifier) == extended


def test_the_checkpoint_of_an_empty_log_has_the_root_of_nothing() -> None:
    empty = Checkpoint(origin="casino.example/log/1", size=0, root=tree.EMPTY_ROOT)

    assert checkpoint.parse(checkpoint.encode(empty)) == empty
    with pytest.raises(CheckpointError, match="empty tree"):
        checkpoint.encode(replace(empty, root=ROOT))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        TEXT[:-1],
        TEXT[:-3],
        TEXT + b"\n",
        TEXT + b"\nmore\n",
        b"\n" + TEXT,
        TEXT[:31],
        TEXT.replace(b"casino.example/log/1", b""),
        TEXT.replace(b"20852163", b"020852163"),
        TEXT.replace(b"20852163", b"+20852163"),
        TEXT.replace(b"20852163", b"-1"),
        TEXT.replace(b"20852163", b"2e7"),
        TEXT.replace(b"20852163", b"9223372036854775808"),
        TEXT.replace(b"20852163", "٢".encode()),
        TEXT.replace(b"=\n", b"\n"),
        TEXT.replace(base64.b64encode(ROOT), base64.b64encode(ROOT[:31])),
        TEXT.replace(b"casino", b"\xff"),
    ],
)
def test_a_text_that_is_almost_a_checkpoint_is_refused(text: bytes) -> None:
    with pytest.raises(CheckpointError):
        checkpoint.parse(text)


@pytest.mark.parametrize("state", [replace(STATE, origin="a\nb"), replace(STATE, size=-1), replace(STATE, root=b"x")])
def test_a_state_that_no_checkpoint_can_say_is_not_signed(state: Checkpoint) -> None:
    with pytest.raises(CheckpointError):
        checkpoint.sign(state, LOG)


def test_a_log_is_known_by_its_keys_name() -> None:
    other = replace(STATE, origin="casino.example/log/2")

    with pytest.raises(CheckpointError, match=r"of casino\.example/log/2, not of casino\.example/log/1"):
        checkpoint.open_checkpoint(checkpoint.sign(other, LOG), LOG.verifier)


def test_a_witnesss_key_opens_no_checkpoint() -> None:
    witness = note.Signer("casino.example/log/1", b"w" * 32, algorithm=note.COSIGNATURE)
    cosigned = note.cosign(checkpoint.sign(STATE, LOG), witness, timestamp=1)

    with pytest.raises(CheckpointError, match="a witness's key"):
        checkpoint.open_checkpoint(cosigned, witness.verifier)


def test_a_checkpoint_by_another_key_is_refused() -> None:
    forger = note.Signer("casino.example/log/1", b"f" * 32)

    with pytest.raises(note.UnsignedNoteError):
        checkpoint.open_checkpoint(checkpoint.sign(STATE, forger), LOG.verifier)


PROOF = Proof(
    index=5,
    hashes=tuple(tree.inclusion_proof(5, 7, tree.leaf_nodes(LEAVES))),
    checkpoint=checkpoint.sign(Checkpoint(origin="casino.example/log/1", size=7, root=tree.root(LEAVES)), LOG),
)
WRITTEN = proof.encode(PROOF)


def test_a_proof_reads_and_writes_as_the_same_bytes_and_proves() -> None:
    read = proof.parse(WRITTEN)
    state = checkpoint.open_checkpoint(read.checkpoint, LOG.verifier)

    assert read == PROOF
    assert tree.verify_inclusion(index=5, size=state.size, leaf=LEAVES[5], proof=read.hashes, root=state.root)
    assert not tree.verify_inclusion(index=5, size=state.size, leaf=LEAVES[4], proof=read.hashes, root=state.root)


def test_a_proof_of_the_only_leaf_has_no_hashes() -> None:
    only = Proof(index=0, hashes=(), checkpoint=PROOF.checkpoint)

    assert proof.parse(proof.encode(only)) == only


@pytest.mark.parametrize("extra", [b"", b"of no use"])
def test_an_extra_line_is_kept_apart(extra: bytes) -> None:
    written = proof.encode(replace(PROOF, extra=extra))

    assert written.split(b"\n")[1] == b"extra " + base64.b64encode(extra)
    assert proof.parse(written) == replace(PROOF, extra=extra)


def test_the_sample_bundles_proof_is_written_the_same_and_holds() -> None:
    read = proof.parse(sample("last.tlog-proof"))
    vkey = sample("policy").split()[1].decode()
    state = checkpoint.open_checkpoint(read.checkpoint, note.parse_vkey(vkey))
    last = sample("entries.jsonl").splitlines()[-1]

    assert proof.encode(read) == sample("last.tlog-proof")
    assert read.checkpoint == sample("checkpoint")
    assert tree.verify_inclusion(
        index=read.index, size=state.size, leaf=entry.leaf(last), proof=read.hashes, root=state.root
    )


@pytest.mark.parametrize(
    "spoiled",
    [
        b"",
        WRITTEN[:10],
        WRITTEN.replace(b"@v1", b"@v2"),
        WRITTEN.replace(b"index 5\n", b""),
        WRITTEN.replace(b"index 5\n", b"index 05\n"),
        WRITTEN.replace(b"index 5\n", b"index -5\n"),
        WRITTEN.replace(b"index 5\n", b"index 5 \n"),
        WRITTEN.replace(b"index 5\n", b"index  5\n"),
        WRITTEN.replace(b"index 5\n", b"index 9223372036854775807\n"),
        WRITTEN.replace(b"index 5\n", b"index 5\nextra QQ==\n"),
        WRITTEN.replace(b"index 5\n", b"extra QQ==\nextra QQ==\nindex 5\n"),
        WRITTEN.replace(b"index 5\n", b"extra QR==\nindex 5\n"),
        WRITTEN.replace(b"index 5\n", b"index 5\nQQ==\n"),
        WRITTEN.replace(b"index 5\n", b"index 5\n" + (base64.b64encode(ROOT) + b"\n") * 61),
        WRITTEN.replace(b"=\n", b"\n"),
        WRITTEN.replace(b"\n", b"\r\n"),
        WRITTEN.partition(b"\n\n")[0],
        WRITTEN + b"x" * 2**21,
    ],
)
def test_bytes_that_are_almost_a_proof_are_refused(spoiled: bytes) -> None:
    with pytest.raises(UnreadableProofError):
        proof.parse(spoiled)
