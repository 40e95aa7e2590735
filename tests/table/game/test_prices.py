"""Prices: every game's bets are counted out of the cards that nobody has seen, and told in one shape."""

from fractions import Fraction

import pytest
from msgspec import UNSET, to_builtins

from services.table.game import banque_odds
from services.table.game.deals import by_points, fresh, unseen_after
from services.table.game.odds import odds_of
from services.table.game.prices import choices, fresh_prices, outcomes_told, prices
from services.table.game.rules import builtin

SEEN = ["9d", "9h", "9c", "8d", "8s", "Kd"]


@pytest.mark.parametrize("name", ["punto-banco", "dining-room", "chemin-de-fer"])
def test_at_one_tableau_bets_cost_what_player_and_banker_come_to(name: str) -> None:
    rules = builtin(name).rules
    unseen = unseen_after(rules.procedure.decks, SEEN)

    found = prices(rules, unseen, left=sum(unseen))

    assert found.bets == odds_of(rules, unseen, left=sum(unseen)).bets
    assert list(found.bets) == list(rules.bets)
    assert list(to_builtins(outcomes_told(found))) == ["player", "banker", "tie"]


def test_at_two_tableaux_each_side_has_its_winners() -> None:
    rules = builtin("banque").rules
    unseen = unseen_after(3, SEEN)

    found = prices(rules, unseen, left=sum(unseen))

    assert list(found.bets) == list(rules.bets)
    assert found.bets["right"].edge == banque_odds.edge(rules, "right", by_points(unseen))
    told = to_builtins(outcomes_told(found))
    assert told["right"] == told["left"]
    win, lose = Fraction(told["right"]["player"]), Fraction(told["right"]["banker"])
    assert lose - win == found.bets["right"].edge
    assert win + lose + Fraction(told["right"]["tie"]) == 1


def test_a_coup_at_two_tableaux_that_may_run_out_of_cards_is_void_so_often() -> None:
    rules = builtin("banque").rules

    short, long = (prices(rules, fresh(3), left=left) for left in (7, 9))

    assert short.void == 1 - sum(banque_odds.outcomes(banque_odds.fresh(3), 7).values())
    assert 0 < Fraction(str(outcomes_told(short).void)) < 1
    assert sum(chance for _, chance in short.bets["cheval"].steps) == 1 - short.void
    assert long.void == 0
    assert outcomes_told(long).void is UNSET


def test_only_where_hands_choose_it_is_said_how_they_are_counted() -> None:
    chosen = {name: choices(builtin(name).rules) for name in ("ez", "dining-room", "chemin-de-fer", "banque")}

    assert chosen == {"ez": UNSET, "dining-room": UNSET, "chemin-de-fer": "tableau", "banque": "tableau"}


@pytest.mark.parametrize("name", ["ez", "banque"])
def test_before_a_card_is_seen_the_prices_are_those_of_a_fresh_shoe(name: str) -> None:
    rules = builtin(name).rules
    unseen = fresh(rules.procedure.decks)

    assert fresh_prices(rules) == prices(rules, unseen, left=sum(unseen))
