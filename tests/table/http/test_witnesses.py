"""A service with witnesses: bundles that carry cosignatures, and, in strict play, first cards that are held."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result

from schemas import keyfile, note, policy, submission
from services.house.cli import main
from tests.databases import Database
from tests.table.http.conftest import MakeService
from tests.table.http.service import (
    ORIGIN,
    PATIENCE_SECONDS,
    Desk,
    Service,
    entries_of,
    execute,
    in_thread,
    open_round,
    open_table,
    prepare,
)
from tests.table.stranger import AWAY, Stranger, cosign, cosign_when_told, say
from tests.table.witnessed import MakeStranger

BET = {"patron": "p1", "bet": "banker", "amount": 500}


def policy_of(tmp_path: Path, *rules: str) -> str:
    """A policy of the service's log."""
    vkey = keyfile.load(tmp_path / "log.key", ORIGIN).verifier.vkey
    return "\n".join([f"log {vkey}", *rules]) + "\n"


def asking(stranger: Stranger) -> tuple[str, str]:
    return f"witness s {stranger.vkey} {stranger.url}", "quorum s"


def verify(bundle: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["verify", "--json", *words, str(bundle)])


def log_check(said: Result) -> tuple[str, str]:
    [report] = json.loads(said.stdout)
    [check] = [each for each in report["checks"] if each["check"] == "log"]
    return check["result"], " ".join(finding["what"] for finding in check["findings"])


def fetch_bundle(desk: Desk, at: str, path: Path) -> Path:
    answer = desk.get(f"{at}/shoes/1/bundle")
    assert answer.is_success, answer.text
    path.write_bytes(answer.content)
    return path


def cards_of(desk: Desk, at: str) -> list[Any]:
    """The cards that have fallen at a table."""
    entries = entries_of(desk, f"table/{at.rpartition('/')[2]}")
    return [entry for entry in entries if entry["event"]["type"] == "card-dealt"]


def test_a_bundle_carries_its_policy_and_cosignatures_and_a_stranger_verifies_them(
    make_service: MakeService, policy_file: Path, tmp_path: Path, make_stranger: MakeStranger
) -> None:
    signer = keyfile.load(tmp_path / "log.key", ORIGIN)
    strangers = [make_stranger(cosign), make_stranger(cosign), make_stranger(AWAY)]
    lines = [f"witness {name} {each.vkey} {each.url}" for name, each in zip("abc", strangers, strict=True)]
    text = policy_of(tmp_path, *lines, "group two 2 a b c", "quorum two")
    policy_file.write_text(text)
    desk = make_service(SHOELOG_LOG_POLICY_FILE=str(policy_file)).client()
    at = open_round(desk)
    desk.tell(f"{at}/rounds/current/bets", BET)
    desk.tell(f"{at}/rounds/current/coup")

    bundle = fetch_bundle(desk, at, tmp_path / "shoe.zip")

    shown = policy.judge(policy.parse(text.encode()), desk.get("/log/checkpoint").content)
    assert (shown.findings, shown.cosigned) == ((), ("a", "b"))
    assert policy.parse(desk.get("/log/policy").content) == policy.parse(text.encode())
    assert log_check(verify(bundle, "--policy", str(policy_file))) == ("passed", "")
    assert log_check(verify(bundle, "--log-key", signer.verifier.vkey)) == ("passed", "")
    asks_more = tmp_path / "asks-more"
    asks_more.write_text(text.replace("group two 2", "group two 3"))
    result, said = log_check(verify(bundle, "--policy", str(asks_more)))
    assert (result, "the quorum two is not met: cosigned by a, b" in said) == ("failed", True)
    metrics = httpx.get(str(desk.http.base_url.join("/metrics"))).text
    assert 'shoelog_log_witness{witness="a"} 1.0' in metrics
    assert 'shoelog_log_witness{witness="c"} 0.0' in metrics


