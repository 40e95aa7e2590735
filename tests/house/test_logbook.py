"""A process's log is turned by size: it fills no disk, and no line is lost."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from services.house.logbook import OLD_FILES, Logbook
from tests.house.opened import eventually, is_there

FILE_BYTES = 2_000
LINE = "{:06d} " + "x" * 92  # 100 bytes with its end
ON_DEMAND = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"


def files(path: Path) -> list[Path]:
    """All files of a logbook, the oldest first."""
    older = [path.with_name(f"{path.name}.{number}") for number in range(OLD_FILES + 5, 0, -1)]
    return [file for file in (*older, path) if file.exists()]


def numbers(path: Path) -> list[int]:
    lines = b"".join(file.read_bytes() for file in files(path)).decode().splitlines()
    assert all(line == LINE.format(int(line[:6])) for line in lines)
    return [int(line[:6]) for line in lines]


def talk(lines: int) -> str:
    """A program that says so many lines."""
    return f"for number in range({lines}): print({LINE!r}.format(number))"


def run(book: Logbook, source: str) -> None:
    with book.opened() as pen:
        subprocess.run([sys.executable, "-c", source], stdout=pen, check=True)
    book.close()


def test_no_line_is_lost_when_a_file_is_turned(tmp_path: Path) -> None:
    book = Logbook(tmp_path / "table.log", file_bytes=FILE_BYTES)

    for _ in range(2):
        run(book, talk(35))

    assert numbers(book.path) == [*range(35), *range(35)]
    assert len(files(book.path)) > 3


def test_the_oldest_lines_go_when_there_are_too_many(tmp_path: Path) -> None:
    book = Logbook(tmp_path / "table.log", file_bytes=FILE_BYTES)

    run(book, talk(1000))

    kept = numbers(book.path)
    assert len(files(book.path)) == OLD_FILES + 1
    assert sum(file.stat().st_size for file in files(book.path)) <= (OLD_FILES + 1) * FILE_BYTES
    assert kept == list(range(1000 - len(kept), 1000))


@pytest.mark.parametrize("text", [b"\xff\xfe no text\n", b"no end", b"y" * 200_000 + b"\n", b"\x00\r\n"])
def test_whatever_is_said_is_kept_as_it_is(tmp_path: Path, text: bytes) -> None:
    book = Logbook(tmp_path / "table.log")

    run(book, f"import sys; sys.stdout.buffer.write({text!r})" if len(text) < 99 else "print('y' * 200_000)")

    assert book.path.read_bytes() == text


def test_what_was_said_since_it_was_opened_is_told(tmp_path: Path) -> None:
    book = Logbook(tmp_path / "table.log", file_bytes=FILE_BYTES)
    assert book.said() == ""

    run(book, "print('yesterday')")
    run(book, "print('today')")

    assert book.said() == "today"


def test_a_keeper_that_is_killed_is_replaced_and_what_was_said_meanwhile_is_kept(tmp_path: Path) -> None:
    book = Logbook(tmp_path / "table.log")
    with book.opened() as pen:
        talker = subprocess.Popen([sys.executable, "-c", ON_DEMAND], stdin=subprocess.PIPE, stdout=pen)
    say = speaker(talker)
    say(b"one\n")
    eventually(lambda: book.said() == "one", "the first line")
    keeper = book.keeper
    assert keeper

    def is_replaced() -> bool:
        book.tend()
        return book.keeper != keeper

    os.kill(keeper, signal.SIGKILL)
    os.waitid(os.P_PID, keeper, os.WEXITED | os.WNOWAIT)
    say(b"two\n")
    eventually(is_replaced, "another keeper")
    say(b"three\n")
    talker.communicate()
    book.close()

    assert book.said().split() == ["one", "two", "three"]


def test_a_keeper_stays_until_all_is_said_though_the_house_be_gone(tmp_path: Path) -> None:
    house = f"""
import subprocess, sys
from pathlib import Path
from services.house.logbook import Logbook
with Logbook(Path({str(tmp_path / "table.log")!r})).opened() as pen:
    talker = subprocess.Popen([sys.executable, "-c", {ON_DEMAND!r}], stdin=sys.stdin, stdout=pen)
print(talker.pid, flush=True)
"""
    gone = subprocess.Popen([sys.executable, "-c", house], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert gone.stdin
    assert gone.stdout
    talker = int(gone.stdout.readline())
    gone.wait()

    speaker(gone)(b"last words\n")
    gone.stdin.close()
    eventually(lambda: not is_there(talker), "the end")

    eventually(lambda: (tmp_path / "table.log").read_text() == "last words\n", "what it said last")
    gone.stdout.close()


def speaker(process: "subprocess.Popen[bytes]") -> Callable[[bytes], None]:
    def say(line: bytes) -> None:
        assert process.stdin
        process.stdin.write(line)
        process.stdin.flush()

    return say
