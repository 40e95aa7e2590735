"""`shoelog table …` and `shoelog ledger …`: schemas made by the migrators, keys shown once and kept as hashes."""

import asyncio
import re
from hashlib import sha256

import asyncpg
import pytest
from click.testing import CliRunner, Result

from services.house.cli import main
from tests.databases import Database, MakeDatabase, Service

SERVICES: tuple[Service, ...] = ("table", "ledger")
HASHES = {"table": "select hash from journal.api_key", "ledger": "select hash from books.api_key"}


def shoelog(*words: str, url: str) -> Result:
    return CliRunner().invoke(main, [*words, "--database-url", url])


def hashes(service: Service, url: str) -> list[bytes]:
    async def fetched() -> list[bytes]:
        connection = await asyncpg.connect(url)
        try:
            return [row[0] for row in await connection.fetch(HASHES[service])]
        finally:
            await connection.close()

    return asyncio.run(fetched())


@pytest.fixture(params=SERVICES)
def service(request: pytest.FixtureRequest) -> Service:
    name: Service = request.param
    return name


@pytest.fixture
def database(service: Service, make_database: MakeDatabase) -> Database:
    return make_database(service)


@pytest.fixture
def migrator(service: Service, database: Database) -> str:
    return database.url(f"shoelog_{service}_migrator")


def test_migrating_again_changes_nothing(service: Service, migrator: str) -> None:
    first, second = (shoelog(service, "migrate", url=migrator) for _ in range(2))

    assert (first.exit_code, second.exit_code) == (0, 0)


def test_a_key_is_shown_once_and_kept_as_a_hash(service: Service, database: Database, migrator: str) -> None:
    shoelog(service, "migrate", url=migrator)

    text = shoelog(service, "key", "add", "operator", "anna", url=migrator).stdout.strip()

    assert re.fullmatch(r"shoelog_operator_[A-Za-z0-9_-]{43}", text)
    assert hashes(service, database.superuser) == [sha256(text.encode()).digest()]
    assert re.match(r"operator +anna +\d{4}-", shoelog(service, "key", "list", url=migrator).stdout)


def test_two_keys_of_one_role_and_name_are_refused(service: Service, migrator: str) -> None:
    shoelog(service, "migrate", url=migrator)
    shoelog(service, "key", "add", "auditor", "anna", url=migrator)

    said = shoelog(service, "key", "add", "auditor", "anna", url=migrator)

    assert said.exit_code == 1
    assert "there is a key of role auditor named anna" in said.stderr


def test_a_revoked_key_is_gone_and_cannot_be_revoked_again(service: Service, migrator: str) -> None:
    shoelog(service, "migrate", url=migrator)
    shoelog(service, "key", "add", "dashboard", "wall", url=migrator)

    first, second = (shoelog(service, "key", "revoke", "dashboard", "wall", url=migrator) for _ in range(2))

    assert (first.exit_code, second.exit_code) == (0, 1)
    assert shoelog(service, "key", "list", url=migrator).stdout == ""


def test_books_built_again_are_identical_to_those_that_stand(make_database: MakeDatabase) -> None:
    table, ledger = make_database("table"), make_database("ledger")
    shoelog("table", "migrate", url=table.url("shoelog_table_migrator"))
    shoelog("ledger", "migrate", url=ledger.url("shoelog_ledger_migrator"))

    feed = ("--feed-url", table.url("shoelog_feed"))
    said = shoelog("ledger", "rebuild", *feed, url=ledger.url("shoelog_ledger_migrator"))

    assert said.exit_code == 0, said.stderr
    assert "identical to the books that stood, and switched in" in said.stdout


def test_a_database_that_is_away_is_told_in_a_line(service: Service) -> None:
    said = shoelog(service, "migrate", url="postgresql://nobody:x@127.0.0.1:1/nowhere")

    assert said.exit_code == 1
    assert "Connect call failed" in said.stderr


@pytest.mark.parametrize(
    "words", [["key", "add", "boss", "anna"], ["key", "add", "operator", "Anna!"], ["key", "add"], ["dance"]]
)
def test_wrong_usage_ends_with_64(service: Service, words: list[str]) -> None:
    assert shoelog(service, *words, url="postgresql://x").exit_code == 64


def test_a_missing_address_is_wrong_usage(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    variable = f"SHOELOG_{service.upper()}_MIGRATOR_URL"
    monkeypatch.delenv(variable, raising=False)

    said = CliRunner().invoke(main, [service, "migrate"])

    assert said.exit_code == 64
    assert variable in said.stderr
