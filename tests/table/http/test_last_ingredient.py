"""The last ingredient of a shuffle: asked of somebody outside, or contributed; the grade it brings."""

import json
import threading
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from schemas.ingredient import final_message
from schemas.note import Signer, Verifier, parse_vkey
from services.audit.log import Trust
from services.audit.verdict import judge
from services.table.game.shoe import mix
from tests import databases
from tests.signer.desks import NAME, SignerService
from tests.table.http.conftest import MakeService
from tests.table.http.service import Desk, Service, entries_of, open_table, prepare

CHAIN = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
SIGNATURE = bytes(range(48))


class Elsewhere:
    """An HTTP server that answers as it is told to."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, Any]] = {}
        self.asked: list[tuple[str, bytes]] = []
        elsewhere = self

        class Answering(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer()

            def do_POST(self) -> None:
                self._answer()

            def _answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                elsewhere.asked.append((self.path, body))
                status, said = elsewhere.answers.get(self.path, (404, {"message": "not there"}))
                text = json.dumps(said).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answering)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def close(self) -> None:
        """Answer no more."""
        self.server.shutdown()
        self.server.server_close()

    def open(self) -> "Elsewhere":
        """Answer from now on."""
        threading.Thread(target=self.server.serve_forever).start()
        return self


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[Elsewhere]:
    made = Elsewhere().open()
    yield made
    made.close()


@pytest.fixture(scope="module")
def signer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SignerService]:
    made = SignerService(tmp_path_factory.mktemp("paris")).start()
    yield made
    made.stop()


@pytest.fixture(scope="module")
def service(
    postgres: str, signer: SignerService, elsewhere: Elsewhere, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A table service that knows whom to ask."""
    database = databases.make_database(postgres, "table")
    prepare(database)
    more = {
        "SHOELOG_SIGNER_URL": signer.url,
        "SHOELOG_SIGNER_ACCESS_KEY": signer.access_key,
        "SHOELOG_BEACON_URL": elsewhere.url,
    }
    made = Service(database, tmp_path_factory.mktemp("table"), **more).start()
    yield made
    assert made.stop() == 0
    databases.drop_database(postgres, database)


@pytest.fixture
def desk(service: Service) -> Desk:
    return service.client()


def graded(desk: Desk, at: str, path: Path, *signers: Verifier) -> tuple[int, str | None, str]:
    """Fetch the bundle of the table's first shoe and have it verified: exit code, grade and reason."""
    path.write_bytes(desk.get(f"{at}/shoes/1/bundle").content)
    log = parse_vkey(desk.get("/log/vkey").text.strip())
    judgement = judge(path, Trust(log_key=log, signers=signers))
    return judgement.exit_code, judgement.report.entropy, judgement.entropy_reason


def kinds(desk: Desk, at: str) -> list[str]:
    return [entry["event"]["type"] for entry in entries_of(desk, at.removeprefix("/tables/").join(["table/", ""]))]


def test_the_signer_named_is_asked_last_and_by_the_shuffle_itself(
    desk: Desk, signer: SignerService, tmp_path: Path
) -> None:
    at = open_table(desk)
    desk.tell(f"{at}/shoes", {"final_source": f"signer:{signer.vkey}"})
    desk.tell(f"{at}/shoes/current/entropy", {"source": "patron:p1", "value": "c0ffee"})

    shuffled = desk.tell(f"{at}/shoes/current/shuffle")

    assert shuffled["entropy"] == "patron"
    assert kinds(desk, at)[-5:] == [
        "shoe-committed",
        "entropy-contributed",
        "entropy-contributed",
        "shoe-shuffled",
        "cards-burned",
    ]
    view = desk.ask(f"{at}/shoes/1")
    assert [added["source"] for added in view["contributions"]] == ["patron:p1", f"signer:{NAME}"]
    assert view["entropy"]["grade"] == "patron"
    assert f"the key of the signer {NAME} was not given" in view["entropy"]["reason"]
    closed = desk.tell(f"{at}/shoes/current/close", {"reason": "example"})
    assert closed["entropy"] == "patron"
    believed = graded(desk, at, tmp_path / "b.zip", signer.signer.verifier)
    assert believed == (0, "independent", f"{NAME}, whose key was given, signed last")
    assert graded(desk, at, tmp_path / "b.zip")[:2] == (0, "patron")


