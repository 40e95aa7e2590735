"""The witness's configuration: read once from the environment, with all complaints at once."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from schemas.note import COSIGNATURE, ED25519, NoteError, Verifier, parse_vkey
from schemas.policy import MAX_BYTES, UnreadablePolicyError
from schemas.policy import parse as parse_policy
from services.door import environment
from services.door.environment import Level, Variable

PREFIX = "SHOELOG_WITNESS_"


class Config(Struct, frozen=True, kw_only=True):
    """How the witness runs. `directory` holds its key, its memory and the evidence; `name` is needed for a new key."""

    directory: Path = Path("witness")
    name: str = ""
    log_keys: tuple[Verifier, ...] = ()
    policy_file: tuple[Verifier, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8300
    log_level: Level = "info"

    @property
    def logs(self) -> tuple[Verifier, ...]:
        """The keys of the logs that it knows."""
        return tuple(dict.fromkeys((*self.log_keys, *self.policy_file)))


def read(told: Mapping[str, str]) -> Config:
    """Read the configuration. Raises ConfigError."""
    return environment.read(Config, _VARIABLES, told)


def _name(text: str) -> str:
    try:
        return parse_vkey(Verifier(name=text, algorithm=COSIGNATURE, public_key=bytes(32)).vkey).name
    except NoteError:
        raise ValueError(f"no key is called so; it would be as regulator.example/witness-1: {text!r}") from None


def _keys(text: str) -> tuple[Verifier, ...]:
    keys = tuple(parse_vkey(vkey) for vkey in text.split())
    for key in keys:
        if key.algorithm != ED25519:
            raise ValueError(f"{key.name} is a witness's key, not a log's")
    return keys


def _policy(text: str) -> tuple[Verifier, ...]:
    """Read the log lines of a policy; the rest of it is for others."""
    with Path(text).open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    try:
        return tuple(log.key for log in parse_policy(content).logs)
    except UnreadablePolicyError as error:
        raise ValueError(f"{text} is no policy: {error}") from None


_VARIABLES = {
    "directory": Variable(f"{PREFIX}DIRECTORY", Path),
    "name": Variable(f"{PREFIX}NAME", _name),
    "log_keys": Variable(f"{PREFIX}LOG_KEYS", _keys),
    "policy_file": Variable(f"{PREFIX}POLICY_FILE", _policy),
    "host": Variable(f"{PREFIX}HOST"),
    "port": Variable(f"{PREFIX}PORT", environment.port),
    "log_level": Variable(f"{PREFIX}LOG_LEVEL", environment.level),
}
