"""Whatever a file holds, the auditor says something of it, in bounded time and memory, and never raises."""

import json
import random
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.bundle import CHECKPOINT, ENTRIES, MANIFEST, POLICY, PROOF
from services.audit.findings import LISTED_FINDINGS
from services.audit.verdict import judge
from tests.audit import tapes
from tests.audit.tapes import Tape
from tests.audit.test_lies import rewrite
from tests.audit.test_tapes import TRUST, failed

TAPE = tapes.at_once()


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """An honest bundle's members."""
    with zipfile.ZipFile(TAPE.write(tmp_path_factory.mktemp("honest") / "bundle.zip")) as honest:
        return {name: honest.read(name) for name in honest.namelist()}


@pytest.mark.parametrize("cut", [0, 1, 21, 100, 5_000, -1, -22, -100])
def test_a_truncated_file_cannot_be_read(cut: int, members: dict[str, bytes], tmp_path: Path) -> None:
    bundle = rewrite(tmp_path / "bundle.zip", members)
    bundle.write_bytes(bundle.read_bytes()[:cut])

    assert judge(bundle, TRUST).exit_code == 3


def test_a_zip_bomb_cannot_be_read(members: dict[str, bytes], tmp_path: Path) -> None:
    bundle = rewrite(tmp_path / "bundle.zip", {**members, ENTRIES: bytes(200_000_000)})

    tracemalloc.start()
    judgement = judge(bundle, TRUST)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert judgement.exit_code == 3
    assert peak < 10_000_000


@pytest.mark.parametrize("name", ["../entries.jsonl", "/etc/passwd", "entries.jsonl/../x", "extra", "ENTRIES.JSONL"])
def test_a_member_that_does_not_belong_is_refused(name: str, members: dict[str, bytes], tmp_path: Path) -> None:
    before = set(tmp_path.parent.iterdir())

    judgement = judge(rewrite(tmp_path / "bundle.zip", {**members, name: b"x"}), TRUST)

    assert judgement.exit_code == 3
    assert set(tmp_path.parent.iterdir()) == before


@pytest.mark.parametrize("name", [ENTRIES, MANIFEST, PROOF, CHECKPOINT, POLICY])
def test_a_bundle_without_one_of_its_members_cannot_be_read(
    name: str, members: dict[str, bytes], tmp_path: Path
) -> None:
    rest = {member: content for member, content in members.items() if member != name}

    assert judge(rewrite(tmp_path / "bundle.zip", rest), TRUST).exit_code == 3


def test_no_entries_cannot_be_read(members: dict[str, bytes], tmp_path: Path) -> None:
    assert judge(rewrite(tmp_path / "bundle.zip", {**members, ENTRIES: b""}), TRUST).exit_code == 3


@pytest.mark.parametrize("name", [PROOF, CHECKPOINT, POLICY])
@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe", b"x" * 100_000, b"c2sp.org/tlog-proof@v1\nindex 0\n\n"])
def test_nonsense_beside_the_entries_fails_the_log(
    name: str, content: bytes, members: dict[str, bytes], tmp_path: Path
) -> None:
    judgement = judge(rewrite(tmp_path / "bundle.zip", {**members, name: content}), TRUST)

    assert failed(judgement).keys() == {"log"}


LINES: dict[str, bytes] = {
    "nothing": b"",
    "no JSON": b"nonsense",
    "deep JSON": b"[" * 60_000 + b"]" * 5_000,
    "deeper JSON": b'{"a":' * 10_000,
    "invalid UTF-8": b'{"id":"\xff\xfe"}',
    "a lone surrogate": b'{"id":"\\ud800"}',
    "a long line": b"x" * 3_000_000,
    "a huge integer": b'{"version":' + b"9" * 50_000 + b"}",
    "a float": b'{"version":1e400}',
    "a null": b"null",
    "a null byte": b"\x00",
    "a carriage return": b"\r",
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_that_is_no_entry_is_a_finding(line: str, members: dict[str, bytes], tmp_path: Path) -> None:
    lines = members[ENTRIES].splitlines(keepends=True)
    content = b"".join([*lines[:30], LINES[line] + b"\n", *lines[30:]])

    judgement = judge(rewrite(tmp_path / "bundle.zip", {**members, ENTRIES: content}), TRUST)

    assert {"bytes", "chain"} <= failed(judgement).keys()
    (only,) = failed(judgement)["bytes"]
    assert only.startswith(f"{int(json.loads(lines[30])['version'])}: ")


def test_a_million_wrong_lines_do_not_fill_the_memory(members: dict[str, bytes], tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(1_500_000).hex().encode()
    content = b"\n".join(noise[start : start + 3] for start in range(0, len(noise), 3)) + b"\n"
    bundle = rewrite(tmp_path / "bundle.zip", {**members, ENTRIES: content})

    tracemalloc.start()
    judgement = judge(bundle, TRUST)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    results = {check.check: check for check in judgement.report.checks}
    assert judgement.exit_code == 1
    assert LISTED_FINDINGS <= len(results["bytes"].findings) < LISTED_FINDINGS + 50_000
    assert "not read to its end" in results["log"].findings[0].what
    assert peak < 40_000_000


def test_a_bundle_of_nothing_but_wrong_lines_is_read_to_its_end(members: dict[str, bytes], tmp_path: Path) -> None:
    judgement = judge(rewrite(tmp_path / "bundle.zip", {**members, ENTRIES: b"\n\n\n"}), TRUST)

    assert {"bytes", "chain", "log"} <= failed(judgement).keys()
    assert {check.result for check in judgement.report.checks if check.check in ("shoe", "rules", "money")} == {
        "not-checked"
    }


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"entries": 1}, "chain"),
        ({"first_version": 1}, "chain"),
        ({"last_version": 9_000}, "chain"),
        ({"complete": False}, "chain"),
        ({"table": "b2"}, "chain"),
        ({"shoe": 2}, "chain"),
        ({"origin": "other.example/log/1"}, "log"),
    ],
)
def test_a_manifest_that_lies_is_found(
    change: dict[str, object], expected: str, members: dict[str, bytes], tmp_path: Path
) -> None:
    manifest = json.dumps({**json.loads(members[MANIFEST]), **change}).encode()

    judgement = judge(rewrite(tmp_path / "bundle.zip", {**members, MANIFEST: manifest}), TRUST)

    assert failed(judgement).keys() == {expected}


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"\xff", b"{" * 4_000, b'{"format":"shoe-bundle/v1"}'])
def test_a_manifest_that_is_none_cannot_be_read(content: bytes, members: dict[str, bytes], tmp_path: Path) -> None:
    assert judge(rewrite(tmp_path / "bundle.zip", {**members, MANIFEST: content}), TRUST).exit_code == 3


