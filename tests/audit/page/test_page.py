"""verify.html as a whole: kept current, without a network, and saying what a verifier says."""

import re
import zipfile
from pathlib import Path

import pytest

from services.audit.press import PARTS, PRINTED, UnprintableError, printed
from tests.audit.page.node import NEEDS_NODE, PAGE, run, verify

SAMPLE = Path("tests/data/sample-punto-banco.zip")
KEY = "sample.example/log/1+2413c431+AY632VItW5OprDifVdjtScfHZpXv0HGBxMmBOZ9KqQ+e"
OTHER_KEY = "sample.example/log/1+d9bc0fd3+ASqo1JBt5RYudBLvVRYchUf+VYU+AcPLX+laVG5nd4Ic"
CHECKS = ["bytes", "chain", "log", "shoe", "rules", "money", "ledger"]


def results(report: dict[str, object]) -> dict[str, str]:
    checks = report["checks"]
    assert isinstance(checks, list)
    return {check["check"]: check["result"] for check in checks}


def spoiled(path: Path, member: str, before: bytes, after: bytes) -> Path:
    """Copy the sample, something in one member changed."""
    with zipfile.ZipFile(SAMPLE) as honest, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as lie:
        for name in honest.namelist():
            content = honest.read(name)
            assert name != member or before in content
            lie.writestr(name, content.replace(before, after, 1) if name == member else content)
    return path


def test_the_page_is_what_the_press_prints_from_its_parts() -> None:
    assert PRINTED.read_text(encoding="utf-8") == printed(), "python -m services.audit.press"


def test_the_page_forbids_itself_the_network_and_loads_nothing() -> None:
    page = printed()

    assert "default-src 'none'; script-src 'sha256-" in page
    assert not re.search(r"<(?:link|img|iframe|script\s+src)|\burl\(|\bimport\(", page)
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|sendBeacon", page)


def test_the_parts_import_nothing_but_each_other() -> None:
    imports = r'^(?:import|export) .*from "(.*)";'
    said = {one for part in PARTS.glob("*.js") for one in re.findall(imports, part.read_text("utf-8"), re.MULTILINE)}

    assert "./bytes.js" in said
    assert [one for one in said if not one.startswith("./") or not (PARTS / one).is_file()] == []


def test_the_parts_keep_the_shape_of_the_house() -> None:
    parts = list(PARTS.iterdir())
    assert PARTS / "page.js" in parts

    for part in parts:
        lines = part.read_text(encoding="utf-8").splitlines()

        assert len(lines) <= 400, part
        assert max(map(len, lines)) <= 120, part
        assert part.suffix not in (".js", ".mjs") or lines[0].startswith("/**"), part


def test_a_part_that_cannot_be_set_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.js").write_text('import cards from "./cards.js";\n', encoding="utf-8")
    (tmp_path / "style.css").write_text("", encoding="utf-8")

    with pytest.raises(UnprintableError, match=r"page\.js"):
        printed(tmp_path)


@NEEDS_NODE
def test_the_sample_passes_every_check_with_its_key() -> None:
    status, (report,) = verify("--log-key", KEY, files=[SAMPLE])

    assert status == 0
    assert (report["table"], report["shoe"], report["complete"], report["entropy"]) == ("s1", 1, True, "patron")
    assert [check["check"] for check in report["checks"]] == CHECKS
    assert set(results(report).values()) == {"passed", "not-checked"}
    assert results(report)["ledger"] == "not-checked"


@NEEDS_NODE
def test_without_a_key_the_evidence_is_incomplete() -> None:
    status, (report,) = verify(files=[SAMPLE])

    assert status == 2
    assert results(report)["log"] == "not-checked"


@NEEDS_NODE
def test_a_policy_got_elsewhere_serves_as_a_key(tmp_path: Path) -> None:
    (tmp_path / "policy").write_text(f"log {KEY}\nquorum none\n", encoding="utf-8")
    (tmp_path / "other").write_text(f"log {OTHER_KEY}\nquorum none\n", encoding="utf-8")

    assert verify("--policy", str(tmp_path / "policy"), files=[SAMPLE])[0] == 0
    status, (report,) = verify("--policy", str(tmp_path / "other"), files=[SAMPLE])
    assert (status, results(report)["log"]) == (1, "failed")


@NEEDS_NODE
def test_another_log_key_fails_the_log() -> None:
    status, (report,) = verify("--log-key", OTHER_KEY, files=[SAMPLE])

    assert (status, results(report)["log"]) == (1, "failed")


@NEEDS_NODE
@pytest.mark.parametrize(
    ("member", "before", "after", "check"),
    [
        ("entries.jsonl", b'"amount":', b'"amount": ', "bytes"),
        ("entries.jsonl", b'"amount":1', b'"amount":2', "chain"),
        ("entries.jsonl", b'"card":"', b'"cord":"', "bytes"),
        ("manifest.json", b'"entries":1087', b'"entries":1086', "chain"),
        ("checkpoint", b"\n1095\n", b"\n1096\n", "log"),
        ("last.tlog-proof", b"index 1094", b"index 1093", "log"),
        ("policy", b"quorum none", b"quorum some", "log"),
    ],
)
def test_a_strangers_lie_is_found(tmp_path: Path, member: str, before: bytes, after: bytes, check: str) -> None:
    status, (report,) = verify("--log-key", KEY, files=[spoiled(tmp_path / "lie.zip", member, before, after)])

    assert status == 1
    assert results(report)[check] == "failed"


@NEEDS_NODE
def test_of_several_files_the_worst_counts(tmp_path: Path) -> None:
    (tmp_path / "empty.zip").write_bytes(b"")
    lie = spoiled(tmp_path / "lie.zip", "entries.jsonl", b'"amount":1', b'"amount":2')

    assert verify("--log-key", KEY, files=[SAMPLE, tmp_path / "empty.zip"])[0] == 3
    assert verify("--log-key", KEY, files=[SAMPLE, tmp_path / "empty.zip", lie])[0] == 1


@NEEDS_NODE
@pytest.mark.parametrize("usage", [[], ["--log-key", "nonsense", str(SAMPLE)], ["--spoons", str(SAMPLE)]])
def test_wrong_usage_is_told_apart(usage: list[str]) -> None:
    assert run(PAGE / "node.mjs", *usage).returncode == 64
