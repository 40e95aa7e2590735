"""A shoe's seed is sealed with a key outside the database, for its shoe alone."""

import pickle
from pathlib import Path

import pytest
from click.testing import CliRunner

from schemas.keyfile import KeyFileError
from services.house.cli import main
from services.table.seal import SealedSeedError, SeedKey, load_key, rotate, seal, told_key, unseal

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


def test_after_a_rotation_the_new_key_seals_and_the_old_one_still_unseals(tmp_path: Path) -> None:
    path = tmp_path / "seed.key"
    running = load_key(path)
    before = seal(running, shoe_id="b1/1", commitment=COMMITMENT, seed=SEED)
    first = path.read_text().split()

    assert rotate(path) == 2

    keys = path.read_text().split()
    assert keys[:1] == first
    assert path.stat().st_mode & 0o777 == 0o600
    after = seal(running, shoe_id="b1/2", commitment=COMMITMENT, seed=SEED)
    newest = told_key(keys[1])
    assert unseal(newest, shoe_id="b1/2", commitment=COMMITMENT, sealed=after) == SEED
    for key in (running, load_key(path), told_key(" ".join(keys))):
        assert unseal(key, shoe_id="b1/1", commitment=COMMITMENT, sealed=before) == SEED
        assert unseal(key, shoe_id="b1/2", commitment=COMMITMENT, sealed=after) == SEED
    with pytest.raises(SealedSeedError):
        unseal(newest, shoe_id="b1/1", commitment=COMMITMENT, sealed=before)


def test_an_old_key_that_is_taken_out_opens_nothing_more(tmp_path: Path) -> None:
    path = tmp_path / "seed.key"
    sealed = seal(load_key(path), shoe_id="b1/1", commitment=COMMITMENT, seed=SEED)
    rotate(path)
    path.write_text(path.read_text().split()[1])

    with pytest.raises(SealedSeedError):
        unseal(load_key(path), shoe_id="b1/1", commitment=COMMITMENT, sealed=sealed)


def test_a_running_service_keeps_its_keys_while_the_file_cannot_be_read(tmp_path: Path) -> None:
    path = tmp_path / "seed.key"
    running = load_key(path)
    sealed = seal(running, shoe_id="b1/1", commitment=COMMITMENT, seed=SEED)
    path.write_text("no key")

    assert unseal(running, shoe_id="b1/1", commitment=COMMITMENT, sealed=sealed) == SEED


@pytest.mark.parametrize("text", ["", "ab", "zz" * 32, "ab" * 32 + " cd"])
def test_what_is_no_key_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(ValueError, match="holds no seed keys") as refused:
        told_key(text)
    assert "ab" not in str(refused.value)


def test_the_command_line_rotates_and_shows_no_key(tmp_path: Path) -> None:
    path = tmp_path / "seed.key"
    load_key(path)

    said = CliRunner().invoke(main, ["table", "key", "rotate-seeds", "--seed-key-file", str(path)])
    missing = CliRunner().invoke(main, ["table", "key", "rotate-seeds", "--seed-key-file", str(tmp_path / "none")])

    assert said.exit_code == 0
    assert "has 2 keys" in said.output
    assert not any(key in said.output for key in path.read_text().split())
    assert missing.exit_code == 1


def test_a_first_key_is_never_written_over_another(tmp_path: Path) -> None:
    path = tmp_path / "seed.key"
    words = ["table", "key", "rotate-seeds", "--new", "--seed-key-file", str(path)]

    made, first = CliRunner().invoke(main, words), path.read_text()
    again = CliRunner().invoke(main, words)

    assert (made.exit_code, again.exit_code) == (0, 1)
    assert "File exists" in again.output
    assert path.read_text() == first
