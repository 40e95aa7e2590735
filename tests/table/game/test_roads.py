"""Roads: the rules by which coups are entered, each held against a second way to say it."""

import json
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.table.game.roads import DERIVED, ROWS, Board, Mark, Outcome, Place, Roads, mark

VECTORS = json.loads((Path(__file__).parents[2] / "data" / "road_vectors.json").read_text())["vectors"]
HISTORIES = st.lists(st.sampled_from(["B", "P", "B", "P", "T"]), max_size=90)
# Long runs of few winners: where dragons grow, and meet each other.
STREAKS = st.lists(st.tuples(st.sampled_from(["B", "P", "T"]), st.integers(1, 14)), max_size=25).map(
    lambda runs: [outcome for outcome, count in runs for _ in range(count)]
)
ANY = HISTORIES | STREAKS


def columns(roads: Roads) -> list[list[Any]]:
    return [[column.winner, column.length, column.ties] for column in roads.big_road]


def shown(roads: Roads) -> Any:
    """Everything that roads say."""
    boards = {name: board.places for name, board in roads.boards.items()}
    asked = [roads.ask("B"), roads.ask("P")]
    return columns(roads), roads.held_ties, roads.derived, boards, roads.bead_plate(), asked


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["outcomes"])
def test_the_published_roads_come_out(vector: dict[str, Any]) -> None:
    roads = Roads(vector["outcomes"])

    assert columns(roads) == vector["big_road_columns"]
    assert {name: "".join(marks) for name, marks in roads.derived.items()} == {name: vector[name] for name in DERIVED}


@given(HISTORIES)
def test_the_big_road_is_the_runs_of_one_winner(outcomes: list[Outcome]) -> None:
    runs = [(winner, len(list(run))) for winner, run in groupby(outcome for outcome in outcomes if outcome != "T")]

    roads = Roads(outcomes)

    assert [(column.winner, column.length) for column in roads.big_road] == runs
    counted = sum(tie for column in roads.big_road for tie in column.ties)
    assert counted + roads.held_ties == outcomes.count("T")


def test_ties_before_the_first_decision_are_held_for_the_first_cell() -> None:
    roads = Roads("TTT")
    before = (columns(roads), roads.held_ties)

    roads.add("P")
    roads.add("T")

    assert before == ([], 3)
    assert (columns(roads), roads.held_ties) == ([["P", 1, [4]]], 0)


def test_a_tie_changes_no_derived_road() -> None:
    plain, tied = Roads("BBPPBBPPB"), Roads("TBTBPTPTBBTTPPBT")

    assert plain.derived == tied.derived
    assert plain.boards["big_eye_boy"].places == tied.boards["big_eye_boy"].places


@given(ANY, st.sampled_from(sorted(DERIVED.values())))
def test_a_derived_road_is_the_comparison_of_cells(outcomes: list[Outcome], back: int) -> None:
    road = next(name for name, columns_back in DERIVED.items() if columns_back == back)

    assert Roads(outcomes).derived[road] == compared_by_cells(outcomes, back)


def compared_by_cells(outcomes: list[Outcome], back: int) -> list[Mark]:
    """As players learn it: red when the cell beside it and the one above that are both filled or both empty.

    A new column gets the opposite of what its entry would have got at the foot of the column before.
    """
    filled: set[Place] = set()
    marks: list[Mark] = []
    column = row = 0
    last = ""
    opposite: dict[Mark, Mark] = {"R": "B", "B": "R"}

    def beside(column: int, row: int) -> Mark:
        compared = column - back
        return "R" if ((compared, row) in filled) == ((compared, row - 1) in filled) else "B"

    for outcome in outcomes:
        if outcome == "T":
            continue
        if outcome == last:
            row += 1
            if (column - back, 1) in filled:
                marks.append(beside(column, row))
        else:
            if (column - back, 1) in filled:
                marks.append(opposite[beside(column, row + 1)])
            column, row = column + 1, 1
        filled.add((column, row))
        last = outcome
    return marks


@given(
    st.lists(st.integers(1, 9), min_size=5, max_size=9), st.sampled_from(sorted(DERIVED.values())), st.integers(1, 12)
)
def test_the_two_rules_of_the_book_are_those_of_the_mark(lengths: list[int], back: int, row: int) -> None:
    column = len(lengths) + 1 if row == 1 else len(lengths)
    if row == 1:
        red = lengths[column - 2] == lengths[column - 2 - back]
    else:
        p = lengths[column - 1 - back]
        red = row <= p or row > p + 1

    assert mark(lengths, column=column, row=row, back=back) == ("R" if red else "B")


