"""The key that sealed open shoes is gone: no service makes another in its place unasked, and none keeps quiet."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.table.http.conftest import MakeService
from tests.table.http.service import Desk, Service, open_round, open_table

SAID = "seeds sealed with another key"


def say(service: Service, *words: str, **more: str) -> "subprocess.CompletedProcess[str]":
    """Type a command line in the service's environment."""
    return subprocess.run(
        [sys.executable, "-m", "services.house.cli", *words],
        env={**service.environment, **more},
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )


def shoe_of(at: str, number: int) -> str:
    return f"{at.rpartition('/')[2]}/{number}"


def with_open_shoes(desk: Desk) -> list[str]:
    """Have two shoes open and a third one at its end; name those that are open."""
    opened = [open_round(desk) for _ in range(2)]
    ended = open_table(desk)
    desk.tell(f"{ended}/shoes/start")
    desk.tell(f"{ended}/shoes/current/close", {"reason": "early"})
    return sorted(shoe_of(at, 1) for at in opened)


def test_no_key_is_made_in_the_place_of_one_that_sealed_open_shoes(make_service: MakeService) -> None:
    service = make_service()
    shoes = with_open_shoes(service.client())
    key = service.directory / "seed.key"
    service.stop()
    key.rename(key.with_name("kept"))

    refused = say(service, "table", "serve")
    is_made = key.exists()
    succession = say(
        service,
        *("log", "succeed", "--approved-by", "staff:anna"),
        SHOELOG_TABLE_MIGRATOR_URL=service.database.url("shoelog_table_migrator"),
        SHOELOG_LOG_ORIGIN="shoelog.test/log/2",
    )
    key.with_name("kept").rename(key)
    service.start()

    assert (refused.returncode, succession.returncode) == (1, 1)
    for said in (refused.stderr, succession.stderr):
        assert f"{key} is not there, and its key sealed the seeds of shoes {', '.join(shoes)}: put" in said
        assert f"shoelog table key rotate-seeds --new --seed-key-file {key}" in said
        assert len(said.splitlines()) == 1
    assert not is_made
    assert SAID not in service.log.read_text()
    service.client().tell(f"/tables/{shoes[0][:-2]}/rounds/current/coup")


def test_with_a_new_key_a_service_names_the_shoes_that_it_cannot_open_and_they_are_voided(
    make_service: MakeService,
) -> None:
    service = make_service()
    shoes = with_open_shoes(service.client())
    key = service.directory / "seed.key"
    service.stop()
    key.unlink()

    made = say(service, "table", "key", "rotate-seeds", "--new", "--seed-key-file", str(key))
    again = say(service, "table", "key", "rotate-seeds", "--new", "--seed-key-file", str(key))
    told = told_at_start(service)
    at = f"/tables/{shoes[0][:-2]}"
    desk = service.client()
    answer = desk.post(f"{at}/rounds/current/coup")
    desk.tell(f"{at}/shoes/current/void", {"reason": "seed-lost"}, Shoelog_Actor="staff:manager")
    desk.tell(f"{at}/shoes/start")
    service.stop()
    told_then = told_at_start(service)

    assert made.stdout == f"{key} has 1 key; the newest seals from now on\n"
    assert (again.returncode, "File exists" in again.stderr) == (1, True)
    assert (told["level"], told["shoes"]) == ("error", shoes)
    assert f"no key in {key} opens shoes {', '.join(shoes)}: put the key that sealed them back" in told["what"]
    assert answer.status_code == 409
    assert told_then["shoes"] == shoes[1:]


def told_at_start(service: Service) -> Any:
    """What a service that starts says of its seeds."""
    before = len(service.log.read_text().splitlines())
    service.start()
    lines = map(json.loads, service.log.read_text().splitlines()[before:])
    return next(line for line in lines if line["event"] == SAID)


def test_a_spoiled_key_file_is_told_in_a_line(make_service: MakeService) -> None:
    service = make_service()
    key = service.directory / "seed.key"
    service.stop()
    key.write_text("no key")

    refused = say(service, "table", "serve")

    assert (refused.returncode, refused.stderr) == (1, f"Error: {key} holds no seed keys: 64 hex digits a line\n")
