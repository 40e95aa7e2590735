"""A database restored from a backup: the service does not start; the ceremony opens a log that all can check."""

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from click.testing import CliRunner

from schemas import note
from schemas.checkpoint import open_checkpoint
from schemas.entry import decode, leaf
from schemas.events import RoundVoided, ShoeVoided
from schemas.tile import ENTRIES, tiles_of, unpack
from schemas.tree import root
from services.house.cli import main
from tests import databases
from tests.databases import Database, MakeDatabase
from tests.table.http.service import AUDITOR, Desk, Service, open_table, prepare


class Restored(Service):
    """A service whose database can be put back, and whose log can be succeeded."""

    def __init__(self, database: Database, directory: Path) -> None:
        super().__init__(database, directory)
        self.log_number = 1

    @property
    def environment(self) -> Mapping[str, str]:
        """All that it is told, and who migrates."""
        return {
            **super().environment,
            "SHOELOG_TABLE_MIGRATOR_URL": self.database.url("shoelog_table_migrator"),
            "SHOELOG_LOG_ORIGIN": f"shoelog.test/log/{self.log_number}",
            "SHOELOG_LOG_KEY_FILE": str(self.directory / f"log-{self.log_number}.key"),
        }

    def say(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """Type a command line in its environment."""
        return subprocess.run(
            [sys.executable, "-m", "services.house.cli", *words],
            env=dict(self.environment),
            cwd=Path(__file__).parents[3],
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def service(make_database: MakeDatabase, tmp_path: Path) -> Any:
    database = make_database("table")
    prepare(database)
    service = Restored(database, tmp_path)
    yield service
    if service.is_started:
        service.kill()
    databases.drop_database(database.superuser, Database(backup_of(database), ""))


def backup_of(database: Database) -> str:
    """Name a database's backup."""
    return f"{database.name}_backup"


def copy(database: Database, *, name: str, of: str) -> None:
    """Make one database a copy of another, which nobody uses at the time."""

    async def copied() -> None:
        server = database.superuser.replace(f"/{database.name}", "/postgres")
        connection = await asyncpg.connect(server)
        await connection.execute(f'drop database if exists "{name}" with (force)')
        await connection.execute(f'create database "{name}" template "{of}" owner shoelog_table_owner')
        await connection.close()

    asyncio.run(copied())


def play(desk: Desk, at: str, *, coups: int) -> None:
    desk.tell(f"{at}/shoes/start")
    for _ in range(coups):
        desk.tell(f"{at}/rounds")
        desk.tell(f"{at}/rounds/current/bets", {"patron": "p1", "bet": "banker", "amount": 500})
        desk.tell(f"{at}/rounds/current/coup")


def fetch_bundle(desk: Desk, at: str, shoe: int, path: Path) -> Path:
    got = desk.get(f"{at}/shoes/{shoe}/bundle")
    assert got.is_success, got.text
    path.write_bytes(got.content)
    return path


def verdict(path: Path, vkey: str) -> int:
    return CliRunner().invoke(main, ["verify", "--log-key", vkey, str(path)]).exit_code


def test_after_a_restore_nothing_is_signed_until_the_log_is_succeeded(service: Restored, tmp_path: Path) -> None:
    backup = backup_of(service.database)
    desk = service.start().client()
    old_key = desk.get("/log/vkey").text.strip()
    at = open_table(desk)
    play(desk, at, coups=3)
    desk.tell(f"{at}/shoes/current/close", {"reason": "early"})
    old_bundle = fetch_bundle(desk, at, 1, tmp_path / "old.zip")
    play(desk, at, coups=2)
    desk.tell(f"{at}/rounds")
    desk.tell(f"{at}/rounds/current/bets", {"patron": "p2", "bet": "tie", "amount": 100})
    service.stop()
    copy(service.database, name=backup, of=service.database.name)

    desk = service.start().client()
    desk.tell(f"{at}/rounds/current/coup")
    desk.post("/log/checkpoint")
    service.stop()
    copy(service.database, name=service.database.name, of=backup)

    refused = service.say("table", "serve")
    assert refused.returncode == 1
    assert "the database is behind" in refused.stderr
    assert "shoelog log succeed" in refused.stderr

    service.log_number = 2
    held = service.say("log", "succeed", "--approved-by", "staff:anna")
    assert held.returncode == 0, held.stderr
    assert "shoelog export --log --log-number 1" in held.stdout
    assert f"voided: shoe {at.removeprefix('/tables/')}/2" in held.stdout

    desk = service.start().client()
    new_key = desk.get("/log/vkey").text.strip()
    assert new_key in held.stdout
    check_the_new_log(desk, note.parse_vkey(old_key), note.parse_vkey(new_key))
    check_the_old_log(service, old_key, tmp_path / "old-log")
    assert desk.ask(at)["phase"] == "idle"
    assert verdict(old_bundle, old_key) == 0
    assert fetch_bundle(desk, at, 1, tmp_path / "again.zip").read_bytes() != b""
    assert verdict(tmp_path / "again.zip", old_key) == 0
    assert verdict(fetch_bundle(desk, at, 2, tmp_path / "voided.zip"), new_key) == 0
    play(desk, at, coups=2)
    desk.tell(f"{at}/shoes/current/close", {"reason": "early"})
    assert verdict(fetch_bundle(desk, at, 3, tmp_path / "new.zip"), new_key) == 0
    assert verdict(tmp_path / "new.zip", old_key) == 1


def check_the_old_log(service: Restored, old_key: str, out: Path) -> None:
    """Check that what is left of it is read, exported and verified as before, by everybody who could."""
    stranger = service.client()
    del stranger.http.headers["Authorization"]
    listed = stranger.ask("/logs")["logs"]
    assert [(log["number"], log["origin"], log["has_ended"]) for log in listed] == [
        (1, "shoelog.test/log/1", True),
        (2, "shoelog.test/log/2", False),
    ]
    assert listed[0]["vkey"] == stranger.get("/logs/1/vkey").text.strip() == old_key
    signed = open_checkpoint(stranger.get("/logs/1/checkpoint").content, note.parse_vkey(old_key))
    assert signed.size == listed[0]["size"] <= listed[1]["first_position"]
    assert stranger.get(f"/logs/1/tile/0/000.p/{signed.size}").is_success
    assert stranger.get(f"/logs/1/tile/0/000.p/{signed.size + 1}").status_code == 404
    assert stranger.get(f"/logs/1/tile/entries/000.p/{signed.size}").status_code == 401
    assert stranger.get("/logs/3/checkpoint").status_code == 404
    assert stranger.get("/logs/2/checkpoint").text == stranger.get("/log/checkpoint").text

    words = ["--url", service.url, "--log", "--log-number", "1", "--log-key", old_key, "--out", str(out)]
    exported = CliRunner().invoke(main, ["export", *words], env={"SHOELOG_KEY": AUDITOR})
    assert exported.exit_code == 0, exported.output
    assert f"{signed.size} entries of shoelog.test/log/1" in exported.stdout
    report = CliRunner().invoke(main, ["verify", "--log-key", old_key, str(out)])
    assert report.exit_code in {0, 2}, report.output  # 2 if its last checkpoint fell into the open shoe


def check_the_new_log(desk: Desk, old: note.Verifier, new: note.Verifier) -> None:
    """Check that its tree begins with the old log's last checkpoint, and then voids what was open."""
    signed = open_checkpoint(desk.get("/log/checkpoint").content, new)
    lines = [
        line for tile in tiles_of(signed.size, level=ENTRIES) for line in unpack(desk.get(f"/log/{tile.path}").content)
    ]
    assert root([leaf(line) for line in lines]) == signed.root
    first, *voids = map(decode, lines)
    assert (first.stream, first.version, first.actor) == ("log", 1, "staff:anna")
    ended = open_checkpoint(first.event.checkpoint.encode(), old)  # type: ignore[union-attr]
    assert ended.size > signed.size
    assert isinstance(voids[0].event, RoundVoided)
    assert isinstance(voids[1].event, ShoeVoided)
    assert voids[1].event.seed
