"""The signer's desk: a directory with its key, the hashes of its callers' keys, and the daybook.

key         the private key, 0600
vkey        the public key under its name, for everybody
callers     who may ask: SHA-256 of an access key, and a name, a line each
daybook     everything that was signed
"""

import os
import re
from pathlib import Path

from schemas import keyfile
from schemas.note import NoteError, Signer, parse_vkey
from services.door.keys import Caller, new_key

NAME = re.compile(r"[a-z0-9-]{1,64}")
_LONGEST_KEY_NAME = 255


class DeskError(ValueError):
    """A desk that cannot be used as it stands; the message says why."""


class Desk:
    """One signer's directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @property
    def daybook(self) -> Path:
        """Where everything that was signed is written down."""
        return self.directory / "daybook"

    def set_up(self, name: str) -> str:
        """Make a new desk, with a new key of this name, and give its vkey. Raises DeskError, OSError."""
        if not name.isascii() or not name.isprintable() or len(name) > _LONGEST_KEY_NAME:
            raise DeskError(f"a key's name is of printable ASCII, {_LONGEST_KEY_NAME} letters at most")
        try:
            Signer(name, bytes(32))
        except ValueError as error:
            raise DeskError(str(error)) from None
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self._key.exists() or self._vkey.exists():
            raise DeskError(f"{self.directory} has a key already; a key is never written over")
        keyfile.create(self._key)
        vkey = keyfile.load(self._key, name).verifier.vkey
        self._vkey.write_text(f"{vkey}\n")
        return vkey

    def admit(self, name: str) -> str:
        """Let somebody more ask, and give his access key, which nobody can show again. Raises DeskError, OSError."""
        if not NAME.fullmatch(name):
            raise DeskError("a caller's name is of a-z, 0-9 and -, 64 letters at most")
        if name in {caller.name for caller in self.callers().values()}:
            raise DeskError(f"{name} may ask already: take the line out of {self._callers} first")
        text, hashed = new_key("operator")
        descriptor = os.open(self._callers, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{hashed.hex()} {name}\n")
        return text

    def signer(self) -> Signer:
        """Read the key, which must be the one that the vkey names. Raises DeskError, OSError, KeyFileError."""
        try:
            known = parse_vkey(self._vkey.read_text().strip())
        except NoteError as error:
            raise DeskError(f"{self._vkey}: {error}") from None
        except FileNotFoundError:
            raise DeskError(f"{self.directory} is no signer's desk: make one with shoelog signer init") from None
        signer = keyfile.load(self._key, known.name)
        if signer.verifier != known:
            raise DeskError(f"{self._key} is not the key that {self._vkey} names")
        return signer

    def callers(self) -> dict[bytes, Caller]:
        """Read who may ask, by the hash of his access key. Raises DeskError, OSError."""
        if not self._callers.exists():
            return {}
        found: dict[bytes, Caller] = {}
        for line in self._callers.read_text().splitlines():
            hashed, _, name = line.partition(" ")
            if not re.fullmatch(r"[0-9a-f]{64}", hashed) or not NAME.fullmatch(name):
                raise DeskError(f"{self._callers}: a line is the SHA-256 of an access key, and a name")
            found[bytes.fromhex(hashed)] = Caller("operator", name)
        return found

    @property
    def _key(self) -> Path:
        return self.directory / "key"

    @property
    def _vkey(self) -> Path:
        return self.directory / "vkey"

    @property
    def _callers(self) -> Path:
        return self.directory / "callers"
