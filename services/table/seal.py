"""The seal on a shoe's seed: what the database keeps of it is worth nothing without a key that lies outside.

A sealed seed is a 12-byte nonce and what AES-256-GCM makes of the seed. The shoe's id and its published commitment are
bound to it, so that a seed moved to another shoe does not open.
"""

import contextlib
import fcntl
import os
import re
from pathlib import Path

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from schemas import keyfile

KEY_BYTES = 32
_NONCE_BYTES = 12
_HEX = re.compile(rb"[0-9a-f]{64}")


class SealedSeedError(Exception):
    """A sealed seed does not open: another key, another shoe, or damage."""


class SeedKey:
    """The keys to all seeds: the newest, which is the last, seals, and each of them unseals. Used, and never seen."""

    __slots__ = ("_ciphers",)

    def __init__(self, *keys: bytes) -> None:
        if not keys or any(len(key) != KEY_BYTES for key in keys):
            raise ValueError(f"a seed key has {KEY_BYTES} bytes")
        self._ciphers = tuple(map(AESGCM, keys))

    @property
    def ciphers(self) -> tuple[AESGCM, ...]:
        """The keys at work, the newest last."""
        return self._ciphers

    def __repr__(self) -> str:
        """Show nothing."""
        return "SeedKey(…)"

    def __reduce__(self) -> str:
        """Refuse to be copied into a file or another process."""
        raise TypeError("a seed key is not copied")


class FiledSeedKey(SeedKey):
    """The keys of a file, which are read again when the file has changed: a key that is added seals the next seed."""

    __slots__ = ("_path", "_seen")

    def __init__(self, path: Path) -> None:
        """Read the file. Raises OSError, or KeyFileError for what is in it."""
        self._path = path
        self._seen = _mark(path)
        super().__init__(*_read(path))

    @property
    def ciphers(self) -> tuple[AESGCM, ...]:
        """The keys at work; those read before, while the file cannot be read."""
        with contextlib.suppress(OSError, keyfile.KeyFileError):
            if (mark := _mark(self._path)) != self._seen:
                self._ciphers = tuple(map(AESGCM, _read(self._path)))
                self._seen = mark
        return self._ciphers


def load_key(path: Path) -> SeedKey:
    """Read the keys, 64 hex digits a line in a file of its owner's alone (0600); made when the file is absent.

    Raises OSError, or KeyFileError for what is in it.
    """
    if not path.exists():
        with contextlib.suppress(FileExistsError):  # another service of this machine was faster
            begin(path)
    return FiledSeedKey(path)


def told_key(text: str) -> SeedKey:
    """Read keys from text: 64 hex digits each, the newest last, with white space between. Raises ValueError."""
    return SeedKey(*_keys(text.encode(), "the seed key"))


def begin(path: Path) -> int:
    """Make the file with its first key, and give how many there are. Raises OSError, as when the file is there."""
    keyfile.save(path, os.urandom(KEY_BYTES).hex().encode() + b"\n")
    return 1


def rotate(path: Path) -> int:
    """Add a new key to the file, which seals from now on, and give how many there are. The older ones still unseal.

    Raises OSError, or KeyFileError for what is in it.
    """
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # a key that seals must not be written over by another rotation
        keys = [*_read(path), os.urandom(KEY_BYTES)]
        keyfile.replace(path, b"".join(key.hex().encode() + b"\n" for key in keys))
        return len(keys)


def _mark(path: Path) -> tuple[int, int, int]:
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


def _read(path: Path) -> list[bytes]:
    return _keys(keyfile.read_secret(path), str(path))


def _keys(text: bytes, where: str) -> list[bytes]:
    words = text.split()
    if not words or not all(map(_HEX.fullmatch, words)):
        raise keyfile.KeyFileError(f"{where} holds no seed keys: 64 hex digits a line")
    return [bytes.fromhex(word.decode()) for word in words]


def seal(key: SeedKey, *, shoe_id: str, commitment: bytes, seed: bytes) -> bytes:
    """Encrypt a seed for its shoe."""
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + key.ciphers[-1].encrypt(nonce, seed, _bound(shoe_id, commitment))


def unseal(key: SeedKey, *, shoe_id: str, commitment: bytes, sealed: bytes) -> bytes:
    """Decrypt the seed of this shoe. Raises SealedSeedError."""
    nonce, rest = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
    for cipher in reversed(key.ciphers):
        with contextlib.suppress(InvalidTag, ValueError):
            return cipher.decrypt(nonce, rest, _bound(shoe_id, commitment))
    raise SealedSeedError(f"the sealed seed of {shoe_id} does not open")


def _bound(shoe_id: str, commitment: bytes) -> bytes:
    """What a sealed seed is bound to; the commitment's length is fixed, so no two shoes give the same."""
    return b"shoe-seed-seal/v1\n" + commitment + shoe_id.encode()
