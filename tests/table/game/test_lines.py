"""Lines: every key of a rule file, and every item of its lists, is found on the line on which it is written."""

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.table.game.lines import Place, lines_of, place_of, pointed, pointer_of
from services.table.game.rulefile import RULEBOOK

TWISTED = '''# a comment = 1
"quoted key".a."b c" = 1
text = """
[not.a.table]
x = "}" # no comment
"""
raw = \'\'\'{[\'\'\'
[one]
list = [ # begins
  1, "], }", [2, 3],
  { deep = { deeper = [true] }, "#" = 1 }, # the third
]
dotted.key = 1979-05-27T07:32:00Z
[one.two]
a = -1.5e3
[[many]]
name = "first"
[many.sub]
b = 1
[[many]]
name = 'second # still'
inline = { x = 1, y.z = 2 }
[[many.parts]]
c = 3
[[many.parts]]
c = 4
'''


def places(tree: Any, place: Place = ()) -> Iterator[Place]:
    """Every place in a tree."""
    if place:
        yield place
    inside = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, part in inside:
        yield from places(part, (*place, key))


@pytest.mark.parametrize("path", sorted(RULEBOOK.glob("*.toml")), ids=lambda path: path.stem)
def test_every_place_of_a_rule_set_of_the_house_has_a_line_on_which_its_key_stands(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = lines_of(text)

    assert set(places(tomllib.loads(text))) == set(found)
    for place, line in found.items():
        assert isinstance(place[-1], int) or place[-1] in text.splitlines()[line - 1]


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("quoted key", "a", "b c"), 2),
        (("text",), 3),
        (("raw",), 7),
        (("one",), 8),
        (("one", "list"), 9),
        (("one", "list", 1), 10),
        (("one", "list", 2, 1), 10),
        (("one", "list", 3, "deep", "deeper", 0), 11),
        (("one", "list", 3, "#"), 11),
        (("one", "dotted", "key"), 13),
        (("one", "two", "a"), 15),
        (("many", 0, "name"), 17),
        (("many", 0, "sub", "b"), 19),
        (("many", 1), 20),
        (("many", 1, "inline", "y", "z"), 22),
        (("many", 1, "parts", 0, "c"), 24),
        (("many", 1, "parts", 1, "c"), 26),
    ],
)
def test_however_it_is_written_it_is_found(place: Place, line: int) -> None:
    assert lines_of(TWISTED)[place] == line


def test_no_place_of_a_twisted_file_is_missed() -> None:
    assert set(places(tomllib.loads(TWISTED))) <= set(lines_of(TWISTED))


def test_a_place_is_read_as_complaints_write_it_and_written_as_a_pointer() -> None:
    place = place_of("bets.player-pair.ladder[12].pays")

    assert place == ("bets", "player-pair", "ladder", 12, "pays")
    assert pointer_of(place) == "/bets/player-pair/ladder/12/pays"
    assert pointer_of(("a/b", "c~d")) == "/a~1b/c~0d"


COMPACT = """[one]#at once
a=[[1,[2]],[3]]
b={c=[{d=1}],e={f=2}}
g=1
[[two]]#here too
h=[]
i={}
j=[[
]]
k=3"""


def test_what_is_written_without_a_blank_is_found_as_well() -> None:
    found = lines_of(COMPACT)

    assert set(places(tomllib.loads(COMPACT))) <= set(found)
    assert found["one", "g"] == 4
    assert found["one", "b", "e", "f"] == 3
    assert found["two", 0, "k"] == 10
    assert ("two", 0, "h", 0) not in found


def test_a_complaint_that_names_no_place_points_to_the_whole() -> None:
    assert [told["pointer"] for told in pointed(["nobody can win", ": nobody can"], "rules")] == ["/rules", "/rules"]