def test_witnesses_that_go_hold_up_no_play_and_are_asked_again_when_they_come(
    make_service: MakeService, policy_file: Path, tmp_path: Path, make_stranger: MakeStranger
) -> None:
    stranger = make_stranger(cosign)
    policy_file.write_text(policy_of(tmp_path, *asking(stranger)))
    desk = make_service(SHOELOG_LOG_POLICY_FILE=str(policy_file)).client()
    at = open_round(desk)
    stranger.script = AWAY
    desk.tell(f"{at}/rounds/current/coup")
    bundle = fetch_bundle(desk, at, tmp_path / "away.zip")
    result, said = log_check(verify(bundle, "--policy", str(policy_file)))
    assert (result, said) == ("failed", "the quorum s is not met: cosigned by no known witness")

    stranger.script = cosign
    while True:
        bundle = fetch_bundle(desk, at, tmp_path / "back.zip")
        if log_check(verify(bundle, "--policy", str(policy_file)))[0] == "passed":
            break


@pytest.mark.parametrize("dealing", ["coup", "deal", "card"])
def test_the_first_card_is_held_until_the_witnesses_have_cosigned_that_bets_are_closed(
    strict: tuple[Service, Stranger], dealing: str
) -> None:
    service, stranger = strict
    desk, watcher = service.client(), service.client()
    at = open_round(desk)
    desk.tell(f"{at}/rounds/current/bets", BET)
    if dealing != "coup":
        desk.tell(f"{at}/rounds/current/close")
    stranger.script = cosign_when_told
    asked_before = len(stranger.asked)

    answer = in_thread(lambda: desk.post(f"{at}/rounds/current/{dealing}"))
    while watcher.ask(at)["phase"] != "dealing" or len(stranger.asked) == asked_before:
        pass
    entries = entries_of(watcher, f"table/{at.rpartition('/')[2]}")
    assert entries[-1]["event"]["type"] == "bets-closed"
    stranger.may_answer.set()

    assert answer().status_code == 200
    assert len(cards_of(desk, at)) >= (1 if dealing == "card" else 4)
    size = len(watcher.get("/log/entries").text.splitlines())
    covering = [note.parse(submission.parse(each).checkpoint).text.split(b"\n")[1] for each in stranger.asked]
    closed = next(
        number
        for number, line in enumerate(watcher.get("/log/entries").text.splitlines())
        if json.loads(line)["event"]["type"] == "bets-closed"
    )
    assert any(closed < int(each) < size for each in covering)


def test_the_cards_after_the_first_are_not_held(strict: tuple[Service, Stranger]) -> None:
    service, stranger = strict
    desk = service.client()
    at = open_round(desk)
    desk.tell(f"{at}/rounds/current/close")
    desk.tell(f"{at}/rounds/current/card")
    stranger.script = AWAY

    desk.tell(f"{at}/rounds/current/card")
    desk.tell(f"{at}/rounds/current/deal")

    assert desk.ask(at)["phase"] == "between"


def test_when_the_witnesses_do_not_answer_nothing_is_dealt_and_the_same_request_may_be_repeated(
    strict: tuple[Service, Stranger],
) -> None:
    service, stranger = strict
    desk = service.client()
    at = open_round(desk)
    desk.tell(f"{at}/rounds/current/bets", BET)
    stranger.script = AWAY

    held = desk.post(f"{at}/rounds/current/coup", idempotency_key="coup-1")

    assert held.status_code == 503
    assert held.json()["type"] == "urn:shoelog:problem:unwitnessed"
    assert "no card was dealt" in held.json()["detail"]
    assert held.headers["retry-after"] == "1"
    assert (desk.ask(at)["phase"], cards_of(desk, at)) == ("dealing", [])
    assert desk.post(f"{at}/rounds/current/bets", BET).status_code == 409
    stranger.script = cosign
    dealt = desk.tell(f"{at}/rounds/current/coup", idempotency_key="coup-1")
    again = desk.tell(f"{at}/rounds/current/coup", idempotency_key="coup-1")
    assert dealt == again
    assert len({card["command"] for card in cards_of(desk, at)}) == 1