@pytest.mark.parametrize("form", ["shoe-bundle/v2", "round-bundle/v1", 1])
def test_a_bundle_of_a_form_not_known_cannot_be_read(form: object, members: dict[str, bytes], tmp_path: Path) -> None:
    manifest = json.dumps({**json.loads(members[MANIFEST]), "format": form}).encode()

    assert judge(rewrite(tmp_path / "bundle.zip", {**members, MANIFEST: manifest}), TRUST).exit_code == 3


def test_an_entry_of_a_later_schema_is_not_checked(tmp_path: Path) -> None:
    judgement = judge(_with_schema(2, tmp_path), TRUST)

    assert failed(judgement) == {}
    results = {check.check: check.result for check in judgement.report.checks}
    assert {results[check] for check in ("bytes", "shoe", "rules", "money")} == {"not-checked"}
    assert (results["chain"], results["log"]) == ("passed", "passed")
    assert judgement.exit_code == 2


def test_an_unknown_key_at_a_known_schema_fails_the_bytes(tmp_path: Path) -> None:
    judgement = judge(_with_schema(1, tmp_path), TRUST)

    assert failed(judgement).keys() == {"bytes"}
    assert judgement.exit_code == 1


def _with_schema(schema: int, tmp_path: Path) -> Path:
    """A bundle whose last line is of a schema, with a key that schema 1 does not know."""

    def tell(lines: list[bytes]) -> list[bytes]:
        new = lines[-1].replace(b'"schema":1', b'"schema":%d' % schema).replace(b"}}", b',"weather":"fine"}}')
        return [*lines[:-1], new]

    return TAPE.write(tmp_path / "bundle.zip", tell)


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_bytes_changed_anywhere_never_raise(data: st.DataObject, members: dict[str, bytes], tmp_path: Path) -> None:
    name = data.draw(st.sampled_from([ENTRIES, ENTRIES, ENTRIES, PROOF, CHECKPOINT, POLICY, MANIFEST]))
    content = bytearray(members[name])
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    bundle = rewrite(tmp_path / "bundle.zip", {**members, name: bytes(content)})

    judgement = judge(bundle, TRUST)

    if name == ENTRIES and bytes(content) != members[name]:
        assert judgement.exit_code == 1


@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_bytes_changed_anywhere_in_the_zip_never_raise(
    data: st.DataObject, members: dict[str, bytes], tmp_path: Path
) -> None:
    bundle = rewrite(tmp_path / "bundle.zip", members)
    content = bytearray(bundle.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    bundle.write_bytes(content)

    assert judge(bundle, TRUST).exit_code in (0, 1, 3)


SHUFFLES: dict[str, Callable[[Tape], Tape]] = {
    "backwards": lambda tape: Tape([*tape.facts[: tape.first], *tape.facts[tape.first :][::-1]]),
    "every second entry": lambda tape: Tape([*tape.facts[: tape.first + 1], *tape.facts[tape.first + 1 :: 2]]),
    "twice": lambda tape: Tape([*tape.facts, *tape.facts[tape.first :]]),
}


@pytest.mark.parametrize("name", SHUFFLES)
def test_a_log_that_makes_no_sense_never_raises(name: str, tmp_path: Path) -> None:
    for tape in (TAPE, tapes.an_evening(), tapes.frozen(), tapes.scanned()):
        if name != "backwards":
            judgement = judge(SHUFFLES[name](tape).write(tmp_path / "bundle.zip"), TRUST)
            assert judgement.exit_code == 1


def test_entries_in_any_order_never_raise(tmp_path: Path) -> None:
    tape = tapes.an_evening()
    for number in range(20):
        facts = tape.facts[tape.first + 1 :]
        random.Random(number).shuffle(facts)
        shuffled = Tape([*tape.facts[: tape.first + 1], *facts])

        assert judge(shuffled.write(tmp_path / "bundle.zip"), TRUST).exit_code == 1
