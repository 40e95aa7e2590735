"""The seal on a shoe's seed: what the database keeps of it is worth nothing without a key that lies outside.

A sealed seed is a 12-byte nonce and what AES-256-GCM makes of the seed. The shoe's id and its published commitment are
bound to it, so that a seed moved to another shoe does not open.
"""

import contextlib
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
    """The key to all seeds. It can be used, and not be seen."""

    __slots__ = ("_cipher",)

    def __init__(self, key: bytes) -> None:
        if len(key) != KEY_BYTES:
            raise ValueError(f"a seed key has {KEY_BYTES} bytes")
        self._cipher = AESGCM(key)

    def __repr__(self) -> str:
        """Show nothing."""
        return "SeedKey(…)"

    def __reduce__(self) -> str:
        """Refuse to be copied into a file or another process."""
        raise TypeError("a seed key is not copied")


def load_key(path: Path) -> SeedKey:
    """Read the key, 64 hex digits in a file of its owner's alone (0600); made when the file is absent.

    Raises OSError, or KeyFileError for what is in it.
    """
    if not path.exists():
        with contextlib.suppress(FileExistsError):  # another service of this machine was faster
            keyfile.save(path, os.urandom(KEY_BYTES).hex().encode() + b"\n")
    text = keyfile.read_secret(path).strip()
    if not _HEX.fullmatch(text):
        raise keyfile.KeyFileError(f"{path} holds no seed key: 64 hex digits")
    return SeedKey(bytes.fromhex(text.decode()))


def seal(key: SeedKey, *, shoe_id: str, commitment: bytes, seed: bytes) -> bytes:
    """Encrypt a seed for its shoe."""
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + key._cipher.encrypt(nonce, seed, _bound(shoe_id, commitment))  # noqa: SLF001  # nobody else sees it


def unseal(key: SeedKey, *, shoe_id: str, commitment: bytes, sealed: bytes) -> bytes:
    """Decrypt the seed of this shoe. Raises SealedSeedError."""
    nonce, rest = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
    try:
        return key._cipher.decrypt(nonce, rest, _bound(shoe_id, commitment))  # noqa: SLF001  # as above
    except (InvalidTag, ValueError):
        raise SealedSeedError(f"the sealed seed of {shoe_id} does not open") from None


def _bound(shoe_id: str, commitment: bytes) -> bytes:
    """What a sealed seed is bound to; the commitment's length is fixed, so no two shoes give the same."""
    return b"shoe-seed-seal/v1\n" + commitment + shoe_id.encode()
