"""A bet's receipt: asked for, given with the answer, and proved without a key."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from schemas import proof
from schemas.entry import leaf
from schemas.note import parse_vkey
from services.audit.log import Trust
from services.audit.receipt import judge_receipt
from tests.table.http.service import Desk, Service, entries_of, open_round, open_table

BET = {"patron": "p1", "bet": "banker", "amount": 500}


@pytest.fixture
def desk(shared_service: Service) -> Desk:
    return shared_service.client()


def proved(desk: Desk, receipt: Any, folder: Path) -> int:
    """Fetch a receipt's proof without any key, and have it verified: the exit status."""
    got = httpx.get(f"{desk.http.base_url}/v1/receipts/{receipt['leaf']}")
    assert got.is_success, got.text
    (folder / "proof").write_bytes(got.content)
    trust = Trust(log_key=parse_vkey(desk.get("/log/vkey").text.strip()))
    return judge_receipt(folder / "proof", trust, leaf=bytes.fromhex(receipt["leaf"])).exit_code


def test_a_bets_receipt_names_its_entry_and_is_proved(desk: Desk, tmp_path: Path) -> None:
    at = open_round(desk)

    placed = desk.tell(f"{at}/rounds/current/bets?receipt=true", BET)

    receipt = placed["receipt"]
    assert (receipt["table"], receipt["version"]) == (at.removeprefix("/tables/"), placed["version"])
    assert proved(desk, receipt, tmp_path) == 0
    page = desk.get(f"/log/entries?after={placed['position'] - 1}&limit=1")
    assert leaf(page.content.removesuffix(b"\n")).hex() == receipt["leaf"]


def test_each_bet_of_a_list_has_its_own_and_a_withdrawal_too(desk: Desk, tmp_path: Path) -> None:
    at = open_round(desk)

    placed = desk.tell(f"{at}/rounds/current/bets?receipt=true", [BET, {**BET, "bet": "tie", "amount": 100}])
    taken = desk.tell(f"{at}/rounds/current/bets/withdraw?receipt=true", {"patron": "p1", "bet": "tie"})

    versions = [receipt["version"] for receipt in placed["receipts"]]
    assert versions == [placed["version"] - 1, placed["version"]]
    assert taken["receipt"]["version"] == taken["version"]
    for receipt in (*placed["receipts"], taken["receipt"]):
        assert proved(desk, receipt, tmp_path) == 0


def test_a_repeated_bet_has_the_same_receipt_however_it_was_first_asked(desk: Desk) -> None:
    at = open_round(desk)

    without = desk.tell(f"{at}/rounds/current/bets", BET, Idempotency_Key="receipt-1")
    with_one = desk.tell(f"{at}/rounds/current/bets?receipt=true", BET, Idempotency_Key="receipt-1")
    again = desk.tell(f"{at}/rounds/current/bets?receipt=true", BET, Idempotency_Key="receipt-1")

    assert "receipt" not in without
    assert again == with_one == {**without, "receipt": with_one["receipt"]}


def test_every_entry_has_a_proof_whether_a_receipt_was_asked_for_or_not(desk: Desk, tmp_path: Path) -> None:
    at = open_table(desk)
    entries_of(desk, "log")

    page = desk.get(f"/log/entries?after={desk.tell(f'{at}/suspend', {'reason': 'break'})['position'] - 1}&limit=1")
    hashed = leaf(page.content.removesuffix(b"\n")).hex()

    assert proved(desk, {"leaf": hashed}, tmp_path) == 0
    parsed = proof.parse(desk.get(f"/receipts/{hashed}").content)
    assert parsed.index == int(page.headers["shoelog-next"])


@pytest.mark.parametrize("unknown", ["00" * 32, "xyz", "A" * 64, "00" * 31])
def test_a_leaf_that_is_not_in_the_log_is_not_there(desk: Desk, unknown: str) -> None:
    assert desk.get(f"/receipts/{unknown}").status_code == 404


@pytest.mark.parametrize(
    ("path", "status"), [("/rounds/current/bets?receipt=yes", 400), ("/rounds/current/coup?receipt=true", 400)]
)
def test_a_receipt_that_is_not_given_is_refused_and_nothing_is_done(desk: Desk, path: str, status: int) -> None:
    at = open_round(desk)
    before = desk.ask(at)["version"]

    assert desk.post(f"{at}{path}", BET if "bets" in path else None).status_code == status
    assert desk.ask(at)["version"] == before


def test_receipt_false_is_none(desk: Desk) -> None:
    at = open_round(desk)

    assert "receipt" not in desk.tell(f"{at}/rounds/current/bets?receipt=false", BET)
