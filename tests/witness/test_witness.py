"""A witness cosigns what grew out of what it cosigned last, refuses the rest, and keeps what proves misbehaviour."""

from pathlib import Path

import pytest

from schemas import note as notes
from schemas.note import COSIGNATURE, Signer
from schemas.submission import mark_of
from services.witness import memory
from services.witness.evidence import CASES_PER_LOG, Evidence
from services.witness.memory import REMEMBERED, LostMemoryError
from services.witness.witness import ConflictError, RefusedError, Witness
from tests.witness.conftest import WITNESS
from tests.witness.paper_log import LOG, ORIGIN, STRANGER, note, request


def refusal(witness: Witness, asked: bytes) -> RefusedError:
    with pytest.raises(RefusedError) as refused:
        witness.add(asked)
    return refused.value


def kinds(witness: Witness) -> list[str]:
    return [case.kind for case in witness.evidence.summaries]


@pytest.mark.parametrize("size", [0, 1, 2, 255, 256, 257])
def test_the_first_checkpoint_of_a_log_is_believed(witness: Witness, size: int) -> None:
    line = witness.add(request(0, size))

    cosigned = notes.open_note(note(size) + line, [WITNESS.verifier])
    assert cosigned.signed_by == (WITNESS.verifier,)
    assert witness.sizes == {ORIGIN: size}


def test_a_log_that_grows_is_cosigned_at_every_size(witness: Witness) -> None:
    sizes = [0, 0, 1, 3, 3, 8, 255, 256, 300]

    for old, size in zip([0, *sizes], sizes, strict=False):
        assert witness.add(request(old, size)).startswith("— regulator.example/w1 ".encode())

    assert witness.sizes == {ORIGIN: 300}
    assert not kinds(witness)


def test_a_size_that_was_not_cosigned_last_is_a_conflict_that_tells_the_one_that_was(witness: Witness) -> None:
    witness.add(request(0, 10))

    for asked in (request(0, 20), request(9, 20), request(11, 20), request(0, 10)):
        conflict = refusal(witness, asked)
        assert isinstance(conflict, ConflictError)
        assert conflict.size == 10
    assert not kinds(witness)


def test_a_rollback_is_a_conflict_and_is_kept(witness: Witness) -> None:
    witness.add(request(0, 10))

    conflict = refusal(witness, request(7, 8))

    assert (conflict.status, witness.sizes) == (409, {ORIGIN: 10})
    [case] = witness.evidence.summaries
    assert (case.kind, case.cosigned_size, case.shown_size) == ("rollback", 10, 8)


def test_a_fork_is_refused_and_both_signed_notes_are_kept(witness: Witness) -> None:
    witness.add(request(0, 10))

    refused = refusal(witness, request(10, 10, fork=4))

    assert refused.status == 422
    [summary] = witness.evidence.summaries
    case = witness.evidence.case(summary.name)
    assert case is not None
    assert (case.kind, case.origin) == ("fork", ORIGIN)
    pair = [notes.open_note(each.encode(), [LOG.verifier]).text for each in (case.cosigned, case.shown)]
    assert pair == [notes.parse(note(10)).text, notes.parse(note(10, fork=4)).text]
    assert case.request.encode() == request(10, 10, fork=4)


def test_a_fork_below_what_was_cosigned_last_is_known_too(witness: Witness) -> None:
    witness.add(request(0, 10))
    witness.add(request(10, 20))

    assert refusal(witness, request(10, 10, fork=4)).status == 409
    assert kinds(witness) == ["fork"]


def test_a_larger_tree_that_did_not_grow_out_of_the_one_cosigned_is_refused_and_kept(witness: Witness) -> None:
    witness.add(request(0, 10))

    assert refusal(witness, request(10, 20, fork=4)).status == 422
    assert kinds(witness) == ["unproved"]
    assert witness.add(request(10, 20))


def test_an_old_checkpoint_that_comes_again_is_no_evidence(witness: Witness) -> None:
    for old, size in ((0, 10), (10, 20), (20, 30)):
        witness.add(request(old, size))

    for asked in (request(0, 10), request(10, 20), request(20, 20), request(0, 0)):
        assert refusal(witness, asked).status == 409
    assert not kinds(witness)


