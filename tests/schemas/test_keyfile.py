"""Private keys in files: new, whole, and for their owner's eyes alone."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from schemas import keyfile, note


@pytest.fixture
def key_path(tmp_path: Path) -> Path:
    return tmp_path / "log.key"


def test_a_new_key_is_kept_in_a_file_that_only_its_owner_reads(key_path: Path) -> None:
    keyfile.create(key_path)

    signer = keyfile.load(key_path, "casino.example/log/1")

    assert key_path.stat().st_mode & 0o777 == 0o600
    assert keyfile.load(key_path, "casino.example/log/1").verifier == signer.verifier
    assert note.open_note(note.sign(b"x\n", signer), [signer.verifier]).text == b"x\n"
    assert list(key_path.parent.iterdir()) == [key_path]


def test_a_key_is_never_written_over(key_path: Path) -> None:
    keyfile.create(key_path)
    before = key_path.read_bytes()

    with pytest.raises(FileExistsError):
        keyfile.create(key_path)
    assert key_path.read_bytes() == before
    assert list(key_path.parent.iterdir()) == [key_path]


def test_a_key_may_be_64_hex_digits(key_path: Path) -> None:
    keyfile.save(key_path, b"61" * 32 + b"\n")

    assert keyfile.load(key_path, "a.example").verifier == note.Signer("a.example", b"a" * 32).verifier


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620, 0o601])
def test_a_key_that_others_may_touch_is_refused(key_path: Path, mode: int) -> None:
    keyfile.create(key_path)
    key_path.chmod(mode)

    with pytest.raises(keyfile.KeyFileError, match="open to others"):
        keyfile.load(key_path, "a.example")


@pytest.mark.parametrize("secret", [b"", b"61" * 31, b"zz" * 32, b"-----BEGIN PRIVATE KEY-----\n", b"6" * 5000])
def test_a_file_without_a_key_is_refused_and_its_content_not_told(key_path: Path, secret: bytes) -> None:
    keyfile.save(key_path, secret)

    with pytest.raises(keyfile.KeyFileError) as refused:
        keyfile.load(key_path, "a.example")
    assert "6161" not in str(refused.value)


def test_a_key_of_another_kind_is_refused(key_path: Path) -> None:
    other = X25519PrivateKey.generate()
    keyfile.save(key_path, other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))

    with pytest.raises(keyfile.KeyFileError, match="not an Ed25519 key"):
        keyfile.load(key_path, "a.example")


def test_a_folder_or_a_pipe_is_no_key_file(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="directory"):
        keyfile.load(tmp_path, "a.example")
    os.mkfifo(tmp_path / "pipe", 0o600)
    with pytest.raises(keyfile.KeyFileError, match="not a file"):
        keyfile.load(tmp_path / "pipe", "a.example")
    with pytest.raises(FileNotFoundError):
        keyfile.load(tmp_path / "none", "a.example")


def test_two_that_create_one_key_leave_one_key(key_path: Path) -> None:
    script = "import sys, pathlib; from schemas import keyfile; keyfile.create(pathlib.Path(sys.argv[1]))"
    racers = [
        subprocess.Popen([sys.executable, "-c", script, str(key_path)], stderr=subprocess.DEVNULL) for _ in range(2)
    ]

    assert sorted(racer.wait() for racer in racers) == [0, 1]
    keyfile.load(key_path, "a.example")
