"""A player's bank and its shoe: what is held back while it is asked for, what is counted, and the last coup of all."""

from typing import Any

import pytest

from schemas.events import CardDealt, ShoeClosed
from services.table.game import floor, salon
from services.table.game.seats import Standing
from tests.table.game import banque_party, chemin_party
from tests.table.game.chemin_party import playing
from tests.table.game.party import Party
from tests.table.game.sitting import BANKER_WINS, in_play, refusal


def standing_at_chemin() -> tuple[Party, str]:
    """Let a's bank of 195 stand, and be asked for."""
    made = chemin_party.banked(*BANKER_WINS)
    made.bet("b", "player", 100)
    made.played()
    made.opened()
    return made, "a"


def standing_at_banque() -> tuple[Party, str]:
    """Let e's bank of 1095 stand, and be asked for."""
    made = banque_party.banked(*banque_party.BANKER_WINS)
    made.bet("a", "right", 100)
    made.played()
    made.opened()
    return made, "e"


@pytest.mark.parametrize("standing", [standing_at_chemin, standing_at_banque])
def test_a_bank_is_held_back_until_its_banker_has_answered(standing: Any) -> None:
    made, banker = standing()
    bank = made.table.standing.standing
    rest = made.table.stack(banker) - bank

    assert floor.held_back(made.table, banker) == bank
    assert refusal(made.table, floor.cash_chips, patron=banker, amount=rest + 1, means="cash").code == "bank-standing"
    made.no(banker)

    assert floor.held_back(made.table, banker) == 0
    assert floor.cash_chips(made.table, patron=banker, amount=rest + bank, means="cash")


@pytest.mark.parametrize(("leaves", "suivi"), [("c", None), ("d", 3), ("a", None)])
def test_a_banco_suivi_is_forgone_by_who_leaves_his_seat_or_when_its_bank_does(leaves: str, suivi: int | None) -> None:
    made = chemin_party.party(*BANKER_WINS)
    made.opened()
    made.bet("a", "bank", 100)
    made.no("b")
    made.bet("c", "banco", 100)
    made.played()
    assert made.table.standing == Standing(turn=1, banker=1, standing=195, suivi=3)

    made.do(salon.leave_seat(made.table, patron=leaves))

    assert made.table.standing.suivi == suivi


def test_a_closed_shoe_tells_how_many_cards_were_dealt() -> None:
    made = chemin_party.banked(*BANKER_WINS)
    made.bet("b", "player", 100)
    made.played()
    dealt = sum(isinstance(event, CardDealt) for event in made.log)

    (closed,) = made.end_shoe()

    assert isinstance(closed, ShoeClosed)
    assert (closed.dealt, closed.remaining) == (dealt, 6 * 52 - dealt)


@pytest.mark.parametrize(
    ("after_cut", "before", "more"), [("finish", 2, 0), ("one-more", 2, 1), ("one-more", 1, 1), ("one-more", 0, 0)]
)
def test_after_the_cut_card_the_coup_is_the_last_or_one_more_follows_unless_it_came_first(
    after_cut: str, before: int, more: int
) -> None:
    made = chemin_party.banked(procedure={"after_cut": after_cut})
    made.bet("b", "player", 100)
    made.closed_bets()
    playing(made).shoe.position = playing(made).shoe.cut_at - before

    made.dealt()

    assert in_play(made.table).coups_left == more
    for _ in range(more):
        made.opened()
        made.played()
    assert in_play(made.table).coups_left == 0
    assert refusal(made.table, salon.open_round).code == "shoe-over"


def test_at_an_auction_nothing_is_held_back_of_those_who_have_not_bid_highest() -> None:
    made = banque_party.party()
    made.opened()
    banque_party.bid(made, "a", 500)

    assert floor.held_back(made.table, "a") == 500
    assert floor.held_back(made.table, "b") == 0
