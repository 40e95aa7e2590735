"""The register takes a note in place of the one that is expected, whole or not at all, from one hand at a time."""

import multiprocessing
from pathlib import Path

import pytest

from services.table.register import FileRegister, RegisterMovedError
from tests.table.office import FullDisk


def test_an_empty_register_takes_the_first_note_once(register: FileRegister) -> None:
    assert register.read() is None

    register.replace(None, b"one")

    assert register.read() == b"one"
    with pytest.raises(RegisterMovedError):
        register.replace(None, b"two")
    assert register.read() == b"one"


def test_a_note_takes_the_place_of_the_one_that_is_expected_and_of_no_other(register: FileRegister) -> None:
    register.replace(None, b"one")
    register.replace(b"one", b"two")

    with pytest.raises(RegisterMovedError):
        register.replace(b"one", b"three")
    assert FileRegister(register.path).read() == b"two"


def test_what_was_left_half_written_is_not_what_is_read(register: FileRegister) -> None:
    register.replace(None, b"one")
    register.path.with_name(f".{register.path.name}.new").write_bytes(b"tw")

    assert register.read() == b"one"
    register.replace(b"one", b"two")
    assert register.read() == b"two"


def test_a_register_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        FileRegister(tmp_path / "missing" / "log.checkpoint").replace(None, b"one")


def _count(path: Path, times: int) -> None:
    register = FileRegister(path)
    done = 0
    while done < times:
        number = register.read()
        try:
            register.replace(number, b"%d" % (int(number or b"0") + 1))
        except RegisterMovedError:
            continue
        done += 1


def test_of_several_processes_each_replaces_what_it_has_seen(register: FileRegister) -> None:
    context = multiprocessing.get_context("spawn")
    hands = [context.Process(target=_count, args=(register.path, 50)) for _ in range(3)]
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join()

    assert [hand.exitcode for hand in hands] == [0, 0, 0]
    assert register.read() == b"150"


def test_a_register_on_a_full_disk_says_so_and_keeps_what_it_holds(register: FileRegister, full_disk: FullDisk) -> None:
    register.replace(None, b"one")

    with full_disk():
        with pytest.raises(OSError, match="No space left on device"):
            register.replace(b"one", b"two")
        assert register.read() == b"one"

    register.replace(b"one", b"two")
    assert register.read() == b"two"
