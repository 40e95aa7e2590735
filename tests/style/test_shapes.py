"""Files of one noun, functions of one thought, casino words: the shape of the code, and that each rule can fail."""

from pathlib import Path

import pytest

from tests.style.checkout import ROOMS, kept_files, python_files, read, told
from tests.style.shapes import findings


def test_every_file_is_in_shape() -> None:
    found = [finding for path in python_files() for finding in findings(path, read(path))]

    assert not found, told(found)


def test_every_folder_with_modules_is_introduced_as_a_package() -> None:
    files = set(kept_files())

    found = [
        f"{folder}: has modules and no __init__.py; introduce the room there, in a docstring"
        for folder in sorted({path.parent for path in python_files(*ROOMS)})
        if folder / "__init__.py" not in files
    ]

    assert not found, told(found)


@pytest.mark.parametrize(
    ("path", "source", "said"),
    [
        ("services/table/game/side/dragon.py", '"""Deep."""', "4 packages deep"),
        ("services/table/utils.py", '"""Junk."""', "junk drawer"),
        ("tests/common/cards.py", '"""Junk."""', "junk drawer"),
        ("services/table/long.py", '"""Long."""\n' + "x = 1\n" * 400, "has 401 lines"),
        ("services/table/long.py", '"""Long."""\ndef f():\n' + "    x = 1\n" * 70, "`f` has 71 lines"),
        ("services/table/mute.py", "x = 1\n", "has no docstring"),
        ("services/table/mute.py", '"""   """\n', "has no docstring"),
        ("services/table/__init__.py", '"""Room."""\nfrom json import loads\n', "more than a docstring"),
        ("services/table/__init__.py", "", "has no docstring"),
        ("services/table/a.py", '"""A."""\nclass ShoeManager: ...\n', "says `manager`"),
        ("services/table/a.py", '"""A."""\nclass A:\n    async def bet_handlers(self): ...\n', "says `handlers`"),
        ("services/table/a.py", '"""A."""\ndef _shoe_factory(): ...\n', "says `factory`"),
    ],
)
def test_what_is_out_of_shape_is_found(path: str, source: str, said: str) -> None:
    found = findings(Path(path), source)

    assert len(found) == 1, told(found)
    assert said in found[0]


def test_what_is_in_shape_passes() -> None:
    source = '"""Cards."""\ndef f():\n' + "    x = 1\n" * 69 + "class Handle: ...\n" + "x = 1\n" * 328

    assert not findings(Path("services/table/game/cards.py"), source)
