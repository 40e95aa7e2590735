"""Deploying: the scripts of a first start on a real server, and what the compose file asks of its reader."""

import asyncio
import os
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import asyncpg
import click
import msgspec
import pytest

from services.house import binaries, roles, rooms
from services.house.postgres import Server
from services.ledger import config as ledger_config
from services.table import config as table_config
from tests.databases import embedded, scratch_directory
from tests.house.variables import Asked, variables_of
from tests.style.checkout import ROOT

DEPLOY = ROOT / "deploy"
PASSWORDS = {f"{role.upper()}_PASSWORD": f"it's {role}'s" for role in roles.LOGINS}
WHO = """
    SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls,
        rolconfig
    FROM pg_roles WHERE rolname ~ '^shoelog' ORDER BY rolname
"""
WHO_BECOMES_WHOM = """
    SELECT member::regrole::text, roleid::regrole::text, admin_option
    FROM pg_auth_members WHERE member::regrole::text ~ '^shoelog' ORDER BY 1, 2
"""
WHERE = """
    SELECT datname, datdba::regrole::text, datacl::text, pg_encoding_to_char(encoding), datcollate, datctype
    FROM pg_database WHERE datname ~ '^shoelog' ORDER BY datname
"""


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


async def who_may_what(server: Server) -> list[list[tuple[Any, ...]]]:
    connection = await asyncpg.connect(server.url())
    try:
        return [[tuple(row) for row in await connection.fetch(ask)] for ask in (WHO, WHO_BECOMES_WHOM, WHERE)]
    finally:
        await connection.close()


def composed() -> dict[str, Any]:
    """Every service of the compose file."""
    services: dict[str, Any] = msgspec.yaml.decode((DEPLOY / "compose.yaml").read_text())["services"]
    return services


def environment_of(service: str) -> dict[str, str]:
    """What a service is given: the defaults, and `word` for what only the reader knows."""
    return {
        name: re.sub(r"\$\{\w+:(?:-(\w*)|\?[^}]*)\}", lambda said: "word" if said[1] is None else said[1], value)
        for name, value in composed()[service]["environment"].items()
    }


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


def test_the_first_starts_scripts_and_the_house_make_the_same_roles_and_databases(server: Server) -> None:
    first_start(server)
    with scratch_directory() as directory, embedded(directory) as another:
        asyncio.run(roles.prepare(another.url(), passwords={}))
        by_the_house = asyncio.run(who_may_what(another))

    assert asyncio.run(who_may_what(server)) == by_the_house
    assert [len(rows) for rows in by_the_house] == [7, 2, 2]


# The seeds' key stands in a file on the table's volume: the variable that holds the key itself is not given as well,
# and keys are rotated where the volume is, not by who migrates.
IN_THE_FILE = {"SHOELOG_SEED_KEY"}
ON_THE_VOLUME = {"SHOELOG_SEED_KEY_FILE"}


@pytest.mark.parametrize(
    ("service", "read"), [("table", table_config.read), ("ledger", ledger_config.read)], ids=["table", "ledger"]
)
def test_the_compose_file_gives_a_service_each_of_its_variables_and_no_other(
    service: str, read: Callable[[Mapping[str, str]], object]
) -> None:
    asked = Asked(environment_of(service))

    read(asked)

    assert asked.names - IN_THE_FILE == set(asked)


@pytest.mark.parametrize(
    ("service", "command"), [("table-migrate", rooms.table), ("ledger-migrate", rooms.ledger)], ids=["table", "ledger"]
)
def test_the_compose_file_gives_who_migrates_each_variable_of_the_commands_and_no_other(
    service: str, command: click.Command
) -> None:
    assert set(environment_of(service)) == set(variables_of(command)) - ON_THE_VOLUME


def test_every_file_that_the_compose_file_mounts_exists() -> None:
    mounted = [volume.split(":")[0] for one in composed().values() for volume in one.get("volumes", ())]

    assert [path for path in mounted if path.startswith("./") and not (DEPLOY / path).is_file()] == []


def test_no_word_of_a_health_check_has_a_blank_at_which_an_engine_could_part_it() -> None:
    checks = [one["healthcheck"]["test"] for one in composed().values() if "healthcheck" in one]

    assert len(checks) == 3
    assert [word for check in checks for word in check if " " in word] == []


def test_postgres_is_stopped_after_the_services() -> None:
    services = composed()

    assert {"postgres", "table", "ledger"} <= set(services)
    assert [n for n, one in services.items() if n != "postgres" and "postgres" not in one["depends_on"]] == []


def test_the_services_run_as_nobody_in_particular() -> None:
    users = re.findall(r"^USER (\d+)$", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)

    assert users
    assert "0" not in users
