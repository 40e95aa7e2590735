"""What the REST side's tests ask for: a service that runs, shared by those who do it no harm; or one of their own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import databases
from tests.databases import Database, MakeDatabase
from tests.table.http.service import Desk, Service, prepare

MakeService = Callable[..., Service]


@pytest.fixture(scope="session")
def shared_service(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service for all tests that leave it as they found it, each at tables of its own."""
    database = databases.make_database(postgres, "table")
    prepare(database)
    service = Service(database, tmp_path_factory.mktemp("service")).start()
    yield service
    status = service.stop()
    databases.drop_database(postgres, database)
    assert status == 0


@pytest.fixture
def desk(shared_service: Service) -> Desk:
    """An operator at the shared service."""
    return shared_service.client()


@pytest.fixture
def make_service(make_database: MakeDatabase, tmp_path: Path) -> Iterator[MakeService]:
    """`make_service()` starts a service on a fresh database, `make_service(database)` another one on the same.

    What is named beside is told in its environment.
    """
    made: list[Service] = []

    def make(database: Database | None = None, **more: str) -> Service:
        if database is None:
            database = make_database("table")
            prepare(database)
        made.append(Service(database, tmp_path, name=f"table-{len(made)}", **more).start())
        return made[-1]

    yield make
    for service in made:
        service.kill()
