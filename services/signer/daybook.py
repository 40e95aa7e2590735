"""The daybook: everything that was signed, a line each, on the disk before it is told.

For each shoe one mix is signed, ever. Who could have two signed, could choose the better shoe.
"""

import fcntl
import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import msgspec
from msgspec import Struct

from schemas.ingredient import Mixed, ShoeId, Signature
from schemas.note import Signer, is_signed_bytes
from schemas.words import Hash, Time


class Signed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was signed, when, and the signature."""

    at: Time
    shoe_id: ShoeId
    seed_commitment: Hash
    mix: Hash
    signature: Signature

    @property
    def mixed(self) -> Mixed:
        """What was asked."""
        return Mixed(shoe_id=self.shoe_id, seed_commitment=self.seed_commitment, mix=self.mix)


class DaybookError(ValueError):
    """A daybook that cannot be gone on with; the message says why."""


class OtherwiseSignedError(Exception):
    """Another commitment, or another mix, was signed for this shoe."""

    def __init__(self, signed: Signed) -> None:
        super().__init__(signed.shoe_id)
        self.signed = signed


class Daybook:
    """One signer's daybook, held by one process at a time. Safe to be asked by several threads."""

    def __init__(self, path: Path, signer: Signer) -> None:
        """Read what was signed, and hold the file. Raises DaybookError, OSError."""
        self._signer = signer
        self._turn = threading.Lock()
        self._file = path.open("a+b", buffering=0)
        self._trouble: str | None = None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.chmod(0o600)
            self._by_shoe = self._read(path)
        except BlockingIOError:
            self._file.close()
            raise DaybookError(f"{path} is held by another signer that runs") from None
        except BaseException:
            self._file.close()
            raise

    def close(self) -> None:
        """Let others have the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def trouble(self) -> str | None:
        """Why nothing can be signed any more: a line may have been written by half."""
        return self._trouble

    def sign(self, mixed: Mixed) -> Signed:
        """Sign what lacks but the last ingredient; the same again gets the same.

        Raises OtherwiseSignedError; DaybookError when it cannot be written down.
        """
        with self._turn:
            before = self._by_shoe.get(mixed.shoe_id)
            if before is not None:
                if before.mixed != mixed:
                    raise OtherwiseSignedError(before)
                return before
            signed = Signed(
                at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
                shoe_id=mixed.shoe_id,
                seed_commitment=mixed.seed_commitment,
                mix=mixed.mix,
                signature=self._signer.sign_bytes(mixed.message).hex(),
            )
            self._write(msgspec.json.encode(signed) + b"\n")
            self._by_shoe[mixed.shoe_id] = signed
            return signed

    def _write(self, line: bytes) -> None:
        """Put a line on the disk, whole. After a failure nothing is written until the daybook is read again."""
        if self._trouble is not None:
            raise DaybookError(self._trouble)
        try:
            if self._file.write(line) != len(line):
                raise OSError("no room is left")  # noqa: TRY301  # one failure among others
            os.fsync(self._file.fileno())
        except OSError as error:
            self._trouble = f"the daybook cannot be written ({error.strerror or error}): start the signer again"
            raise DaybookError(self._trouble) from None

    def all(self) -> list[Signed]:
        """Give everything that was signed, in order."""
        with self._turn:
            return list(self._by_shoe.values())

    def _read(self, path: Path) -> dict[str, Signed]:
        """Read the file; a last line that was torn was never told to anybody, and is taken off."""
        self._file.seek(0)
        *lines, rest = self._file.read().split(b"\n")
        if rest:
            self._file.truncate(self._file.tell() - len(rest))
        found: dict[str, Signed] = {}
        for number, line in enumerate(lines, 1):
            try:
                signed = msgspec.json.decode(line, type=Signed)
            except (msgspec.DecodeError, UnicodeDecodeError) as error:
                raise DaybookError(f"{path}, line {number}: {error}") from None
            key = self._signer.verifier.public_key
            if not is_signed_bytes(key, bytes.fromhex(signed.signature), signed.mixed.message):
                raise DaybookError(f"{path}, line {number}: not this key's signature")
            if signed.shoe_id in found:
                raise DaybookError(f"{path}, line {number}: {signed.shoe_id} stands twice")
            found[signed.shoe_id] = signed
        return found
