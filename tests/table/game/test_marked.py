"""Marked commission: what a patron owes, from his first win on."""

from services.table.game import play
from tests.table.game.sitting import BANKER_WINS, BOTH, MARKING, PLAYER_WINS, Sitting


def test_who_came_after_the_shoe_had_begun_owes_what_his_wins_mark_and_no_more() -> None:
    sitting = Sitting(MARKING).shoe((*BANKER_WINS, *PLAYER_WINS, *BANKER_WINS)).buy(p1=10_000)

    sitting.coup(("p1", "banker", 1_000))
    assert sitting.table.debt("p1") == 50
    sitting.coup(("p1", "banker", 1_000))
    assert sitting.table.debt("p1") == 50
    sitting.coup(("p1", "banker", 3_000))
    assert sitting.table.debt("p1") == 200


def test_a_win_that_is_undone_is_owed_nothing_for() -> None:
    sitting = Sitting(MARKING).shoe(BANKER_WINS).buy(p1=10_000)
    sitting.coup(("p1", "banker", 1_000))

    sitting.do(play.reverse_settlement(sitting.table, reason="misread", approved_by=BOTH, settle_again=False))

    assert sitting.table.debt("p1") == 0
