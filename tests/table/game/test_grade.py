"""The grade of a shuffle: each thing that is false is found once, and told with what should have been there."""

from schemas.ingredient import final_message
from schemas.note import COSIGNATURE, Signer
from services.table.game.grade import Entropy, Ingredients
from services.table.game.shoe import mix

WITNESS = Signer("witness.example/dice", bytes(range(32)))
STRANGER = Signer("stranger.example/dice", bytes(32))


def signed(signer: Signer, *before: tuple[str, bytes]) -> tuple[str, bytes]:
    """What a signer adds to what was contributed before."""
    message = final_message("b1/1", bytes(32), mix(before))
    return f"signer:{signer.verifier.name}", signer.sign_bytes(message)


def graded(final_source: str, *contributions: tuple[str, bytes]) -> Entropy:
    ingredients = Ingredients(
        shoe_id="b1/1", commitment=bytes(32), final_source=final_source, signers=(WITNESS.verifier,)
    )
    for source, value in contributions:
        ingredients.add(source, value)
    return ingredients.judge()


def test_a_last_ingredient_that_is_no_signature_at_all_is_found_once() -> None:
    named = f"signer:{WITNESS.verifier.vkey}"
    last = f"signer:{WITNESS.verifier.name}"

    short = graded(named, (last, b"x"))
    wrong = graded(named, ("signer:other.example/dice", b"x"), (last, bytes(64)))

    assert short.findings == ((0, f"the value of {last} has 1 bytes, where a signature has 64"),)
    assert wrong.findings == (
        (0, "the value of signer:other.example/dice has 1 bytes, where a signature has 64"),
        (1, "the last ingredient is not the signature of the signer named"),
    )


def test_a_last_ingredient_that_is_not_there_is_told_as_missing_or_by_what_stands_in_its_place() -> None:
    beacon = f"drand:{'ab' * 32}:4711"

    missing, other = graded(beacon), graded(beacon, ("patron:ada", b"x"))

    assert missing.findings == ((None, f"the last ingredient is to be {beacon}, and it is missing"),)
    assert other.findings == ((None, f"the last ingredient is to be {beacon}, and it is patron:ada"),)
    assert (missing.grade, other.grade) == ("operator-only", "patron")


def test_a_signature_by_a_key_that_was_given_makes_a_shuffle_independent_and_by_another_key_does_not() -> None:
    patron = ("patron:ada", b"x")

    known = graded(f"signer:{WITNESS.verifier.vkey}", patron, signed(WITNESS, patron))
    unknown = graded(f"signer:{STRANGER.verifier.vkey}", patron, signed(STRANGER, patron))

    assert known == Entropy(grade="independent", reason="witness.example/dice, whose key was given, signed last")
    assert (unknown.grade, unknown.findings) == ("patron", ())
    assert unknown.reason.startswith("the key of the signer stranger.example/dice was not given to compare with; ")


def test_a_true_signature_is_no_last_ingredient_by_a_key_of_another_kind() -> None:
    witness = Signer(WITNESS.verifier.name, bytes(range(32)), algorithm=COSIGNATURE)

    found = graded(f"signer:{witness.verifier.vkey}", signed(witness))

    assert found.grade == "operator-only"
    assert found.findings == ((0, "the last ingredient is not the signature of the signer named"),)


def test_an_ingredient_of_a_known_signer_in_between_is_his_signature_too() -> None:
    name = f"signer:{WITNESS.verifier.name}"
    true = signed(WITNESS)

    assert graded("none", true).findings == ()
    assert graded("none", (name, bytes(64))).findings == ((0, f"the ingredient of {name} is not its signature"),)
    beacon = f"drand:{'ab' * 32}:4711"
    assert graded(beacon, (name, bytes(64)), (beacon, b"x")).findings == (
        (0, f"the ingredient of {name} is not its signature"),
    )