def test_the_same_case_is_kept_once(witness: Witness) -> None:
    witness.add(request(0, 10))

    for _ in range(3):
        refusal(witness, request(10, 20, fork=4))
        refusal(witness, request(10, 10, fork=4))

    assert sorted(kinds(witness)) == ["fork", "unproved"]


def test_evidence_against_a_log_does_not_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.witness.evidence.CASES_PER_LOG", 3)
    evidence = Evidence(tmp_path)

    for size in range(11, 20):
        evidence.keep("unproved", cosigned=note(10), shown=note(size, fork=4), request=b"")
    evidence.keep("fork", cosigned=note(10), shown=note(10, fork=4), request=b"")

    assert [len(list(tmp_path.glob(f"{kind}-*"))) for kind in ("unproved", "fork")] == [3, 1]
    assert [each.name for each in Evidence(tmp_path).summaries] == [each.name for each in evidence.summaries]
    assert CASES_PER_LOG > 100


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (b"", 400),
        (b"old 0\n" + note(3), 400),
        (b"old 00\n\n" + note(3), 400),
        (b"old 0\r\n\n" + note(3), 400),
        (b"old 9223372036854775808\n\n" + note(3), 400),
        (b"old 0\nAAAA\n\n" + note(3), 400),
        (b"old 0\nnot base64\n\n" + note(3), 400),
        (b"old 0\n" + b"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n" * 64 + b"\n" + note(3), 400),
        (b"old 0\n\n" + note(3)[:-1], 400),
        (b"old 0\n\n" + note(3).replace(b"\n3\n", b"\n03\n"), 400),
        (request(4, 3), 400),
        (b"old 0\n\n" + note(3, signer=Signer("other.example/log", b"l" * 32)), 404),
        (request(0, 3, signer=STRANGER), 403),
        (b"old 0\n\n" + note(3).replace(b"\n3\n", b"\n4\n"), 403),
        (b"old 0\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n" + note(3), 422),
    ],
)
def test_what_is_no_submission_of_a_known_log_is_refused_as_the_protocol_says(
    witness: Witness, asked: bytes, status: int
) -> None:
    assert refusal(witness, asked).status == status
    assert not witness.sizes
    assert not kinds(witness)


def test_signatures_by_others_are_passed_over_and_not_kept(witness: Witness) -> None:
    others = notes.parse(note(3, signer=STRANGER))
    stranger = note(3, signer=STRANGER).removeprefix(others.text + b"\n")

    line = witness.add(request(0, 3) + stranger)

    assert witness.latest(mark_of(ORIGIN)) == note(3) + line
    assert witness.latest(mark_of("other.example/log")) is None


def test_nothing_is_cosigned_that_could_not_be_remembered(witness: Witness, tmp_path: Path) -> None:
    witness.add(request(0, 3))
    (tmp_path / ".memory.json.new").mkdir()

    with pytest.raises(OSError, match="memory"):
        witness.add(request(3, 5))

    assert witness.sizes == {ORIGIN: 3}
    (tmp_path / ".memory.json.new").rmdir()
    assert witness.add(request(3, 5))


def test_a_memory_is_of_one_key_and_one_process(tmp_path: Path) -> None:
    path, vkey = tmp_path / "memory.json", WITNESS.verifier.vkey
    with pytest.raises(LostMemoryError, match="is gone"):
        memory.take(path, vkey)
    memory.create(path, vkey)
    held = memory.take(path, vkey)

    with pytest.raises(LostMemoryError, match="another witness holds"):
        memory.take(path, vkey)
    held.close()
    with pytest.raises(LostMemoryError, match="is the memory of"):
        memory.take(path, Signer("regulator.example/w1", b"x" * 32, algorithm=COSIGNATURE).verifier.vkey)
    with pytest.raises(FileExistsError):
        memory.create(path, vkey)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(LostMemoryError, match="cannot be read"):
        memory.take(path, vkey)


def test_a_memory_is_of_bounded_size(witness: Witness, tmp_path: Path) -> None:
    for size in range(100):
        witness.add(request(max(size - 1, 0), size))

    held = memory._read(tmp_path / "memory.json").logs[ORIGIN]  # noqa: SLF001  # as it stands on disk
    assert len(held.notes) == REMEMBERED
    assert (held.checkpoint.size, memory.checkpoint_of(held.notes[0].encode()).size) == (99, 100 - REMEMBERED)
