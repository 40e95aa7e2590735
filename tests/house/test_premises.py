"""The house's directory: what is in it stays, also where PostgreSQL's user cannot go."""

import asyncio
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import pytest

from services.house.premises import Premises
from services.house.seat import NoSeat
from tests.databases import execute, scratch_directory

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to somebody else")


@pytest.fixture
def scratch() -> Iterator[Path]:
    with scratch_directory() as directory:
        yield directory


@pytest.fixture
def closed(scratch: Path) -> Path:
    """A house's directory behind a door that only its owner opens."""
    (scratch / "root").mkdir(mode=0o700)
    return scratch / "root" / "house"


@contextmanager
def entered(directory: Path, *, lodgings: Path | None) -> Iterator[Premises]:
    premises = Premises(directory, lodgings=lodgings)
    premises.take()
    try:
        premises.enter()
        yield premises
    finally:
        premises.leave()


async def what_is_there(premises: Premises) -> object:
    connection = await asyncpg.connect(premises.superuser_url())
    try:
        return await connection.fetchval("SELECT max(value) FROM kept")
    finally:
        await connection.close()


@as_root
def test_postgres_lodges_elsewhere_when_its_user_cannot_pass_and_is_found_there_again(
    closed: Path, scratch: Path
) -> None:
    lodgings = scratch / "lodgings"

    with entered(closed, lodgings=lodgings) as premises:
        asyncio.run(execute(premises.superuser_url(), "CREATE TABLE kept AS SELECT 7 AS value"))
        first = premises.lodging
    with entered(closed, lodgings=lodgings) as premises:
        assert asyncio.run(what_is_there(premises)) == 7
        assert premises.lodging == first

    assert list(lodgings.iterdir()) == [first]
    assert lodgings.stat().st_mode & 0o777 == 0o711


@as_root
def test_a_lodging_that_is_gone_is_missed(closed: Path, scratch: Path) -> None:
    closed.mkdir()
    (closed / "postgres").symlink_to(scratch / "gone")

    with pytest.raises(NoSeat, match="which is gone: bring it back"), entered(closed, lodgings=scratch):
        pass

    assert not (scratch / "gone").exists()


@as_root
def test_data_that_are_there_are_never_left_behind_for_a_lodging(scratch: Path) -> None:
    with entered(scratch / "house", lodgings=None):
        pass
    scratch.chmod(0o700)

    with pytest.raises(NoSeat, match="cannot enter"), entered(scratch / "house", lodgings=scratch / "lodgings"):
        pass

    assert not (scratch / "lodgings").exists()


def test_postgres_lives_in_the_house_where_its_user_can_pass(scratch: Path) -> None:
    with entered(scratch / "house", lodgings=scratch / "lodgings") as premises:
        assert premises.lodging is None
        assert (scratch / "house" / "postgres" / "cluster").is_dir()

    assert not (scratch / "lodgings").exists()
