"""A round's bundle: one coup of a shoe that may still be open, against the cards sealed before its first bet."""

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from schemas.bundle import ENTRIES, MANIFEST, PROOF, SHOE, Manifest, shoe_proof
from schemas.bundle import write as write_bundle
from schemas.checkpoint import Checkpoint, sign
from schemas.entry import leaf
from schemas.events import (
    BetPlaced,
    CardDealt,
    ChipsCarried,
    CutCardReached,
    LimitsChanged,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    ShoeCommitted,
    ShoeShuffled,
)
from schemas.note import Signer
from schemas.policy import encode as encode_policy
from schemas.policy import of_log
from schemas.proof import Proof
from schemas.proof import encode as encode_proof
from schemas.tree import inclusion_proof, leaf_nodes, root
from services.audit.findings import CheckName
from services.audit.log import Trust
from services.audit.replay import replay_command
from services.audit.verdict import Judgement, judge
from services.audit.verify import verify_command
from tests.audit import tapes
from tests.audit.tapes import LOG, TABLE, Tape

TRUST = Trust(log_key=LOG.verifier)
IN_FORCE = (ShoeCommitted, ChipsCarried, LimitsChanged, ShoeShuffled)


class Round:
    """One round of a tape, bound into a bundle as the operator does, who signs whatever it says."""

    def __init__(self, tape: Tape, number: int) -> None:
        events = [fact.event for fact in tape.facts]
        self.tape = tape
        self.number = number
        self.first = next(
            n
            for n, event in enumerate(events)
            if n > tape.first and isinstance(event, RoundOpened) and event.round == number
        )
        ends = [
            n
            for n, event in enumerate(events)
            if n > self.first and isinstance(event, RoundSettled | RoundVoided) and event.round == number
        ]
        self.last = ends[-1]
        before = [n for n in range(tape.first, self.first) if isinstance(events[n], IN_FORCE)]
        limits = [n for n in before if isinstance(events[n], LimitsChanged)]
        self.shoe = [n for n in before if n not in limits[:-1]]
        self.signer: Signer = LOG
        self.manifest = Manifest(
            format="round-bundle/v1",
            table=TABLE,
            shoe=1,
            round=number,
            origin=LOG.verifier.name,
            first_version=self.first + 1,
            last_version=self.last + 1,
            entries=self.last - self.first + 1,
            complete=False,
        )

    def write(self, path: Path, *, others: tuple[bytes, ...] = (b"more",)) -> Path:
        """Write it."""
        lines = self.tape.lines()
        leaves = [leaf(line) for line in (*lines, *others)]
        node, size = leaf_nodes(leaves), len(leaves)
        note = sign(Checkpoint(origin=self.signer.verifier.name, size=size, root=root(leaves)), self.signer)

        def prove(index: int) -> bytes:
            return encode_proof(Proof(index=index, hashes=tuple(inclusion_proof(index, size, node)), checkpoint=note))

        with path.open("wb") as file:
            write_bundle(
                file,
                lines=lines[self.first : self.last + 1],
                proof=prove(self.last),
                policy=encode_policy(of_log(self.signer.verifier)),
                manifest=self.manifest,
                shoe=[(lines[place], prove(place)) for place in self.shoe],
            )
        return path


def results(judgement: Judgement) -> dict[CheckName, str]:
    return {check.check: check.result for check in judgement.report.checks}


def found(judgement: Judgement) -> dict[CheckName, list[str]]:
    return {
        check.check: [finding.what for finding in check.findings]
        for check in judgement.report.checks
        if check.result == "failed"
    }


def rounds_of(tape: Tape) -> list[Round]:
    opened = [fact.event.round for fact in tape.facts if isinstance(fact.event, RoundOpened)]
    return [Round(tape, number) for number in opened]


@pytest.mark.parametrize("tape", [tapes.an_evening, tapes.at_once, tapes.out_of_cards, tapes.a_crowd, tapes.scanned])
def test_every_round_of_an_honest_shoe_holds_on_its_own(tape: Callable[[], Tape], tmp_path: Path) -> None:
    rounds = list(rounds_of(tape()))
    assert rounds

    for one in rounds:
        judgement = judge(one.write(tmp_path / "round.zip"), TRUST)

        assert found(judgement) == {}, one.number
        passed = {check for check, result in results(judgement).items() if result == "passed"}
        assert passed == {"bytes", "chain", "log", "rules", "money"}
        assert judgement.exit_code == 2


def test_a_rounds_bundle_says_what_it_cannot_show(tmp_path: Path) -> None:
    path = Round(tapes.an_evening(), 1).write(tmp_path / "round.zip")

    said = CliRunner().invoke(verify_command, ["--log-key", LOG.verifier.vkey, str(path)])
    [report] = json.loads(CliRunner().invoke(verify_command, ["--json", str(path)]).output)

    assert said.exit_code == 2
    assert "table b1, shoe 1, one round alone" in said.output
    assert "shoe     not checked: a round alone: its cards open the leaves that were published" in said.output
    assert "operator-only: a round's bundle does not show what was contributed" in said.output
    assert (report["table"], report["shoe"], report["complete"], report["entropy"]) == ("b1", 1, False, "operator-only")


