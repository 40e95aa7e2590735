"""PostgreSQL embedded: it starts, keeps what it was given, is private, and ends when it should."""

import asyncio
import os
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from services.house.binaries import NoPostgres
from services.house.postgres import PostgresFailed, Server, role_password
from services.house.seat import NoSeat
from tests.databases import scratch_directory
from tests.house.opened import eventually
from tests.style.checkout import ROOT

HOUSE = """
import sys
from pathlib import Path
from services.house.postgres import Server
server = Server(directory=Path(sys.argv[1]))
server.start()
print(server.pid, flush=True)
sys.stdin.read()
"""

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the death signal is Linux's")


@pytest.fixture
def scratch() -> Iterator[Path]:
    with scratch_directory() as directory:
        yield directory


@pytest.fixture
def server(scratch: Path) -> Iterator[Server]:
    server = Server(directory=scratch / "postgres")
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    """One server for the tests that only look."""
    with scratch_directory() as directory:
        server = Server(directory=directory / "postgres")
        server.start()
        yield server
        server.stop()


def ask(url: str, *statements: str) -> object:
    """The first value of the last statement's answer."""

    async def asked() -> object:
        connection = await asyncpg.connect(url)
        try:
            return [await connection.fetchval(statement) for statement in statements][-1]
        finally:
            await connection.close()

    return asyncio.run(asked())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_fresh_directory_answers_its_first_query(running: Server) -> None:
    assert running.poll() is None
    assert ask(running.url(), "SELECT 1") == 1


def test_the_server_is_fifteen_or_newer_and_safe_against_power_cuts(running: Server) -> None:
    version = ask(running.url(), "SELECT current_setting('server_version_num')::int")

    assert isinstance(version, int)
    assert version >= 150000
    settings = ("fsync", "full_page_writes", "synchronous_commit", "data_checksums")
    assert {ask(running.url(), f"SHOW {setting}") for setting in settings} == {"on"}


def test_text_is_utf8_and_sorts_by_its_bytes(running: Server) -> None:
    assert ask(running.url(), "SHOW server_encoding") == "UTF8"
    assert ask(running.url(), "SELECT datcollate FROM pg_database WHERE datname = 'postgres'") == "C"


def test_the_password_is_random_and_for_its_owner_alone(running: Server) -> None:
    assert mode(running.directory / "password") == 0o600
    assert len(running.password) >= 40
    assert "scram-sha-256" in str(ask(running.url(), "SELECT passwd FROM pg_shadow")).lower()


def test_a_wrong_password_is_refused_on_the_socket(running: Server) -> None:
    with pytest.raises(asyncpg.InvalidPasswordError):
        ask(running.url().replace(running.password, "guess"), "SELECT 1")


def test_every_role_has_a_password_of_its_own() -> None:
    assert role_password("secret", "shoelog_table") != role_password("secret", "shoelog_feed")
    assert role_password("secret", "shoelog_table") != role_password("other", "shoelog_table")


def test_the_socket_lies_in_a_private_directory(running: Server) -> None:
    assert running.sockets == running.directory / "run"
    assert mode(running.sockets) == 0o700
    assert stat.S_ISSOCK((running.sockets / ".s.PGSQL.5432").stat().st_mode)


def test_no_tcp_is_spoken_unless_asked(running: Server) -> None:
    assert ask(running.url(), "SHOW listen_addresses") == ""