def test_a_key_that_was_held_serves_for_the_next_round_when_that_one_was_given_up(
    strict: tuple[Service, Stranger],
) -> None:
    service, stranger = strict
    desk = service.client()
    at = open_round(desk)
    stranger.script = AWAY
    assert desk.post(f"{at}/rounds/current/coup", idempotency_key="coup-1").status_code == 503
    stranger.script = cosign
    desk.tell(f"{at}/rounds/current/void", {"reason": "witnesses-away"})
    desk.tell(f"{at}/rounds")

    dealt = desk.tell(f"{at}/rounds/current/coup", idempotency_key="coup-1")
    desk.tell(f"{at}/rounds")
    again = desk.tell(f"{at}/rounds/current/coup", idempotency_key="coup-1")

    assert dealt == again
    assert desk.ask(at)["phase"] == "betting"


def test_the_first_real_card_of_a_round_is_held_too(strict: tuple[Service, Stranger]) -> None:
    service, stranger = strict
    desk = service.client()
    at = open_table(desk)
    desk.tell(f"{at}/shoes", {"source": "scanned"})
    desk.tell(f"{at}/shoes/current/cards", {"cards": ["As"]})
    desk.tell(f"{at}/rounds")
    desk.tell(f"{at}/rounds/current/close")
    stranger.script = AWAY

    held = desk.post(f"{at}/shoes/current/cards", {"cards": ["9d"], "position": 2})
    stranger.script = cosign
    told = desk.tell(f"{at}/shoes/current/cards", {"cards": ["9d"], "position": 2})

    assert held.status_code == 503
    assert told["player"] == ["9d"]


def test_what_the_rules_refuse_is_refused_before_anybody_waits(strict: tuple[Service, Stranger]) -> None:
    service, stranger = strict
    desk = service.client()
    at = open_round(desk)
    stranger.script = AWAY

    for dealing in ("deal", "card"):
        refused = desk.post(f"{at}/rounds/current/{dealing}")
        assert (refused.status_code, refused.json()["type"]) == (409, "urn:shoelog:problem:wrong-phase")
    desk.tell(f"{at}/suspend", {"reason": "fire-drill"})
    refused = desk.post(f"{at}/rounds/current/coup")
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:shoelog:problem:table-suspended")


def test_a_service_whose_witness_has_seen_more_does_not_start(
    make_database: Callable[[str], Database], policy_file: Path, tmp_path: Path, make_stranger: MakeStranger
) -> None:
    stranger = make_stranger(say(409, b"1000000\n", submission.SIZE_MEDIA_TYPE))
    policy_file.write_text(policy_of(tmp_path, *asking(stranger)))
    database = make_database("table")
    prepare(database)
    service = Service(database, tmp_path, SHOELOG_LOG_POLICY_FILE=str(policy_file))

    with pytest.raises(AssertionError, match="never told"):
        service.start()

    assert service.process.wait(PATIENCE_SECONDS) != 0
    told = service.log.read_text()
    assert "has cosigned 1000000 entries of this log" in told
    assert "take it out of the policy file" in told
    assert execute(database, "select count(*) from journal.entry")[0][0] == 0


def test_a_policy_that_does_not_do_is_told_at_once(
    policy_file: Path, tmp_path: Path, make_stranger: MakeStranger
) -> None:
    vkey = make_stranger(cosign).vkey
    environment = {
        "SHOELOG_TABLE_DATABASE_URL": "postgresql://x@localhost/x",
        "SHOELOG_LOG_KEY_FILE": str(tmp_path / "log.key"),
        "SHOELOG_SEED_KEY_FILE": str(tmp_path / "seed.key"),
        "SHOELOG_LOG_STRICT": "1",
        "SHOELOG_LOG_POLICY_FILE": str(policy_file),
    }
    wrong = {
        "No such file": None,
        "is no policy": "quorum",
        "too few of its witnesses have an address": policy_of(tmp_path, f"witness s {vkey}", "quorum s"),
        "has no address such as": policy_of(tmp_path, f"witness s {vkey} ftp://x", "quorum s"),
        "asks for no quorum": policy_of(tmp_path, "quorum none"),
    }

    for said, text in wrong.items():
        if text is not None:
            policy_file.write_text(text)
        refused = CliRunner().invoke(main, ["table", "serve"], env=environment)
        assert refused.exit_code == 1
        assert said in refused.output
