"""A whole log: no shoe vanishes, no chip appears between two shoes, and the root is that of the entries."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from schemas.accounts import FundsToTable
from schemas.events import (
    ShoeClosed,
    ShoeCommitted,
    ShoeVoided,
)
from schemas.note import Signer
from schemas.tile import ENTRIES, Tile
from services.audit.log import Trust
from services.audit.verdict import Judgement, judge_all, judge_path
from services.audit.verify import verify_command
from tests.audit.salons import Casino, Salon, an_evening, checkpoint_of, succeeded, write
from tests.audit.tapes import LOG

TRUST = Trust(log_key=LOG.verifier)


def failed(judgements: list[Judgement]) -> dict[tuple[str | None, int | None, str], list[str]]:
    """What failed: of which shoe (None: of the log), which check, and the findings in words."""
    return {
        (judgement.report.table, judgement.report.shoe, check.check): [finding.what for finding in check.findings]
        for judgement in judgements
        for check in judgement.report.checks
        if check.result == "failed"
    }


def judged(tmp_path: Path, casino: Casino) -> list[Judgement]:
    return judge_path(write(tmp_path / "log", casino.lines()), TRUST)


def verify(*arguments: str | Path) -> Result:
    return CliRunner().invoke(verify_command, [str(argument) for argument in arguments])


def test_an_honest_log_passes_every_check_of_every_shoe(tmp_path: Path) -> None:
    judgements = judged(tmp_path, an_evening())

    assert failed(judgements) == {}
    assert [judgement.exit_code for judgement in judgements] == [0] * 5
    assert [(one.report.table, one.report.shoe) for one in judgements] == [
        ("red", 1),
        ("red", 2),
        ("blue", 1),
        ("blue", 2),
        (None, None),
    ]


def test_json_is_a_report_for_each_shoe_and_one_for_the_log_with_its_tables(tmp_path: Path) -> None:
    folder = write(tmp_path / "log", an_evening().lines())

    said = verify("--json", "--log-key", LOG.verifier.vkey, folder)

    assert said.exit_code == 0
    *shoes, log = json.loads(said.output)
    assert {tuple(shoe) for shoe in shoes} == {("file", "table", "shoe", "complete", "entropy", "checks")}
    assert (log["table"], log["shoe"], log["complete"]) == (None, None, True)
    assert [check["check"] for check in log["checks"]] == ["bytes", "chain", "log", "shoe", "rules", "money", "ledger"]
    told = log["log"]
    assert (told["origin"], told["size"]) == (LOG.verifier.name, len(an_evening().dictated))
    blue, red = told["tables"]
    assert (red["table"], red["shoes"], red["closed"], red["voided"], red["void_rate"]) == ("red", 2, 2, [], "0/1")
    assert (blue["closed"], blue["void_rate"], blue["open"]) == (1, "1/2", [])
    assert blue["voided"] == [{"shoe": 1, "reason": "misdeal", "version": blue["voided"][0]["version"]}]
    assert red["entropy"] == {"operator-only": 2}


def test_voided_shoes_and_the_void_rate_are_told_to_people(tmp_path: Path) -> None:
    folder = write(tmp_path / "log", an_evening().lines())

    said = verify("--log-key", LOG.verifier.vkey, folder)

    assert f"the whole log {LOG.verifier.name}, " in said.output
    assert "table blue: 1 shoes closed, 1 voided (void rate 1/2); entropy: 2 operator-only" in said.output
    assert "shoe 1 voided: misdeal (version " in said.output


def test_a_shoe_that_was_left_out_is_missed(tmp_path: Path) -> None:
    casino = an_evening()
    first, end = casino.find(ShoeCommitted, 0, stream="table/blue"), casino.find(ShoeVoided)
    casino.dictated = [
        one for place, one in enumerate(casino.dictated) if not (one.stream == "table/blue" and first <= place <= end)
    ]

    found = failed(judged(tmp_path, casino))

    assert found[None, None, "shoe"] == ["table blue: shoe 2 follows shoe 0"]


def test_a_seed_that_occurs_twice_fails_both_shoes(tmp_path: Path) -> None:
    casino = Casino()
    for name in ("red", "blue"):
        salon = Salon(casino, name)
        salon.start(bytes(range(32)))
        salon.close()

    found = failed(judge_all([write(tmp_path / "log", casino.lines())], TRUST))

    assert found == {
        ("red", 1, "shoe"): ["the seed is also that of shoe blue/1"],
        ("blue", 1, "shoe"): ["the seed is also that of shoe red/1"],
    }


def flip(number: int) -> Callable[[list[bytes]], list[bytes]]:
    def garble(lines: list[bytes]) -> list[bytes]:
        lines[number] = lines[number].replace(b'"amount":', b'"amount":1', 1)
        return lines

    return garble


def test_a_changed_entry_breaks_its_chain_and_the_root(tmp_path: Path) -> None:
    casino = an_evening()
    place = casino.find(FundsToTable)

    found = failed(judge_path(write(tmp_path / "log", casino.lines(), garble=flip(place)), TRUST))

    assert found[None, None, "chain"] == ["patron/ada: prev is not the hash of the entry before it"]
    assert "the root over the entries is not that of the checkpoint" in found[None, None, "log"]
    assert ("red", 1, "log") in found


def test_two_entries_in_each_others_place_break_the_root_alone(tmp_path: Path) -> None:
    casino = an_evening()
    place = casino.find(ShoeClosed)

    def garble(lines: list[bytes]) -> list[bytes]:
        lines[place], lines[place + 1] = lines[place + 1], lines[place]
        return lines

    folder = write(tmp_path / "log", casino.lines(), garble=garble)
    found = failed(judge_path(folder, TRUST))

    assert {check for _, _, check in found} == {"log"}


@pytest.mark.parametrize(
    ("garble", "words"),
    [
        (lambda lines: lines[:-1], "the checkpoint is of "),
        (lambda lines: [*lines, lines[-1]], "the checkpoint is of "),
    ],
)
def test_entries_too_few_or_too_many_are_not_what_was_signed(
    garble: Callable[[list[bytes]], list[bytes]], words: str, tmp_path: Path
) -> None:
    found = failed(judge_path(write(tmp_path / "log", an_evening().lines(), garble=garble), TRUST))

    assert any(what.startswith(words) for what in found[None, None, "log"])


def test_a_checkpoint_by_another_key_is_not_believed(tmp_path: Path) -> None:
    other = Signer(LOG.verifier.name, bytes(32))
    found = failed(judge_path(write(tmp_path / "log", an_evening().lines(), signer=other), TRUST))

    assert any("did not sign the checkpoint" in what for what in found[None, None, "log"])


@pytest.mark.parametrize("level", [0, 1, ENTRIES])
def test_a_tile_that_is_not_what_the_entries_make_is_found(level: int, tmp_path: Path) -> None:
    casino = Casino()
    salon = Salon(casino, "red")
    for number in range(600):
        salon.buy(f"p{number}", 100)
    folder = write(tmp_path / "log", casino.lines())
    tile = Tile(level=level, index=0, width=2 if level == 1 else 256)
    assert failed(judge_path(folder, TRUST)) == {}
    content = bytearray((folder / tile.path).read_bytes())
    content[40] ^= 1
    (folder / tile.path).write_bytes(content)

    found = failed(judge_path(folder, TRUST))

    assert list(found) == [(None, None, "log")]
    assert tile.path in found[None, None, "log"][0]


def test_tiles_that_are_missing_change_nothing(tmp_path: Path) -> None:
    folder = write(tmp_path / "log", an_evening().lines())
    for path in sorted(folder.rglob("tile/**/*")):
        if path.is_file():
            path.unlink()

    assert failed(judge_path(folder, TRUST)) == {}


@pytest.mark.parametrize(("member", "words"), [("checkpoint", "no checkpoint beside"), ("policy", "no policy beside")])
def test_what_is_missing_beside_the_entries_is_told(member: str, words: str, tmp_path: Path) -> None:
    folder = write(tmp_path / "log", an_evening().lines())
    (folder / member).unlink()

    assert any(words in what for what in failed(judge_path(folder, TRUST))[None, None, "log"])


def test_an_open_shoe_leaves_the_evidence_incomplete(tmp_path: Path) -> None:
    casino = an_evening()
    del casino.dictated[casino.find(ShoeClosed, -1) :]
    folder = write(tmp_path / "log", casino.lines())

    said = verify("--json", "--log-key", LOG.verifier.vkey, folder)

    assert said.exit_code == 2
    *shoes, log = json.loads(said.output)
    assert [shoe["complete"] for shoe in shoes] == [True, True, True, False]
    assert not log["complete"]
    assert log["log"]["tables"][0]["open"] == [2]


def test_without_a_key_nothing_is_proved_to_a_stranger(tmp_path: Path) -> None:
    assert verify(write(tmp_path / "log", an_evening().lines())).exit_code == 2


def test_a_log_that_goes_on_after_a_loss_is_checked_from_where_it_begins(tmp_path: Path) -> None:
    casino = an_evening()
    old = checkpoint_of(casino.lines())
    start = casino.find(ShoeVoided)
    casino.dictated.insert(start, replace(casino.dictated[0], stream="log", command="s", event=succeeded(old)))
    lines = casino.lines(start=start)

    judgements = judge_path(write(tmp_path / "log", lines), TRUST)

    assert failed(judgements) == {}
    [log] = [one for one in judgements if one.log is not None]
    assert log.log is not None
    blue, red = log.log.tables
    assert [shoe.shoe for shoe in blue.voided] == [1]
    assert (red.shoes, red.closed) == (1, 1)
    money = next(check for check in log.report.checks if check.check == "money")
    assert money.result == "not-checked"
    assert log.exit_code == 2


def test_a_log_that_does_not_say_that_it_goes_on_begins_at_the_beginning(tmp_path: Path) -> None:
    casino = an_evening()
    start = casino.find(ShoeVoided)

    found = failed(judge_path(write(tmp_path / "log", casino.lines(start=start)), TRUST))

    assert any("table/blue begins at version" in what for what in found[None, None, "chain"])


def test_a_successor_names_itself(tmp_path: Path) -> None:
    casino = Casino()
    casino.do(("log", succeeded(checkpoint_of([b"x"]), origin="elsewhere.example/log/2")))

    found = failed(judged(tmp_path, casino))

    assert found[None, None, "log"] == ["the log's first entry names it elsewhere.example/log/2"]


def test_a_folder_that_is_no_log_cannot_be_read(tmp_path: Path) -> None:
    empty, pipe, nothing = tmp_path / "empty", tmp_path / "pipe", tmp_path / "nothing"
    for folder in (empty, pipe, nothing):
        folder.mkdir()
    os.mkfifo(pipe / "entries.jsonl")
    (nothing / "entries.jsonl").write_bytes(b"")

    for folder in (empty, pipe, nothing):
        assert verify("--log-key", LOG.verifier.vkey, folder).exit_code == 3


@pytest.mark.parametrize("junk", [b"\xff\xfe", b"{}", b"[" * 100_000, b'{"id":"', b"\n\n\n", os.urandom(4096)])
def test_lines_that_are_no_entries_are_told_and_the_others_read_on(junk: bytes, tmp_path: Path) -> None:
    folder = write(tmp_path / "log", an_evening().lines(), garble=lambda lines: [*lines[:9], junk, *lines[9:]])

    found = failed(judge_path(folder, TRUST))

    assert (None, None, "bytes") in found
    assert (None, None, "log") in found
    assert ("red", 1, "rules") not in found


def test_a_log_of_junk_is_given_up(tmp_path: Path) -> None:
    folder = write(tmp_path / "log", an_evening().lines(), garble=lambda _: [b"junk"] * 50_000)

    [log] = judge_path(folder, TRUST)

    assert log.exit_code == 1
    assert len(log.report.checks[0].findings) <= 10_001