def test_a_round_is_replayed_as_in_its_shoe(tmp_path: Path) -> None:
    tape = tapes.an_evening()
    one, whole = Round(tape, 4).write(tmp_path / "round.zip"), tape.write(tmp_path / "shoe.zip")

    def told(path: Path) -> str:
        return CliRunner().invoke(replay_command, ["--round", "4", str(path)]).output.partition("\nEntropy")[0]

    assert told(one) == told(whole)
    assert "EUR" in told(one)


def change(kind: type, number: int = 0, **fields: object) -> Callable[[Round], None]:
    """Let the so-manieth entry of a kind within the round say something else."""

    def lie(one: Round) -> None:
        events = one.tape.facts[one.first : one.last + 1]
        place = [n for n, fact in enumerate(events, one.first) if isinstance(fact.event, kind)][number]
        one.tape = one.tape.change(place, **fields)

    return lie


def of_the_shoe(kind: type, **fields: object) -> Callable[[Round], None]:
    def lie(one: Round) -> None:
        one.tape = one.tape.change(one.tape.find(kind), **fields)

    return lie


def swapped(one: Round) -> None:
    """Two cards in each other's place, each with its own salt."""
    first, second = one.tape.find(CardDealt, 0), one.tape.find(CardDealt, 1)
    a, b = one.tape.facts[first].event, one.tape.facts[second].event
    assert isinstance(a, CardDealt)
    assert isinstance(b, CardDealt)
    one.tape = one.tape.change(first, card=b.card, salt=b.salt).change(second, card=a.card, salt=a.salt)


def without(kind: type) -> Callable[[Round], None]:
    def lie(one: Round) -> None:
        one.shoe = [place for place in one.shoe if not isinstance(one.tape.facts[place].event, kind)]

    return lie


def late_bet(one: Round) -> None:
    place = one.tape.find(BetPlaced)
    closed = one.last - 1
    facts = one.tape.facts
    fact = facts[place]
    one.tape = Tape([*facts[:place], *facts[place + 1 : closed], fact, *facts[closed:]])
    one.tape = one.tape.retimed()


def manifest(**fields: object) -> Callable[[Round], None]:
    def lie(one: Round) -> None:
        one.manifest = replace(one.manifest, **fields)

    return lie


def misplaced(one: Round) -> None:
    one.shoe = [*one.shoe, one.first - 1]


def exchanged(one: Round) -> None:
    one.shoe = one.shoe[::-1]


def cut_short(one: Round) -> None:
    one.last -= 1
    one.manifest = replace(one.manifest, last_version=one.last + 1, entries=one.manifest.entries - 1)


def foreign(one: Round) -> None:
    one.signer = Signer(LOG.verifier.name, bytes(32))


LIES: dict[str, tuple[Callable[[Round], None], CheckName, str]] = {
    "a swapped card": (change(CardDealt, 0, card="As"), "shoe", "does not open the leaf that was published"),
    "two cards swapped": (swapped, "shoe", "does not open the leaf that was published"),
    "a card passed over": (change(CardDealt, 2, position=400), "shoe", "is opened at position 400"),
    "another salt": (change(CardDealt, 1, salt="0" * 32), "shoe", "does not open the leaf"),
    "another root": (of_the_shoe(ShoeShuffled, root="0" * 64), "shoe", "the root is not that of the leaves"),
    "no shuffle": (without(ShoeShuffled), "shoe", "before every card is sealed"),
    "a changed stake": (change(BetPlaced, 0, amount=1_100), "money", "is settled at a stake of"),
    "a stake above the limit": (change(BetPlaced, 1, amount=100_001), "rules", "where 100 to 100000 are allowed"),
    "a wrong total": (change(RoundSettled, player=3, banker=3), "rules", "the cards make"),
    "a late bet": (late_bet, "rules", "bet-placed stands after the last call"),
    "another round": (manifest(round=2), "chain", "the manifest says round 2; the entries say 1"),
    "another shoe": (manifest(shoe=2), "chain", "the manifest says shoe 2; the entries say 1"),
    "another table": (manifest(table="b2"), "chain", "the manifest says table b2"),
    "another origin": (manifest(origin="elsewhere.example"), "log", "the manifest's origin is elsewhere.example"),
    "something that is not in force": (misplaced, "rules", f"has no place there in {SHOE}"),
    "the shoe's lines in another order": (exchanged, "chain", "behind version"),
    "a foreign log": (foreign, "log", "did not sign the checkpoint"),
}


