"""The check `log` counts the cosignatures that a policy asks for, and says which are missing or forged."""

import base64
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from schemas import bundle, checkpoint, note, policy, proof, tree
from schemas.checkpoint import Checkpoint
from schemas.entry import leaf
from schemas.note import COSIGNATURE, Signer
from services.house.cli import main

SAMPLE = Path("tests/data/sample-punto-banco.zip")
LOG = Signer("casino.example/log/1", b"l" * 32)
WITNESSES = {name: Signer(f"{name}.example/w", name.encode() * 32, algorithm=COSIGNATURE) for name in "abc"}
STRANGER = Signer("a.example/w", b"s" * 32, algorithm=COSIGNATURE)
TWO = ("group two 2 a b c", "quorum two")


def policy_text(*rules: str) -> bytes:
    lines = [f"log {LOG.verifier.vkey}", *(f"witness {name} {key.verifier.vkey}" for name, key in WITNESSES.items())]
    return ("\n".join([*lines, *rules]) + "\n").encode()


def forged(shown: bytes, name: str) -> bytes:
    """The note with a line in a witness's name, whose signature is of another hour."""
    line = note.cosign(shown, WITNESSES[name], timestamp=1).removeprefix(shown)
    head, _, encoded = line.decode().rpartition(" ")
    raw = bytearray(note.from_base64(encoded.strip()))
    raw[11] ^= 1
    return shown + f"{head} {base64.b64encode(raw).decode()}\n".encode()


def bound(path: Path, *, cosigned_by: Sequence[str] = (), forging: str = "", own: Sequence[str] = TWO) -> Path:
    """The sample shoe in our log, its checkpoint cosigned, in a bundle with a policy of its own."""
    sample = bundle.open_bundle(SAMPLE)
    lines = list(sample.lines())
    leaves = [leaf(line) for line in lines]
    state = Checkpoint(origin=LOG.verifier.name, size=len(leaves), root=tree.root(leaves))
    shown = checkpoint.sign(state, LOG)
    for name in cosigned_by:
        shown = note.cosign(shown, WITNESSES[name], timestamp=1_800_000_000)
    if forging:
        shown = forged(shown, forging)
    last = len(leaves) - 1
    hashes = tuple(tree.inclusion_proof(last, len(leaves), tree.leaf_nodes(leaves)))
    with path.open("wb") as file:
        bundle.write(
            file,
            lines=lines,
            proof=proof.encode(proof.Proof(index=last, hashes=hashes, checkpoint=shown)),
            policy=policy_text(*own),
            manifest=replace(sample.manifest, origin=LOG.verifier.name),
        )
    return path


def log_check(*words: str) -> tuple[str, list[str]]:
    said = CliRunner().invoke(main, ["verify", "--json", *words])
    [report] = json.loads(said.stdout)
    [check] = [each for each in report["checks"] if each["check"] == "log"]
    assert said.exit_code == (0 if check["result"] == "passed" else 1)
    return check["result"], [finding["what"] for finding in check["findings"]]


@pytest.mark.parametrize(
    ("cosigned_by", "rules", "findings"),
    [
        ("ab", TWO, []),
        ("abc", TWO, []),
        ("c", ("quorum c",), []),
        ("", ("quorum none",), []),
        ("a", TWO, ["the quorum two is not met: cosigned by a"]),
        ("", TWO, ["the quorum two is not met: cosigned by no known witness"]),
        ("ab", ("quorum c",), ["the quorum c is not met: cosigned by a, b"]),
        ("ab", ("group all all a b c", "quorum all"), ["the quorum all is not met: cosigned by a, b"]),
    ],
)
def test_the_quorum_of_the_policy_given_is_asked_for_whatever_the_bundles_own_says(
    tmp_path: Path, cosigned_by: str, rules: Sequence[str], findings: list[str]
) -> None:
    given = tmp_path / "policy"
    given.write_bytes(policy_text(*rules))
    path = bound(tmp_path / "shoe.zip", cosigned_by=cosigned_by, own=("quorum none",))

    assert log_check("--policy", str(given), str(path)) == ("failed" if findings else "passed", findings)


def test_a_forged_cosignature_is_named_and_condemns_the_checkpoint(tmp_path: Path) -> None:
    given = tmp_path / "policy"
    given.write_bytes(policy_text(*TWO))
    path = bound(tmp_path / "shoe.zip", cosigned_by="ab", forging="c")

    result, findings = log_check("--policy", str(given), str(path))

    key = WITNESSES["c"].verifier
    assert (result, findings) == ("failed", [f"the signature by {key.name} ({key.key_id.hex()}) is not by that key"])


def test_with_a_log_key_alone_the_bundles_own_witnesses_are_asked_for(tmp_path: Path) -> None:
    whole, lacking = (bound(tmp_path / f"{names}.zip", cosigned_by=names) for names in ("bc", "b"))

    assert log_check("--log-key", LOG.verifier.vkey, str(whole)) == ("passed", [])
    assert log_check("--log-key", LOG.verifier.vkey, str(lacking)) == (
        "failed",
        ["the quorum two is not met: cosigned by b"],
    )


def test_a_key_of_a_witnesss_name_that_the_policy_does_not_have_is_passed_over(tmp_path: Path) -> None:
    given = tmp_path / "policy"
    lines = policy_text("quorum a").decode().replace(WITNESSES["a"].verifier.vkey, STRANGER.verifier.vkey)
    given.write_text(lines)
    path = bound(tmp_path / "shoe.zip", cosigned_by="abc")

    assert policy.parse(lines.encode())
    assert log_check("--policy", str(given), str(path)) == ("failed", ["the quorum a is not met: cosigned by b, c"])
