"""The grade of a shuffle: each thing that is false is found once, and told with what should have been there."""

from schemas.note import Signer
from services.table.game.grade import Entropy, Ingredients

WITNESS = Signer("witness.example/dice", bytes(range(32)))


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
