"""The logbook of a process: what it says, line by line, in files that are turned by size and so never fill a disk.

A process says everything into a pipe, and a keeper, which is this module run by itself, carries it into the file:

    python logbook.py FILE < pipe

The keeper stays until everything has been said, also when the house is gone; when the keeper dies, the next one goes on
at the same pipe. FILE is the newest, FILE.1 the one before, up to FILE.4.
"""

import contextlib
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler
from pathlib import Path

FILE_BYTES = 10_000_000
OLD_FILES = 4
PIECE_BYTES = 65_536  # what a pipe holds
PIECES_A_FILE = 20  # or more
REST_SECONDS = 0.01  # between pieces: whoever woke for every line would cost a busy house a fifth of a core
LINE_BYTES = 65_536  # what is longer goes into several pieces
CLOSE_SECONDS = 5.0


class Logbook:
    """The logbook of one process, which may be started time and again."""

    def __init__(self, path: Path, *, file_bytes: int = FILE_BYTES) -> None:
        self.path = path
        self._file_bytes = file_bytes
        self._pipe: int | None = None
        self._keeper: subprocess.Popen[bytes] | None = None
        self._said_before = 0

    @property
    def keeper(self) -> int | None:
        """The process that keeps it."""
        return self._keeper.pid if self._keeper else None

    @contextlib.contextmanager
    def opened(self) -> Iterator[int]:
        """Open it for a process that is to be started: where it says what it says."""
        self.close()
        self._said_before = self.path.stat().st_size if self.path.exists() else 0
        self._pipe, pen = os.pipe()
        try:
            self._keep(self._pipe)
            yield pen
        finally:
            os.close(pen)

    def tend(self) -> None:
        """See that somebody keeps it: one that was killed is replaced, who goes on at what is in the pipe."""
        if self._keeper and self._pipe is not None and self._keeper.poll():
            self._keep(self._pipe)

    def close(self) -> None:
        """Wait until all that a process has said is in the file: once it is dead, that is soon."""
        self.tend()
        if self._keeper:
            with contextlib.suppress(subprocess.TimeoutExpired):  # somebody else, whom it started, still speaks
                self._keeper.wait(CLOSE_SECONDS)
            self._keeper = None
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None

    def said(self) -> str:
        """What the process said since it was opened, as far as it stands in the newest file."""
        text = self.path.read_bytes() if self.path.exists() else b""
        return text[self._said_before if len(text) >= self._said_before else 0 :].decode(errors="replace").strip()

    def _keep(self, pipe: int) -> None:
        keeper = [sys.executable, "-I", "-S", __file__, str(self.path), str(self._file_bytes)]
        self._keeper = subprocess.Popen(
            keeper,
            stdin=pipe,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C is for the house; the keeper leaves when there is nothing left to say
        )


def keep(said: int, path: Path, *, file_bytes: int) -> None:
    """Carry lines into the file, as many at once as have come, until there are no more."""
    book = RotatingFileHandler(
        path, maxBytes=file_bytes, backupCount=OLD_FILES, errors="surrogateescape", encoding="utf-8"
    )
    book.terminator = ""
    most = min(PIECE_BYTES, file_bytes // PIECES_A_FILE)
    rest = b""
    for piece in iter(lambda: os.read(said, most), b""):
        lines, end, rest = (rest + piece).rpartition(b"\n")
        _write(book, lines + end)
        if len(rest) >= LINE_BYTES:
            _write(book, rest)
            rest = b""
        if len(piece) < most:
            time.sleep(REST_SECONDS)
    _write(book, rest)
    book.close()


def _write(book: RotatingFileHandler, text: bytes) -> None:
    if text:
        book.emit(logging.makeLogRecord({"msg": text.decode("utf-8", "surrogateescape")}))


if __name__ == "__main__":
    keep(sys.stdin.fileno(), Path(sys.argv[1]), file_bytes=int(sys.argv[2]))
