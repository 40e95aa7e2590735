"""The committed shoe: NIST's vectors for the generator, ours for the shoe."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from schemas.ingredient import final_message
from schemas.tree import root
from services.table.game.cards import CARDS, code_of
from services.table.game.shoe import HmacDrbg, derive, leaf, mix, seed_commitment, shuffled, words

DATA = Path(__file__).parents[2] / "data"
NIST: dict[str, Any] = json.loads((DATA / "hmac_drbg_sha256.json").read_text(encoding="utf-8"))
PLAIN: list[dict[str, str]] = NIST["sha256_no_reseed"]
WITH_INPUT: list[dict[str, Any]] = NIST["sha256_no_reseed_additional_input"]
SHOES: list[dict[str, Any]] = json.loads((DATA / "shoe_vectors.json").read_text(encoding="utf-8"))["vectors"]


def names(vectors: list[dict[str, Any]]) -> list[str]:
    return [vector["name"] for vector in vectors]


def generator(vector: dict[str, Any]) -> HmacDrbg:
    return HmacDrbg(
        entropy=bytes.fromhex(vector["entropy"]),
        nonce=bytes.fromhex(vector["nonce"]),
        personalization=bytes.fromhex(vector["pers"]),
    )


@pytest.mark.parametrize("vector", PLAIN, ids=names(PLAIN))
def test_the_generator_gives_the_bits_that_nist_published(vector: dict[str, Any]) -> None:
    drbg, expected = generator(vector), bytes.fromhex(vector["returned_bits"])

    drbg.generate(len(expected))

    assert drbg.generate(len(expected)) == expected


@pytest.mark.parametrize("vector", WITH_INPUT, ids=names(WITH_INPUT))
def test_the_generator_takes_additional_input(vector: dict[str, Any]) -> None:
    drbg, expected = generator(vector), bytes.fromhex(vector["returned_bits"])
    first, second = (bytes.fromhex(additional) for additional in vector["additional_input"])

    drbg.generate(len(expected), first)

    assert drbg.generate(len(expected), second) == expected


def test_the_generator_refuses_more_than_the_standard_allows() -> None:
    drbg = HmacDrbg(entropy=bytes(32), nonce=bytes(16))

    assert len(drbg.generate(65536)) == 65536
    with pytest.raises(ValueError, match="65537 bytes in one request"):
        drbg.generate(65537)


@pytest.mark.parametrize("size", [0, 1, 31, 32, 33, 64, 65])
def test_the_generator_gives_as_many_bytes_as_are_asked_for_and_the_same_ones(size: int) -> None:
    whole = HmacDrbg(entropy=bytes(32), nonce=bytes(16)).generate(96)

    assert HmacDrbg(entropy=bytes(32), nonce=bytes(16)).generate(size) == whole[:size]


@pytest.mark.parametrize("vector", SHOES, ids=names(SHOES))
def test_a_shoe_comes_out_of_its_seed_as_published(vector: dict[str, Any]) -> None:
    seed, shoe_id = bytes.fromhex(vector["seed"]), vector["shoe_id"]
    mixed = mix([(source, bytes.fromhex(value)) for source, value in vector["contributions"]])

    shoe = derive(seed=seed, shoe_id=shoe_id, decks=vector["decks"], mix=mixed)

    codes = [code_of(card) for card in shoe.cards]
    assert seed_commitment(shoe_id, seed).hex() == vector["seed_commitment"]
    assert mixed.hex() == vector["mix"]
    assert codes[:16] == vector["first_16_cards"]
    assert sha256(bytes(codes)).hexdigest() == vector["cards_sha256"]
    assert shoe.salts[0].hex() == vector["salt_0"]
    assert shoe.salts[-1].hex() == vector["salt_last"]
    assert shoe.leaves[0].hex() == vector["leaf_0"]
    assert shoe.root.hex() == vector["deck_root"]


def test_one_vector_meets_a_rejected_word() -> None:
    assert [vector["rejected_words"] for vector in SHOES].count(1) == 1


def test_a_word_that_would_favour_low_places_is_passed_over() -> None:
    # 2^32 mod 3 is 1: of the words, only the last is refused for three places.
    assert shuffled(3, iter([2**32 - 1, 0, 0])) == shuffled(3, iter([0, 0]))


def test_the_last_word_that_favours_nobody_is_taken_and_the_next_passed_over() -> None:
    # 2^32 mod 7 is 4: of the words for seven places, the last four are refused.
    fair, unfair = 2**32 - 5, 2**32 - 4

    assert shuffled(7, iter([fair, *[0] * 5])) == shuffled(7, iter([fair % 7, *[0] * 5]))
    assert shuffled(7, iter([unfair, 1, *[0] * 5])) == shuffled(7, iter([1, *[0] * 5]))


def test_exhausted_words_are_asked_for_again_with_the_same_call() -> None:
    twice = HmacDrbg(entropy=bytes(32), nonce=bytes(32))
    expected = twice.generate(8) + twice.generate(8)

    stream = words(HmacDrbg(entropy=bytes(32), nonce=bytes(32)), 8)

    assert b"".join(next(stream).to_bytes(4, "big") for _ in range(4)) == expected


@pytest.mark.parametrize("decks", range(1, 13))
def test_a_shoe_holds_every_card_of_its_decks(decks: int) -> None:
    shoe = derive(seed=bytes(32), shoe_id="b1/1", decks=decks, mix=mix([]))

    assert sorted(shoe.cards) == sorted(CARDS * decks)
    assert len(shoe.salts) == len(set(shoe.salts)) == 52 * decks


def test_each_card_can_be_opened_alone() -> None:
    shoe = derive(seed=bytes(32), shoe_id="b1/1", decks=1, mix=mix([]))

    opened = [
        leaf("b1/1", place, code_of(card), salt)
        for place, (card, salt) in enumerate(zip(shoe.cards, shoe.salts, strict=True))
    ]

    assert tuple(opened) == shoe.leaves
    assert root(opened) == shoe.root


def test_every_ingredient_changes_the_shoe() -> None:
    plain = derive(seed=bytes(32), shoe_id="b1/1", decks=8, mix=mix([]))

    others = [
        derive(seed=bytes(31) + b"\x01", shoe_id="b1/1", decks=8, mix=mix([])),
        derive(seed=bytes(32), shoe_id="b1/2", decks=8, mix=mix([])),
        derive(seed=bytes(32), shoe_id="b1/1", decks=8, mix=mix([("patron:p1", b"luck")])),
    ]

    assert len({plain.cards, *(other.cards for other in others)}) == 4


def test_contributions_cannot_be_shifted_into_one_another() -> None:
    assert mix([("patron:a", b"bc")]) != mix([("patron:ab", b"c")])
    assert mix([("patron:a", b"b"), ("patron:c", b"d")]) != mix([("patron:c", b"d"), ("patron:a", b"b")])


def test_the_last_ingredient_signs_the_shoe_the_commitment_and_the_mix_so_far() -> None:
    assert final_message("b1/12", b"C" * 32, b"M" * 32) == b"shoe-final/v1\n\x00\x05b1/12" + b"C" * 32 + b"M" * 32


@pytest.mark.parametrize(("seed", "decks"), [(bytes(31), 8), (bytes(33), 8), (bytes(32), 0), (bytes(32), 13)])
def test_a_short_seed_or_an_impossible_number_of_decks_is_refused(seed: bytes, decks: int) -> None:
    with pytest.raises(ValueError, match=r"a seed has 32 bytes|a shoe has 1 to 12 decks"):
        derive(seed=seed, shoe_id="b1/1", decks=decks, mix=mix([]))


def test_neither_seed_nor_cards_show_when_printed() -> None:
    shoe = derive(seed=bytes(32), shoe_id="b1/1", decks=8, mix=mix([]))

    assert repr(shoe) == f"Shoe('b1/1', decks=8, root={shoe.root.hex()})"
    assert repr(HmacDrbg(entropy=bytes(32), nonce=bytes(16))) == "HmacDrbg(…)"
