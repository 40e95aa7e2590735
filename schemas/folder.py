"""A whole log as a folder: its checkpoint, its policy, its tiles as they are served, and every entry in log order.

Read without trust, and with bounded memory whatever lies there.
"""

import stat
from collections.abc import Iterator
from pathlib import Path

from schemas.bundle import CHECKPOINT, ENTRIES, POLICY, batches_of
from schemas.note import MAX_BYTES as MAX_NOTE_BYTES
from schemas.policy import MAX_BYTES as MAX_POLICY_BYTES
from schemas.tile import ENTRIES as ENTRY_BUNDLE
from schemas.tile import HASH_BYTES, MAX_ENTRY_BYTES, WIDTH, Tile

CHUNK_BYTES = 1 << 16
_MOST_TILE_BYTES = WIDTH * HASH_BYTES
_MOST_ENTRY_BUNDLE_BYTES = WIDTH * (2 + MAX_ENTRY_BYTES)


class UnreadableFolderError(ValueError):
    """A folder that is no log's; the message says why."""


class LogFolder:
    """A log's folder. Its checkpoint and its policy are bytes that nobody has looked into; empty when missing."""

    def __init__(self, path: Path) -> None:
        """Look at what is there. Raises UnreadableFolderError."""
        self.path = path
        self.is_unended = False
        if not _read(path / ENTRIES, 1):
            raise UnreadableFolderError(f"no {ENTRIES} with an entry in it: this is no log's folder")
        self.checkpoint_text = _read(path / CHECKPOINT, MAX_NOTE_BYTES + 1) or b""
        self.policy_text = _read(path / POLICY, MAX_POLICY_BYTES + 1) or b""

    def batches(self) -> Iterator[list[bytes]]:
        """Give the entries' lines without their LF, many at once, as a bundle does. Raises UnreadableFolderError."""
        self.is_unended = yield from batches_of(self._chunks())

    def tile(self, tile: Tile) -> bytes | None:
        """Give a tile's bytes, cut when there are too many; None when it is not there. Raises UnreadableFolderError."""
        most = _MOST_ENTRY_BUNDLE_BYTES if tile.level == ENTRY_BUNDLE else _MOST_TILE_BYTES
        return _read(self.path / tile.path, most + 1)

    def _chunks(self) -> Iterator[bytes]:
        try:
            with (self.path / ENTRIES).open("rb") as file:
                while chunk := file.read(CHUNK_BYTES):
                    yield chunk
        except OSError as error:
            raise UnreadableFolderError(f"{ENTRIES} cannot be read: {error.strerror}") from None


def _read(path: Path, most: int) -> bytes | None:
    """Read so many bytes of a file; None when there is none."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for ever
            raise UnreadableFolderError(f"{path.name} is not a file")
        with path.open("rb") as file:
            return file.read(most)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UnreadableFolderError(f"{path.name} cannot be read: {error.strerror}") from None
