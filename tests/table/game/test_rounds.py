"""Rounds: a coup's commands are answered by play where the house banks, and by the salon where a player does."""

import pytest

from services.table.game import play, rounds, salon, wagers
from tests.table.game.chemin_party import FIVE_AND_THREE, banked
from tests.table.game.sitting import BOTH, DIGEST, PLAYER_WINS, Sitting, refusal

BETS = [("p1", "player", 500), ("p1", "tie", 100)]


def house() -> Sitting:
    return Sitting().buy(p1=10_000).shoe(PLAYER_WINS)


def test_a_coup_is_opened_with_bets_unless_it_is_to_be_free() -> None:
    table = house().table

    assert rounds.open_round(table) == play.open_round(table)
    assert rounds.open_round(table, free=True) == play.open_round(table, free=True) != play.open_round(table)


def test_bets_are_placed_several_at_once_withdrawn_and_closed() -> None:
    at = house().round()
    assert rounds.place_bets(at.table, BETS) == wagers.place_bets(at.table, BETS)

    at.do(wagers.place_bets(at.table, BETS))

    taken_back = {"patron": "p1", "bet": "tie"}
    assert rounds.withdraw_bet(at.table, **taken_back) == wagers.withdraw_bet(at.table, **taken_back)
    assert rounds.close_bets(at.table, count=2, digest=DIGEST) == play.close_bets(at.table, count=2, digest=DIGEST)


@pytest.mark.parametrize("whole", [True, False])
def test_cards_are_dealt_one_by_one_or_all_at_once(*, whole: bool) -> None:
    at = house().round(*BETS)
    all_at_once = play.play_coup(at.table, at.cards, count=2, digest=DIGEST)
    assert rounds.play_coup(at.table, at.cards, count=2, digest=DIGEST) == all_at_once

    at.do(play.close_bets(at.table, count=2, digest=DIGEST))

    assert rounds.deal(at.table, at.cards, whole=whole) == play.deal(at.table, at.cards, whole=whole)
    assert rounds.deal(at.table, at.cards) == play.deal(at.table, at.cards)


@pytest.mark.parametrize("settle_again", [True, False])
def test_a_settlement_is_reversed_and_made_again_or_the_coup_voided(*, settle_again: bool) -> None:
    at = house()
    at.coup(*BETS)

    undone = rounds.reverse_settlement(at.table, reason="misread", approved_by=BOTH, settle_again=settle_again)

    assert undone == play.reverse_settlement(at.table, reason="misread", approved_by=BOTH, settle_again=settle_again)


def test_where_a_player_banks_bets_are_made_one_by_one_and_play_goes_on_where_it_stands() -> None:
    made = banked(*FIVE_AND_THREE)
    assert refusal(made.table, rounds.place_bets, [("b", "player", 20), ("b", "player", 20)]).code == "wrong-game"
    one = rounds.place_bets(made.table, [("b", "player", 100)])
    assert one == salon.place(made.table, patron="b", bet="player", amount=100)

    made.bet("b", "player", 100)

    assert rounds.close_bets(made.table, count=0, digest=DIGEST) == salon.close_bets(made.table)
    coup = rounds.play_coup(made.table, made.cards, count=0, digest=DIGEST)
    assert coup == salon.close_and_deal(made.table, made.cards)
    made.closed_bets()
    coup = rounds.play_coup(made.table, made.cards, count=0, digest=DIGEST)
    assert coup == rounds.deal(made.table, made.cards) == salon.deal(made.table, made.cards)
    assert rounds.deal(made.table, made.cards, whole=False) == coup[:1]