def test_tcp_is_spoken_on_the_loopback_when_asked(scratch: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Server(directory=scratch / "postgres", tcp_port=port)

    server.start()

    try:
        url = f"postgresql://postgres:{server.password}@127.0.0.1:{port}/postgres"
        assert ask(url, "SHOW listen_addresses") == "127.0.0.1"
        assert ask(server.url(), "SHOW port") == str(port)
    finally:
        server.stop()


def test_the_log_lies_beside_the_data(running: Server) -> None:
    eventually(lambda: "ready to accept connections" in running.log.read_text(), "PostgreSQL's words")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to somebody else")
def test_root_gives_away_the_data_and_the_socket_alone(running: Server) -> None:
    given = {path.name for path in running.directory.iterdir() if path.stat().st_uid != 0}

    assert given == {"cluster", "run"}
    assert running.directory.stat().st_uid == 0


def test_a_restart_keeps_the_data(server: Server) -> None:
    ask(server.url(), "CREATE TABLE kept AS SELECT 7 AS n")
    password = server.password

    server.stop()
    server.start()

    assert server.password == password
    assert ask(server.url(), "SELECT n FROM kept") == 7


def test_a_stop_is_fast_and_clean_with_a_client_connected(server: Server) -> None:
    async def stopped_under_a_client() -> None:
        connection = await asyncpg.connect(server.url())
        await connection.execute("BEGIN")
        server.stop()
        with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
            await connection.execute("SELECT 1")

    asyncio.run(stopped_under_a_client())

    assert server.poll() == 0
    assert "database system is shut down" in server.log.read_text()


def test_a_killed_server_starts_again_with_its_data(server: Server) -> None:
    ask(server.url(), "CREATE TABLE kept AS SELECT 7 AS n")
    assert server.pid

    os.kill(server.pid, signal.SIGKILL)
    assert server.wait() == -signal.SIGKILL
    server.start()

    assert ask(server.url(), "SELECT n FROM kept") == 7


@on_linux
def test_the_server_dies_with_a_killed_house_and_serves_the_next(scratch: Path) -> None:
    house = subprocess.Popen(
        [sys.executable, "-c", HOUSE, scratch / "postgres"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert house.stdout
    postmaster = os.pidfd_open(int(house.stdout.readline()))  # type: ignore[attr-defined, unused-ignore]

    house.kill()
    house.communicate()
    next_house = Server(directory=scratch / "postgres")
    next_house.start()

    try:
        assert select.select([postmaster], [], [], 30)[0], "the server outlived its house"
        assert ask(next_house.url(), "SELECT 1") == 1
    finally:
        os.close(postmaster)
        next_house.stop()


def test_two_houses_never_share_a_directory(running: Server) -> None:
    with pytest.raises(PostgresFailed, match="another house is open"):
        Server(directory=running.directory).start()

    assert ask(running.url(), "SELECT 1") == 1


def test_a_lock_file_that_names_a_stranger_is_forgotten(server: Server) -> None:
    lock_file = server.cluster / "postmaster.pid"
    left = lock_file.read_text()
    server.stop()
    lock_file.write_text(left.replace(left.split("\n")[0], str(os.getppid()), 1))

    server.start()

    assert ask(server.url(), "SELECT 1") == 1


def test_a_cluster_half_made_is_made_anew(scratch: Path) -> None:
    unfinished = scratch / "postgres" / "cluster.unfinished"
    unfinished.mkdir(parents=True)
    unfinished.joinpath("PG_VERSION").write_text("18\n")
    server = Server(directory=scratch / "postgres")

    server.start()

    server.stop()
    assert not unfinished.exists()
    assert (server.cluster / "PG_VERSION").is_file()


def test_data_of_another_major_version_are_refused(server: Server) -> None:
    server.stop()
    (server.cluster / "PG_VERSION").write_text("99\n")

    with pytest.raises(NoPostgres, match="PostgreSQL 99, which the data directory was made by, was not found; seen: /"):
        server.start()


def test_a_server_that_cannot_start_says_why(scratch: Path) -> None:
    server = Server(directory=scratch / "postgres", settings={"max_connections": "no number"})

    with pytest.raises(PostgresFailed, match="max_connections"):
        server.start()


def test_a_start_outside_the_main_thread_is_a_mistake(scratch: Path) -> None:
    said: list[str] = []

    def start() -> None:
        try:
            Server(directory=scratch / "postgres").start()
        except AssertionError as mistake:
            said.append(str(mistake))

    thread = threading.Thread(target=start)
    thread.start()
    thread.join()

    assert said == ["the death signal follows the spawning thread"]


def test_a_long_path_moves_the_socket_to_a_short_private_directory(scratch: Path) -> None:
    server = Server(directory=scratch / ("long" * 30))
    server.start()

    try:
        assert server.sockets.parent == Path("/tmp")  # noqa: S108
        assert mode(server.sockets) == 0o700
        assert ask(server.url(), "SELECT 1") == 1
        server.stop()
        server.sockets.chmod(0o777)
        with pytest.raises(NoSeat, match="with mode 700: remove it"):
            server.start()
    finally:
        server.stop()
        shutil.rmtree(server.sockets)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to somebody else")
def test_a_directory_closed_to_the_dropped_user_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)

    with pytest.raises(NoSeat, match=r"cannot enter .*: choose a directory that everybody may pass through"):
        Server(directory=tmp_path / "postgres").start()
