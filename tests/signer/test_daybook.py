"""The signer's daybook: one mix for each shoe, on the disk before it is told."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from schemas.ingredient import Mixed
from schemas.note import Signer, is_signed_bytes
from services.signer.daybook import Daybook, DaybookError, OtherwiseSignedError

SIGNER = Signer("paris.example/shuffle", bytes([3]) * 32)
MIXED = Mixed(shoe_id="b1/12", seed_commitment="ab" * 32, mix="cd" * 32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "daybook"


def test_what_is_signed_is_the_message_of_the_format_page(path: Path) -> None:
    with Daybook(path, SIGNER) as daybook:
        signed = daybook.sign(MIXED)

    message = b"shoe-final/v1\n" + b"\x00\x05b1/12" + bytes.fromhex("ab" * 32) + bytes.fromhex("cd" * 32)
    assert is_signed_bytes(SIGNER.verifier.public_key, bytes.fromhex(signed.signature), message)


def test_the_same_is_signed_alike_however_often_it_is_asked(path: Path) -> None:
    with Daybook(path, SIGNER) as daybook:
        first, again = daybook.sign(MIXED), daybook.sign(MIXED)

    assert again == first
    assert path.read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("other", [{"mix": "ee" * 32}, {"seed_commitment": "ee" * 32}])
def test_no_shoe_has_two_mixes_signed_also_after_a_restart(path: Path, other: dict[str, str]) -> None:
    with Daybook(path, SIGNER) as daybook:
        daybook.sign(MIXED)
        with pytest.raises(OtherwiseSignedError):
            daybook.sign(replace(MIXED, **other))

    with Daybook(path, SIGNER) as daybook:
        with pytest.raises(OtherwiseSignedError):
            daybook.sign(replace(MIXED, **other))
        assert [signed.mixed for signed in daybook.all()] == [MIXED]


def test_a_torn_last_line_was_never_told_and_is_taken_off(path: Path) -> None:
    with Daybook(path, SIGNER) as daybook:
        daybook.sign(MIXED)
        whole = path.read_bytes()
        daybook.sign(replace(MIXED, shoe_id="b1/13"))
    path.write_bytes(path.read_bytes()[:-40])

    with Daybook(path, SIGNER) as daybook:
        assert path.read_bytes() == whole
        daybook.sign(replace(MIXED, shoe_id="b1/13", mix="ee" * 32))
        assert [signed.shoe_id for signed in daybook.all()] == ["b1/12", "b1/13"]


def test_a_daybook_that_was_changed_is_not_gone_on_with(path: Path) -> None:
    with Daybook(path, SIGNER) as daybook:
        daybook.sign(MIXED)
    path.write_bytes(path.read_bytes().replace(b"b1/12", b"b1/13"))

    with pytest.raises(DaybookError, match="line 1: not this key's signature"):
        Daybook(path, SIGNER)


def test_a_shoe_that_stands_twice_is_not_gone_on_with(path: Path) -> None:
    with Daybook(path, SIGNER) as daybook:
        daybook.sign(MIXED)
    path.write_bytes(2 * path.read_bytes())

    with pytest.raises(DaybookError, match="line 2: b1/12 stands twice"):
        Daybook(path, SIGNER)


def test_two_signers_do_not_share_a_daybook(path: Path) -> None:
    with Daybook(path, SIGNER), pytest.raises(DaybookError, match="held by another"):
        Daybook(path, SIGNER)


def test_after_a_failed_write_nothing_is_signed_until_the_daybook_is_read_again(path: Path) -> None:
    daybook = Daybook(path, SIGNER)
    full = open("/dev/full", "ab", buffering=0)  # noqa: PTH123, SIM115  # a device, and closed with the daybook
    daybook._file, held = full, daybook._file  # noqa: SLF001

    with pytest.raises(DaybookError, match="cannot be written"):
        daybook.sign(MIXED)

    assert daybook.trouble is not None
    with pytest.raises(DaybookError):
        daybook.sign(MIXED)
    daybook.close()
    held.close()
    with Daybook(path, SIGNER) as again:
        assert again.all() == []
        assert again.sign(MIXED).mixed == MIXED
