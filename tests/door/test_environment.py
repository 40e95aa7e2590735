"""A configuration is read once: what is wrong or missing is told all at once, with what would be right."""

import pytest
from msgspec import Struct

from services.door import environment
from services.door.environment import ConfigError, Variable


class Desk(Struct, frozen=True, kw_only=True):
    """What is read here."""

    books: str
    port: int = 8100
    log_level: str = "info"


VARIABLES = {
    "books": Variable("BOOKS", environment.database, needed="postgresql://…"),
    "port": Variable("PORT", environment.port),
    "log_level": Variable("LOG_LEVEL", environment.level),
}
BOOKS = "postgresql://cashier:secret@db/books"


def test_what_is_set_is_read_and_the_rest_has_its_default() -> None:
    assert environment.read(Desk, VARIABLES, {"BOOKS": f" {BOOKS}\n", "PORT": "0"}) == Desk(books=BOOKS, port=0)


def test_an_empty_variable_is_not_set() -> None:
    assert environment.read(Desk, VARIABLES, {"BOOKS": BOOKS, "PORT": " "}) == Desk(books=BOOKS)
    with pytest.raises(ConfigError, match=r"^BOOKS: not set; it would be postgresql://…$"):
        environment.read(Desk, VARIABLES, {"BOOKS": ""})


def test_all_complaints_come_at_once_and_repeat_no_password() -> None:
    with pytest.raises(ConfigError) as told:
        environment.read(Desk, VARIABLES, {"BOOKS": "mysql://me:secret@db", "PORT": "65536", "LOG_LEVEL": "loud"})

    assert str(told.value).splitlines() == list(told.value.complaints)
    assert told.value.complaints == (
        "BOOKS: a database is postgresql://login:password@host:port/database",
        "PORT: a port is 0 to 65535, not '65536'",
        "LOG_LEVEL: a level is one of debug, info, warning, error, not 'loud'",
    )


@pytest.mark.parametrize("text", ["-1", "80.0", "http", "65536"])
def test_a_port_is_a_whole_number_that_there_is(text: str) -> None:
    with pytest.raises(ValueError, match="a port is"):
        environment.port(text)