@pytest.mark.parametrize(("road", "back"), DERIVED.items())
def test_a_derived_road_begins_in_a_second_row_or_at_the_next_head(road: Any, back: int) -> None:
    alternating = [["B", "P"][count % 2] for count in range(back + 1)]

    assert Roads(alternating).derived[road] == []
    assert len(Roads([*alternating, alternating[-1]]).derived[road]) == 1
    assert len(Roads([*alternating, "P" if alternating[-1] == "B" else "B"]).derived[road]) == 1
    assert Roads([alternating[0], *alternating]).derived[road] == []


@given(ANY)
def test_roads_entered_coup_by_coup_are_those_entered_at_once(outcomes: list[Outcome]) -> None:
    growing = Roads()
    for count, outcome in enumerate(outcomes, 1):
        growing.add(outcome)

        assert shown(growing) == shown(Roads(outcomes[:count]))


@given(ANY)
def test_roads_are_those_of_a_full_rebuild(outcomes: list[Outcome]) -> None:
    roads = Roads(outcomes)
    runs = [len(list(run)) for _, run in groupby(outcome for outcome in outcomes if outcome != "T")]
    entries = [(column, row) for column, length in enumerate(runs, 1) for row in range(1, length + 1)]

    for road, back in DERIVED.items():
        every = [mark(runs, column=column, row=row, back=back) for column, row in entries]
        marks = [one for one in every if one is not None]
        assert roads.derived[road] == marks
        assert roads.boards[road].places == laid_out([len(list(run)) for _, run in groupby(marks)])
    assert roads.boards["big_road"].places == laid_out(runs)


def laid_out(runs: list[int]) -> list[Place]:
    """Where columns of these lengths are drawn, each drawn whole before the next."""
    grid: dict[Place, int] = {}
    places: list[Place] = []
    head = 0
    for number, length in enumerate(runs):
        head = next(column for column in range(head + 1, head + 1000) if (column, 1) not in grid)
        depth = next(row for row in range(1, ROWS + 1) if row == ROWS or (head, row + 1) in grid)
        down = [(head, row) for row in range(1, min(length, depth) + 1)]
        tail = [(head + further, depth) for further in range(1, length - len(down) + 1)]
        grid |= dict.fromkeys([*down, *tail], number)
        places += [*down, *tail]
    return places


@given(ANY)
def test_no_two_entries_are_drawn_in_one_cell(outcomes: list[Outcome]) -> None:
    roads = Roads(outcomes)

    for board in roads.boards.values():
        assert len(set(board.places)) == len(board.places)
        assert all(1 <= row <= ROWS for _, row in board.places)


def test_a_column_turns_right_at_the_bottom_and_above_a_dragon_s_tail() -> None:
    board = Board()

    first = [board.draw("B") for _ in range(8)]
    second = [board.draw("P") for _ in range(7)]
    third = [board.draw("B") for _ in range(6)]

    assert first == [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 6), (3, 6)]
    assert second == [(2, 1), (2, 2), (2, 3), (2, 4), (2, 5), (3, 5), (4, 5)]
    assert third == [(3, 1), (3, 2), (3, 3), (3, 4), (4, 4), (5, 4)]


def test_a_tail_goes_on_to_the_right_where_it_could_fall_again() -> None:
    board = Board()
    for kind, count in (("B", 7), ("P", 9)):
        places = [board.draw(kind) for _ in range(count)]

    assert places[4:] == [(2, 5), (3, 5), (4, 5), (5, 5), (6, 5)]


def test_a_new_column_begins_at_the_first_head_that_is_free() -> None:
    board = Board()
    runs = [[board.draw(kind) for _ in range(30)] for kind in "BPBPBPB"]

    assert [run[0] for run in runs] == [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (36, 1)]
    assert runs[5] == [(column, 1) for column in range(6, 36)]


def test_how_a_road_is_drawn_does_not_change_the_derived_ones() -> None:
    roads = Roads("B" * 8 + "P" * 10)

    assert roads.boards["big_road"].places[12] == (2, 5)
    assert "".join(roads.derived["big_eye_boy"]) == "RRRRRRR" + "B" + "R"


@given(ANY, st.sampled_from(["B", "P"]))
def test_ask_marks_are_what_the_next_coup_brings(outcomes: list[Outcome], winner: Outcome) -> None:
    before, after = Roads(outcomes), Roads([*outcomes, winner])

    for road, asked in before.ask(winner).items():
        assert after.derived[road] == [*before.derived[road], *([] if asked is None else [asked])]


def test_beads_lie_six_deep_and_ties_among_them() -> None:
    assert Roads("BPTBPTB").bead_plate() == [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (2, 1)]
