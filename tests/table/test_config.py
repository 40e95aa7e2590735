"""The configuration is read once, and complains of everything at once."""

import pytest

from services.door.environment import ConfigError
from services.table.config import migrator_url, read

SOUND = {
    "SHOELOG_TABLE_DATABASE_URL": "postgresql://shoelog_table:secret@db:5432/shoelog_table",
    "SHOELOG_LOG_KEY_FILE": "/keys/log.key",
    "SHOELOG_SEED_KEY_FILE": "/keys/seed.key",
}


def test_what_is_not_said_has_its_default() -> None:
    config = read(SOUND)

    assert (config.host, config.port, config.origin) == ("127.0.0.1", 8100, "shoelog.localhost/log/1")
    assert config.log_level == "info"


def test_all_complaints_come_at_once() -> None:
    with pytest.raises(ConfigError) as refused:
        read({"SHOELOG_TABLE_PORT": "70000", "SHOELOG_LOG_ORIGIN": "https://x", "SHOELOG_TABLE_LOG_LEVEL": "loud"})

    named = {complaint.partition(": ")[0] for complaint in refused.value.complaints}
    assert named == {*SOUND, "SHOELOG_TABLE_PORT", "SHOELOG_LOG_ORIGIN", "SHOELOG_TABLE_LOG_LEVEL"}


def test_a_database_is_a_url_of_postgresql() -> None:
    with pytest.raises(ConfigError, match="SHOELOG_TABLE_DATABASE_URL"):
        read({**SOUND, "SHOELOG_TABLE_DATABASE_URL": "mysql://db"})
    with pytest.raises(ConfigError, match="SHOELOG_TABLE_MIGRATOR_URL"):
        migrator_url({})


def test_no_password_is_shown() -> None:
    assert "secret" not in repr(read(SOUND))
