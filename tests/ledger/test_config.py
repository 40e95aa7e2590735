"""The ledger's configuration complains once, about everything, and repeats no secret."""

import pytest

from services.door.environment import ConfigError
from services.ledger.config import read

URL = "postgresql://shoelog_ledger:secret@localhost/shoelog_ledger"
NEEDED = {"SHOELOG_LEDGER_DATABASE_URL": URL, "SHOELOG_LEDGER_FEED_URL": URL}


def test_what_is_not_said_has_a_default() -> None:
    settings = read(NEEDED)

    assert (settings.host, settings.port, settings.log_level) == ("127.0.0.1", 8200, "info")
    assert "secret" not in repr(settings)


def test_all_complaints_come_at_once() -> None:
    with pytest.raises(ConfigError) as told:
        read({"SHOELOG_LEDGER_DATABASE_URL": "mysql://me:secret@x", "SHOELOG_LEDGER_PORT": "many"})

    lines = str(told.value).splitlines()
    assert [line.partition(": ")[0] for line in lines] == [
        "SHOELOG_LEDGER_DATABASE_URL",
        "SHOELOG_LEDGER_FEED_URL",
        "SHOELOG_LEDGER_PORT",
    ]
    assert "secret" not in str(told.value)
