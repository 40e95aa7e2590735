"""The table service's configuration: read once from the environment, with all complaints at once."""

import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

from schemas.policy import NONE, Policy
from services.door import environment
from services.door.environment import ConfigError, Level, Variable
from services.table import seal, trust

PREFIX = "SHOELOG_TABLE_"

_ORIGIN = re.compile(r"[a-z0-9](?:[a-z0-9.:-]*[a-z0-9])?(?:/[A-Za-z0-9._~-]+)*")
_LONGEST_ORIGIN = 255


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
    seed_key_file: Path = Path()
    seed_key: str = ""
    checkpoint_file: Path | None = None
    policy: Policy | None = None
    is_strict: bool = False
    log_level: Level = "info"
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


def read(told: Mapping[str, str]) -> Config:
    """Read the configuration. Raises ConfigError."""
    found, complaints = environment.gather(_VARIABLES, told)
    if found.get("is_strict") and not complaints and (found.get("policy") or Policy(logs=())).quorum == NONE:
        complaints.append("SHOELOG_LOG_STRICT: it is 1 where SHOELOG_LOG_POLICY_FILE asks for no quorum")
    if "seed_key_file" not in found and "seed_key" not in found:
        complaints.append("SHOELOG_SEED_KEY_FILE: not set; it would be a file, made where there is none")
    if complaints:
        raise ConfigError(*complaints)
    return Config(**found)


def migrator_url(told: Mapping[str, str]) -> str:
    """Read where the one who migrates finds the database. Raises ConfigError."""
    name = f"{PREFIX}MIGRATOR_URL"
    try:
        return environment.database(told.get(name, "").strip())
    except ValueError as error:
        raise ConfigError(f"{name}: {error}") from None


def _origin(text: str) -> str:
    if not _ORIGIN.fullmatch(text) or len(text) > _LONGEST_ORIGIN:
        raise ValueError(f"an origin is such as casino.example/log/1, not {text!r}")
    return text


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("an address is such as https://signer.example")
    return text


def _seed_keys(text: str) -> str:
    try:
        seal.told_key(text)
    except ValueError:
        raise ValueError("keys are of 64 hex digits each, with white space between") from None
    return text


def _switch(text: str) -> bool:
    if text not in ("0", "1"):
        raise ValueError(f"it is 0 or 1, not {text!r}")
    return text == "1"


_VARIABLES = {
    "database_url": Variable(
        f"{PREFIX}DATABASE_URL", environment.database, needed="postgresql://shoelog_table:…@host/shoelog_table"
    ),
    "host": Variable(f"{PREFIX}HOST"),
    "port": Variable(f"{PREFIX}PORT", environment.port),
    "origin": Variable("SHOELOG_LOG_ORIGIN", _origin),
    "log_key_file": Variable("SHOELOG_LOG_KEY_FILE", Path, needed="a file, made where there is none"),
    "seed_key_file": Variable("SHOELOG_SEED_KEY_FILE", Path),
    "seed_key": Variable("SHOELOG_SEED_KEY", _seed_keys),
    "checkpoint_file": Variable("SHOELOG_CHECKPOINT_FILE", Path),
    "policy": Variable("SHOELOG_LOG_POLICY_FILE", lambda text: trust.read(Path(text))),
    "is_strict": Variable("SHOELOG_LOG_STRICT", _switch),
    "log_level": Variable(f"{PREFIX}LOG_LEVEL", environment.level),
    "signer_url": Variable("SHOELOG_SIGNER_URL", _address),
    "signer_key": Variable("SHOELOG_SIGNER_ACCESS_KEY"),
    "beacon_url": Variable("SHOELOG_BEACON_URL", _address),
}
