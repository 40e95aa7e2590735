"""`shoelog up` as a real process: it answers, survives whatever is killed, goes on where it stopped, leaves nothing."""

import os
import signal
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schemas import policy
from tests.databases import embedded, scratch_directory
from tests.house.opened import (
    Opened,
    answers,
    ask,
    child,
    children,
    command,
    eventually,
    is_there,
    open_table,
    start,
    stop,
)
from tests.style.checkout import ROOT


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


def test_bots_play_where_one_of_them_banks(house: Opened) -> None:
    url, key = f"{house.table}/v1/tables/salon", house.keys["dashboard"]

    eventually(lambda: answers(url, key) and has_bank(ask(url, key)), "a bank")

    assert {seated["patron"] for seated in ask(f"{url}/actions", key)["seats"]} == {"salon-1", "salon-2", "salon-3"}


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


@pytest.mark.parametrize(
    ("spoiled", "content", "reason"),
    [
        ("keys.json", b"{", "keys.json holds no keys"),
        ("keys.json", b'{"operator":3}', "keys.json holds no keys"),
        ("keys.json", b'{"operator":"hunter2"}', "keys.json holds no keys"),
        ("seed.key", b"x", "seed.key holds no seed keys"),
        ("postgres/cluster/PG_VERSION", b"", "PG_VERSION does not say which PostgreSQL made it"),
    ],
)
def test_a_house_whose_files_are_spoiled_says_which_and_does_not_open(
    data: Path, spoiled: str, content: bytes, reason: str
) -> None:
    (data / spoiled).parent.mkdir(parents=True, mode=0o711)
    (data / spoiled).touch(mode=0o600)
    (data / spoiled).write_bytes(content)

    said = subprocess.run(
        command("up", "--data", str(data), "--port", "0"), cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert said.returncode == 1
    assert reason in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (("--data", "/proc/house"), "/proc/house: No such file or directory"),
        (("--postgres-url", "postgresql://nobody@127.0.0.1:1/nowhere"), "PostgreSQL does not let the house in"),
        (("--postgres-url", "nonsense"), "PostgreSQL does not let the house in"),
    ],
)
def test_a_house_without_a_place_or_a_database_says_so_in_a_line(
    data: Path, words: tuple[str, ...], reason: str
) -> None:
    asked = command("up", "--data", str(data), "--port", "0", *words)
    said = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=False)

    assert said.returncode == 1
    assert reason in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize(("words", "path"), [("table serve", "/v1/tables/b1"), ("ledger serve", "/v1/trial-balance")])
def test_a_service_that_is_killed_is_started_again(house: Opened, words: str, path: str) -> None:
    url = (house.table if words == "table serve" else house.ledger) + path
    killed = child(house.process.pid, words)

    os.kill(killed, signal.SIGKILL)

    eventually(lambda: not is_there(killed), "the death")
    eventually(lambda: answers(url, house.keys["operator"]), "an answer")


def test_postgres_killed_is_started_again_and_the_services_stay(house: Opened) -> None:
    key = house.keys["operator"]
    table, ledger, postgres = (child(house.process.pid, words) for words in ("table serve", "ledger serve", "postgres"))

    os.kill(postgres, signal.SIGKILL)

    eventually(lambda: not is_there(postgres), "the death")
    eventually(lambda: answers(f"{house.table}/v1/tables/b1", key), "the table service's answer")
    eventually(lambda: answers(f"{house.ledger}/v1/trial-balance", key), "the ledger's answer")
    ask(f"{house.table}/v1/tables/b1/chips/buy", key, {"patron": "p1", "amount": 500, "means": "cash"})
    assert (child(house.process.pid, "table serve"), child(house.process.pid, "ledger serve")) == (table, ledger)


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


def test_a_house_whose_seed_key_is_gone_says_what_to_do_and_then_which_shoes_are_lost(data: Path) -> None:
    first = start(data)
    open_table(first)
    ask(f"{first.table}/v1/tables/b1/shoes/start", first.keys["operator"], {})
    stop(first)
    key = data / "seed.key"
    key.unlink()

    words = command("up", "--data", str(data), "--port", "0")
    refused = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    is_made = key.exists()
    subprocess.run(command("table", "key", "rotate-seeds", "--new", "--seed-key-file", str(key)), cwd=ROOT, check=True)
    said = stop(start(data))

    assert (refused.returncode, is_made) == (1, False)
    assert refused.stderr.startswith(f"Error: {key} is not there, and its key sealed the seeds of shoe b1/1: put")
    assert f"no key in {key} opens shoe b1/1: put the key that sealed them back" in said


def test_a_url_replaces_the_embedded_postgres(data: Path) -> None:
    with scratch_directory() as scratch, embedded(scratch) as server:
        opened = start(data, SHOELOG_POSTGRES_URL=server.url())
        open_table(opened)
        everybody = children(opened.process.pid)
        stop(opened)

    assert sorted(line.rpartition("cli ")[2] for line in everybody.values()) == ["ledger serve", "table serve"]
    assert not (data / "postgres").exists()


def test_the_houses_own_witnesses_cosign_and_let_strict_play_go_on_and_keep_their_keys(data: Path) -> None:
    first = start(data, "--witnesses", "2", "--strict", "--bots", "1")
    asked = policy.parse((data / "policy").read_bytes())

    eventually(lambda: has_dealt(first), "cards")
    judged = policy.judge(asked, text_of(f"{first.table}/v1/log/checkpoint"))
    everybody = children(first.process.pid)
    stop(first)
    second = start(data, "--witnesses", "2")
    again = policy.parse((data / "policy").read_bytes())
    stop(second)

    assert (judged.cosigned, judged.findings) == (("witness-1", "witness-2"), ())
    assert len([line for line in everybody.values() if "witness serve" in line]) == 2
    assert f"shoelog verify --policy {data / 'policy'}" in first.said
    assert [witness.key for witness in again.witnesses] == [witness.key for witness in asked.witnesses]
    assert again.logs == asked.logs


def has_bank(table: Any) -> bool:
    return any(stake["bet"] == "bank" for stake in table.get("round", {}).get("stakes", ()))


def has_dealt(opened: Opened) -> bool:
    url, key = f"{opened.table}/v1/tables/demo", opened.keys["dashboard"]
    return answers(url, key) and bool(ask(url, key).get("round", {}).get("player"))


def text_of(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=30) as answer:  # noqa: S310 - our own house
        content: bytes = answer.read()
        return content
