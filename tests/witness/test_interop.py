"""Both sides of the protocol agree with an implementation by other hands; where there is none, the test says so."""

import base64
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from schemas import note as notes
from schemas.note import Signer
from schemas.tree import consistency_proof
from tests.witness.foreign import Foreign
from tests.witness.paper_log import LOG, ORIGIN, STRANGER, note, request, tree
from tests.witness.standing import Standing

FEED = Path(__file__).with_name("feed.py")


def told(size: int, *, fork: int | None = None) -> dict[str, Any]:
    """A checkpoint, and the proof from every smaller size."""
    node = tree(size, fork=fork)
    proofs = {
        old: [base64.b64encode(each).decode() for each in consistency_proof(old, size, node)] for old in range(size)
    }
    return {"note": note(size, fork=fork).decode(), "proofs": {**proofs, size: []}}


@pytest.fixture
def standing(tmp_path: Path) -> Iterator[Standing]:
    """Our witness."""
    standing = Standing(tmp_path / "witness", "--log", LOG.verifier.vkey).start()
    yield standing
    standing.kill()


def test_a_foreign_client_is_served_by_our_witness(foreign_environment: Path, standing: Standing) -> None:
    submissions = [told(0), told(10), told(257), told(257), told(300), told(8), told(300, fork=5), told(310, fork=5)]

    said = subprocess.run(
        [str(foreign_environment / "bin/python"), str(FEED), standing.url, standing.key.vkey],
        input=json.dumps(submissions),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    outcomes = [json.loads(line) for line in said.stdout.splitlines()]
    expected = [*["cosigned"] * 5, "WitnessAhead", "WitnessRejected", "WitnessRejected"]
    assert [outcome for outcome, _ in outcomes] == expected, said
    for each, (_, line) in zip(submissions[:5], outcomes, strict=False):
        assert notes.open_note(each["note"].encode() + line.encode(), [standing.key])
    assert standing.sizes == {ORIGIN: 300}
    assert sorted(case["kind"] for case in standing.cases) == ["fork", "rollback", "unproved"]


@pytest.fixture
def foreign(foreign_environment: Path, tmp_path: Path) -> Iterator[Foreign]:
    """Their witness, which knows the log on paper."""
    foreign = Foreign(foreign_environment, tmp_path, LOG.verifier.vkey)
    yield foreign
    foreign.stop()


REQUESTS = {
    "first": request(0, 10),
    "the same again": request(10, 10),
    "grown": request(10, 257),
    "an old size that is too small": request(0, 300),
    "an old size that is too large": request(258, 300),
    "rolled back": request(7, 8),
    "forked at the same size": request(257, 257, fork=4),
    "forked and grown": request(257, 300, fork=4),
    "an old size above its own": request(11, 10),
    "no log that is known": request(0, 10, signer=Signer("other.example/log", b"l" * 32)),
    "another key": request(257, 300, signer=STRANGER),
    "a hash too many": request(257, 300).replace(b"\n", b"\n" + base64.b64encode(bytes(32)) + b"\n", 1),
    "no submission": b"old\n",
    "no note": b"old 0\n\nnothing\n",
    "grown again": request(257, 300),
}


def test_both_witnesses_answer_alike(foreign: Foreign, standing: Standing) -> None:
    for name, asked in REQUESTS.items():
        theirs, ours = (httpx.post(f"{url}/add-checkpoint", content=asked) for url in (foreign.url, standing.url))

        assert ours.status_code == theirs.status_code, name
        if ours.status_code == 409:
            assert (ours.content, ours.headers["content-type"]) == (theirs.content, theirs.headers["content-type"]), (
                name
            )
