"""The house's directory: who holds it, what is secret in it, and where each role finds its database.

In it: `postgres` (unless a URL replaces it), `secret`, `keys.json`, `log.key`, `seed.key`, and the logbooks.
"""

import fcntl
import json
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Annotated
from urllib.parse import urlsplit, urlunsplit

import msgspec

from services.house import roles, seat
from services.house.postgres import Server, role_password

KeyText = Annotated[str, msgspec.Meta(pattern="^shoelog_[a-z]+_[A-Za-z0-9_-]{43}$")]


class Occupied(Exception):
    """Another house is open in the directory."""


class Spoiled(Exception):
    """A file of the directory does not hold what the house kept in it."""


class Premises:
    """One directory, held by one house at a time, with its PostgreSQL: embedded, or that of a superuser's URL."""

    def __init__(
        self,
        directory: Path,
        *,
        postgres_url: str | None = None,
        binaries: Path | None = None,
        lodgings: Path | None = None,
    ) -> None:
        """`lodgings` is where PostgreSQL may live when its user cannot pass through the directory."""
        self.directory = directory.absolute()
        self._lodgings = lodgings
        self._given = postgres_url
        self._binaries = binaries
        self._lock: IO[str] | None = None
        self.server: Server | None = None

    def take(self) -> None:
        """Take the directory for this process. Raises Occupied."""
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o711)
        self._take_lock()

    def enter(self) -> None:
        """Start the PostgreSQL of a directory that was taken."""
        if self._given is None:
            place = self.directory / "postgres"
            if self._lodgings:
                seat.lodge(place, lodgings=self._lodgings)
            self.server = Server(directory=place.resolve(), binaries_directory=self._binaries)
            self.server.start()
        elif not (self.directory / "secret").exists():
            seat.write_secret(self.directory / "secret", secrets.token_urlsafe(32))

    def leave(self) -> None:
        """Stop PostgreSQL, and let others in."""
        if self.server:
            self.server.stop()
        if self._lock:
            self._lock.close()
            self._lock = None

    @property
    def lodging(self) -> Path | None:
        """Where PostgreSQL's files are, if they are not in the directory."""
        link = self.directory / "postgres"
        return link.readlink() if link.is_symlink() else None

    def superuser_url(self, *, database: str = "postgres") -> str:
        """Where whoever may do everything enters."""
        if self._given is None:
            return self._embedded().url(database=database)
        return urlunsplit(urlsplit(self._given)._replace(path=f"/{database}"))

    def url(self, *, role: str, database: str) -> str:
        """Where one of the house's roles finds a database, with its password."""
        if self._given is None:
            return self._embedded().url(role=role, database=database)
        parts = urlsplit(self._given)
        place = parts.netloc.rpartition("@")[2]
        return urlunsplit(parts._replace(netloc=f"{role}:{self.password(role)}@{place}", path=f"/{database}"))

    def password(self, role: str) -> str:
        """A role's password, drawn from the one secret of the house."""
        if self._given is None:
            return self._embedded().password_of(role)
        return role_password((self.directory / "secret").read_text().strip(), role)

    async def prepare(self) -> None:
        """Make the databases and roles that are missing, with the passwords of this house."""
        await roles.prepare(self.superuser_url(), passwords={role: self.password(role) for role in roles.LOGINS})

    def read_keys(self) -> dict[str, str]:
        """The API keys made before, by role; none in a new house. Raises Spoiled."""
        path = self.directory / "keys.json"
        try:
            found = msgspec.json.decode(path.read_bytes(), type=dict[str, KeyText]) if path.exists() else {}
        except msgspec.DecodeError as error:
            raise Spoiled(f"{path} holds no keys ({error}): bring it back, or remove it for new ones") from None
        return found

    def write_keys(self, keys: Mapping[str, str]) -> None:
        """Keep the API keys, for the eyes of the directory's owner."""
        seat.write_secret(self.directory / "keys.json", json.dumps(keys, indent=2))

    def _embedded(self) -> Server:
        assert self.server, "the premises were never entered"
        return self.server

    def _take_lock(self) -> None:
        lock = (self.directory / "lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            raise Occupied(
                f"another house is open in {self.directory}: close it, or name another directory with --data"
            ) from None
        self._lock = lock
