"""`shoelog bots` while the service goes away: they say that they wait, and how long at most; they play on, or leave."""

import subprocess
import sys
import threading

import pytest
from click.testing import CliRunner

from services.house import bots, runner
from services.house.cli import main
from services.house.house import free_ports
from tests.house.opened import eventually
from tests.table.http.conftest import MakeService
from tests.table.http.service import OPERATOR, Service


def words(service: Service) -> list[str]:
    return ["bots", "--url", service.url, "--key", OPERATOR, "--patrons", "3", "--rules", "mini", "--pause", "0"]


def wait_for_a_coup(service: Service, *, after: int = 0) -> int:
    """Wait until somebody deals at their table; give its version."""
    desk = service.client()
    versions = [0]

    def is_dealt() -> bool:
        answer = desk.get("/tables/demo")
        versions.append(answer.json()["version"] if answer.is_success and "round" in answer.json() else 0)
        return versions[-1] > after

    eventually(is_dealt, "a coup")
    return versions[-1]


def test_patrons_say_that_they_wait_for_a_house_and_play_on_when_it_is_back(make_service: MakeService) -> None:
    service = make_service(SHOELOG_TABLE_PORT=str(free_ports(1)[0]))
    command = [sys.executable, "-m", "services.house.cli", *words(service)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as patrons:
        assert patrons.stderr
        try:
            version = wait_for_a_coup(service)
            service.kill()
            told = patrons.stderr.readline()
            service.start()
            back = patrons.stderr.readline()
            wait_for_a_coup(service, after=version)
        finally:
            patrons.kill()

    assert told.startswith(f"{service.url} cannot be reached: ")
    assert told.endswith("; it is waited for, 300 s at most\n")
    assert back == f"{service.url} is back\n"


def test_patrons_leave_a_house_that_does_not_come_back(
    make_service: MakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_service()
    monkeypatch.setattr(bots, "PATIENCE_SECONDS", 1)
    monkeypatch.setattr(runner, "NEWS_SECONDS", 0)

    def cut() -> None:
        wait_for_a_coup(service)
        service.kill()

    cutting = threading.Thread(target=cut)
    cutting.start()
    said = CliRunner().invoke(main, words(service))
    cutting.join()

    assert said.exit_code == 1
    first, *_, last = said.stderr.splitlines()
    assert first.endswith("it is waited for, 1 s at most")
    assert last.startswith(f"Error: {service.url} cannot be reached: ")
