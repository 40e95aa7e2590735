"""The notary's register: the checkpoint that was signed last, kept where the database's administrator cannot reach.

A database can be taken back to an earlier state by whoever administers it; the register cannot, and tells. It takes a
checkpoint before anybody else sees it, and only in place of the one that the notary believes to stand in it.
"""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from schemas import durable


class RegisterMovedError(Exception):
    """Another checkpoint stands in the register than was expected: somebody else has signed meanwhile."""


class Register(Protocol):
    """Where the last signed note is kept. Both functions may block, and may be called in any thread."""

    def read(self) -> bytes | None:
        """Read the note; None when there never was one. Raises OSError."""

    def replace(self, expected: bytes | None, note: bytes) -> None:
        """Keep a note, durably, in place of the one that is expected there. Raises RegisterMovedError, OSError."""


class FileRegister:
    """A register in a file: locked, compared, written beside its place, synchronised, renamed."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __str__(self) -> str:
        """Say where it is."""
        return str(self.path)

    def read(self) -> bytes | None:
        """Read the note."""
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None

    def replace(self, expected: bytes | None, note: bytes) -> None:
        """Keep a note in place of another."""
        with self._locked():
            if self.read() != expected:
                raise RegisterMovedError(f"{self.path} holds another checkpoint than the one this notary left there")
            durable.put(self.path, note)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other processes away; the lock's file stays."""
        with self.path.with_name(f"{self.path.name}.lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