def test_start_commits_asks_and_shuffles_and_repeated_is_done_once(desk: Desk, signer: SignerService) -> None:
    at = open_table(desk)
    named = {"final_source": f"signer:{signer.vkey}"}

    started = desk.tell(f"{at}/shoes/start", named, Idempotency_Key="start-1")
    again = desk.tell(f"{at}/shoes/start", named, Idempotency_Key="start-1")

    assert started["phase"] == "between"
    assert again == started
    assert kinds(desk, at).count("shoe-committed") == 1
    assert kinds(desk, at)[-4:] == ["shoe-committed", "entropy-contributed", "shoe-shuffled", "cards-burned"]


def test_a_start_whose_signer_was_away_goes_on_when_it_is_repeated(make_service: MakeService, tmp_path: Path) -> None:
    signer = SignerService(tmp_path).start()
    signer.stop()
    desk = make_service(SHOELOG_SIGNER_URL=signer.url, SHOELOG_SIGNER_ACCESS_KEY=signer.access_key).client()
    at = open_table(desk)
    named = {"final_source": f"signer:{signer.vkey}"}

    away = desk.post(f"{at}/shoes/start", named, Idempotency_Key="start-1")

    assert away.status_code == 503
    assert away.json()["type"] == "urn:shoelog:problem:outsider-away"
    assert desk.ask(at)["phase"] == "committed"
    desk.tell(f"{at}/shoes/current/entropy", {"source": "patron:p1", "value": "c0ffee"})
    signer.start()
    try:
        assert desk.tell(f"{at}/shoes/start", named, Idempotency_Key="start-1")["phase"] == "between"
    finally:
        signer.stop()
    assert kinds(desk, at).count("shoe-committed") == 1


def test_once_the_signer_may_have_signed_nothing_more_is_contributed(
    make_service: MakeService, signer: SignerService, elsewhere: Elsewhere
) -> None:
    elsewhere.answers["/v1/sign"] = (500, {})
    desk = make_service(SHOELOG_SIGNER_URL=elsewhere.url, SHOELOG_SIGNER_ACCESS_KEY="x").client()
    at = open_table(desk)
    desk.tell(f"{at}/shoes", {"final_source": f"signer:{signer.vkey}"})

    away = desk.post(f"{at}/shoes/current/shuffle")
    late = desk.post(f"{at}/shoes/current/entropy", {"source": "patron:p1", "value": "c0ffee"})

    assert away.status_code == 503
    assert late.status_code == 422
    assert late.json()["would_be_right"] == "shuffle"
    mixed = json.loads(elsewhere.asked[-1][1])
    message = final_message(mixed["shoe_id"], bytes.fromhex(mixed["seed_commitment"]), bytes.fromhex(mixed["mix"]))
    signature = signer.signer.sign_bytes(message).hex()
    desk.tell(f"{at}/shoes/current/entropy", {"source": f"signer:{NAME}", "value": signature})
    assert desk.tell(f"{at}/shoes/current/shuffle")["phase"] == "between"


def test_a_shoe_whose_signer_signed_another_mix_can_only_be_given_up(desk: Desk, signer: SignerService) -> None:
    at = open_table(desk)
    desk.tell(f"{at}/shoes", {"final_source": f"signer:{signer.vkey}"})
    shoe_id = f"{at.removeprefix('/tables/')}/1"
    answer = desk.http.post(
        f"{signer.url}/v1/sign",
        json={"shoe_id": shoe_id, "seed_commitment": "ab" * 32, "mix": "cd" * 32},
        headers={"Authorization": f"Bearer {signer.access_key}"},
    )
    assert answer.is_success, answer.text

    refused = desk.post(f"{at}/shoes/current/shuffle")

    assert refused.status_code == 422
    assert "another mix was signed" in refused.json()["detail"]
    assert desk.tell(f"{at}/shoes/current/void", {"reason": "no-signature"})["phase"] == "idle"
    assert desk.tell(f"{at}/shoes/start", {"final_source": f"signer:{signer.vkey}"})["shoe"] == 2


def test_a_signature_by_another_key_is_not_believed(desk: Desk) -> None:
    other = Signer(NAME, bytes(32)).verifier
    at = open_table(desk)
    desk.tell(f"{at}/shoes", {"final_source": f"signer:{other.vkey}"})

    refused = desk.post(f"{at}/shoes/current/shuffle")

    assert refused.status_code == 422
    assert f"not {NAME}'s signature" in refused.json()["detail"]
    assert kinds(desk, at)[-1] == "shoe-committed"


