"""The scoreboard: a shoe's roads as they are told to whoever draws them."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from services.table.game.roads import Outcome, Roads

Marks = Annotated[str, Meta(pattern="^[RB]*$")]
OneMark = Literal["", "R", "B"]
Places = tuple[Annotated[tuple[int, int], Meta(description="Column and row, from 1.")], ...]


class ColumnTold(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A column of the big road: who won, how many coups in a row, and the ties that followed each of them."""

    winner: Literal["B", "P"]
    length: int
    ties: tuple[int, ...]


class Drawn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where the entries of each road are drawn, six rows deep, in the order in which they came."""

    bead_plate: Places
    big_road: Places
    big_eye_boy: Places
    small_road: Places
    cockroach_pig: Places


class Answer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What each derived road would get; nothing where it has not begun."""

    big_eye_boy: OneMark
    small_road: OneMark
    cockroach_pig: OneMark


class Asked(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The ask marks: what would be entered if Banker, or Player, won next."""

    banker: Answer
    player: Answer


class RoadsTold(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The five roads. A mark is `R` (red) or `B` (blue), an outcome `B`, `P` or `T`.

    `held_ties` came before the first decision, and wait for the first cell. `format` names all these rules.
    """

    big_eye_boy: Marks
    small_road: Marks
    cockroach_pig: Marks
    big_road: tuple[ColumnTold, ...]
    held_ties: int
    bead_plate: Annotated[str, Meta(pattern="^[BPT]*$")]
    drawn: Drawn
    ask: Asked
    format: Literal["roads/v1"] = "roads/v1"


def told(roads: Roads) -> RoadsTold:
    """Tell roads."""
    places = {name: tuple(board.places) for name, board in roads.boards.items()}
    return RoadsTold(
        big_eye_boy="".join(roads.derived["big_eye_boy"]),
        small_road="".join(roads.derived["small_road"]),
        cockroach_pig="".join(roads.derived["cockroach_pig"]),
        big_road=tuple(columns(roads)),
        held_ties=roads.held_ties,
        bead_plate="".join(roads.outcomes),
        drawn=Drawn(bead_plate=tuple(roads.bead_plate()), **places),
        ask=Asked(banker=answer(roads, "B"), player=answer(roads, "P")),
    )


def columns(roads: Roads) -> list[ColumnTold]:
    """Tell the columns of the big road."""
    return [
        ColumnTold(winner=each.winner, length=each.length, ties=tuple(each.ties))  # type: ignore[arg-type]  # no tie wins
        for each in roads.big_road
    ]


def answer(roads: Roads, winner: Outcome) -> Answer:
    """Tell what would come of a winner."""
    asked = roads.ask(winner)
    return Answer(
        big_eye_boy=asked["big_eye_boy"] or "",
        small_road=asked["small_road"] or "",
        cockroach_pig=asked["cockroach_pig"] or "",
    )
