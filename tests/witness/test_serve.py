"""A witness as a process of its own: what it answers, and that it forgets nothing, however it ends."""

import json
import re
import threading
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner, Result

from schemas import note as notes
from services.house.cli import main
from tests.witness.paper_log import LOG, ORIGIN, note, request
from tests.witness.standing import PATIENCE_SECONDS, Standing


@pytest.fixture
def standing(tmp_path: Path) -> Iterator[Standing]:
    """A witness that runs, and knows the log on paper."""
    standing = Standing(tmp_path / "witness", "--log", LOG.verifier.vkey).start()
    yield standing
    standing.kill()


def shoelog(*words: str) -> Result:
    return CliRunner().invoke(
        main, ["witness", *words], env={"SHOELOG_WITNESS_DIRECTORY": "", "SHOELOG_WITNESS_NAME": ""}
    )


def test_it_answers_as_the_protocol_says(standing: Standing) -> None:
    first = standing.submit(request(0, 10))
    conflict = standing.submit(request(0, 20))
    fork = standing.submit(request(10, 10, fork=4))

    assert first.status_code == 200
    assert re.fullmatch(r"— regulator\.example/w1 [A-Za-z0-9+/]+=*\n", first.text)
    assert (conflict.status_code, conflict.content) == (409, b"10\n")
    assert conflict.headers["content-type"] == "text/x.tlog.size"
    assert fork.status_code == 422
    assert fork.json()["type"] == "urn:shoelog:problem:inconsistent"


def test_it_shows_its_key_what_it_cosigned_and_its_evidence(standing: Standing) -> None:
    standing.submit(request(0, 10))
    standing.submit(request(10, 10, fork=4))

    shown = httpx.get(f"{standing.url}/{sha256(ORIGIN.encode()).hexdigest()}/checkpoint")
    assert notes.open_note(shown.content, [LOG.verifier]).text == notes.parse(note(10)).text
    assert notes.open_note(shown.content, [standing.key]).signed_by == (standing.key,)
    assert httpx.get(f"{standing.url}/vkey").text.strip() == standing.key.vkey
    assert standing.sizes == {ORIGIN: 10}
    [case] = standing.cases
    assert (case["kind"], case["cosigned"], case["shown"]) == ("fork", shown.text, note(10, fork=4).decode())
    assert [told["kind"] for told in standing.told("evidence of misbehaviour")] == ["fork"]
    assert httpx.get(f"{standing.url}/evidence/fork-0123456789abcdef").status_code == 404
    assert "shoelog_witness_evidence 1.0" in httpx.get(f"{standing.url}/metrics").text
    assert httpx.get(f"{standing.url}/readyz").status_code == 200


def test_a_body_may_be_called_anything_but_has_an_end(standing: Standing) -> None:
    for media_type in ("text/plain", "application/octet-stream", "", "application/json"):
        headers = {"content-type": media_type} if media_type else {}
        answer = httpx.post(f"{standing.url}/add-checkpoint", content=request(0, 0), headers=headers)
        assert answer.status_code == 200

    assert standing.submit(b"old 0\n" * 300_000).status_code == 413


def test_it_goes_on_where_it_stopped_and_two_do_not_share_a_memory(standing: Standing, tmp_path: Path) -> None:
    standing.submit(request(0, 10))
    twin = Standing(tmp_path / "witness", "--log", LOG.verifier.vkey)
    twin.log = tmp_path / "twin.log"

    assert twin.begin().wait(timeout=PATIENCE_SECONDS) != 0
    assert "another witness holds" in twin.log.read_text()
    assert standing.stop() == 0
    standing.start()
    assert standing.submit(request(0, 20)).content == b"10\n"
    assert standing.submit(request(10, 20)).status_code == 200


def test_killed_at_any_moment_it_forgets_nothing_that_it_said(standing: Standing) -> None:
    said = 0
    for turn in range(3):
        killer = threading.Timer(0.01 + 0.02 * turn, standing.kill)
        killer.start()
        while True:
            try:
                answer = standing.submit(request(said, said + 1))
            except httpx.TransportError:
                break
            if answer.status_code == 409:  # the last answer was lost on its way, not the memory of it
                assert int(answer.text) in (said, said + 1)
                said = int(answer.text)
                continue
            assert answer.status_code == 200
            said += 1
        killer.join()
        standing.start()
        assert standing.sizes.get(ORIGIN, 0) in (said, said + 1)
        assert standing.submit(request(said + 2, said + 3)).status_code == 409
        said = standing.sizes.get(ORIGIN, 0)
    assert not standing.cases


def test_many_who_ask_at_once_are_answered_one_after_the_other(standing: Standing) -> None:
    standing.submit(request(0, 10))
    answers: list[httpx.Response] = []

    threads = [
        threading.Thread(target=lambda size=size: answers.append(standing.submit(request(10, size))))
        for size in range(11, 27)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(answer.status_code for answer in answers) == [200] + [409] * 15
    [size] = {int(answer.text) for answer in answers if answer.status_code == 409}
    assert standing.sizes == {ORIGIN: size}


def test_a_key_without_its_memory_is_refused(tmp_path: Path) -> None:
    where = ("--data", str(tmp_path / "w"))
    made = shoelog("init", *where, "--name", "regulator.example/w1")
    assert made.exit_code == 0
    assert shoelog("key", *where).output == made.output
    assert shoelog("init", *where).output == made.output
    memory = tmp_path / "w" / "memory.json"
    assert json.loads(memory.read_bytes()) == {"vkey": made.output.strip(), "logs": {}}
    memory.unlink()

    for words in (("init", "--name", "regulator.example/w1"), ("key",), ("serve", "--log", LOG.verifier.vkey)):
        refused = shoelog(*words, *where)
        assert refused.exit_code == 1
        assert "bring" in refused.output
    assert shoelog("init", *where, "--name", "regulator.example/w1", "--has-never-cosigned").output == made.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("serve", "--name", "a.example/w"), "knows no log"),
        (("serve", "--log", LOG.verifier.vkey), "needs a name"),
        (("serve", "--name", "no name", "--log", "x", "--port", "high", "--policy", "/nowhere"), "4 complaints"),
        (("key",), "is gone"),
    ],
)
def test_what_is_missing_is_told(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    refused = shoelog(*words, "--data", str(tmp_path / "w"))

    assert refused.exit_code == 1
    complaints = re.findall(r"^(?:Error: )?(SHOELOG_WITNESS_\w+): ", refused.output, re.MULTILINE)
    assert said in refused.output or said == f"{len(complaints)} complaints", refused.output


def test_a_policy_names_the_logs_too(tmp_path: Path) -> None:
    policy = tmp_path / "policy"
    policy.write_text(f"log {LOG.verifier.vkey}\nquorum none\n")
    standing = Standing(tmp_path / "witness", "--policy", str(policy)).start()

    answer = standing.submit(request(0, 10))

    assert standing.stop() == 0
    assert answer.status_code == 200
