"""Entropy: who may add to a shuffle, and whose ingredient comes last."""

from typing import Any

import pytest

from schemas.ingredient import final_message
from schemas.note import Signer
from services.table.game import shoes
from services.table.game.shoe import mix, seed_commitment
from tests.table.game.sitting import SEED, Sitting, refusal, said

COMMITMENT = seed_commitment("b1/1", SEED)
BEACON = f"drand:{'ab' * 32}:4711"
WITNESS = Signer("witness.example/dice", bytes(range(32)))


def committed(final_source: str = "none") -> Sitting:
    sitting = Sitting()
    sitting.do(shoes.commit(sitting.table, seed_commitment=COMMITMENT, final_source=final_source))
    return sitting


def add(sitting: Sitting, source: str, value: bytes) -> None:
    sitting.do(shoes.contribute(sitting.table, source=source, value=value))


def no_to(sitting: Sitting, source: str, value: bytes) -> Any:
    return refusal(sitting.table, shoes.contribute, source=source, value=value)


def test_patrons_and_staff_add_to_a_shuffle_in_any_number() -> None:
    sitting = committed()

    (added,) = shoes.contribute(sitting.table, source="patron:p1", value=b"\x01\xff")
    assert said(added) == {"shoe": 1, "source": "patron:p1", "value": "01ff"}

    add(sitting, "patron:p1", b"a")
    add(sitting, "staff:carl", b"b")
    assert shoes.shuffle(sitting.table, sitting.cards, mix=mix([("patron:p1", b"a"), ("staff:carl", b"b")]))


@pytest.mark.parametrize("value", [b"", bytes(257)])
def test_an_ingredient_has_1_to_256_bytes(value: bytes) -> None:
    no = no_to(committed(), "patron:p1", value)

    assert (no.code, no.where, no.right) == ("entropy", "value", "hex of 1 to 256 bytes")
    add(committed(), "patron:p1", bytes(256))


@pytest.mark.parametrize("source", ["signer:witness.example/dice", BEACON])
def test_nobody_signs_a_shuffle_that_did_not_name_him(source: str) -> None:
    no = no_to(committed(), source, bytes(64))

    assert (no.code, no.where, no.right) == ("entropy", "source", "patron:… or staff:…")


def test_nothing_is_added_once_the_cards_are_sealed() -> None:
    sitting = Sitting().shoe()

    assert no_to(sitting, "patron:p1", b"late").code == "wrong-phase"


@pytest.mark.parametrize("final_source", ["signer:nonsense", f"signer:é{WITNESS.verifier.vkey}"])
def test_a_last_source_is_named_so_that_it_can_be_checked(final_source: str) -> None:
    no = refusal(Sitting().table, shoes.commit, seed_commitment=COMMITMENT, final_source=final_source)

    assert (no.code, no.where) == ("entropy", "final_source")


def test_a_shuffle_waits_for_its_last_ingredient() -> None:
    sitting = committed(BEACON)
    add(sitting, "patron:p1", b"a")

    no = refusal(sitting.table, shoes.shuffle, sitting.cards, mix=bytes(32))
    assert (no.code, no.right) == ("entropy", f"a contribution of {BEACON}")

    add(sitting, BEACON, bytes(48))
    assert shoes.shuffle(sitting.table, sitting.cards, mix=bytes(32))


def test_nothing_comes_after_the_last_ingredient() -> None:
    sitting = committed(BEACON)
    add(sitting, BEACON, bytes(48))

    for source in ("patron:p1", BEACON):
        no = no_to(sitting, source, b"later")
        assert (no.code, no.where, no.right) == ("entropy", "source", "shuffle")


def test_a_signer_signs_the_shuffle_as_it_stands() -> None:
    sitting = committed(f"signer:{WITNESS.verifier.vkey}")
    early = WITNESS.sign_bytes(final_message("b1/1", COMMITMENT, mix([])))
    add(sitting, "patron:p1", b"a")
    now = final_message("b1/1", COMMITMENT, mix([("patron:p1", b"a")]))

    no = no_to(sitting, "signer:witness.example/dice", early)
    assert (no.code, no.where, no.right) == ("entropy", "value", f"Ed25519 over {now.hex()}")
    assert no_to(sitting, "signer:other.example/dice", early).where == "source"

    add(sitting, "signer:witness.example/dice", WITNESS.sign_bytes(now))
    assert shoes.shuffle(sitting.table, sitting.cards, mix=bytes(32))
