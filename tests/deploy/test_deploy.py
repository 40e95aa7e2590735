"""Deploying: the scripts of a first start on a real server, and what the compose file asks of its reader."""

import asyncio
import os
import re
import subprocess
from collections.abc import Iterator

import asyncpg
import msgspec
import pytest

from services.house import binaries, roles
from services.house.postgres import Server
from tests.databases import embedded, scratch_directory
from tests.style.checkout import ROOT

DEPLOY = ROOT / "deploy"
PASSWORDS = {f"{role.upper()}_PASSWORD": f"it's {role}'s" for role in roles.LOGINS}


@pytest.fixture
def server() -> Iterator[Server]:
    with scratch_directory() as directory, embedded(directory) as running:
        yield running


def first_start(server: Server) -> None:
    """What the postgres image does with the compose file's scripts."""
    found = binaries.find()
    surroundings = {
        "PATH": f"{found.directory}:{os.environ['PATH']}",
        "PGHOST": str(server.sockets),
        "PGPASSWORD": server.password,
        "PGDATABASE": "postgres",
        "POSTGRES_USER": "postgres",
        **PASSWORDS,
    }
    psql = ["psql", "--set", "ON_ERROR_STOP=1", "--username", "postgres", "--file"]
    for command in (
        [*psql, "postgres/10-databases.sql"],
        [*psql, "roles.sql"],
        ["sh", "postgres/30-passwords.sh"],
    ):
        done = subprocess.run(command, cwd=DEPLOY, env=surroundings, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


async def whoever_enters(server: Server, role: str, database: str) -> object:
    connection = await asyncpg.connect(
        host=str(server.sockets), user=role, database=database, password=PASSWORDS[f"{role.upper()}_PASSWORD"]
    )
    try:
        return await connection.fetchval("SELECT current_user")
    finally:
        await connection.close()


def test_the_first_starts_scripts_let_every_role_in_by_its_password(server: Server) -> None:
    first_start(server)

    for role in roles.LOGINS:
        database = "shoelog_ledger" if "ledger" in role else "shoelog_table"
        assert asyncio.run(whoever_enters(server, role, database)) == role


def test_a_missing_password_stops_the_first_start(server: Server) -> None:
    script = ["sh", "postgres/30-passwords.sh"]
    surroundings = {"PATH": os.environ["PATH"], "POSTGRES_USER": "postgres", "PGHOST": str(server.sockets)}

    done = subprocess.run(script, cwd=DEPLOY, env=surroundings, capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert "the password of role shoelog_table_migrator" in done.stderr


def test_the_compose_file_asks_for_every_password_and_has_no_default() -> None:
    text = (DEPLOY / "compose.yaml").read_text()

    assert set(re.findall(r"\$\{(\w+_PASSWORD):\?", text)) == {*PASSWORDS, "POSTGRES_PASSWORD"}
    assert not re.findall(r"\$\{\w+_PASSWORD(?!:\?)", text)


def test_every_file_that_the_compose_file_mounts_exists() -> None:
    services = msgspec.yaml.decode((DEPLOY / "compose.yaml").read_text())["services"].values()
    mounted = [volume.split(":")[0] for one in services for volume in one.get("volumes", ())]

    assert [path for path in mounted if path.startswith("./") and not (DEPLOY / path).is_file()] == []


def test_the_services_run_as_nobody_in_particular() -> None:
    users = re.findall(r"^USER (\d+)$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)

    assert users
    assert "0" not in users
