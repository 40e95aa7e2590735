"""The ledger's configuration: what it is told by the environment."""

from collections.abc import Mapping

from msgspec import Struct

from services.door import environment
from services.door.environment import Level, Variable

_PREFIX = "SHOELOG_LEDGER_"


class Config(Struct, frozen=True, kw_only=True):
    """Where the ledger finds its books and the log, and where it is found."""

    database_url: str
    feed_url: str
    host: str = "127.0.0.1"
    port: int = 8200
    log_level: Level = "info"

    def __repr__(self) -> str:
        """Without the URLs: they hold passwords."""
        return f"Config(host={self.host!r}, port={self.port})"


_VARIABLES = {
    "database_url": Variable(
        f"{_PREFIX}DATABASE_URL", environment.database, needed="postgresql://shoelog_ledger:…@host/shoelog_ledger"
    ),
    "feed_url": Variable(
        f"{_PREFIX}FEED_URL", environment.database, needed="postgresql://shoelog_feed:…@host/shoelog_table"
    ),
    "host": Variable(f"{_PREFIX}HOST"),
    "port": Variable(f"{_PREFIX}PORT", environment.port),
    "log_level": Variable(f"{_PREFIX}LOG_LEVEL", environment.level),
}


def read(told: Mapping[str, str]) -> Config:
    """Read the variables SHOELOG_LEDGER_…. Raises ConfigError."""
    return environment.read(Config, _VARIABLES, told)
