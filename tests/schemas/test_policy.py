"""Trust policies: which signatures are enough, and everything that is said when they are not."""

import pytest

from schemas import checkpoint, note, policy
from schemas.checkpoint import Checkpoint
from schemas.policy import Group, Log, Policy, UnreadablePolicyError, Witness

LOG = note.Signer("casino.example/log/1", b"l" * 32)
OTHER = note.Signer("other.example/log", b"o" * 32)
WITNESSES = [note.Signer(f"w{n}.example", bytes([n]) * 32, algorithm=note.COSIGNATURE) for n in range(1, 7)]
STATE = Checkpoint(origin="casino.example/log/1", size=7, root=b"r" * 32)
L, O = LOG.verifier.vkey, OTHER.verifier.vkey  # noqa: E741
W = [witness.verifier.vkey for witness in WITNESSES]

TWO_LEVELS = f"""\
# Two of the X and one of the Y.
log {L} https://casino.example/log/1/

witness X1 {W[0]}
 witness\tX2  {W[1]}
witness X3 {W[2]} https://w3.example
  # not yet: witness X4
group X-witnesses 2 X1 X2 X3
witness Y1 {W[3]}
witness Y2 {W[4]}
witness Y3 {W[5]}
group Y-witnesses any Y1 Y2 Y3
group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
""".encode()


def signed_by(*numbers: int) -> bytes:
    """The checkpoint, signed by its log and cosigned by the witnesses of these numbers."""
    made = checkpoint.sign(STATE, LOG)
    for number in numbers:
        made = note.cosign(made, WITNESSES[number], timestamp=1679315147)
    return made


def test_the_log_alone_is_enough_when_nobody_else_is_asked() -> None:
    verdict = policy.judge(policy.parse(f"log {L}\nquorum none\n".encode()), signed_by())

    assert verdict.findings == ()
    assert verdict.checkpoint == STATE


def test_the_policy_of_one_log_is_two_lines() -> None:
    assert policy.encode(policy.of_log(LOG.verifier)) == f"log {L}\nquorum none\n".encode()


def test_a_policy_reads_as_its_lines_say() -> None:
    read = policy.parse(TWO_LEVELS)

    assert read.logs == (Log(key=LOG.verifier, url="https://casino.example/log/1/"),)
    assert [witness.name for witness in read.witnesses] == ["X1", "X2", "X3", "Y1", "Y2", "Y3"]
    assert read.groups == (
        Group(name="X-witnesses", threshold=2, members=("X1", "X2", "X3")),
        Group(name="Y-witnesses", threshold=1, members=("Y1", "Y2", "Y3")),
        Group(name="X-and-Y", threshold=2, members=("X-witnesses", "Y-witnesses")),
    )
    assert policy.parse(policy.encode(read)) == read


@pytest.mark.parametrize(
    ("numbers", "is_met"),
    [
        ((0, 1, 3), True),
        ((1, 2, 5), True),
        ((0, 1, 2, 3, 4, 5), True),
        ((0, 1, 2), False),
        ((0, 3, 4, 5), False),
        ((0, 0, 3), False),
        ((), False),
    ],
)
def test_a_quorum_of_groups_counts_each_witness_once(numbers: tuple[int, ...], is_met: bool) -> None:  # noqa: FBT001
    verdict = policy.judge(policy.parse(TWO_LEVELS), signed_by(*numbers))

    assert (verdict.findings == ()) is is_met
    assert verdict.cosigned == tuple(
        name for number, name in enumerate(["X1", "X2", "X3", "Y1", "Y2", "Y3"]) if number in numbers
    )


def test_a_single_witness_may_be_the_quorum() -> None:
    asked = policy.parse(f"witness w {W[0]}\nlog {L}\nquorum w".encode())

    assert policy.judge(asked, signed_by(0)).findings == ()
    assert policy.judge(asked, signed_by(1)).findings == ("the quorum w is not met: cosigned by no known witness",)


def test_a_bad_cosignature_by_a_known_witness_is_found_though_nobody_asked_for_it() -> None:
    asked = policy.parse(f"log {L}\nwitness w {W[0]}\nquorum none\n".encode())
    foreign = note.cosign(
        checkpoint.sign(Checkpoint(origin="x", size=1, root=b"x" * 32), OTHER), WITNESSES[0], timestamp=1
    )
    spoiled = signed_by() + foreign.splitlines(keepends=True)[-1]

    verdict = policy.judge(asked, spoiled)

    assert len(verdict.findings) == 1
    assert "w1.example" in verdict.findings[0]
    assert verdict.cosigned == ()


def test_a_bad_signature_by_the_log_is_found_beside_a_good_one() -> None:
    foreign = checkpoint.sign(Checkpoint(origin="casino.example/log/1", size=8, root=b"x" * 32), LOG)
    spoiled = signed_by() + foreign.splitlines(keepends=True)[-1]

    verdict = policy.judge(policy.of_log(LOG.verifier), spoiled)

    assert len(verdict.findings) == 2


def test_unknown_signatures_are_passed_over() -> None:
    assert policy.judge(policy.of_log(LOG.verifier), signed_by(0, 1, 2)).findings == ()


def test_a_checkpoint_of_another_log_is_found() -> None:
    foreign = checkpoint.sign(Checkpoint(origin="other.example/log", size=1, root=b"x" * 32), OTHER, LOG)

    verdict = policy.judge(policy.of_log(LOG.verifier), foreign)

    assert verdict.findings == ("the policy has no log other.example/log",)


