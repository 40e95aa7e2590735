"""Whoever stops reading, as `| head` does, is not told a verdict: the command ends by SIGPIPE, and quietly."""

import signal
import subprocess
from pathlib import Path

import pytest

from tests.house.opened import command
from tests.style.checkout import ROOT

SAMPLE = next((ROOT / "schemas" / "golden").rglob("*.zip"))
SPEAKING = (
    ("--help",),
    ("--version",),
    ("verify", "--help"),
    ("verify", str(SAMPLE)),
    ("verify", "--json", str(SAMPLE)),
    ("verify", "no-such-file"),
    ("replay", str(SAMPLE)),
    ("surveil", str(SAMPLE)),
    ("coup", "5d,Kd,5s,Ac,9s,5c"),
    ("shoe", "--seed", "00" * 32, "--shoe-id", "b1/1", "--decks", "1"),
    ("roads", "BPPTBBBPB"),
    ("simulate", "--shoes", "2", "--jobs", "1"),
    ("odds", "--rules", "mini"),
    ("rules", "list"),
    ("rng", "dump-shoes", "--shoes", "2"),
    ("feed", "-"),
)


def unread(*words: str) -> "subprocess.CompletedProcess[str]":
    """Type a command line whose output nobody reads any more."""
    with subprocess.Popen(["true"], stdin=subprocess.PIPE) as reader:
        reader.wait()
        return subprocess.run(
            command(*words),
            cwd=ROOT,
            input="C.7,C.8,H.11,D.7,,C.7\n",
            stdout=reader.stdin,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )


@pytest.mark.parametrize("words", SPEAKING, ids=" ".join)
def test_a_command_that_nobody_reads_ends_by_the_pipes_signal_and_says_nothing(words: tuple[str, ...]) -> None:
    said = unread(*words)

    assert (said.returncode, said.stderr) == (-signal.SIGPIPE, "")


def test_a_complaint_that_nobody_reads_is_no_verdict_either() -> None:
    with subprocess.Popen(["true"], stdin=subprocess.PIPE) as reader:
        reader.wait()
        said = subprocess.run(command("verify"), cwd=ROOT, stdout=reader.stdin, stderr=reader.stdin, check=False)

    assert said.returncode == -signal.SIGPIPE


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that has no room")
def test_a_report_for_which_there_is_no_room_is_no_verdict() -> None:
    with Path("/dev/full").open("w") as full:
        said = subprocess.run(
            command("verify", str(SAMPLE)), cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert (said.returncode, said.stderr) == (74, "Error: the output cannot be written: No space left on device\n")