@pytest.mark.parametrize("name", LIES)
def test_a_lie_in_a_round_is_found_by_the_check_that_should(name: str, tmp_path: Path) -> None:
    lie, check, words = LIES[name]
    one = Round(tapes.an_evening(), 1)
    lie(one)

    judgement = judge(one.write(tmp_path / "round.zip"), TRUST)

    assert any(words in what for what in found(judgement).get(check, [])), found(judgement)
    assert judgement.exit_code == 1


def test_the_limits_in_force_bind_not_those_before(tmp_path: Path) -> None:
    tape = tapes.an_evening()
    one = next(one for one in rounds_of(tape) if any(isinstance(tape.facts[n].event, LimitsChanged) for n in one.shoe))
    place = next(n for n in range(one.first, one.last) if isinstance(tape.facts[n].event, BetPlaced))
    one.tape = tape.change(place, amount=60_001)

    judgement = judge(one.write(tmp_path / "round.zip"), TRUST)

    assert any("where 100 to 60000 are allowed" in what for what in found(judgement)["rules"])


def test_a_round_cut_short_is_incomplete(tmp_path: Path) -> None:
    one = Round(tapes.an_evening(), 1)
    cut_short(one)

    judgement = judge(one.write(tmp_path / "round.zip"), TRUST)

    assert found(judgement) == {}
    assert results(judgement)["rules"] == "not-checked"
    assert judgement.exit_code == 2


def test_the_cut_card_is_missed_in_the_round_where_it_lies(tmp_path: Path) -> None:
    tape = tapes.at_once()
    reached = tape.find(CutCardReached)
    number = next(fact.event.round for fact in reversed(tape.facts[:reached]) if isinstance(fact.event, RoundOpened))
    silent = Tape([*tape.facts[:reached], *tape.facts[reached + 1 :]])

    judgement = judge(Round(silent, number).write(tmp_path / "round.zip"), TRUST)

    assert any("the cut card lay before position" in what for what in found(judgement)["rules"])


def spoiled(path: Path, member: str, content: bytes | None) -> Path:
    """The bundle with another member, or without it."""
    with zipfile.ZipFile(path) as bundle:
        members = {name: bundle.read(name) for name in bundle.namelist()}
    members.pop(member, None)
    if content is not None:
        members[member] = content
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as bundle:
        for name, text in members.items():
            bundle.writestr(name, text)
    path.write_bytes(buffer.getvalue())
    return path


@pytest.mark.parametrize(
    ("member", "content", "check"),
    [
        (shoe_proof(1), b"junk", "log"),
        (shoe_proof(2), None, "log"),
        ("checkpoint", b"junk", "log"),
        (SHOE, b"", "shoe"),
        (SHOE, b"junk\n", "bytes"),
        (SHOE, b"\n" * 500, "bytes"),
    ],
)
def test_a_spoiled_member_is_told(member: str, content: bytes | None, check: CheckName, tmp_path: Path) -> None:
    path = spoiled(Round(tapes.an_evening(), 1).write(tmp_path / "round.zip"), member, content)

    judgement = judge(path, TRUST)

    assert results(judgement)[check] in ("failed", "not-checked")
    assert judgement.exit_code == 1


@pytest.mark.parametrize(
    ("member", "content"),
    [
        (SHOE, None),
        (ENTRIES, None),
        (PROOF, None),
        (MANIFEST, None),
        (ENTRIES, b""),
        ("shoe-9.tlog-proof", b"x"),
        ("../shoe.jsonl", b"x"),
    ],
)
def test_what_is_no_rounds_bundle_cannot_be_read(member: str, content: bytes | None, tmp_path: Path) -> None:
    path = spoiled(Round(tapes.an_evening(), 1).write(tmp_path / "round.zip"), member, content)

    assert judge(path, TRUST).exit_code == 3


def test_a_shoes_bundle_that_says_it_is_a_rounds_cannot_be_read(tmp_path: Path) -> None:
    shoe = tapes.an_evening().write(tmp_path / "shoe.zip")
    with zipfile.ZipFile(shoe) as bundle:
        said = bundle.read(MANIFEST).replace(b"shoe-bundle", b"round-bundle")

    assert judge(spoiled(shoe, MANIFEST, said), TRUST).exit_code == 3


def test_every_flipped_bit_is_found(tmp_path: Path) -> None:
    path = Round(tapes.an_evening(), 1).write(tmp_path / "round.zip")
    with zipfile.ZipFile(path) as bundle:
        members = {name: bundle.read(name) for name in bundle.namelist() if name != "policy"}
    whole = path.read_bytes()
    for name, text in members.items():
        for place in range(0, len(text), max(1, len(text) // 25)):
            flipped = bytearray(text)
            flipped[place] ^= 1 << place % 7
            path.write_bytes(whole)
            code = judge(spoiled(path, name, bytes(flipped)), TRUST).exit_code
            assert code in (1, 3), (name, place, flipped[max(0, place - 20) : place + 20])
