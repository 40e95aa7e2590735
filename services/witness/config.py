"""The witness's configuration: read once from the environment, with all complaints at once."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args

from msgspec import Struct

from schemas.note import COSIGNATURE, ED25519, NoteError, Verifier, parse_vkey
from schemas.policy import MAX_BYTES, UnreadablePolicyError
from schemas.policy import parse as parse_policy

PREFIX = "SHOELOG_WITNESS_"
LogLevel = Literal["debug", "info", "warning", "error"]
_LARGEST_PORT = 65535


class ConfigError(ValueError):
    """What is wrong with the environment: every complaint, one a line."""


class Config(Struct, frozen=True, kw_only=True):
    """How the witness runs. `directory` holds its key, its memory and the evidence; `name` is needed for a new key."""

    directory: Path = Path("witness")
    name: str = ""
    log_keys: tuple[Verifier, ...] = ()
    policy_file: tuple[Verifier, ...] = ()
    host: str = "127.0.0.1"
    port: int = 8300
    log_level: LogLevel = "info"

    @property
    def logs(self) -> tuple[Verifier, ...]:
        """The keys of the logs that it knows."""
        return tuple(dict.fromkeys((*self.log_keys, *self.policy_file)))


def read(environment: Mapping[str, str]) -> Config:
    """Read the configuration. Raises ConfigError."""
    found: dict[str, Any] = {}
    complaints = []
    for field, parse in _VARIABLES.items():
        variable = PREFIX + field.upper()
        text = environment.get(variable, "").strip()
        try:
            if text:
                found[field] = parse(text)
        except (ValueError, OSError) as error:
            complaints.append(f"{variable}: {error}")
    if complaints:
        raise ConfigError("\n".join(complaints))
    return Config(**found)


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


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > _LARGEST_PORT:
        raise ValueError(f"a port is a number up to {_LARGEST_PORT}, not {text!r}")
    return int(text)


def _level(text: str) -> str:
    if text not in get_args(LogLevel):
        raise ValueError(f"a level is one of {', '.join(get_args(LogLevel))}, not {text!r}")
    return text


_VARIABLES: dict[str, Callable[[str], Any]] = {
    "directory": Path,
    "name": _name,
    "log_keys": _keys,
    "policy_file": _policy,
    "host": str,
    "port": _port,
    "log_level": _level,
}
