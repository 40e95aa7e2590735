"""The table service's configuration: read once from the environment, with all complaints at once."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from schemas.policy import NONE, Policy
from services.table import trust

PREFIX = "SHOELOG_TABLE_"
LogLevel = Literal["debug", "info", "warning", "error"]

_ORIGIN = re.compile(r"[a-z0-9](?:[a-z0-9.:-]*[a-z0-9])?(?:/[A-Za-z0-9._~-]+)*")
_LONGEST_ORIGIN = 255
_LARGEST_PORT = 65535


class ConfigError(ValueError):
    """What is wrong with the environment: every complaint, one a line."""

    def __init__(self, complaints: list[str]) -> None:
        super().__init__("\n".join(complaints))
        self.complaints = complaints


class Config(Struct, frozen=True, kw_only=True):
    """How the service runs. `origin` names the log, for ever; the key files are made when they are absent.

    `checkpoint_file` is the notary's register, by default beside the log's key: never to be restored with the database.
    `policy` names the witnesses that are asked; with `is_strict`, no round's first card falls without their quorum.
    """

    database_url: str
    host: str = "127.0.0.1"
    port: int = 8100
    origin: str = "shoelog.localhost/log/1"
    log_key_file: Path
    seed_key_file: Path
    checkpoint_file: Path | None = None
    policy: Policy | None = None
    is_strict: bool = False
    log_level: LogLevel = "info"
    signer_url: str = ""
    signer_key: str = ""
    beacon_url: str = ""

    @property
    def register_file(self) -> Path:
        """Where the notary's register is."""
        return self.checkpoint_file or self.log_key_file.with_name("log.checkpoint")

    def __repr__(self) -> str:
        """Show no password."""
        return f"Config(host={self.host!r}, port={self.port}, origin={self.origin!r})"


def read(environment: Mapping[str, str]) -> Config:
    """Read the configuration. Raises ConfigError."""
    found: dict[str, Any] = {}
    complaints = []
    for field, (name, parse) in _VARIABLES.items():
        text = environment.get(name, "").strip()
        try:
            if text:
                found[field] = parse(text)
            elif field in _NEEDED:
                raise ValueError("is not set")  # noqa: TRY301  # one complaint among others
        except ValueError as error:
            complaints.append(f"{name} {error}")
    if found.get("is_strict") and not complaints and (found.get("policy") or Policy(logs=())).quorum == NONE:
        complaints.append("SHOELOG_LOG_STRICT is 1 where SHOELOG_LOG_POLICY_FILE asks for no quorum")
    if complaints:
        raise ConfigError(complaints)
    return Config(**found)


def migrator_url(environment: Mapping[str, str]) -> str:
    """Read where the one who migrates finds the database. Raises ConfigError."""
    try:
        return _database(environment.get(f"{PREFIX}MIGRATOR_URL", "").strip())
    except ValueError as error:
        raise ConfigError([f"{PREFIX}MIGRATOR_URL {error}"]) from None


def _database(text: str) -> str:
    if not text.startswith(("postgresql://", "postgres://")):
        raise ValueError("is not postgresql://login:password@host:port/database")
    return text


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > _LARGEST_PORT:
        raise ValueError(f"is not a port, 0 to {_LARGEST_PORT}: {text!r}")
    return int(text)


def _origin(text: str) -> str:
    if not _ORIGIN.fullmatch(text) or len(text) > _LONGEST_ORIGIN:
        raise ValueError(f"is no log's origin, such as casino.example/log/1: {text!r}")
    return text


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("is not an address such as https://signer.example")
    return text


def _switch(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(f"is neither 0 nor 1: {text!r}")
    return text == "1"


def _policy(text: str) -> Policy:
    try:
        return trust.read(Path(text))
    except (ValueError, OSError) as error:
        raise ValueError(f"does not do: {error}") from None


def _level(text: str) -> str:
    if text not in get_args(LogLevel):
        raise ValueError(f"is none of {', '.join(get_args(LogLevel))}: {text!r}")
    return text


_VARIABLES: dict[str, tuple[str, Callable[[str], Any]]] = {
    "database_url": (f"{PREFIX}DATABASE_URL", _database),
    "host": (f"{PREFIX}HOST", str),
    "port": (f"{PREFIX}PORT", _port),
    "origin": ("SHOELOG_LOG_ORIGIN", _origin),
    "log_key_file": ("SHOELOG_LOG_KEY_FILE", Path),
    "seed_key_file": ("SHOELOG_SEED_KEY_FILE", Path),
    "checkpoint_file": ("SHOELOG_CHECKPOINT_FILE", Path),
    "policy": ("SHOELOG_LOG_POLICY_FILE", _policy),
    "is_strict": ("SHOELOG_LOG_STRICT", _switch),
    "log_level": (f"{PREFIX}LOG_LEVEL", _level),
    "signer_url": ("SHOELOG_SIGNER_URL", _address),
    "signer_key": ("SHOELOG_SIGNER_ACCESS_KEY", str),
    "beacon_url": ("SHOELOG_BEACON_URL", _address),
}
_NEEDED = {field.name for field in msgspec.structs.fields(Config) if field.required}
