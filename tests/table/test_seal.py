"""A shoe's seed is sealed with a key outside the database, for its shoe alone."""

import pickle
from pathlib import Path

import pytest

from schemas.keyfile import KeyFileError
from services.table.seal import SealedSeedError, SeedKey, load_key, seal, unseal

KEY = SeedKey(bytes(range(32)))
SEED, COMMITMENT = b"s" * 32, b"c" * 32


def test_a_sealed_seed_opens_for_its_shoe() -> None:
    sealed = seal(KEY, shoe_id="b1/12", commitment=COMMITMENT, seed=SEED)

    assert SEED not in sealed
    assert unseal(KEY, shoe_id="b1/12", commitment=COMMITMENT, sealed=sealed) == SEED


def test_sealing_twice_gives_different_bytes() -> None:
    first, second = (seal(KEY, shoe_id="b1/12", commitment=COMMITMENT, seed=SEED) for _ in range(2))

    assert first != second


@pytest.mark.parametrize(
    ("shoe_id", "commitment", "key"),
    [("b1/13", COMMITMENT, KEY), ("b1/12", b"d" * 32, KEY), ("b1/12", COMMITMENT, SeedKey(b"k" * 32))],
    ids=["another shoe", "another commitment", "another key"],
)
def test_a_sealed_seed_does_not_open_for_anything_else(shoe_id: str, commitment: bytes, key: SeedKey) -> None:
    sealed = seal(KEY, shoe_id="b1/12", commitment=COMMITMENT, seed=SEED)

    with pytest.raises(SealedSeedError):
        unseal(key, shoe_id=shoe_id, commitment=commitment, sealed=sealed)


@pytest.mark.parametrize("length", [0, 5, 12, 27, 59])
def test_a_damaged_seed_does_not_open(length: int) -> None:
    sealed = seal(KEY, shoe_id="b1/12", commitment=COMMITMENT, seed=SEED)

    with pytest.raises(SealedSeedError):
        unseal(KEY, shoe_id="b1/12", commitment=COMMITMENT, sealed=sealed[:length])


def test_a_missing_key_is_made_for_its_owner_alone_and_found_again(tmp_path: Path) -> None:
    path = tmp_path / "seed.key"

    sealed = seal(load_key(path), shoe_id="b1/1", commitment=COMMITMENT, seed=SEED)

    assert path.stat().st_mode & 0o777 == 0o600
    assert unseal(load_key(path), shoe_id="b1/1", commitment=COMMITMENT, sealed=sealed) == SEED


def test_a_key_open_to_others_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "seed.key"
    load_key(path)
    path.chmod(0o644)

    with pytest.raises(KeyFileError, match="open to others"):
        load_key(path)


def test_a_file_without_a_key_is_refused_and_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "seed.key"
    path.touch(mode=0o600)
    path.write_text("ab" * 31)

    with pytest.raises(KeyFileError) as refused:
        load_key(path)
    assert "abab" not in str(refused.value)


def test_a_key_shows_nothing_of_itself() -> None:
    assert repr(KEY) == str(KEY) == f"{KEY}" == "SeedKey(…)"
    with pytest.raises(TypeError):
        pickle.dumps(KEY)
