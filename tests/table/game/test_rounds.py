"""Rounds: a coup's commands are answered by play where the house banks, and by the salon where a player does."""

import pytest
from msgspec import to_builtins

from services.table.game import play, rounds, salon, wagers
from services.table.game.deeds import event_of
from services.table.game.evolve import evolve
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


def test_where_a_player_banks_a_list_is_placed_bet_by_bet_as_if_each_were_sent_alone() -> None:
    one, other = banked(*FIVE_AND_THREE), banked(*FIVE_AND_THREE)
    wanted = [("b", "player", 20), ("c", "player", 30), ("d", "player", 10)]

    at_once = rounds.place_bets(one.table, wanted)

    for wager in wanted:
        other.bet(*wager[:1], wager[1], wager[2])
    assert [to_builtins(event_of(deed)) for deed in at_once] == [
        {"type": "bet-placed", "round": 1, "patron": patron, "bet": bet, "amount": amount}
        for patron, bet, amount in wanted
    ]
    for deed in at_once:
        one.table = evolve(one.table, event_of(deed))
    assert one.table == other.table


def test_a_list_in_which_a_bet_comes_out_of_turn_places_none_and_says_which() -> None:
    made = banked(*FIVE_AND_THREE)
    before = to_builtins(made.table)

    out_of_turn = refusal(made.table, rounds.place_bets, [("b", "player", 20), ("b", "player", 20)])
    too_much = refusal(made.table, rounds.place_bets, [("b", "player", 20), ("c", "player", 5000)])

    assert (out_of_turn.code, out_of_turn.where, out_of_turn.right) == ("not-asked", "[1].bet", "banco banco")
    assert (too_much.code, too_much.where) == ("out-of-bounds", "[1].amount")
    assert to_builtins(made.table) == before


def test_of_a_bet_placed_alone_a_refusal_gives_no_number() -> None:
    made = banked(*FIVE_AND_THREE)

    assert refusal(made.table, rounds.place_bets, [("b", "player", 5000)]).where == "amount"


def test_a_late_banco_within_a_list_displaces_what_was_placed_before_it() -> None:
    made = banked(*FIVE_AND_THREE)

    deeds = rounds.place_bets(made.table, [("b", "player", 20), ("c", "banco", 100)])

    assert [type(deed).__name__ for deed in deeds] == ["BetPlaced", "BySystem", "BetPlaced"]
    assert to_builtins(event_of(deeds[1])) == {"type": "bet-withdrawn", "round": 1, "patron": "b", "bet": "player"}


def test_where_a_player_banks_play_goes_on_where_it_stands() -> None:
    made = banked(*FIVE_AND_THREE)
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
