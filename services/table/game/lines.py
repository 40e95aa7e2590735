"""Lines: where in a TOML file each key and each item of a list stands, for whoever is to mend it.

Only for text that `tomllib` has read: what is well formed is followed, nothing is judged.
"""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

Place = tuple[str | int, ...]
"""The keys and the places in lists, from 0, that lead to a value."""

BLANK: Final = re.compile(r"(?:[ \t\r\n,]|#[^\n]*)*")
QUOTED: Final = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\])*"|\'[^\']*\'', re.DOTALL)
BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
SCALAR: Final = re.compile(r"[^,\]}#\n]+")


def lines_of(text: str) -> dict[Place, int]:
    """Give the line, from 1, on which each value of a TOML file is named."""
    return _Reader(text).read()


def place_of(where: str) -> Place:
    """Read a place as complaints write it: `bets.tie.ladder[0].pays`."""
    parts = re.findall(r"[^.\[\]]+|\[\d+\]", where)
    return tuple(int(part[1:-1]) if part.startswith("[") else part for part in parts)


def pointer_of(place: Place) -> str:
    """Write a place as a JSON pointer: `/bets/tie/ladder/0/pays`."""
    return "".join(f"/{str(part).replace('~', '~0').replace('/', '~1')}" for part in place)


def pointed(complaints: Iterable[str], whole: str) -> list[dict[str, str]]:
    """Part complaints into pointers into what a table is opened with, and what is wrong there.

    A complaint about no place in particular is one about the whole, the `rules` or the `limits`.
    """
    parted = (complaint.partition(": ") for complaint in complaints)
    return [{"pointer": _pointer(place, whole), "what": what} for place, _, what in parted]


def _pointer(place: str, whole: str) -> str:
    if not place or " " in place:
        return f"/{whole}"
    return pointer_of(place_of(place if place.startswith("limits") else f"rules.{place}"))


class _Reader:
    """Goes through the text once."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._found: dict[Place, int] = {}
        self._listed: Counter[Place] = Counter()

    def read(self) -> dict[Place, int]:
        """Read table after table."""
        table: Place = ()
        while self._more():
            if self._text[self._at] == "[":
                table = self._header()
            else:
                self._pair(table)
        return self._found

    def _more(self) -> bool:
        """Pass over what says nothing; tell whether anything follows."""
        blank = BLANK.match(self._text, self._at)
        self._at = blank.end() if blank else self._at
        return self._at < len(self._text)

    def _note(self, place: Place) -> None:
        """Note each place that leads here, at its first mention."""
        line = self._text.count("\n", 0, self._at) + 1
        for end in range(1, len(place) + 1):
            self._found.setdefault(place[:end], line)

    def _header(self) -> Place:
        is_listed = self._text.startswith("[[", self._at)
        self._at += 1 + is_listed
        place = self._key(())
        self._at = self._text.index("]", self._at) + 1 + is_listed
        if not is_listed:
            return place
        self._listed[place] += 1
        item = (*place, self._listed[place] - 1)
        self._note(item)
        return item

    def _pair(self, table: Place) -> None:
        place = self._key(table)
        self._at = self._text.index("=", self._at) + 1
        self._value(place)

    def _key(self, table: Place) -> Place:
        """Read a key, dotted or not, within a table."""
        place = table
        while True:
            self._more()
            part = QUOTED.match(self._text, self._at) or BARE_KEY.match(self._text, self._at)
            assert part is not None, "a key stands here, for the text was read before"
            place = (*place, part[0].strip("\"'"))
            self._note(place)
            self._at = part.end()
            dot = re.compile(r"[ \t]*\.").match(self._text, self._at)
            if dot is None:
                return self._within(place)
            self._at = dot.end()

    def _within(self, place: Place) -> Place:
        """Put a table below the last item of the list that it is in."""
        for end in range(1, len(place)):
            if (items := self._listed[place[:end]]) and place[end] != items - 1:
                return (*place[:end], items - 1, *place[end:])
        return place

    def _value(self, place: Place) -> None:
        self._more()
        match self._text[self._at]:
            case "[":
                self._list(place)
            case "{":
                self._inline_table(place)
            case _:
                scalar = QUOTED.match(self._text, self._at) or SCALAR.match(self._text, self._at)
                assert scalar is not None, "a value stands here, for the text was read before"
                self._at = scalar.end()

    def _list(self, place: Place) -> None:
        self._at += 1
        number = 0
        while self._more() and self._text[self._at] != "]":
            self._note((*place, number))
            self._value((*place, number))
            number += 1
        self._at += 1

    def _inline_table(self, place: Place) -> None:
        self._at += 1
        while self._more() and self._text[self._at] != "}":
            self._pair(place)
        self._at += 1
