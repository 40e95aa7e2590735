"""PostgreSQL for the tests: always a real one, from a URL, a container, or the house's own embedded server."""

import asyncio
import concurrent.futures
import contextlib
import http.client
import os
import secrets
import shutil
import socket
import tempfile
import warnings
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit

import asyncpg

from services.house import roles
from services.house.postgres import Server, role_password

GIVEN = "SHOELOG_TEST_POSTGRES_URL"  # a superuser's URL of a server for tests alone; or the word "embedded"
IMAGE = "postgres:17"
HASTY = {
    "fsync": "off",
    "full_page_writes": "off",
}  # it outlives no machine: nothing waits for the disk

Service = Literal["table", "ledger"]


class Database(NamedTuple):
    """One empty database with the house's roles, for one test."""

    name: str
    superuser: str

    def url(self, role: str) -> str:
        """Where one of the house's roles finds it, with its password."""
        return with_login(self.superuser, role=role, password=role_password(secret_of(self.superuser), role))


MakeDatabase = Callable[[Service], Database]  # what the fixture `make_database` gives


def with_login(url: str, *, role: str, password: str) -> str:
    """The same place entered by somebody else."""
    parts = urlsplit(url)
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{role}:{password}@{place}"))


def with_database(url: str, name: str) -> str:
    """The same login into another database."""
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


def secret_of(url: str) -> str:
    """What the roles' passwords are drawn from: the same in every run against one server."""
    return unquote(urlsplit(url).password or "none")


def make_database(server: str, service: Service) -> Database:
    """A new database for one service, on the server of that superuser's URL, open to the service's roles."""
    name = f"shoelog_{service}_{secrets.token_hex(6)}"
    complete(roles.prepare(server, databases=[name], passwords={}))
    return Database(name, with_database(server, name))


def set_passwords(server: str) -> None:
    """Passwords for all roles of the server, once for all its databases."""
    passwords = {role: role_password(secret_of(server), role) for role in roles.LOGINS}
    complete(roles.prepare(server, databases=[], passwords=passwords))


def drop_database(server: str, database: Database) -> None:
    """Gone, with whoever is still connected."""
    complete(execute(server, f'DROP DATABASE IF EXISTS "{database.name}" WITH (FORCE)'))


async def execute(url: str, statement: str) -> None:
    """One statement in a connection of its own."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


def complete(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end in a thread of its own, so that a test may call it whether or not it runs in an event loop."""
    with concurrent.futures.ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


@contextlib.contextmanager
def server() -> Iterator[str]:
    """A superuser's URL: the one given, else a container's where an engine answers, else the embedded server's."""
    given = os.environ.get(GIVEN, "")
    if given and given != "embedded":
        yield given
    elif not given and engine_answers(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")):
        with container() as url:
            yield url
    else:
        with scratch_directory() as directory, embedded(directory) as running:
            yield running.url()


@contextlib.contextmanager
def scratch_directory() -> Iterator[Path]:
    """A short-lived directory that the user whom root drops to may pass through (pytest's own are closed to him)."""
    directory = Path(tempfile.mkdtemp(prefix="shoelog-test-"))
    directory.chmod(0o711)
    try:
        yield directory
    finally:
        shutil.rmtree(directory)


@contextlib.contextmanager
def embedded(directory: Path) -> Iterator[Server]:
    """The house's own server, started and stopped."""
    running = Server(directory=directory / "postgres", settings=HASTY)
    running.start()
    try:
        yield running
    finally:
        running.stop()


@contextlib.contextmanager
def container() -> Iterator[str]:
    """PostgreSQL in a container. Imported here: it is slow, and most machines have no engine."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from testcontainers.community.postgres import PostgresContainer  # noqa: PLC0415

        running = PostgresContainer(IMAGE, username="postgres", password=secrets.token_hex(16), driver=None)
        with running.with_command(["postgres", *(f"-c{name}={value}" for name, value in HASTY.items())]):
            yield running.get_connection_url()


def engine_answers(address: str) -> bool:
    """Whether a Docker engine answers a ping at `unix://PATH` or `tcp://HOST:PORT`; asked without its library."""
    place = urlsplit(address)
    connection = http.client.HTTPConnection(place.hostname or "localhost", place.port or 2375, timeout=2)
    try:
        if place.scheme == "unix":
            connection.sock = socket.socket(socket.AF_UNIX)
            connection.sock.settimeout(2)
            connection.sock.connect(place.path)
        connection.request("GET", "/_ping")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
