"""A service's configuration, read once from the environment, with all complaints at once."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple, TypeVar, get_args

from msgspec import Struct

Level = Literal["debug", "info", "warning", "error"]
_LARGEST_PORT = 65_535
Settings = TypeVar("Settings", bound=Struct)


class ConfigError(ValueError):
    """What is wrong with the environment: every complaint, one a line."""

    def __init__(self, *complaints: str) -> None:
        super().__init__("\n".join(complaints))
        self.complaints = complaints


class Variable(NamedTuple):
    """A variable of the environment: how it is read, and, of one that must be set, what it would be.

    `parse` raises ValueError or OSError that says what would be right; it does not repeat what may hold a password.
    """

    name: str
    parse: Callable[[str], Any] = str
    needed: str = ""


def read(kind: type[Settings], variables: Mapping[str, Variable], environment: Mapping[str, str]) -> Settings:
    """Read a struct, of each field its variable. Raises ConfigError."""
    found, complaints = gather(variables, environment)
    if complaints:
        raise ConfigError(*complaints)
    return kind(**found)


def gather(variables: Mapping[str, Variable], environment: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """Read what is set, by field, and tell what is wrong with it or missing. An empty variable is not set."""
    found: dict[str, Any] = {}
    complaints: list[str] = []
    for field, (name, parse, needed) in variables.items():
        text = environment.get(name, "").strip()
        try:
            if text:
                found[field] = parse(text)
            elif needed:
                complaints.append(f"{name}: not set; it would be {needed}")
        except (ValueError, OSError) as error:
            complaints.append(f"{name}: {error}")
    return found, complaints


def database(text: str) -> str:
    """Read where a database is."""
    if not text.startswith(("postgresql://", "postgres://")):
        raise ValueError("a database is postgresql://login:password@host:port/database")
    return text


def port(text: str) -> int:
    """Read a port to listen on; 0 is any that is free."""
    if not text.isdecimal() or int(text) > _LARGEST_PORT:
        raise ValueError(f"a port is 0 to {_LARGEST_PORT}, not {text!r}")
    return int(text)


def level(text: str) -> str:
    """Read from which level on the service logs."""
    if text not in get_args(Level):
        raise ValueError(f"a level is one of {', '.join(get_args(Level))}, not {text!r}")
    return text
