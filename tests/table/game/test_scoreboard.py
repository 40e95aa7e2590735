"""The scoreboard: roads as dashboards read them."""

from services.table.game.roads import Roads
from services.table.game.scoreboard import Answer, told


def test_what_would_come_of_each_winner_is_told_and_nothing_where_a_road_has_not_begun() -> None:
    board = told(Roads("BPPTP"))

    assert (board.big_eye_boy, board.small_road, board.cockroach_pig) == ("BR", "", "")
    assert board.ask.player == Answer(big_eye_boy="R", small_road="", cockroach_pig="")
    assert board.ask.banker == Answer(big_eye_boy="B", small_road="", cockroach_pig="")


def test_once_all_roads_have_begun_each_is_asked() -> None:
    board = told(Roads("BPBPBPB"))

    for answer in (board.ask.player, board.ask.banker):
        assert "" not in (answer.big_eye_boy, answer.small_road, answer.cockroach_pig)


def test_columns_have_their_winner_length_and_ties() -> None:
    board = told(Roads("TBPPTP"))

    assert [(each.winner, each.length, each.ties) for each in board.big_road] == [("B", 1, (1,)), ("P", 3, (0, 1, 0))]
    assert (board.held_ties, board.bead_plate) == (0, "TBPPTP")
    assert told(Roads("TT")).held_ties == 2
