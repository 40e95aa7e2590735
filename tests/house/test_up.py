"""`shoelog up` as a real process: it answers, survives whatever is killed, goes on where it stopped, leaves nothing."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.databases import scratch_directory
from tests.style.checkout import ROOT

PATIENCE_SECONDS = 60.0


class Opened(NamedTuple):
    """A house that said that it is open."""

    process: subprocess.Popen[str]
    table: str
    ledger: str
    keys: dict[str, str]


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "services.house.cli", *words]


def start(data: Path, *words: str) -> Opened:
    process = subprocess.Popen(
        command("up", "--data", str(data), "--port", "0", *words),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = ""
    assert process.stdout
    for line in process.stdout:
        said += line
        if "Ctrl-C" in line:
            break
    else:
        raise AssertionError(f"{said}{process.communicate()[1]}")
    table, ledger = re.findall(r"http://127\.0\.0\.1:\d+", said)[:2]
    return Opened(process, table, ledger, dict(re.findall(r"^  (\w+) +(shoelog_\S+)$", said, re.MULTILINE)))


def stop(opened: Opened) -> str:
    """Its last words."""
    opened.process.send_signal(signal.SIGTERM)
    _, said = opened.process.communicate(timeout=PATIENCE_SECONDS)
    assert opened.process.returncode == 0, said
    return said


def ask(url: str, key: str = "", body: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {key}"}
    data = None
    if body is not None:
        headers |= {"Content-Type": "application/json", "Idempotency-Key": os.urandom(16).hex()}
        data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers)  # noqa: S310 - our own house
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        return json.load(answer)


def eventually(is_true: Callable[[], bool], what: str) -> None:
    """Look again until it is true."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_true():
        assert time.monotonic() < deadline, f"never saw: {what}"
        time.sleep(0.02)


def answers(url: str, key: str) -> bool:
    try:
        ask(url, key)
    except OSError:
        return False
    return True


def children(pid: int) -> dict[int, str]:
    """The processes of a house, each with its command line."""
    listed = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return {int(row[0]): row[2] for row in rows if len(row) > 2 and int(row[1]) == pid}


def child(opened: Opened, words: str) -> int:
    """The one process of the house whose command line has these words."""
    [found] = [pid for pid, line in children(opened.process.pid).items() if words in line]
    return found


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def open_table(opened: Opened) -> None:
    people = {"counted_by": "staff:anna", "verified_by": "staff:ben"}
    table = {"table": "b1", "name": "One", "currency": "EUR", "rules": "mini", "float": [[100, 10]], **people}
    ask(f"{opened.table}/v1/tables", opened.keys["operator"], table)


@pytest.fixture
def data() -> Iterator[Path]:
    with scratch_directory() as directory:
        yield directory / "house"


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    with scratch_directory() as directory:
        yield directory / "house"


@pytest.fixture(scope="module")
def house(place: Path) -> Iterator[Opened]:
    """One house for all tests that leave it as they found it; three patrons play in it."""
    opened = start(place, "--bots", "3")
    open_table(opened)
    yield opened
    stop(opened)


def test_a_house_answers_to_each_of_its_keys_and_to_no_other(house: Opened) -> None:
    assert set(house.keys) == {"operator", "auditor", "dashboard"}
    for key in house.keys.values():
        assert answers(f"{house.table}/v1/tables", key)
        assert answers(f"{house.ledger}/v1/trial-balance", key)
    assert not answers(f"{house.table}/v1/tables", "shoelog_operator_wrong")


def test_bots_play(house: Opened) -> None:
    url, key = f"{house.table}/v1/tables/demo", house.keys["dashboard"]

    eventually(lambda: answers(url, key) and "round" in ask(url, key), "a round")


def test_keys_and_secrets_are_for_their_owners_eyes(house: Opened, place: Path) -> None:
    secrets = ["keys.json", "log.key", "seed.key", "postgres/password"]

    assert house.process.poll() is None
    assert [oct((place / name).stat().st_mode & 0o777) for name in secrets] == ["0o600"] * len(secrets)


def test_no_secret_is_in_a_log_or_on_a_command_line(house: Opened, place: Path) -> None:
    password = (place / "postgres" / "password").read_text().strip()

    logs = "".join(path.read_text() for path in (*place.glob("*.log"), place / "postgres" / "postgres.log"))
    lines = "".join(children(house.process.pid).values())

    for secret in (password, *house.keys.values()):
        assert secret not in logs
        assert secret not in lines


def test_a_second_house_in_the_same_place_or_at_the_same_port_is_refused(
    house: Opened, place: Path, data: Path
) -> None:
    port = house.table.rpartition(":")[2]

    for directory, reason in ((place, "another house is open in"), (data, f"port {port} of 127.0.0.1 is taken")):
        words = command("up", "--data", str(directory), "--port", port)
        second = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)

        assert second.returncode == 1
        assert reason in second.stderr
    assert answers(f"{house.table}/v1/tables", house.keys["operator"])


@pytest.mark.parametrize(("words", "path"), [("table serve", "/v1/tables/b1"), ("ledger serve", "/v1/trial-balance")])
def test_a_service_that_is_killed_is_started_again(house: Opened, words: str, path: str) -> None:
    url = (house.table if words == "table serve" else house.ledger) + path
    killed = child(house, words)

    os.kill(killed, signal.SIGKILL)

    eventually(lambda: not is_there(killed), "the death")
    eventually(lambda: answers(url, house.keys["operator"]), "an answer")


def test_postgres_killed_is_started_again_and_the_services_stay(house: Opened) -> None:
    key = house.keys["operator"]
    table, ledger, postgres = (child(house, words) for words in ("table serve", "ledger serve", "postgres"))

    os.kill(postgres, signal.SIGKILL)

    eventually(lambda: not is_there(postgres), "the death")
    eventually(lambda: answers(f"{house.table}/v1/tables/b1", key), "the table service's answer")
    eventually(lambda: answers(f"{house.ledger}/v1/trial-balance", key), "the ledger's answer")
    ask(f"{house.table}/v1/tables/b1/chips/buy", key, {"patron": "p1", "amount": 500, "means": "cash"})
    assert (child(house, "table serve"), child(house, "ledger serve")) == (table, ledger)


def test_nobody_outlives_a_house_and_the_next_one_goes_on_with_its_state_and_keys(data: Path) -> None:
    killed = start(data)
    open_table(killed)
    everybody = children(killed.process.pid)
    killed.process.kill()
    killed.process.communicate()

    assert len(everybody) == 3
    eventually(lambda: not any(is_there(pid) for pid in everybody), "the end of everybody")

    stopped = start(data)
    tables = ask(f"{stopped.table}/v1/tables", stopped.keys["operator"])
    everybody = children(stopped.process.pid)
    stop(stopped)

    assert stopped.keys == killed.keys
    assert [line["table"] for line in tables["tables"]] == ["b1"]
    assert not any(is_there(pid) for pid in everybody)