def test_without_an_address_the_last_ingredient_is_contributed(shared_service: Service, signer: SignerService) -> None:
    desk = shared_service.client()
    at = open_table(desk)
    committed = desk.tell(f"{at}/shoes", {"final_source": f"signer:{signer.vkey}"})
    missing = desk.post(f"{at}/shoes/current/shuffle")
    shoe_id = f"{at.removeprefix('/tables/')}/1"
    message = final_message(shoe_id, bytes.fromhex(committed["seed_commitment"]), mix([]))
    value = signer.signer.sign_bytes(message).hex()

    desk.tell(f"{at}/shoes/current/entropy", {"source": f"signer:{NAME}", "value": value})

    assert missing.json()["would_be_right"] == f"a contribution of signer:{NAME}"
    assert desk.post(f"{at}/shoes/current/entropy", {"source": "patron:p1", "value": "00"}).status_code == 422
    assert desk.tell(f"{at}/shoes/current/shuffle")["phase"] == "between"


def test_a_beacons_round_is_fetched_when_it_is_out_and_the_grade_says_that_nobody_checked_it(
    desk: Desk, elsewhere: Elsewhere, tmp_path: Path
) -> None:
    at = open_table(desk)
    desk.tell(f"{at}/shoes", {"final_source": f"drand:{CHAIN}:4711"})
    desk.tell(f"{at}/shoes/current/entropy", {"source": "patron:p1", "value": "c0ffee"})
    not_yet = desk.post(f"{at}/shoes/current/shuffle", Idempotency_Key="shuffle-1")
    desk.tell(f"{at}/shoes/current/entropy", {"source": "staff:eve", "value": "00"})
    told = {"round": 4711, "randomness": sha256(SIGNATURE).hexdigest(), "signature": SIGNATURE.hex()}
    elsewhere.answers[f"/{CHAIN}/public/4711"] = (200, told)

    desk.tell(f"{at}/shoes/current/shuffle", Idempotency_Key="shuffle-1")

    assert not_yet.status_code == 503
    assert "no round 4711 yet" in not_yet.json()["detail"]
    last = desk.ask(f"{at}/shoes/1")["contributions"][-1]
    assert last == {"source": f"drand:{CHAIN}:4711", "value": SIGNATURE.hex()}
    desk.tell(f"{at}/shoes/current/close", {"reason": "example"})
    code, grade, reason = graded(desk, at, tmp_path / "b.zip")
    assert (code, grade) == (0, "patron")
    assert "the beacon's signature cannot be checked" in reason


@pytest.mark.parametrize(
    "told",
    [
        {"round": 4712, "randomness": sha256(SIGNATURE).hexdigest(), "signature": SIGNATURE.hex()},
        {"round": 4711, "randomness": "00" * 32, "signature": SIGNATURE.hex()},
        {"round": 4711},
        [],
        "x" * 70_000,
    ],
)
def test_what_is_no_answer_of_the_beacon_is_not_taken(desk: Desk, elsewhere: Elsewhere, told: Any) -> None:
    at = open_table(desk)
    desk.tell(f"{at}/shoes", {"final_source": f"drand:{CHAIN}:4711"})
    elsewhere.answers[f"/{CHAIN}/public/4711"] = (200, told)

    answer = desk.post(f"{at}/shoes/current/shuffle")

    assert answer.status_code == 503
    assert desk.ask(f"{at}/shoes/1")["contributions"] == []


@pytest.mark.parametrize("named", ["signer:nobody", f"drand:{CHAIN}", "drand:x:1", "beacon", ""])
def test_a_last_source_of_no_known_kind_is_refused(desk: Desk, named: str) -> None:
    at = open_table(desk)

    assert desk.post(f"{at}/shoes", {"final_source": named}).status_code == 400


def test_who_speaks_for_a_patron_contributes_as_that_patron(desk: Desk) -> None:
    at = open_table(desk)
    desk.tell(f"{at}/shoes")

    other = desk.post(f"{at}/shoes/current/entropy", {"source": "patron:p2", "value": "00"}, Shoelog_Actor="patron:p1")
    own = desk.post(f"{at}/shoes/current/entropy", {"source": "patron:p1", "value": "00"}, Shoelog_Actor="patron:p1")

    assert (other.status_code, other.json()["would_be_right"]) == (422, "patron:p1")
    assert own.is_success


def test_no_access_key_is_in_any_log(desk: Desk, service: Service, signer: SignerService) -> None:
    at = open_table(desk)
    desk.tell(f"{at}/shoes/start", {"final_source": f"signer:{signer.vkey}"})

    said = service.log.read_text() + signer.log.read_text()

    assert said.count("listening") == 2
    assert signer.access_key not in said
