"""The signer's service, a process of its own: who may ask, what is signed, what is shown."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from schemas.ingredient import final_message
from schemas.note import is_signed_bytes
from services.house.cli import main
from services.signer.desk import Desk, DeskError
from tests.signer.desks import NAME, SignerService

MIXED = {"shoe_id": "b1/12", "seed_commitment": "ab" * 32, "mix": "cd" * 32}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[SignerService]:
    service = SignerService(tmp_path).start()
    yield service
    service.stop()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SignerService]:
    service = SignerService(tmp_path_factory.mktemp("paris")).start()
    yield service
    service.stop()


def ask(service: SignerService, mixed: object, *, key: str | None = None) -> httpx.Response:
    headers = {"Authorization": f"Bearer {key or service.access_key}"}
    return httpx.post(f"{service.url}/v1/sign", json=mixed, headers=headers)


def test_a_mix_is_signed_and_shown_to_everybody(service: SignerService) -> None:
    answer = ask(service, MIXED)

    assert answer.status_code == 200
    assert answer.json()["source"] == f"signer:{NAME}"
    message = final_message("b1/12", bytes.fromhex("ab" * 32), bytes.fromhex("cd" * 32))
    public = service.signer.verifier.public_key
    assert is_signed_bytes(public, bytes.fromhex(answer.json()["value"]), message)
    assert httpx.get(f"{service.url}/v1/vkey").text.strip() == service.vkey
    [shown] = [json.loads(line) for line in httpx.get(f"{service.url}/v1/signed").text.splitlines()]
    assert {name: shown[name] for name in MIXED} == MIXED
    assert shown["signature"] == answer.json()["value"]


def test_another_mix_of_the_same_shoe_is_refused_also_after_a_restart(service: SignerService) -> None:
    first = ask(service, MIXED).json()
    service.stop()
    service.start()

    refused = ask(service, {**MIXED, "mix": "ee" * 32})

    assert refused.status_code == 409
    told = refused.json()
    assert told["type"] == "urn:shoelog:problem:otherwise-signed"
    assert told["values"] == {"seed_commitment": "ab" * 32, "mix": "cd" * 32}
    assert ask(service, MIXED).json() == first


@pytest.mark.parametrize(
    "mixed",
    [
        {},
        {**MIXED, "shoe_id": "b1"},
        {**MIXED, "shoe_id": "b1/0"},
        {**MIXED, "shoe_id": "b1/12\n"},
        {**MIXED, "mix": "cd" * 31},
        {**MIXED, "mix": "CD" * 32},
        {**MIXED, "message": "anything else"},
        [MIXED],
        "b1/12",
    ],
)
def test_nothing_else_is_signed(shared: SignerService, mixed: object) -> None:
    answer = ask(shared, mixed)

    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert httpx.get(f"{shared.url}/v1/signed").text == ""


def test_a_stranger_may_not_ask(shared: SignerService) -> None:
    assert ask(shared, MIXED, key="shoelog_operator_guessed").status_code == 401
    assert httpx.post(f"{shared.url}/v1/sign", json=MIXED).status_code == 401


def test_a_desk_is_set_up_once_and_its_key_never_written_over(tmp_path: Path) -> None:
    told = CliRunner().invoke(main, ["signer", "init", "--data", str(tmp_path / "d"), "--name", NAME])
    again = CliRunner().invoke(main, ["signer", "init", "--data", str(tmp_path / "d"), "--name", NAME])

    assert told.exit_code == 0
    assert told.output.strip() == Desk(tmp_path / "d").signer().verifier.vkey
    assert (tmp_path / "d" / "key").stat().st_mode & 0o777 == 0o600
    assert again.exit_code == 1
    assert "never written over" in again.output


@pytest.mark.parametrize("name", ["two words", "plus+plus", "", "müller", "x" * 256])
def test_a_name_that_no_contribution_could_bear_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(DeskError):
        Desk(tmp_path / "d").set_up(name)


def test_a_caller_is_admitted_once_under_a_name(tmp_path: Path) -> None:
    Desk(tmp_path).set_up(NAME)
    told = CliRunner().invoke(main, ["signer", "admit", "--data", str(tmp_path), "casino"])
    again = CliRunner().invoke(main, ["signer", "admit", "--data", str(tmp_path), "casino"])

    assert told.output.startswith("shoelog_operator_")
    assert told.output.strip() not in (tmp_path / "callers").read_text()
    assert (again.exit_code, "may ask already" in again.output) == (1, True)


def test_a_directory_that_is_no_desk_does_not_serve(tmp_path: Path) -> None:
    told = CliRunner(env={"SHOELOG_SIGNER_DATA": str(tmp_path)}).invoke(main, ["signer", "serve"])

    assert told.exit_code == 1
    assert "no signer's desk" in told.output
