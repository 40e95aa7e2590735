"""The cut card, and what happens when the cards run out."""

from typing import Any

from services.table.game import play
from tests.table.game.sitting import (
    ANNA,
    DIGEST,
    SIX_CARDS,
    Sitting,
    in_play,
    kinds,
    refusal,
    ruled,
    said,
)

BARE: dict[str, Any] = {"decks": 1, "burn": "none"}
FINISH = ruled(procedure=BARE | {"after_cut": "finish"})
ONE_MORE = ruled(procedure=BARE | {"after_cut": "one-more"})
SMALL_CUT = ruled(procedure=BARE | {"cut": 6, "after_cut": "one-more"})


def coups(sitting: Sitting) -> int:
    """Play coups of fillers until the shoe has had its last; give how many."""
    played = 0
    while in_play(sitting.table).coups_left != 0:
        sitting.coup()
        played += 1
    return played


def test_the_cut_card_comes_directly_before_the_card_at_its_position() -> None:
    sitting = Sitting(FINISH).shoe()
    coups(sitting)

    at = kinds(sitting.log).index("cut-card-reached")
    assert said(sitting.log[at]) == {"shoe": 1, "position": 52 - 14}
    assert said(sitting.log[at + 1])["position"] == 52 - 14
    assert kinds(sitting.log).count("cut-card-reached") == 1


def test_finish_makes_the_coup_with_the_cut_card_the_last() -> None:
    sitting = Sitting(FINISH).shoe()

    played = coups(sitting)  # of four cards each; the cut card lies before position 38

    assert (played, in_play(sitting.table).position) == (10, 40)
    assert refusal(sitting.table, play.open_round).code == "shoe-over"


def test_one_more_allows_one_coup_after_the_cut_card() -> None:
    sitting = Sitting(ONE_MORE).shoe()

    assert coups(sitting) == 11
    assert refusal(sitting.table, play.open_round).right == "close the shoe"


def test_a_cut_card_that_comes_out_first_makes_its_coup_the_last_either_way() -> None:
    # Ten cards in the first two coups, so that the tenth coup begins at position 38.
    for rules in (FINISH, ONE_MORE):
        sitting = Sitting(rules).shoe(SIX_CARDS)

        assert coups(sitting) == 10
        assert said(sitting.log[kinds(sitting.log).index("cut-card-reached") + 1])["position"] == 38
        assert in_play(sitting.table).position == 42


def test_the_cut_card_may_come_out_between_two_commands_of_one_coup() -> None:
    sitting = Sitting(FINISH).shoe()
    for _ in range(9):
        sitting.coup()
    sitting.round().do(play.close_bets(sitting.table, count=0, digest=DIGEST))

    entries = [kinds(sitting.do(play.deal(sitting.table, sitting.cards, whole=False))) for _ in range(4)]

    card = ["card-dealt"]
    assert entries == [card, card, ["cut-card-reached", *card], [*card, "round-settled"]]


def test_a_voided_coup_may_have_been_the_last() -> None:
    sitting = Sitting(ONE_MORE).shoe()
    while in_play(sitting.table).coups_left is None:
        sitting.coup()

    sitting.round().do(play.void_round(sitting.table, reason="misdeal", approved_by=(ANNA,)))

    assert refusal(sitting.table, play.open_round).code == "shoe-over"


def without_cards() -> Sitting:
    """Give a shoe with two cards and one coup left: eleven coups of four cards, one of six with the cut card in it."""
    sitting = Sitting(SMALL_CUT).buy(p1=1_000).shoe((), (*SIX_CARDS, "Qd", "Kc"))
    for _ in range(12):
        sitting.coup()
    assert (in_play(sitting.table).position, in_play(sitting.table).coups_left) == (50, 1)
    return sitting


def test_a_coup_that_runs_out_of_cards_is_void_and_the_shoe_is_over() -> None:
    sitting = without_cards()

    events = sitting.coup(("p1", "player", 500), ("p1", "tie", 100))

    assert kinds(events) == ["bets-closed", "card-dealt", "card-dealt", "round-voided"]
    assert said(events[-1]) == {"round": 13, "reason": "out-of-cards", "approved_by": ()}
    assert sitting.table.stack("p1") == 1_000
    assert refusal(sitting.table, play.open_round).code == "shoe-over"
    closed = said(sitting.end_shoe(None)[-1])
    assert (closed["reason"], closed["remaining"], closed["dealt"]) == ("out-of-cards", 0, 52)


def test_running_out_card_by_card_voids_the_coup_with_the_next_card() -> None:
    sitting = without_cards()
    sitting.round(("p1", "player", 500)).do(play.close_bets(sitting.table, count=1, digest=DIGEST))
    for _ in range(2):
        sitting.do(play.deal(sitting.table, sitting.cards, whole=False))

    assert kinds(sitting.do(play.deal(sitting.table, sitting.cards, whole=False))) == ["round-voided"]
    assert sitting.table.stack("p1") == 1_000


def test_only_cards_end_a_shoe_whatever_a_voided_coup_was_voided_for() -> None:
    sitting = Sitting().shoe().round()

    sitting.do(play.void_round(sitting.table, reason="out-of-cards", approved_by=(ANNA,)))

    sitting.round()


def test_a_shoe_that_ends_by_its_cut_card_with_its_last_card_has_not_run_out() -> None:
    # The cut card lies before the last six cards, and comes out as the first of six.
    sitting = Sitting(ruled(procedure=BARE | {"cut": 6, "after_cut": "finish"})).shoe((*SIX_CARDS,), SIX_CARDS)
    coups(sitting)

    closed = said(sitting.end_shoe(None)[-1])
    assert (closed["reason"], closed["remaining"]) == ("cut-card", 0)
