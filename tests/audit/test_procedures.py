"""What holds over several entries: the last coup, limits in force, reversals, and a bundle without a beginning."""

from pathlib import Path

from msgspec.structs import replace

from schemas.events import BetPlaced, ChipsCashed, RoundSettled, RoundVoided, SettlementReversed, ShoeCommitted
from schemas.rules import BetLimits
from services.audit.verdict import judge
from services.table.game import floor, play, shoes
from services.table.game.state import Between
from tests.audit import tapes
from tests.audit.tapes import SEED, Sitting, Tape, house_rules, limits_of
from tests.audit.test_rules import says
from tests.audit.test_tapes import TRUST, failed


def passes(tape: Tape, tmp_path: Path) -> None:
    """See that nothing is found on a tape."""
    assert failed(judge(tape.write(tmp_path / "bundle.zip"), TRUST)) == {}


def test_the_last_coup_is_the_last(tmp_path: Path) -> None:
    at = Sitting(house_rules(decks=1, cut=30))
    at.start()
    while not at.is_over:
        at.coup(("ada", "player", 500))
    phase = at.table.phase
    assert isinstance(phase, Between)
    phase.shoe.coups_left = 1
    at.coup(("ada", "player", 500))
    at.do(shoes.close(at.table, seed=SEED, reason="late"))

    says(at.tape(), "rules", "after the last one of the shoe", tmp_path)


def test_a_reversal_takes_back_no_more_than_there_is(tmp_path: Path) -> None:
    at = Sitting(house_rules(decks=1), stacks={"ada": 1_000, "bob": 5_000})
    at.start()
    at.coup(("ada", "player", 1_000), ("bob", "banker", 1_000))
    winner = "ada" if at.table.stack("ada") else "bob"
    at.do([ChipsCashed(patron=winner, amount=at.table.stack(winner) - 100, means="cash")])
    settled = next(fact.event for fact in reversed(at.scribe.facts) if isinstance(fact.event, RoundSettled))
    at.do([SettlementReversed(round=1, reason="error", approved_by=tapes.TWO), settled])
    at.do(shoes.close(at.table, seed=SEED, reason="early"))

    says(at.tape(), "money", f"patron {winner} gives back 2000 of a stack of 100", tmp_path)


def test_nobody_leaves_owing(tmp_path: Path) -> None:
    at = Sitting(house_rules(decks=1))
    at.start()
    while not any(at.table.owed.values()):
        at.coup(("ada", "banker", 10_000), ("bob", "player", 700))
    at.do([ChipsCashed(patron="ada", amount=at.table.stack("ada") - 1, means="cash")])
    honest = Tape([*at.scribe.facts])
    at.do([ChipsCashed(patron="ada", amount=1, means="cash")])

    assert failed(judge(honest.write(tmp_path / "bundle.zip"), TRUST)) == {}
    says(at.tape(), "money", "leaves with nothing on the table, owing 500", tmp_path)


def test_a_coup_may_be_voided_with_its_shoe(tmp_path: Path) -> None:
    at = Sitting(house_rules(decks=1))
    at.start()
    at.do(play.open_round(at.table))
    voided = RoundVoided(round=1, reason="fire", approved_by=())
    at.do([voided])
    still_open = Tape([*at.scribe.facts])
    at.do(shoes.void(at.table, seed=SEED, reason="fire", approved_by=tapes.TWO))

    passes(at.tape(), tmp_path)
    says(still_open, "rules", "voided by nobody's word", tmp_path)


def test_limits_hold_from_the_next_coup_on(tmp_path: Path) -> None:
    at = Sitting(house_rules(decks=1))
    at.start()
    at.do(play.open_round(at.table))
    narrow = replace(limits_of(at.table.rules), bets={"player": BetLimits(min=100, max=200)})
    at.do(floor.change_limits(at.table, limits=narrow))
    at.bet(("ada", "banker", 5_000))
    at.close_bets()
    at.deal()
    at.coup(("ada", "player", 150))
    at.do(shoes.close(at.table, seed=SEED, reason="early"))
    tape = at.tape()

    passes(tape, tmp_path)
    says(tape.change(tape.find(BetPlaced, 1), amount=250), "rules", "100 to 200 are allowed", tmp_path)
    says(tape.change(tape.find(BetPlaced, 1), bet="banker"), "rules", "not offered", tmp_path)


def test_the_patrons_and_the_tables_limit_bind_what_lies_on_the_layout(tmp_path: Path) -> None:
    at = Sitting(house_rules(decks=1), limits=replace(limits_of(house_rules()), patron=5_000, table=8_000))
    at.start()
    at.coup(("ada", "player", 3_000), ("ada", "tie", 2_000), ("bob", "banker", 3_000))
    at.do(shoes.close(at.table, seed=SEED, reason="early"))
    tape = at.tape()

    passes(tape, tmp_path)
    says(tape.change(tape.find(BetPlaced, 1), amount=2_001), "rules", "5000 are allowed", tmp_path)
    says(tape.change(tape.find(BetPlaced, 2), amount=3_001), "rules", "8000 are allowed", tmp_path)


def test_a_bundle_that_does_not_begin_with_its_shoe_cannot_be_followed(tmp_path: Path) -> None:
    tape = tapes.an_evening()
    without_its_head = tape.write(tmp_path / "bundle.zip", lambda lines: lines[1:])

    judgement = judge(without_its_head, TRUST)

    assert "rules" in failed(judgement)
    results = {check.check: check.result for check in judgement.report.checks}
    assert (results["shoe"], results["money"]) == ("not-checked", "not-checked")
    assert isinstance(tape.facts[tape.first].event, ShoeCommitted)
