"""`shoelog verify --receipt`: one entry, known by its bytes or its hash, stands in a log that one believes."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from schemas.entry import leaf
from schemas.events import BetPlaced
from schemas.note import Signer
from schemas.policy import encode, of_log
from schemas.proof import Proof
from schemas.proof import encode as encode_proof
from schemas.tree import inclusion_proof, leaf_nodes
from services.audit.verify import verify_command
from tests.audit.salons import an_evening, checkpoint_of
from tests.audit.tapes import LOG

KEY = ("--log-key", LOG.verifier.vkey)


class Receipt:
    """A receipt in a folder: the proof, the entry, and the entry's leaf."""

    def __init__(self, folder: Path, *, signer: Signer = LOG, index: int | None = None) -> None:
        casino = an_evening()
        lines = casino.lines()
        place = casino.find(BetPlaced)
        self.line = lines[place]
        self.leaf = leaf(self.line).hex()
        leaves = [leaf(line) for line in lines]
        made = Proof(
            index=place if index is None else index,
            hashes=tuple(inclusion_proof(place, len(lines), leaf_nodes(leaves))),
            checkpoint=checkpoint_of(lines, signer),
        )
        self.proof = folder / "bet.tlog-proof"
        self.proof.write_bytes(encode_proof(made))
        self.entry = folder / "bet.json"
        self.entry.write_bytes(self.line + b"\n")


@pytest.fixture
def receipt(tmp_path: Path) -> Receipt:
    return Receipt(tmp_path)


def verify(*arguments: str | Path) -> Result:
    return CliRunner().invoke(verify_command, [str(argument) for argument in arguments])


def results(*arguments: str | Path) -> dict[str, str]:
    [report] = json.loads(verify("--json", *arguments).output)
    return {check["check"]: check["result"] for check in report["checks"]}


def test_an_entry_is_shown_to_be_in_the_log(receipt: Receipt) -> None:
    said = verify("--receipt", receipt.proof, "--entry", receipt.entry, *KEY)

    assert said.exit_code == 0
    assert "a receipt for table/red, version 8" in said.output
    made = results("--receipt", receipt.proof, "--entry", receipt.entry, *KEY)
    assert {check for check, result in made.items() if result == "passed"} == {"bytes", "log"}


def test_its_hash_alone_is_enough(receipt: Receipt) -> None:
    assert verify("--receipt", receipt.proof, "--leaf", receipt.leaf, *KEY).exit_code == 0
    assert results("--receipt", receipt.proof, "--leaf", receipt.leaf, *KEY)["bytes"] == "not-checked"


def test_the_line_feed_behind_the_entry_does_not_matter(receipt: Receipt) -> None:
    receipt.entry.write_bytes(receipt.line)

    assert verify("--receipt", receipt.proof, "--entry", receipt.entry, *KEY).exit_code == 0


def test_a_policy_serves_as_well_as_a_key(receipt: Receipt, tmp_path: Path) -> None:
    (tmp_path / "policy").write_bytes(encode(of_log(LOG.verifier)))

    assert verify("--receipt", receipt.proof, "--leaf", receipt.leaf, "--policy", tmp_path / "policy").exit_code == 0


def test_without_a_key_nothing_is_proved_but_a_lie_is_found(receipt: Receipt) -> None:
    assert verify("--receipt", receipt.proof, "--leaf", receipt.leaf).exit_code == 2
    assert verify("--receipt", receipt.proof, "--leaf", "00" * 32).exit_code == 1


def test_another_entry_is_not_what_the_receipt_is_for(receipt: Receipt) -> None:
    receipt.entry.write_bytes(receipt.line.replace(b'"amount":20000', b'"amount":90000'))

    made = results("--receipt", receipt.proof, "--entry", receipt.entry, *KEY)

    assert (made["bytes"], made["log"]) == ("passed", "failed")


def test_an_entry_that_is_not_written_the_one_way_fails_the_bytes(receipt: Receipt) -> None:
    receipt.entry.write_bytes(receipt.line.replace(b'":', b'": ', 1))

    assert results("--receipt", receipt.proof, "--entry", receipt.entry, *KEY)["bytes"] == "failed"


def test_another_place_or_another_logs_signature_is_found(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    other = Receipt(tmp_path / "a", signer=Signer(LOG.verifier.name, bytes(32)))
    moved = Receipt(tmp_path / "b", index=3)

    assert verify("--receipt", other.proof, "--leaf", other.leaf, *KEY).exit_code == 1
    assert verify("--receipt", moved.proof, "--leaf", moved.leaf, *KEY).exit_code == 1


@pytest.mark.parametrize("junk", [b"", b"index 1\n\n", os.urandom(3_000_000), b"c2sp.org/tlog-proof@v1\nindex x\n\n"])
def test_what_is_no_proof_fails_the_log(receipt: Receipt, junk: bytes) -> None:
    receipt.proof.write_bytes(junk)

    assert verify("--receipt", receipt.proof, "--leaf", receipt.leaf, *KEY).exit_code == 1


def test_every_flipped_bit_of_the_proof_is_found(receipt: Receipt) -> None:
    whole = receipt.proof.read_bytes()
    for place in range(0, len(whole), 5):
        spoiled = bytearray(whole)
        spoiled[place] ^= 1 << place % 8
        receipt.proof.write_bytes(spoiled)
        assert verify("--receipt", receipt.proof, "--leaf", receipt.leaf, *KEY).exit_code == 1, place


def test_what_is_missing_cannot_be_read(receipt: Receipt, tmp_path: Path) -> None:
    assert verify("--receipt", tmp_path / "none", "--leaf", receipt.leaf, *KEY).exit_code == 3
    assert verify("--receipt", receipt.proof, "--entry", tmp_path / "none", *KEY).exit_code == 3
    assert verify("--receipt", receipt.proof, "--entry", tmp_path, *KEY).exit_code == 3


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--receipt", "p"),
        ("--receipt", "p", "--leaf", "00" * 32, "--entry", "e"),
        ("--receipt", "p", "--leaf", "00" * 31),
        ("--receipt", "p", "--leaf", "00" * 32, "b.zip"),
        ("--leaf", "00" * 32, "b.zip"),
        ("--entry", "e", "b.zip"),
    ],
)
def test_wrong_usage_is_told_apart(words: tuple[str, ...]) -> None:
    assert verify(*words).exit_code == 64
