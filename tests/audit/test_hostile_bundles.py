"""Bundles made to keep an auditor busy for ever: both verifiers read each in time that grows with its lines alone.

A verifier that went over everything again for every line would be at it for hours; such things are counted, and beyond
what anybody does at a table not followed.
"""

import json
import random
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.audit.both import TRUST, differences, gist, shoes_of, zipped
from tests.audit.dealt import Chapter, linked
from tests.audit.page.node import NEEDS_NODE, verify

pytestmark = NEEDS_NODE
MANY = 3_000
Event = dict[str, Any]


@pytest.fixture(scope="module")
def shoe() -> Chapter:
    """A short shoe, over."""
    return next(shoe for shoe in shoes_of("mini", 1) if shoe.is_complete)


def bets() -> Iterator[Event]:
    """Ever more stakes on one coup."""
    for number in range(MANY):
        yield {"type": "bet-placed", "round": 1, "patron": f"x{number}", "bet": "player", "amount": 500}


def again(*events: Event) -> Callable[[], Iterator[Event]]:
    """The stakes, and then the same thing over and over."""

    def told() -> Iterator[Event]:
        yield from bets()
        for number in range(MANY // len(events)):
            yield from (event | ({"slip": f"s{number}"} if "slip" in event else {}) for event in events)

    return told


PEOPLE = {"requested_by": "pit:a", "issued_by": "pit:b", "received_by": "pit:c"}
SETTLED = {"type": "round-settled", "round": 1, "player": 1, "banker": 0, "winner": "player", "lines": []}
REVERSED = {"type": "settlement-reversed", "round": 1, "reason": "x", "approved_by": ["pit:a"]}
VOIDED = {"type": "round-voided", "round": 1, "reason": "x", "approved_by": ["pit:a"]}
CASHED = {"type": "chips-cashed", "patron": "x1", "amount": 1, "means": "cash"}
HOSTILE: dict[str, Callable[[], Iterator[Event]]] = {
    "settled for ever": again(SETTLED),
    "settled and reversed for ever": again(SETTLED, REVERSED),
    "reversed and settled in parts for ever": again(REVERSED, {"type": "lines-settled", "round": 1, "lines": []}),
    "voided for ever": again(VOIDED),
    "cashed for ever": again(CASHED),
    "taken back for ever": again({"type": "bet-withdrawn", "round": 1, "patron": "x1", "bet": "player"}),
    "ended for ever": again(
        {"type": "shoe-closed", "shoe": 1, "reason": "x", "seed": "0" * 64, "dealt": 0, "burned": 0, "remaining": 52}
    ),
    "contributed for ever": again(
        {"type": "entropy-contributed", "shoe": 1, "source": "patron:x", "value": "00" * 256}
    ),
    "filled for ever": again({"type": "chips-filled", "slip": "s", "amount": 1, "chips": [[1, 1]], **PEOPLE}),
}


def flooded(path: Path, shoe: Chapter, events: Iterator[Event]) -> Path:
    """Put events into an honest bundle, before the shoe's first coup is over, and count them in its manifest."""
    entries = [json.loads(line) for line in shoe.lines]
    at = 1 + next(n for n, entry in enumerate(entries) if entry["event"]["type"] == "round-opened")
    more = [
        entries[at] | {"id": f"{number:032x}", "command": f"h{number}", "event": event}
        for number, event in enumerate(events)
    ]
    lines = linked([*entries[:at], *more, *entries[at:]], shoe.before, mends=False)
    with zipfile.ZipFile(shoe.bind(path)) as honest:
        members = {name: honest.read(name) for name in honest.namelist()}
    manifest = msgspec.json.decode(members["manifest.json"])
    manifest |= {"entries": len(lines), "last_version": len(shoe.before) + len(lines)}
    members |= {"manifest.json": json.dumps(manifest).encode()}
    members |= {"entries.jsonl": b"".join(line + b"\n" for line in lines)}
    path.write_bytes(zipped(list(members.items())))
    return path


def test_both_read_hostile_bundles_to_their_end_and_say_the_same(shoe: Chapter, tmp_path: Path) -> None:
    files = [flooded(tmp_path / f"{name}.zip", shoe, told()) for name, told in HOSTILE.items()]

    found = list(differences(files, *TRUST))
    _, reports = verify(*TRUST, files=files)

    assert not found, "\n".join(found)
    assert len(reports) == len(HOSTILE)
    assert all("failed" in gist(report).values() for report in reports)
    assert all(len(check["findings"]) <= 10_001 for report in reports for check in report["checks"])


def test_both_read_lines_without_end(shoe: Chapter, tmp_path: Path) -> None:
    noise = random.Random(1).randbytes(300_000).hex().encode()
    members = members_with(shoe, tmp_path, b"\n".join(noise[at : at + 3] for at in range(0, len(noise), 3)) + b"\n")
    newer = shoe.lines[3].replace(b'"schema":1', b'"schema":2') + b"\n"
    files = [tmp_path / "noise.zip", tmp_path / "newer.zip"]
    files[0].write_bytes(members)
    files[1].write_bytes(members_with(shoe, tmp_path, newer * 10_000))

    assert not list(differences(files, *TRUST))


def members_with(shoe: Chapter, folder: Path, lines: bytes) -> bytes:
    """Zip a bundle with other lines in it."""
    with zipfile.ZipFile(shoe.bind(folder / "honest.zip")) as honest:
        members = {name: honest.read(name) for name in honest.namelist()}
    return zipped(list((members | {"entries.jsonl": lines}).items()))


def test_both_refuse_what_is_cut_short_anywhere(shoe: Chapter, tmp_path: Path) -> None:
    whole = shoe.bind(tmp_path / "whole.zip").read_bytes()
    files = []
    for number, length in enumerate(range(0, len(whole), max(1, len(whole) // 60))):
        files.append(tmp_path / f"{number}.zip")
        files[-1].write_bytes(whole[:length])

    status, _ = verify(*TRUST, files=files)

    assert status == 3
    assert not list(differences(files, *TRUST))
