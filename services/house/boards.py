"""Boards drawn with letters and lines: the roads of a shoe as a terminal shows them."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import click
from msgspec import Struct

if TYPE_CHECKING:
    from services.table.game.roads import Place, Roads

COLOURS = MappingProxyType({"B": "bright_red", "P": "bright_blue", "T": "green"})
MARK_COLOURS = MappingProxyType({"R": "bright_red", "B": "bright_blue"})
SIGNS: Mapping[str, str] = MappingProxyType({"big_eye_boy": "○", "small_road": "●", "cockroach_pig": "/"})
CELL = 2  # a letter, and the ties after it or a space
MOST_TIES_SHOWN = 9
ROWS = 6


class Ink(Struct, frozen=True, kw_only=True):
    """What a drawing may be made with. `width`: how many signs a line may have; None: as many as it takes."""

    in_colour: bool
    with_boxes: bool
    width: int | None

    def paint(self, sign: str, colour: str) -> str:
        """Colour a sign."""
        return click.style(sign, fg=colour) if self.in_colour else sign


Cells = Mapping["Place", str]


def drawing(roads: "Roads", ink: Ink) -> str:
    """Draw all boards, and what would come next."""
    lines = [*board("Bead plate", beads(roads, ink), ink), *board("Big road", big_road(roads, ink), ink)]
    for name in SIGNS:
        lines += board(title(name), derived(roads, name, ink), ink)
    if roads.held_ties:
        lines.append(f"Ties before the first decision: {roads.held_ties}")
    return "\n".join([*lines, *asked(roads, ink), *legend(ink)])


def title(name: str) -> str:
    """Give a road's name as people say it."""
    return name.replace("_", " ").capitalize()


def board(name: str, cells: Cells, ink: Ink) -> Iterator[str]:
    """Draw one board: as many of its last columns as there is room for."""
    if not cells:
        yield f"{name}: nothing yet"
        return
    columns = max(column for column, _ in cells)
    room = columns if ink.width is None else max(1, (ink.width - 2) // CELL)
    first = max(1, columns - room + 1)
    yield name if first == 1 else f"{name}, from column {first}"
    corners = "┌─┐│└─┘" if ink.with_boxes else "+-+|+-+"
    shown = range(first, columns + 1)
    yield corners[0] + corners[1] * CELL * len(shown) + corners[2]
    for row in range(1, ROWS + 1):
        yield corners[3] + "".join(cells.get((column, row), " " * CELL) for column in shown) + corners[3]
    yield corners[4] + corners[5] * CELL * len(shown) + corners[6]


def beads(roads: "Roads", ink: Ink) -> Cells:
    """Draw every coup's bead."""
    painted = (ink.paint(outcome, COLOURS[outcome]) + " " for outcome in roads.outcomes)
    return dict(zip(roads.bead_plate(), painted, strict=True))


def big_road(roads: "Roads", ink: Ink) -> Cells:
    """Draw the big road, a digit behind a coup for the ties that followed it."""
    entries = [(column.winner, ties) for column in roads.big_road for ties in column.ties]
    painted = (ink.paint(winner, COLOURS[winner]) + counted(ties, ink) for winner, ties in entries)
    return dict(zip(roads.boards["big_road"].places, painted, strict=True))


def counted(ties: int, ink: Ink) -> str:
    """Write a number of ties in one sign."""
    sign = " " if not ties else str(ties) if ties <= MOST_TIES_SHOWN else "+"
    return ink.paint(sign, COLOURS["T"]) if ties else sign


def derived(roads: "Roads", name: str, ink: Ink) -> Cells:
    """Draw a derived road: in colour by its own sign, else by the colours' letters."""
    marks: Sequence[str] = roads.derived[name]  # type: ignore[index]  # one of the three
    painted = (mark(name, colour, ink) + " " for colour in marks)
    return dict(zip(roads.boards[name].places, painted, strict=True))


def mark(name: str, colour: str, ink: Ink) -> str:
    """Draw one mark."""
    sign = SIGNS[name] if ink.in_colour and ink.with_boxes else colour
    return ink.paint(sign, MARK_COLOURS[colour])


def asked(roads: "Roads", ink: Ink) -> Iterator[str]:
    """Draw what each hand would add to the derived roads."""
    yield "Next       " + "  ".join(map(title, SIGNS))
    for hand, winner in (("Banker", "B"), ("Player", "P")):
        found = roads.ask(winner)
        cells = (
            (mark(name, colour, ink) if colour else "-") + " " * (len(title(name)) - 1)
            for name, colour in found.items()
        )
        yield f"{ink.paint(hand, COLOURS[winner])}     " + "  ".join(cells).rstrip()


def legend(ink: Ink) -> Iterator[str]:
    """Say what the letters mean, where colours do not."""
    if not ink.in_colour:
        yield "B Banker, P Player, T tie, a digit the ties that followed; on the three derived roads R red, B blue"
