"""Whole tapes of rounds, honest ones: every check passes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from schemas.note import Signer
from services.audit.findings import CheckName
from services.audit.log import Trust
from services.audit.verdict import Judgement, judge
from tests.audit import tapes
from tests.audit.tapes import LOG, Tape

TRUST = Trust(log_key=LOG.verifier)
PARIS = Signer("paris.example/beacon", bytes([9]) * 32)
TAPES: dict[str, Callable[[], Tape]] = {
    "an evening": tapes.an_evening,
    "commission at once": tapes.at_once,
    "out of cards": tapes.out_of_cards,
    "frozen": tapes.frozen,
    "never shuffled": tapes.never_shuffled,
    "a crowd": tapes.a_crowd,
    "scanned": tapes.scanned,
    "signed last": lambda: tapes.signed_last(PARIS),
}


def failed(judgement: Judgement) -> dict[CheckName, tuple[str, ...]]:
    """What failed, with the findings in words."""
    return {
        check.check: tuple(f"{finding.version}: {finding.what}" for finding in check.findings)
        for check in judgement.report.checks
        if check.result == "failed"
    }


@pytest.mark.parametrize("name", TAPES)
def test_an_honest_tape_passes_every_check(name: str, tmp_path: Path) -> None:
    bundle = TAPES[name]().write(tmp_path / "b1-shoe-1.zip")

    judgement = judge(bundle, TRUST)

    assert failed(judgement) == {}
    assert judgement.exit_code == 0
    assert judgement.report.complete
