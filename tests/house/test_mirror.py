"""`shoelog export --log`: the log as it is served, fetched once, and done only when it is the one that was signed."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from schemas import policy
from schemas.note import COSIGNATURE, Signer, cosign
from schemas.policy import Group, Log, Policy, Witness
from services.house.cli import main
from tests import logs

KEY = "shoelog_auditor_test"
SIGNER = Signer("casino.example/log/1", bytes(range(32)))
LINES = [b'{"number":%d}' % number for number in range(70_000)]


class Served(dict[str, bytes]):
    """What a log serves: every file below its prefix, and what was asked for."""

    def __init__(self, size: int, lines: list[bytes] = LINES) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.grow(size, lines)

    def grow(self, size: int, lines: list[bytes] = LINES, signer: Signer = SIGNER) -> None:
        """Serve so many entries."""
        self.update(logs.files_of(lines[:size], signer))


@pytest.fixture
def served() -> Served:
    return Served(600)


@pytest.fixture
def url(served: Served) -> Iterator[str]:
    class Log(BaseHTTPRequestHandler):
        """Answers as a table service does."""

        def do_GET(self) -> None:
            """Serve a file of the log."""
            path = self.path.removeprefix("/v1/log/")
            served.asked.append(path)
            is_barred = "entries" in path and self.headers["Authorization"] != f"Bearer {KEY}"
            body = b'{"detail":"this key opens nothing here"}' if is_barred else served.get(path, b"{}")
            self.send_response(401 if is_barred else 200 if path in served else 404)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Log) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def export(url: str, out: Path, *words: str, key: str = KEY) -> Result:
    return CliRunner().invoke(
        main, ["export", "--url", url, "--log", "--out", str(out), *words], env={"SHOELOG_KEY": key}
    )


def files_of(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.mark.parametrize("size", [0, 1, 255, 256, 257, 600])
def test_a_log_is_laid_out_as_it_is_served_with_its_entries_in_lines(
    served: Served, url: str, tmp_path: Path, size: int
) -> None:
    served.clear()
    served.grow(size)

    said = export(url, tmp_path)

    assert said.exit_code == 0, said.output
    assert f"{size} entries of casino.example/log/1" in said.stdout
    assert files_of(tmp_path) == {**served, "entries.jsonl": b"".join(line + b"\n" for line in LINES[:size])}


def test_what_was_fetched_is_not_fetched_again_and_what_was_filled_is_cleared(
    served: Served, url: str, tmp_path: Path
) -> None:
    export(url, tmp_path)
    served.asked.clear()
    served.clear()
    served.grow(800)

    said = export(url, tmp_path)

    assert said.exit_code == 0, said.output
    assert sorted(served.asked) == sorted(
        [
            "policy",
            "checkpoint",
            "tile/entries/002",
            "tile/entries/003.p/32",
            "tile/0/002",
            "tile/0/003.p/32",
            "tile/1/000.p/3",
        ]
    )
    assert files_of(tmp_path).keys() == {*served, "entries.jsonl"}


def test_an_export_that_broke_off_goes_on(served: Served, url: str, tmp_path: Path) -> None:
    missing = served.pop("tile/0/001")
    broken = export(url, tmp_path)
    assert broken.exit_code == 1
    assert "tile/0/001 answered 404" in broken.stderr
    assert not (tmp_path / "checkpoint").exists()
    served["tile/0/001"] = missing
    served.asked.clear()

    assert export(url, tmp_path).exit_code == 0
    assert "tile/entries/001" not in served.asked


def spoil(path: str, at: int = 40) -> Any:
    def spoiled(served: Served) -> None:
        content = bytearray(served[path])
        content[at] ^= 1
        served[path] = bytes(content)

    return spoiled


def cut(served: Served) -> None:
    served["tile/entries/001"] = served["tile/entries/001"][:-5]


def fork(served: Served) -> None:
    served.grow(700, [b"forked", *LINES[1:]])


def roll_back(served: Served) -> None:
    served.grow(500)


def sign_as_another(served: Served) -> None:
    other = Signer(SIGNER.verifier.name, b"x" * 32)
    note = served["checkpoint"]
    served.grow(600, signer=other)
    served["policy"], _ = policy.encode(policy.of_log(SIGNER.verifier)), note


LIES = {
    "a byte of an entry": (spoil("tile/entries/001", 40), "tile/entries/001: entry 258 is not the one in the tree"),
    "a byte of a leaf": (spoil("tile/0/002.p/88", 32 * 3), "entry 515 is not the one in the tree"),
    "a byte of a length": (spoil("tile/entries/002.p/88", 0), "entry 512 is not the one in the tree"),
    "a byte of a root": (spoil("tile/1/000.p/2"), "tile/1/000.p/2: it does not hold the roots"),
    "a bundle cut short": (cut, "breaks off within an entry"),
    "another key": (sign_as_another, "the log's checkpoint is not by casino.example/log/1+"),
    "an entry and its leaf": (
        lambda served: served.update({k: v for k, v in Served(600, [b"x", *LINES[1:]]).items() if k != "checkpoint"}),
        "the 600 entries that were served are not those that were signed",
    ),
}


@pytest.mark.parametrize(("lie", "said"), LIES.values(), ids=LIES.keys())
def test_what_is_not_the_log_that_was_signed_is_never_done(
    served: Served, url: str, tmp_path: Path, lie: Any, said: str
) -> None:
    lie(served)

    told = export(url, tmp_path)

    assert told.exit_code == 1
    assert said in told.stderr
    assert not (tmp_path / "checkpoint").exists()


HISTORIES: dict[str, tuple[Any, tuple[str, ...], str]] = {
    "it went back": (roll_back, (), "the log went back: 600"),
    "it forked": (fork, (), "or the log has forked since 600 were"),
    "it forked, and is fetched anew": (
        fork,
        ("tile/entries/000", "tile/0/000"),
        "the log has forked: its first 600",
    ),
}


@pytest.mark.parametrize("history", HISTORIES)
def test_a_log_that_went_back_or_forked_is_not_the_one_that_was_fetched_before(
    served: Served, url: str, tmp_path: Path, history: str
) -> None:
    lie, forgotten, said = HISTORIES[history]
    export(url, tmp_path)
    before = (tmp_path / "checkpoint").read_bytes()
    for path in forgotten:
        (tmp_path / path).unlink()
    lie(served)

    told = export(url, tmp_path)

    assert told.exit_code == 1
    assert said in told.stderr
    assert (tmp_path / "checkpoint").read_bytes() == before


def test_a_damaged_file_is_fetched_again(url: str, tmp_path: Path) -> None:
    export(url, tmp_path)
    path = tmp_path / "tile/entries/000"
    path.write_bytes(path.read_bytes().replace(b"7", b"8", 1))

    told = export(url, tmp_path)

    assert "the next run fetches it again" in told.stderr
    assert export(url, tmp_path).exit_code == 0


def test_a_key_that_is_known_from_elsewhere_must_be_the_logs(url: str, tmp_path: Path) -> None:
    assert export(url, tmp_path, "--log-key", SIGNER.verifier.vkey).exit_code == 0
    other = Signer("casino.example/log/1", b"x" * 32).verifier.vkey
    assert "the log signs as" in export(url, tmp_path, "--log-key", other).stderr


WITNESSES = [Signer(f"regulator.example/{name}", name.encode() * 32, algorithm=COSIGNATURE) for name in "abc"]
WITNESSED = Policy(
    logs=(Log(key=SIGNER.verifier),),
    witnesses=tuple(Witness(name=each.verifier.name[-1], key=each.verifier) for each in WITNESSES),
    groups=(Group(name="two-of-three", threshold=2, members=("a", "b", "c")),),
    quorum="two-of-three",
)


def witness(served: Served, *witnesses: Signer) -> None:
    """Serve a policy with a quorum, and the cosignatures of these."""
    served["policy"] = policy.encode(WITNESSED)
    for each in witnesses:
        served["checkpoint"] = cosign(served["checkpoint"], each, timestamp=1_800_000_000)


def test_a_checkpoint_that_its_witnesses_cosigned_is_fetched_with_their_lines(
    served: Served, url: str, tmp_path: Path
) -> None:
    witness(served, *WITNESSES[1:])

    said = export(url, tmp_path)

    assert said.exit_code == 0, said.output
    assert "cosigned by b, c" in said.stdout
    assert (tmp_path / "checkpoint").read_bytes() == served["checkpoint"]


def test_a_checkpoint_without_the_quorum_of_its_policy_is_never_done(served: Served, url: str, tmp_path: Path) -> None:
    witness(served, WITNESSES[0])

    said = export(url, tmp_path)

    assert said.exit_code == 1
    assert "has not the quorum two-of-three: it is cosigned by a." in said.stderr
    assert not (tmp_path / "checkpoint").exists()
    witness(served, WITNESSES[2])
    assert export(url, tmp_path).exit_code == 0


def test_a_forged_cosignature_is_no_cosignature(served: Served, url: str, tmp_path: Path) -> None:
    witness(served, *WITNESSES[:2])
    elsewhere = cosign(served["checkpoint"].replace(b"600", b"601"), WITNESSES[2], timestamp=1_800_000_000)
    served["checkpoint"] += elsewhere.splitlines(keepends=True)[-1]

    said = export(url, tmp_path)

    assert said.exit_code == 1
    assert "the log's checkpoint does not hold: " in said.stderr


def test_a_policy_of_ones_own_must_be_met_too(served: Served, url: str, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_bytes(policy.encode(WITNESSED))

    refused = export(url, tmp_path / "log", "--policy", str(own))

    assert "has not the quorum two-of-three: it is cosigned by no known witness" in refused.stderr
    witness(served, *WITNESSES[:2])
    said = export(url, tmp_path / "log", "--policy", str(own))
    assert said.exit_code == 0, said.output
    assert "cosigned by a, b" in said.stdout
    other = policy.of_log(Signer("casino.example/log/1", b"x" * 32).verifier)
    own.write_bytes(policy.encode(other))
    assert "the log signs as" in export(url, tmp_path / "log", "--policy", str(own)).stderr


def test_a_policy_that_is_none_is_said_to_be_none(url: str, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("quorum nobody\n")

    refused = export(url, tmp_path / "log", "--policy", str(own))

    assert refused.exit_code == 64
    assert "line 1 of the policy" in refused.stderr


def test_without_a_key_that_reads_entries_nothing_is_done(url: str, tmp_path: Path) -> None:
    told = export(url, tmp_path, key="shoelog_dashboard_test")

    assert told.exit_code == 1
    assert "answered 401: this key opens nothing here" in told.stderr


@pytest.mark.parametrize("words", [["--table", "b1"], [], ["--table", "b1", "--shoe", "1", "--log"]], ids=" ".join)
def test_a_shoe_is_wanted_or_the_log(tmp_path: Path, words: list[str]) -> None:
    told = CliRunner().invoke(main, ["export", *words, "--out", str(tmp_path)], env={"SHOELOG_KEY": KEY})

    assert told.exit_code == 64
    assert "name a table and a shoe, or say --log" in told.stderr
