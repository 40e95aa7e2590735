"""The ledger's configuration: read once from the environment, all complaints at once."""

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta, Struct

Level = Literal["debug", "info", "warning", "error"]
Url = Annotated[str, Meta(pattern=r"^postgres(?:ql)?://")]
_PREFIX = "SHOELOG_LEDGER_"


class ConfigError(ValueError):
    """The environment does not say what is needed; the message lists every complaint, one a line."""


class Config(Struct, frozen=True, kw_only=True):
    """Where the ledger finds its books and the log, and where it is found."""

    database_url: Url
    feed_url: Url
    host: Annotated[str, Meta(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8200
    log_level: Level = "info"

    def __repr__(self) -> str:
        """Without the URLs: they hold passwords."""
        return f"Config(host={self.host!r}, port={self.port})"


_MEANING = {
    "database_url": "postgresql://shoelog_ledger:…@host/shoelog_ledger",
    "feed_url": "postgresql://shoelog_feed:…@host/shoelog_table",
    "host": "an address to listen on",
    "port": "a number up to 65535",
    "log_level": "one of " + ", ".join(get_args(Level)),
}


def read(environment: Mapping[str, str]) -> Config:
    """Read the variables SHOELOG_LEDGER_…. Raises ConfigError."""
    said: dict[str, str] = {}
    complaints: list[str] = []
    for field in msgspec.structs.fields(Config):
        variable = _PREFIX + field.name.upper()
        text = environment.get(variable, "")
        if text:
            complaints += _complaint(variable, field, text)
            said[field.name] = text
        elif field.required:
            complaints.append(f"{variable} is missing; it would be {_MEANING[field.name]}")
    if complaints:
        raise ConfigError("\n".join(complaints))
    return msgspec.convert(said, Config, strict=False)


def _complaint(variable: str, field: msgspec.structs.FieldInfo, text: str) -> list[str]:
    """Check one variable; the complaint does not repeat what was said, for it may hold a password."""
    try:
        msgspec.convert(text, field.type, strict=False)
    except msgspec.ValidationError:
        return [f"{variable} is wrong; it would be {_MEANING[field.name]}"]
    return []
