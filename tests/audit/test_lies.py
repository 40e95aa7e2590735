"""The same tapes, each spoiled in one way, told twice: by a stranger, and by the operator who seals and signs again."""

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from schemas.bundle import CHECKPOINT, ENTRIES, PROOF
from schemas.entry import leaf
from schemas.events import BetPlaced, BetsClosed, CardDealt, RoundOpened, RoundSettled, RoundVoided, ShoeClosed
from services.audit.findings import CheckName
from services.audit.verdict import judge
from services.house.scribe import seal
from tests.audit import tapes
from tests.audit.tapes import Tape
from tests.audit.test_tapes import TRUST, failed

Lie = Callable[[Tape], Tape]
StrangersLie = Callable[[list[bytes]], list[bytes]]

TAPE = tapes.an_evening()


def a_swapped_card(tape: Tape) -> Tape:
    index = tape.find(CardDealt, 5)
    event = tape.facts[index].event
    assert isinstance(event, CardDealt)
    return tape.change(index, card="As" if event.card != "As" else "Ks")


def a_changed_stake(tape: Tape) -> Tape:
    return tape.change(tape.find(BetPlaced, 1), amount=2_331)


def a_missing_line(tape: Tape) -> Tape:
    return tape.put(tape.find(BetPlaced, 2))


def a_missing_settlement_line(tape: Tape) -> Tape:
    index = tape.find(RoundSettled)
    event = tape.facts[index].event
    assert isinstance(event, RoundSettled)
    return tape.change(index, lines=event.lines[1:])


def two_settlement_lines_exchanged(tape: Tape) -> Tape:
    index = tape.find(RoundSettled)
    event = tape.facts[index].event
    assert isinstance(event, RoundSettled)
    return tape.change(index, lines=(event.lines[1], event.lines[0], *event.lines[2:]))


def two_cards_exchanged(tape: Tape) -> Tape:
    one, other = tape.find(CardDealt, 2), tape.find(CardDealt, 3)
    return tape.put(one, tape.facts[other]).put(other, tape.facts[one]).retimed()


def a_late_bet(tape: Tape) -> Tape:
    bet, closed = tape.find(BetPlaced, 4), tape.find(BetsClosed)
    facts = [*tape.facts[: closed + 1], tape.facts[bet], *tape.facts[closed + 1 :]]
    del facts[bet]
    return Tape(facts).retimed()


def a_wrong_seed(tape: Tape) -> Tape:
    return tape.change(tape.find(ShoeClosed), seed="00" * 32)


def a_commission_off_by_one(tape: Tape) -> Tape:
    for index in range(tape.first, len(tape.facts)):
        event = tape.facts[index].event
        if isinstance(event, RoundSettled) and any(line.marked for line in event.lines):
            lines = tuple(replace(line, marked=line.marked + 1) if line.marked else line for line in event.lines)
            return tape.change(index, lines=lines)
    raise AssertionError("no commission on this tape")


def a_prize_off_by_one(tape: Tape) -> Tape:
    index = tape.find(RoundSettled)
    event = tape.facts[index].event
    assert isinstance(event, RoundSettled)
    lines = (replace(event.lines[0], won=event.lines[0].won + 1), *event.lines[1:])
    return tape.change(index, lines=lines)


def a_coup_never_opened(tape: Tape) -> Tape:
    return tape.put(tape.find(RoundOpened, 3))


def a_void_that_nobody_approved(tape: Tape) -> Tape:
    return tape.change(tape.find(RoundVoided), approved_by=())


OPERATORS_LIES: dict[str, tuple[Lie, set[CheckName]]] = {
    "a swapped card": (a_swapped_card, {"shoe"}),
    "a changed stake": (a_changed_stake, {"money"}),
    "a missing line": (a_missing_line, {"rules", "money"}),
    "a missing settlement line": (a_missing_settlement_line, {"money"}),
    "two settlement lines exchanged": (two_settlement_lines_exchanged, {"rules"}),
    "two cards exchanged": (two_cards_exchanged, {"shoe", "rules"}),
    "a late bet": (a_late_bet, {"rules"}),
    "a wrong seed": (a_wrong_seed, {"shoe"}),
    "a commission off by one": (a_commission_off_by_one, {"money"}),
    "a prize off by one": (a_prize_off_by_one, {"money"}),
    "a coup never opened": (a_coup_never_opened, {"rules"}),
    "a void that nobody approved": (a_void_that_nobody_approved, {"rules"}),
}


@pytest.mark.parametrize("lie", OPERATORS_LIES)
def test_the_operators_lie_is_found(lie: str, tmp_path: Path) -> None:
    tell, expected = OPERATORS_LIES[lie]
    bundle = tell(TAPE).write(tmp_path / "bundle.zip")

    judgement = judge(bundle, TRUST)

    assert expected <= failed(judgement).keys(), failed(judgement)
    assert not failed(judgement).keys() & {"bytes", "chain", "log"}
    assert judgement.exit_code == 1


def test_the_operators_cut_tail_is_an_open_shoe(tmp_path: Path) -> None:
    bundle = Tape(TAPE.facts[:-40]).write(tmp_path / "bundle.zip")

    judgement = judge(bundle, TRUST)

    assert failed(judgement) == {}
    assert not judgement.report.complete
    assert {check.check for check in judgement.report.checks if check.result == "not-checked"} == {"shoe", "ledger"}
    assert judgement.exit_code == 2


