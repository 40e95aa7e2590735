"""What every test may ask for: a PostgreSQL server for the session, and fresh databases on it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from tests import databases
from tests.databases import Database, MakeDatabase, Service
from tests.witness.foreign import NoForeignWitness, environment_of

# A busy machine is no fault of the code: no example has a deadline.
settings.register_profile("shoelog", deadline=None)
settings.load_profile("shoelog")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Tests marked `anyio` run on asyncio alone, as the services do."""
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A superuser's URL of a real PostgreSQL, 15 or newer."""
    with databases.server() as url:
        databases.set_passwords(url)
        yield url


@pytest.fixture
def make_database(postgres: str) -> Iterator[MakeDatabase]:
    """`make_database("table")` or `("ledger")`: an empty database with the house's roles; dropped after the test."""
    made: list[Database] = []

    def make(service: Service) -> Database:
        made.append(databases.make_database(postgres, service))
        return made[-1]

    yield make
    for database in made:
        databases.drop_database(postgres, database)


@pytest.fixture
def table_database(make_database: MakeDatabase) -> Database:
    """An empty database of the table service."""
    return make_database("table")


@pytest.fixture
def ledger_database(make_database: MakeDatabase) -> Database:
    """An empty database of the ledger service."""
    return make_database("ledger")


@pytest.fixture(scope="session")
def foreign_environment(pytestconfig: pytest.Config) -> Path:
    """Where a witness by other hands is installed; where it cannot be, whoever asks for it is skipped."""
    try:
        return environment_of(pytestconfig.cache.mkdir("aics-witness"))
    except NoForeignWitness as none:
        pytest.skip(str(none))
