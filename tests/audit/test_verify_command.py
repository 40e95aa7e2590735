"""`shoelog verify` as it is called: its exit statuses, its JSON, and what it drags in."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from schemas.note import COSIGNATURE, Signer
from services.audit.findings import CHECKS
from services.audit.verify import verify_command
from tests.audit import tapes
from tests.audit.tapes import LOG

SAMPLE = Path("tests/data/sample-punto-banco.zip")
SAMPLE_KEY = "sample.example/log/1+2413c431+AY632VItW5OprDifVdjtScfHZpXv0HGBxMmBOZ9KqQ+e"
KEY = ("--log-key", SAMPLE_KEY)


def verify(*arguments: str | Path) -> Result:
    """Call the command."""
    return CliRunner().invoke(verify_command, [str(argument) for argument in arguments])


def report(*arguments: str | Path) -> dict[str, Any]:
    """The report on one file."""
    (only,) = json.loads(verify("--json", *arguments).stdout)
    return dict(only)


def test_a_bundle_made_by_other_hands_passes_every_check() -> None:
    result = verify(*KEY, SAMPLE)

    assert result.exit_code == 0, result.output
    assert "patron" in result.output


def test_without_a_key_the_log_is_not_checked() -> None:
    told = report(SAMPLE)

    assert {check["check"]: check["result"] for check in told["checks"]} == {
        **dict.fromkeys(CHECKS, "passed"),
        "log": "not-checked",
        "ledger": "not-checked",
    }
    assert verify(SAMPLE).exit_code == 2


def test_json_has_the_form_of_the_page() -> None:
    told = report(*KEY, SAMPLE)

    assert list(told) == ["file", "table", "shoe", "complete", "entropy", "checks"]
    assert told["file"] == str(SAMPLE)
    assert (told["table"], told["shoe"], told["complete"], told["entropy"]) == ("s1", 1, True, "patron")
    assert [list(check) for check in told["checks"]] == [["check", "result", "findings"]] * 7
    assert [check["check"] for check in told["checks"]] == list(CHECKS)
    assert told["checks"][0] == {"check": "bytes", "result": "passed", "findings": []}
    (why,) = told["checks"][-1]["findings"]
    assert list(why) == ["version", "what"]
    assert why["version"] == 0


def test_a_policy_got_elsewhere_is_as_good_as_a_key(tmp_path: Path) -> None:
    policy = tmp_path / "policy"
    policy.write_text(f"log {SAMPLE_KEY}\nquorum none\n")

    assert verify("--policy", policy, SAMPLE).exit_code == 0


def test_a_policy_whose_witness_did_not_sign_fails_the_log(tmp_path: Path) -> None:
    witness = Signer("witness.example", bytes(32), algorithm=COSIGNATURE).verifier.vkey
    policy = tmp_path / "policy"
    policy.write_text(f"log {SAMPLE_KEY}\nwitness w {witness}\nquorum w\n")

    assert verify("--policy", policy, SAMPLE).exit_code == 1


def test_another_logs_key_fails_the_log() -> None:
    told = report("--log-key", LOG.verifier.vkey, SAMPLE)

    (log,) = [check for check in told["checks"] if check["check"] == "log"]
    assert log["result"] == "failed"
    assert verify("--log-key", LOG.verifier.vkey, SAMPLE).exit_code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--no-such-option", SAMPLE),
        ("--log-key", "nonsense", SAMPLE),
        ("--signer", "nonsense", SAMPLE),
        (*KEY, "--policy", SAMPLE, SAMPLE),
        ("--log-key", Signer("w.example", bytes(32), algorithm=COSIGNATURE).verifier.vkey, SAMPLE),
        ("--log-key",),
    ],
)
def test_wrong_usage_is_64(arguments: tuple[str | Path, ...]) -> None:
    assert verify(*arguments).exit_code == 64


def test_what_cannot_be_read_is_3(tmp_path: Path) -> None:
    empty, text = tmp_path / "empty.zip", tmp_path / "text.zip"
    empty.touch()
    text.write_text("no zip")

    for path in (empty, text, tmp_path / "absent.zip", tmp_path):
        told = report(path)
        assert (told["table"], told["shoe"], told["complete"], told["entropy"]) == (None, None, False, None)
        assert {check["result"] for check in told["checks"]} == {"not-checked"}
        assert verify(path).exit_code == 3
    assert verify("--policy", text, SAMPLE).exit_code == 3
    assert verify("--policy", tmp_path / "absent", SAMPLE).exit_code == 3


def test_of_several_files_the_worst_counts(tmp_path: Path) -> None:
    good = tapes.at_once().write(tmp_path / "good.zip")
    still_open = tapes.Tape(tapes.at_once().facts[:-1]).write(tmp_path / "open.zip")
    bad = tapes.at_once().change(-1, dealt=1).write(tmp_path / "bad.zip")
    unread = tmp_path / "unread.zip"
    key = ("--log-key", LOG.verifier.vkey)

    assert verify(*key, good, good).exit_code == 0
    assert verify(*key, good, still_open).exit_code == 2
    assert verify(*key, still_open, unread, good).exit_code == 3
    assert verify(*key, still_open, unread, bad, good).exit_code == 1


def test_several_files_are_told_in_the_order_given_also_from_several_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.audit.verdict.WORTH_A_PROCESS_BYTES", 0)
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    absent = tmp_path / "absent.zip"

    told = json.loads(verify("--json", *KEY, SAMPLE, absent, SAMPLE).stdout)

    assert [one["file"] for one in told] == [str(SAMPLE), str(absent), str(SAMPLE)]
    assert [one["complete"] for one in told] == [True, False, True]


def test_a_seed_of_two_shoes_fails_both(tmp_path: Path) -> None:
    one, other = tapes.at_once().write(tmp_path / "one.zip"), tapes.frozen().write(tmp_path / "other.zip")
    second = tapes.a_second_shoe().write(tmp_path / "second.zip")
    key = ("--log-key", LOG.verifier.vkey)

    assert verify(*key, one, other, one).exit_code == 0  # all of them shoe b1/1
    assert verify(*key, second).exit_code == 0
    for told in json.loads(verify("--json", *key, one, second).stdout):
        assert [check["check"] for check in told["checks"] if check["result"] == "failed"] == ["shoe"]


def test_the_base_install_alone_verifies_and_replays() -> None:
    """Neither web framework nor driver is imported, nor anything else that is not of the base install."""
    script = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "from services.audit.replay import replay_command\n"
        "from services.audit.verify import verify_command\n"
        f"verified = CliRunner().invoke(verify_command, ['--log-key', {SAMPLE_KEY!r}, {str(SAMPLE)!r}])\n"
        f"replayed = CliRunner().invoke(replay_command, [{str(SAMPLE)!r}])\n"
        "assert (verified.exit_code, replayed.exit_code) == (0, 0), (verified.output, replayed.output)\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))\n"
    )

    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    modules = set(run.stdout.split())
    assert {"click", "cryptography", "msgspec", "schemas", "services"} <= modules
    installed = {"litestar", "asyncpg", "uvicorn", "structlog", "httpx", "prometheus_client", "starlette", "anyio"}
    assert not modules & installed


def test_the_audit_imports_no_more_of_the_table_than_its_game() -> None:
    script = "import sys, services.audit.verify, services.audit.replay; print(*sys.modules)"

    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    rooms = {name for name in run.stdout.split() if name.startswith("services.")}
    allowed = ("services.audit", "services.table.game", "services.ledger.book")
    assert {name for name in rooms if not name.startswith(allowed)} <= {"services.table"}
