"""What the REST side's tests ask for: a service that runs, shared by those who do it no harm; or one of their own."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from schemas import keyfile
from tests import databases
from tests.databases import Database, MakeDatabase
from tests.table.http.service import ORIGIN, Desk, Service, prepare
from tests.table.stranger import Stranger, cosign
from tests.table.witnessed import MakeStranger

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


@pytest.fixture
def policy_file(tmp_path: Path) -> Path:
    """The file that the service reads; its log's key is made beside it."""
    keyfile.create(tmp_path / "log.key")
    return tmp_path / "policy"


@pytest.fixture
def strict(
    make_service: MakeService, policy_file: Path, tmp_path: Path, make_stranger: MakeStranger
) -> tuple[Service, Stranger]:
    """A service of strict play, and its one witness."""
    stranger = make_stranger(cosign)
    log = keyfile.load(tmp_path / "log.key", ORIGIN).verifier
    policy_file.write_text(f"log {log.vkey}\nwitness s {stranger.vkey} {stranger.url}\nquorum s\n")
    return make_service(SHOELOG_LOG_POLICY_FILE=str(policy_file), SHOELOG_LOG_STRICT="1"), stranger