def test_a_known_log_does_not_sign_for_another() -> None:
    both = policy.parse(f"log {L}\nlog {O}\nquorum none\n".encode())

    verdict = policy.judge(both, checkpoint.sign(STATE, OTHER))

    assert len(verdict.findings) == 1
    assert "did not sign" in verdict.findings[0]


def test_a_witness_does_not_stand_in_for_the_log() -> None:
    witness = note.Signer("casino.example/log/1", b"w" * 32, algorithm=note.COSIGNATURE)
    asked = policy.parse(f"log {L}\nwitness w {witness.verifier.vkey}\nquorum w\n".encode())
    unsigned = note.cosign(checkpoint.sign(STATE, OTHER), witness, timestamp=1)

    assert any("did not sign" in finding for finding in policy.judge(asked, unsigned).findings)


def test_a_policy_without_logs_can_be_read_and_lets_nothing_pass() -> None:
    verdict = policy.judge(policy.parse(b"quorum none\n"), signed_by())

    assert verdict.findings == ("the policy has no log casino.example/log/1",)


@pytest.mark.parametrize("bytes_", [b"", b"no note", note.sign(b"no checkpoint\n", LOG)])
def test_bytes_that_are_no_checkpoint_are_a_finding(bytes_: bytes) -> None:
    verdict = policy.judge(policy.of_log(LOG.verifier), bytes_)

    assert verdict.checkpoint is None
    assert verdict.findings


def test_names_are_octets() -> None:
    kelvin = f"log {L}\nwitness \u212a {W[0]}\nwitness K {W[1]}\n".encode() + b"group \xff all K\nquorum \xff\n"

    read = policy.parse(kelvin)

    assert read.groups[0].members == ("K",)
    assert policy.judge(read, signed_by(0)).findings
    assert not policy.judge(read, signed_by(1)).findings
    assert policy.parse(policy.encode(read)) == read


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"log {L}\n",
        f"log {L}\nquorum none\nquorum none\n",
        f"log {L}\nquorum w\n",
        f"log {L}\nquorum w\nwitness w {W[0]}\n",
        f"log {L}\nquorum\n",
        f"log {L}\nquorum none none\n",
        f"log {L}\nlog {L}\nquorum none\n",
        f"log {L} a b\nquorum none\n",
        "log\nquorum none\n",
        f"log {L[:-1]}\nquorum none\n",
        f"log {W[0]}\nquorum none\n",
        f"witness w {L}\nquorum w\n",
        f"witness none {W[0]}\nquorum none\n",
        f"witness w {W[0]}\nwitness w {W[1]}\nquorum w\n",
        f"witness v {W[0]}\nwitness w {W[0]}\nquorum w\n",
        f"witness w {W[0]}\ngroup w any w\nquorum w\n",
        f"witness w {W[0]}\ngroup g any g\nquorum g\n",
        f"witness w {W[0]}\ngroup g any\nquorum g\n",
        f"witness w {W[0]}\ngroup g 0 w\nquorum g\n",
        f"witness w {W[0]}\ngroup g 2 w\nquorum g\n",
        f"witness w {W[0]}\ngroup g 01 w\nquorum g\n",
        f"witness w {W[0]}\ngroup g some w\nquorum g\n",
        f"witness w {W[0]}\ngroup g 2 w w\nquorum g\n",
        f"witness w {W[0]}\ngroup g any none w\nquorum g\n",
        f"witness w {W[0]}\ngroup none any w\nquorum none\n",
        f"LOG {L}\nquorum none\n",
        f"log {L}\r\nquorum none\r\n",
        f"log\u00a0{L}\nquorum none\n",
        f"log {L}\nquorum none\n\0",
        f"log {L}\nquorum none # nobody\n",
        "#" * 300_000 + "\nquorum none\n",
    ],
)
def test_a_policy_with_a_doubt_in_it_is_refused(text: str) -> None:
    with pytest.raises(UnreadablePolicyError):
        policy.parse(text.encode())


def test_one_key_under_two_names_is_one_key() -> None:
    renamed = note.Signer("renamed.example", b"l" * 32).verifier.vkey

    with pytest.raises(UnreadablePolicyError, match="line 2 of the policy: a key that stands above"):
        policy.parse(f"log {L}\nlog {renamed}\nquorum none\n".encode())


def test_a_policy_that_could_not_be_read_again_is_not_written() -> None:
    witness = Witness(name="two words", key=WITNESSES[0].verifier)

    with pytest.raises(UnreadablePolicyError):
        policy.encode(Policy(logs=(), witnesses=(witness,)))


def test_thirty_two_logs_witnesses_and_groups_are_read() -> None:
    names = [f"n{number}" for number in range(32)]
    logs = [note.Signer(f"l{n}.example", bytes([n + 1]) * 32).verifier.vkey for n in range(32)]
    witnesses = [
        note.Signer(f"w{n}.example", bytes([n + 99]) * 32, algorithm=note.COSIGNATURE).verifier.vkey for n in range(32)
    ]
    lines = [f"log {vkey}" for vkey in logs]
    lines += [f"witness {name} {vkey}" for name, vkey in zip(names, witnesses, strict=True)]
    lines += [f"group g-{name} all {name}" for name in names]

    read = policy.parse("\n".join([*lines, "quorum g-n31", ""]).encode())

    assert (len(read.logs), len(read.witnesses), len(read.groups)) == (32, 32, 32)
