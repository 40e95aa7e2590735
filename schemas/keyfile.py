"""A private key in a file: readable by its owner alone, as PKCS #8 PEM (what `openssl pkey` reads) or 64 hex digits."""

import os
import re
import secrets
import stat
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, load_pem_private_key

from schemas import durable
from schemas.note import ED25519, Signer

_MAX_BYTES = 4096
_HEX = re.compile(rb"[0-9a-f]{64}")


class KeyFileError(ValueError):
    """A file that holds no usable private key, or holds it too openly. The message never shows what stands in it."""


def create(path: Path) -> None:
    """Make a new key in a new file. Raises FileExistsError: a key is never written over."""
    key = Ed25519PrivateKey.generate()
    save(path, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


def save(path: Path, secret: bytes) -> None:
    """Write a secret to a new file, mode 0600, whole or not at all. Raises FileExistsError."""
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secret)
            file.flush()
            os.fsync(file.fileno())
        os.link(scratch, path)
    finally:
        scratch.unlink()
    durable.sync_folder(path.parent)


def replace(path: Path, secret: bytes) -> None:
    """Write a secret in the place of another, mode 0600, whole or not at all. Raises OSError."""
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    save(scratch, secret)
    scratch.replace(path)
    durable.sync_folder(path.parent)


def load(path: Path, name: str, *, algorithm: int = ED25519) -> Signer:
    """Read a key file as the signer of that name. Raises OSError, and KeyFileError for what is in it."""
    return Signer(name, private_key(read_secret(path)), algorithm=algorithm)


def read_secret(path: Path) -> bytes:
    """Read a small file that nobody but its owner may read. Raises OSError or KeyFileError."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe is not waited for
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode):
            raise KeyFileError(f"{path} is not a file")
        if mode & 0o077:
            raise KeyFileError(f"{path} is open to others (mode {mode & 0o777:04o}): make it 0600")
        secret = file.read(_MAX_BYTES + 1)
    if len(secret) > _MAX_BYTES:
        raise KeyFileError(f"{path} is too long to be a key")
    return secret


def private_key(secret: bytes) -> bytes:
    """Give the 32 private bytes of a PEM text or of 64 hex digits. Raises KeyFileError."""
    if _HEX.fullmatch(secret.strip()):
        return bytes.fromhex(secret.decode())
    try:
        key = load_pem_private_key(secret, password=None)
    except (ValueError, TypeError):
        raise KeyFileError("a key file holds PKCS #8 PEM without a password, or 64 hex digits") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError("the key is not an Ed25519 key")
    return key.private_bytes_raw()
