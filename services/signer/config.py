"""The signer's configuration: read once from the environment, all complaints at once."""

from collections.abc import Mapping
from typing import Annotated, Literal, get_args

import msgspec
from msgspec import Meta, Struct

Level = Literal["debug", "info", "warning", "error"]
_PREFIX = "SHOELOG_SIGNER_"


class ConfigError(ValueError):
    """The environment does not say what is needed; the message lists every complaint, one a line."""


class Config(Struct, frozen=True, kw_only=True):
    """Where the signer's desk stands, and where it is found. `data` is the directory that `signer init` made."""

    data: Annotated[str, Meta(min_length=1)]
    host: Annotated[str, Meta(min_length=1)] = "127.0.0.1"
    port: Annotated[int, Meta(ge=0, le=65_535)] = 8300
    log_level: Level = "info"


_MEANING = {
    "data": "the directory that `shoelog signer init` made",
    "host": "an address to listen on",
    "port": "a number up to 65535",
    "log_level": "one of " + ", ".join(get_args(Level)),
}


def read(environment: Mapping[str, str]) -> Config:
    """Read the variables SHOELOG_SIGNER_…. Raises ConfigError."""
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
    try:
        msgspec.convert(text, field.type, strict=False)
    except msgspec.ValidationError:
        return [f"{variable} is {text!r}; it would be {_MEANING[field.name]}"]
    return []
