"""verify.html opened from disk in a real browser: it says what the core says under Node, and asks for nothing."""

import json
import zipfile
from pathlib import Path

import pytest

from services.audit.press import PRINTED
from services.house.bench_shoe import signer, write_shoe
from tests.audit import tapes
from tests.audit.page import browser
from tests.audit.page.test_page import KEY, SAMPLE, spoiled
from tests.audit.tapes import LOG
from tests.audit.test_receipt import Receipt
from tests.audit.test_rounds import Round

PROGRAM = browser.found()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no Chromium on this machine: the page was not opened")
RESULTS = """Object.fromEntries([...document.querySelectorAll('article tbody tr')].slice(0, 7)
    .map((row) => [row.cells[0].innerText, row.cells[1].innerText.slice(2)]))"""


def opened(profile: Path, *files: Path, key: str = "") -> tuple[dict[str, str], str]:
    """Open the page, give it a key and files; what it says of each check of the first, and the first's whole text."""
    assert PROGRAM is not None
    with browser.tab(PROGRAM, profile) as tab:
        tab.open(PRINTED.resolve())
        tab.value(f"document.getElementById('trust').value = {json.dumps(key)}")
        tab.choose("#files", [file.resolve() for file in files])
        tab.until(f"document.querySelectorAll('article').length === {len(files)}")
        told = tab.value(RESULTS), tab.value("document.querySelector('article').innerText")
        assert tab.requests == [PRINTED.resolve().as_uri()]
        assert not tab.complaints
        return told


def test_the_sample_passes_in_the_browser(tmp_path: Path) -> None:
    told, text = opened(tmp_path / "profile", SAMPLE, key=KEY)

    assert told == dict.fromkeys(("bytes", "chain", "log", "shoe", "rules", "money"), "passed") | {
        "ledger": "not checked"
    }
    assert "Everything passed" in text
    assert "Banker wins" in text


def test_a_lie_is_found_in_the_browser(tmp_path: Path) -> None:
    lie = spoiled(tmp_path / "lie.zip", "entries.jsonl", b'"amount":1', b'"amount":2')

    told, text = opened(tmp_path / "profile", lie, key=KEY)

    assert told["chain"] == "failed"
    assert "Something failed" in text


def test_files_that_are_no_bundles_are_told(tmp_path: Path) -> None:
    (tmp_path / "no.zip").write_bytes(b"no bundle")
    (tmp_path / "cut.zip").write_bytes(SAMPLE.read_bytes()[:-9])
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as bomb, zipfile.ZipFile(SAMPLE) as honest:
        for name in honest.namelist():
            bomb.writestr(name, bytes(1 << 28) if name == "entries.jsonl" else honest.read(name))

    for name in ("no.zip", "cut.zip", "bomb.zip"):
        _, text = opened(tmp_path / f"profile of {name}", tmp_path / name)
        assert "could not be read" in text


def test_a_receipt_and_its_entry_are_read_together(tmp_path: Path) -> None:
    receipt = Receipt(tmp_path)
    assert PROGRAM is not None
    with browser.tab(PROGRAM, tmp_path / "profile") as tab:
        tab.open(PRINTED.resolve())
        tab.value(f"document.getElementById('trust').value = {json.dumps(LOG.verifier.vkey)}")
        tab.choose("#files", [receipt.entry.resolve(), receipt.proof.resolve()])
        tab.until("document.querySelector('article')")
        told, text = tab.value(RESULTS), tab.value("document.querySelector('article').innerText")
        assert not tab.complaints

    assert (told["bytes"], told["log"], told["shoe"]) == ("passed", "passed", "not checked")
    assert "The entry is in the log whose key you gave" in text


def test_one_round_alone_is_read_in_the_browser(tmp_path: Path) -> None:
    bundle = Round(tapes.an_evening(), 4).write(tmp_path / "round.zip")

    told, text = opened(tmp_path / "profile", bundle, key=LOG.verifier.vkey)

    assert (told["rules"], told["money"], told["shoe"]) == ("passed", "passed", "not checked")
    assert "round 4 alone" in text


def test_a_shoe_of_many_bets_is_checked_while_the_page_stays_alive(tmp_path: Path) -> None:
    write_shoe(tmp_path / "busy.zip", bets=20_000)
    assert PROGRAM is not None
    with browser.tab(PROGRAM, tmp_path / "profile") as tab:
        tab.open(PRINTED.resolve())
        tab.value(f"document.getElementById('trust').value = {json.dumps(signer().verifier.vkey)}")
        tab.value("globalThis.beats = 0; setInterval(() => beats++, 5), 0")
        tab.choose("#files", [(tmp_path / "busy.zip").resolve()])
        tab.until("document.querySelector('article')")

        assert "Everything passed" in tab.value("document.querySelector('article').innerText")
        assert tab.value("beats") > 3
