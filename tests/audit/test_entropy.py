"""The grade of a shoe's entropy: no higher than what can be shown."""

from pathlib import Path

from msgspec.structs import replace

from schemas.events import EntropyContributed, ShoeCommitted
from schemas.note import Signer
from services.audit.log import Trust
from services.audit.telling import told
from services.audit.verdict import Judgement, judge
from services.table.game import shoes
from tests.audit import tapes
from tests.audit.tapes import LOG, SEED, Sitting, Tape, house_rules
from tests.audit.test_tapes import PARIS, failed

STRANGER = Signer("paris.example/beacon", bytes([10]) * 32)


def graded(tape: Tape, tmp_path: Path, *signers: Signer) -> Judgement:
    """The judgement with these signers' keys given."""
    trust = Trust(log_key=LOG.verifier, signers=tuple(signer.verifier for signer in signers))
    return judge(tape.write(tmp_path / "bundle.zip"), trust)


def shoe(*contributions: tuple[str, bytes], final_source: str = "none") -> Tape:
    """A shoe into which these went."""
    at = Sitting(house_rules(decks=1))
    at.commit(final_source=final_source)
    for source, value in contributions:
        at.contribute(source, value)
    at.shuffle()
    at.do(shoes.close(at.table, seed=SEED, reason="early"))
    return at.tape()


def test_without_contributions_only_the_operator_shuffled(tmp_path: Path) -> None:
    assert graded(shoe(), tmp_path).report.entropy == "operator-only"


def test_staff_are_the_operator(tmp_path: Path) -> None:
    assert graded(shoe(("staff:ben", b"x")), tmp_path).report.entropy == "operator-only"


def test_a_patrons_words_make_it_a_patrons_shoe(tmp_path: Path) -> None:
    judgement = graded(shoe(("patron:ada", b"x"), ("staff:ben", b"y")), tmp_path)

    assert judgement.report.entropy == "patron"
    assert "may have been the last" in judgement.entropy_reason


def test_a_signer_whose_key_was_given_is_independent(tmp_path: Path) -> None:
    judgement = graded(tapes.signed_last(PARIS), tmp_path, PARIS)

    assert judgement.report.entropy == "independent"
    assert judgement.exit_code == 0


def test_a_signer_whose_key_was_not_given_is_nobody(tmp_path: Path) -> None:
    judgement = graded(tapes.signed_last(PARIS), tmp_path)

    assert judgement.report.entropy == "patron"
    assert "was not given" in judgement.entropy_reason
    assert judgement.exit_code == 0


def test_another_key_of_the_same_name_is_not_the_signer(tmp_path: Path) -> None:
    judgement = graded(tapes.signed_last(STRANGER), tmp_path, PARIS)

    assert judgement.report.entropy == "patron"
    assert failed(judgement) == {}


def test_a_signature_that_was_not_asked_for_must_be_by_the_key_that_was_given(tmp_path: Path) -> None:
    forged = shoe((f"signer:{PARIS.verifier.name}", bytes(64)))
    short = shoe((f"signer:{PARIS.verifier.name}", bytes(63)))

    assert failed(graded(forged, tmp_path)) == {}
    assert failed(graded(forged, tmp_path, PARIS)).keys() == {"shoe"}
    assert failed(graded(short, tmp_path)).keys() == {"shoe"}


def test_a_signature_over_something_else_fails_the_shoe(tmp_path: Path) -> None:
    for signers in ((), (PARIS,)):
        judgement = graded(tapes.signed_last(PARIS, honest=False), tmp_path, *signers)

        assert judgement.report.entropy == "patron"
        assert failed(judgement).keys() == {"shoe"}
        assert len(failed(judgement)["shoe"]) == 1


def test_a_named_last_ingredient_that_is_missing_fails_the_shoe(tmp_path: Path) -> None:
    for named in (f"signer:{PARIS.verifier.vkey}", "drand:" + "ab" * 32 + ":12"):
        judgement = graded(shoe(("patron:ada", b"x"), final_source=named), tmp_path, PARIS)

        assert failed(judgement).keys() == {"shoe"}


def test_a_named_last_ingredient_that_is_not_last_fails_the_shoe(tmp_path: Path) -> None:
    named = "drand:" + "ab" * 32 + ":12"

    judgement = graded(shoe((named, bytes(48)), ("patron:ada", b"x"), final_source=named), tmp_path)

    assert failed(judgement).keys() == {"shoe"}


def test_a_beacon_that_is_not_checked_gets_the_next_lower_grade(tmp_path: Path) -> None:
    named = "drand:" + "ab" * 32 + ":12"

    judgement = graded(shoe(("patron:ada", b"x"), (named, bytes(48)), final_source=named), tmp_path)

    assert judgement.report.entropy == "patron"
    assert "beacon" in judgement.entropy_reason
    assert judgement.exit_code == 0


def test_a_key_that_is_none_named_as_last_signer_fails_the_shoe(tmp_path: Path) -> None:
    tape = tapes.signed_last(PARIS)
    committed = tape.facts[tape.first].event
    assert isinstance(committed, ShoeCommitted)
    name, _, key = PARIS.verifier.vkey.split("+", 2)

    judgement = graded(tape.change(tape.first, final_source=f"signer:{name}+00000000+{key}"), tmp_path, PARIS)

    assert failed(judgement).keys() == {"shoe"}


def test_a_source_that_no_hash_can_hold_is_a_finding(tmp_path: Path) -> None:
    tape = tapes.signed_last(PARIS)
    index = tape.find(EntropyContributed, 1)

    judgement = graded(tape.change(index, source="signer:pärïs"), tmp_path)

    assert "shoe" in failed(judgement)


def test_what_went_into_a_shoe_that_was_never_shuffled_is_graded_and_nothing_is_missing(tmp_path: Path) -> None:
    judgement = graded(tapes.never_shuffled(), tmp_path)

    assert judgement.report.entropy == "patron"
    assert failed(judgement) == {}


def test_an_open_shoe_is_graded_too(tmp_path: Path) -> None:
    tape = tapes.signed_last(PARIS)

    judgement = graded(Tape(tape.facts[:-2]), tmp_path, PARIS)

    assert judgement.report.entropy == "independent"
    assert judgement.exit_code == 2


def test_something_false_in_an_open_shoe_fails_it(tmp_path: Path) -> None:
    tape = tapes.at_once()
    facts = tape.facts[:-3]
    first = replace(facts[tape.first], event=replace(facts[tape.first].event, seed_commitment="00" * 32))

    unseen = graded(Tape([*facts[: tape.first], first, *facts[tape.first + 1 :]]), tmp_path)
    seen = graded(Tape(facts).change(tape.find(EntropyContributed), value="00"), tmp_path)

    assert (unseen.exit_code, failed(unseen)) == (2, {})
    assert failed(seen).keys() == {"shoe"}


def test_a_scanned_shoe_has_no_grade(tmp_path: Path) -> None:
    judgement = graded(tapes.scanned(), tmp_path)

    assert judgement.report.entropy is None
    assert "entropy  no grade: real cards, read by a scanner" in told(judgement)
