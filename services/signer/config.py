"""The signer's configuration: what it is told by the environment."""

from collections.abc import Mapping

from msgspec import Struct

from services.door import environment
from services.door.environment import Level, Variable

_PREFIX = "SHOELOG_SIGNER_"


class Config(Struct, frozen=True, kw_only=True):
    """Where the signer's desk stands, and where it is found. `data` is the directory that `signer init` made."""

    data: str
    host: str = "127.0.0.1"
    port: int = 8300
    log_level: Level = "info"


_VARIABLES = {
    "data": Variable(f"{_PREFIX}DATA", needed="the directory that `shoelog signer init` made"),
    "host": Variable(f"{_PREFIX}HOST"),
    "port": Variable(f"{_PREFIX}PORT", environment.port),
    "log_level": Variable(f"{_PREFIX}LOG_LEVEL", environment.level),
}


def read(told: Mapping[str, str]) -> Config:
    """Read the variables SHOELOG_SIGNER_…. Raises ConfigError."""
    return environment.read(Config, _VARIABLES, told)