@pytest.mark.parametrize(("lie", "garble"), [("a duplicate key", b'"round":1,'), ("an extra space", b" ")])
def test_the_operators_garbled_line_is_found(lie: str, garble: bytes, tmp_path: Path) -> None:
    at = TAPE.find(RoundSettled) - TAPE.first
    follows = TAPE.first + at + 1

    def tell(lines: list[bytes]) -> list[bytes]:
        bad = lines[at].replace(b'"round":1,', b'"round":1,' + garble)
        rest = seal(TAPE.facts[follows:], stream=tapes.STREAM, version=follows + 1, prev=leaf(bad).hex())
        return [*lines[:at], bad, *rest]

    judgement = judge(TAPE.write(tmp_path / "bundle.zip", tell), TRUST)

    assert failed(judgement).keys() == {"bytes"}, lie
    assert failed(judgement)["bytes"][0].startswith(f"{follows}: ")


def spoil(bundle: Path, lie: StrangersLie) -> Path:
    """The bundle as a stranger leaves it: other lines under the same proof."""
    with zipfile.ZipFile(bundle) as honest:
        members = {name: honest.read(name) for name in honest.namelist()}
    members[ENTRIES] = b"".join(line + b"\n" for line in lie(members[ENTRIES].splitlines()))
    return rewrite(bundle, members)


def rewrite(bundle: Path, members: dict[str, bytes]) -> Path:
    """A zip of these members."""
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as spoiled:
        for name, content in members.items():
            spoiled.writestr(name, content)
    return bundle


def in_line(index: int, old: bytes, new: bytes) -> StrangersLie:
    """One line with something else in it."""

    def lie(lines: list[bytes]) -> list[bytes]:
        assert old in lines[index], lines[index]
        return [*lines[:index], lines[index].replace(old, new, 1), *lines[index + 1 :]]

    return lie


def place_of(kind: type, number: int = 0) -> int:
    """The line of a fact in the bundle."""
    return TAPE.find(kind, number) - TAPE.first


def card_at(index: int) -> tuple[bytes, bytes]:
    """A card as it stands in its line, and another."""
    event = TAPE.facts[index + TAPE.first].event
    assert isinstance(event, CardDealt)
    return event.card.encode(), b"As" if event.card != "As" else b"Ks"


def exchanged(lines: list[bytes]) -> list[bytes]:
    one = place_of(BetPlaced, 1)
    return [*lines[:one], lines[one + 1], lines[one], *lines[one + 2 :]]


def moved_behind_the_last_call(lines: list[bytes]) -> list[bytes]:
    bet, closed = place_of(BetPlaced, 4), place_of(BetsClosed)
    return [*lines[:bet], *lines[bet + 1 : closed + 1], lines[bet], *lines[closed + 1 :]]


SEED_AS_WRITTEN = tapes.SEED.hex().encode()
STRANGERS_LIES: dict[str, tuple[StrangersLie, set[CheckName]]] = {
    "a swapped card": (in_line(place_of(CardDealt, 5), *card_at(place_of(CardDealt, 5))), {"chain"}),
    "a changed stake": (in_line(place_of(BetPlaced, 1), b'"amount":2330', b'"amount":2331'), {"chain"}),
    "a missing line": (lambda lines: lines[:20] + lines[21:], {"chain"}),
    "two lines exchanged": (exchanged, {"chain"}),
    "a cut tail": (lambda lines: lines[:-40], {"chain", "log"}),
    "a cut head": (lambda lines: lines[1:], {"chain", "rules"}),
    "a late bet": (moved_behind_the_last_call, {"chain"}),
    "a wrong seed": (in_line(-1 % (len(TAPE.facts) - TAPE.first), SEED_AS_WRITTEN, b"00" * 32), {"log"}),
    "a commission off by one": (in_line(place_of(RoundSettled), b'"marked":0', b'"marked":1'), {"chain"}),
    "a duplicate key": (in_line(place_of(BetPlaced), b'"round":1,', b'"round":1,"round":1,'), {"bytes", "chain"}),
    "an extra space": (in_line(place_of(BetPlaced), b'"round":1,', b'"round": 1,'), {"bytes", "chain"}),
    "an empty line": (lambda lines: [*lines[:9], b"", *lines[9:]], {"bytes", "chain"}),
    "a line twice": (lambda lines: [*lines[:9], lines[8], *lines[9:]], {"chain"}),
    "a line at the end": (lambda lines: [*lines, lines[-1]], {"chain"}),
}


@pytest.mark.parametrize("lie", STRANGERS_LIES)
def test_the_strangers_lie_is_found(lie: str, tmp_path: Path) -> None:
    tell, expected = STRANGERS_LIES[lie]
    bundle = spoil(TAPE.write(tmp_path / "bundle.zip"), tell)

    judgement = judge(bundle, TRUST)

    assert expected <= failed(judgement).keys(), failed(judgement)
    assert judgement.exit_code == 1


def test_a_foreign_checkpoint_is_found(tmp_path: Path) -> None:
    bundle = TAPE.write(tmp_path / "bundle.zip")
    with zipfile.ZipFile(bundle) as honest:
        members = {name: honest.read(name) for name in honest.namelist()}
    other = tapes.at_once().write(tmp_path / "other.zip")
    with zipfile.ZipFile(other) as foreign:
        members |= {name: foreign.read(name) for name in (PROOF, CHECKPOINT)}

    judgement = judge(rewrite(bundle, members), TRUST)

    assert failed(judgement).keys() == {"log"}


def test_a_missing_last_line_feed_is_found(tmp_path: Path) -> None:
    bundle = TAPE.write(tmp_path / "bundle.zip")
    with zipfile.ZipFile(bundle) as honest:
        members = {name: honest.read(name) for name in honest.namelist()}
    members[ENTRIES] = members[ENTRIES][:-1]

    assert failed(judge(rewrite(bundle, members), TRUST)).keys() == {"bytes"}
