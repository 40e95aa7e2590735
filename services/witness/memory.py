"""What the witness has cosigned: one small file, written whole before anybody is answered.

A witness that forgets can be led to cosign a fork. So a key that was used never starts with an empty memory, and one
process at a time holds the file.
"""

import fcntl
from collections.abc import Mapping
from pathlib import Path
from typing import IO

import msgspec
from msgspec import Struct

from schemas import durable
from schemas.checkpoint import Checkpoint
from schemas.checkpoint import parse as parse_checkpoint
from schemas.note import NoteError
from schemas.note import parse as parse_note

REMEMBERED = 32  # checkpoints of each log, to know an old one that comes again from one that was never cosigned


class LostMemoryError(ValueError):
    """The witness cannot go on from its memory; the message says why, and what to do."""


class Cosigned(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Notes of one log, as the log signed them and the witness below; the newest last."""

    notes: tuple[str, ...]

    @property
    def note(self) -> bytes:
        """The newest."""
        return self.notes[-1].encode()

    @property
    def checkpoint(self) -> Checkpoint:
        """What the newest says."""
        return checkpoint_of(self.note)


class _Page(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The file: whose memory it is, and what was cosigned, by the log's origin."""

    vkey: str
    logs: dict[str, Cosigned]


class Memory:
    """The memory of one key, held by this process."""

    def __init__(self, path: Path, page: _Page, lock: IO[bytes]) -> None:
        self._path = path
        self._page = page
        self._lock = lock

    @property
    def logs(self) -> Mapping[str, Cosigned]:
        """What was cosigned, by origin."""
        return self._page.logs

    def keep(self, origin: str, note: bytes) -> None:
        """Remember a note as its log's newest; durable on return. Raises OSError, and then nothing has changed here."""
        before = self.logs.get(origin)
        notes = list(before.notes) if before else []
        if before and parse_note(before.note).text == parse_note(note).text:
            notes.pop()
        kept = Cosigned(notes=(*notes, note.decode())[-REMEMBERED:])
        page = _Page(vkey=self._page.vkey, logs={**self.logs, origin: kept})
        durable.put(self._path, _written(page))
        self._page = page

    def close(self) -> None:
        """Let another process have the file."""
        self._lock.close()


def create(path: Path, vkey: str) -> None:
    """Begin an empty memory for a key that has cosigned nothing. Raises FileExistsError."""
    if path.exists():
        raise FileExistsError(path)
    durable.put(path, _written(_Page(vkey=vkey, logs={})))


def owner(path: Path) -> str:
    """Tell whose memory this is: a vkey. Raises LostMemoryError."""
    return _read(path).vkey


def take(path: Path, vkey: str) -> Memory:
    """Take up the memory of this key. Raises LostMemoryError, OSError."""
    lock = path.with_name(f".{path.name}.lock").open("wb")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return Memory(path, _read(path, vkey), lock)
    except BlockingIOError:
        lock.close()
        raise LostMemoryError(f"another witness holds {path}: two may not cosign with one key") from None
    except BaseException:
        lock.close()
        raise


def checkpoint_of(note: bytes) -> Checkpoint:
    """Give what a kept note says. Raises NoteError."""
    return parse_checkpoint(parse_note(note).text)


def _read(path: Path, vkey: str | None = None) -> _Page:
    try:
        page = msgspec.json.decode(path.read_bytes(), type=_Page)
        for origin, cosigned in page.logs.items():
            if cosigned.checkpoint.origin != origin:
                raise ValueError(f"a checkpoint of another log stands under {origin}")  # noqa: TRY301  # one of several
    except FileNotFoundError:
        raise LostMemoryError(
            f"{path} is gone, and with it what this key has cosigned: bring the file back, or retire the key and begin"
            " with a new one under a new name (`shoelog witness init`)"
        ) from None
    except (msgspec.DecodeError, NoteError, ValueError, IndexError) as error:
        raise LostMemoryError(f"{path} cannot be read ({error}): bring the file back, or retire the key") from None
    if vkey not in (None, page.vkey):
        raise LostMemoryError(f"{path} is the memory of {page.vkey}, and the key is {vkey}: put the right one back")
    return page


def _written(page: _Page) -> bytes:
    return msgspec.json.format(msgspec.json.encode(page), indent=1) + b"\n"
