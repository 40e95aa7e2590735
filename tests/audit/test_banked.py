"""Shoes in which players bank: every honest one passes, and each lie about a turn, a bank or a settlement is found."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec import convert, to_builtins

from schemas.rules import Rules
from services.audit.findings import Report
from services.audit.log import Trust
from services.audit.verdict import judge
from tests.audit.parties import a_party
from tests.audit.tapes import LOG, Tape
from tests.table.game.sitting import limited, ruled

LIMITS = limited({"bank": (500, 40_000), "player": (500, 30_000), "banco": (500, 40_000)})
MODES: tuple[Mapping[str, object], ...] = (
    {"mode": "tableau"},
    {"mode": "options", "cells": ["3-9", "5-4"]},
    {"mode": "free"},
)


def judged(tape: Tape, path: Path) -> Report:
    return judge(tape.write(path), Trust(policy=None, log_key=LOG.verifier, signers=())).report


def complaints(report: Report) -> list[str]:
    return [f"{x.check} {f.version}: {f.what}" for x in report.checks if x.result == "failed" for f in x.findings]


def chemin(mode: Mapping[str, object]) -> Rules:
    changed = ruled("chemin-de-fer", procedure={"decks": 1, "cut": 7})
    return convert(to_builtins(changed) | {"play": dict(mode)}, Rules)


@pytest.mark.parametrize("chance", range(6))
def test_an_honest_shoe_of_chemin_de_fer_passes(chance: int, tmp_path: Path) -> None:
    party = a_party(chemin(MODES[chance % 3]), LIMITS, chance=chance)

    report = judged(party.tape(), tmp_path / "b1-shoe-1.zip")

    assert complaints(report) == []
    assert [check.result for check in report.checks if check.check != "ledger"] == ["passed"] * 6
