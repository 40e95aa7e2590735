"""Roads: what a shoe's coups look like on the five boards at the table, and what the next coup would add.

Columns and rows count from 1. A derived road looks at the lengths of the big road's columns, never at how they are
drawn: a dragon's tail changes nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from msgspec import Struct, field

ROWS = 6

Outcome = str
"""`B` Banker, `P` Player, `T` a tie."""

Mark = Literal["R", "B"]
"""Red and blue: whether the shoe repeats itself."""

Derived = Literal["big_eye_boy", "small_road", "cockroach_pig"]
Place = tuple[int, int]
"""Column and row on a board."""

OUTCOMES = ("B", "P", "T")
DERIVED: Mapping[Derived, int] = MappingProxyType({"big_eye_boy": 1, "small_road": 2, "cockroach_pig": 3})
"""The derived roads, and how many columns each looks back from the entry's own."""


class Column(Struct, kw_only=True):
    """A column of the big road: who won its coups, and the ties that followed each of them."""

    winner: Outcome
    ties: list[int] = field(default_factory=list)

    @property
    def length(self) -> int:
        """How many coups it has."""
        return len(self.ties)


class Board:
    """A board six rows deep: where its entries are drawn, in the order in which they came."""

    __slots__ = ("_has_turned", "_kind", "_start", "_taken", "places")

    def __init__(self) -> None:
        self.places: list[Place] = []
        self._taken: set[Place] = set()
        self._kind = ""
        self._start = 0
        self._has_turned = False

    def draw(self, kind: str) -> Place:
        """Draw an entry: below one of its kind, else at the head of the next column that is free there."""
        place = self._further() if kind == self._kind else self._new_column()
        self._kind = kind
        self.places.append(place)
        self._taken.add(place)
        return place

    def _new_column(self) -> Place:
        self._has_turned = False
        self._start += 1
        while (self._start, 1) in self._taken:
            self._start += 1
        return self._start, 1

    def _further(self) -> Place:
        """Go down, and from the bottom or a filled cell on to the right."""
        column, row = self.places[-1]
        self._has_turned = self._has_turned or row == ROWS or (column, row + 1) in self._taken
        return (column + 1, row) if self._has_turned else (column, row + 1)


class Roads:
    """The roads of a shoe. `add` is all that ever happens to them; a coup that is undone is left out of new ones."""

    __slots__ = ("big_road", "boards", "derived", "held_ties", "outcomes")

    def __init__(self, outcomes: Iterable[Outcome] = ()) -> None:
        self.outcomes: list[Outcome] = []
        self.big_road: list[Column] = []
        self.held_ties = 0
        self.derived: dict[Derived, list[Mark]] = {name: [] for name in DERIVED}
        self.boards: dict[str, Board] = {name: Board() for name in ("big_road", *DERIVED)}
        for outcome in outcomes:
            self.add(outcome)

    def add(self, outcome: Outcome) -> None:
        """Enter a coup on every road. Ties before the first decision are held for the first cell."""
        self.outcomes.append(outcome)
        if outcome != "T":
            self._decide(outcome)
        elif self.big_road:
            self.big_road[-1].ties[-1] += 1
        else:
            self.held_ties += 1

    def ask(self, winner: Outcome) -> dict[Derived, Mark | None]:
        """What each derived road would get if this hand won next; None where it has not begun."""
        column, row = self._next(winner)
        lengths = [each.length for each in self.big_road]
        return {name: mark(lengths, column=column, row=row, back=back) for name, back in DERIVED.items()}

    def bead_plate(self) -> list[Place]:
        """Where each coup's bead lies: ties too, down six rows, then the next column."""
        return [(1 + count // ROWS, 1 + count % ROWS) for count in range(len(self.outcomes))]

    def _decide(self, winner: Outcome) -> None:
        for name, found in self.ask(winner).items():
            if found is not None:
                self.derived[name].append(found)
                self.boards[name].draw(found)
        _, row = self._next(winner)
        if row == 1:
            self.big_road.append(Column(winner=winner))
        self.big_road[-1].ties.append(self.held_ties)
        self.held_ties = 0
        self.boards["big_road"].draw(winner)

    def _next(self, winner: Outcome) -> Place:
        """Where the next entry of the big road would stand, by its columns' lengths."""
        if self.big_road and self.big_road[-1].winner == winner:
            return len(self.big_road), self.big_road[-1].length + 1
        return len(self.big_road) + 1, 1


def mark(lengths: Sequence[int], *, column: int, row: int, back: int) -> Mark | None:
    """What a derived road that looks so many columns back gets for a new entry of the big road; None before it begins.

    `lengths` are those of the columns before the entry's own; what follows them is not looked at.
    """
    if row > 1:
        if column <= back:
            return None
        compared = lengths[column - back - 1]
        return "B" if row == compared + 1 else "R"  # beside a cell, or so far below that both are empty: red
    if column <= back + 1:
        return None
    return "R" if lengths[column - 2] == lengths[column - back - 2] else "B"
