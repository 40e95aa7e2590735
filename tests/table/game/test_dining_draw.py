"""The draw for the first deal, and what a game of the dining-room closes: seats, purchases, cashing."""

from schemas.events import RoundOpened, ShoeClosed
from schemas.seats import CardDrawn, SeatsSet
from services.table.game import floor, salon, shoes
from services.table.game.dining_coup import draws_next, first_dealer
from services.table.game.evolve import evolve
from services.table.game.rules import builtin
from services.table.game.seats import Standing
from services.table.game.state import Between, Drawing
from tests.table.game.dinner import BANKER_WINS, Dinner, limits_of, rules_of, seated
from tests.table.game.sitting import SEED, Sitting, fold, kinds, refusal, ruled, stacked

SIX = {"a": 6, "b": 6, "c": 6}


def drawn(*cards: str) -> Dinner:
    """Draw for the deal at a table of three."""
    return Dinner(**SIX).drawn(cards)


def cards_of(dinner: Dinner) -> list[tuple[int, str, object]]:
    """Give what was drawn: seat, card, position."""
    return [(event.seat, event.card, event.position) for event in dinner.log if isinstance(event, CardDrawn)]


def test_each_draws_a_card_after_the_burn_and_the_highest_deals_first() -> None:
    dinner = drawn("9d", "Qs", "Jh")

    assert cards_of(dinner) == [(1, "9d", 1), (2, "Qs", 2), (3, "Jh", 3)]
    assert isinstance(dinner.table.phase, Between)
    assert dinner.table.phase.shoe.dealt == 3
    assert dinner.opened()[1] == SeatsSet(round=1, seats=seated("abc"), turn=2)


def test_the_king_is_high_and_the_ace_low() -> None:
    assert drawn("Ad", "2s", "Kh").table.standing == Standing(turn=3)


def test_the_ace_is_high_where_the_rules_say_so() -> None:
    dinner = Dinner(rules_of(high="ace"), **SIX).drawn(["Ad", "2s", "Kh"])

    assert dinner.table.standing == Standing(turn=1)


def test_those_tied_highest_draw_again_until_one_is_highest() -> None:
    dinner = drawn("Kd", "Qd", "Ks", "2d", "2s", "3d", "7h")

    assert [seat for seat, _, _ in cards_of(dinner)] == [1, 2, 3, 1, 3, 1, 3]
    assert dinner.table.standing == Standing(turn=3)


def test_a_tie_below_the_highest_is_none() -> None:
    assert cards_of(drawn("2d", "2s", "3d"))[-1] == (3, "3d", 3)


def test_the_draw_is_not_decided_before_all_have_drawn() -> None:
    rules, seats = rules_of(), {2: "b", 5: "e", 7: "g"}

    assert draws_next(rules, seats, []) == 2
    assert first_dealer(rules, seats, [(2, "Kd"), (5, "2d")]) is None
    assert draws_next(rules, seats, [(2, "Kd"), (5, "2d"), (7, "Ks")]) == 2
    assert first_dealer(rules, seats, [(2, "Kd"), (5, "2d"), (7, "Ks"), (2, "3d"), (7, "2d")]) == 2


def test_cards_drawn_out_of_turn_make_nobody_a_dealer() -> None:
    rules, seats = rules_of(), {1: "a", 2: "b"}

    assert first_dealer(rules, seats, [(2, "Kd"), (1, "2d")]) is None
    assert first_dealer(rules, seats, [(1, "Kd"), (2, "2d"), (1, "3d")]) is None
    assert first_dealer(rules, seats, [(1, "Kd"), (3, "2d")]) is None
    assert first_dealer(rules, {}, [(1, "Kd"), (3, "2d")]) is None
    assert first_dealer(rules, {1: "a"}, [(1, "Kd")]) is None


def test_a_game_begins_with_start_chips_for_each_other_player() -> None:
    rules = rules_of(unit=100, start=3)
    dinner = Dinner(rules, a=600, b=599, c=900)
    dinner.shoe(["Kd", "2d", "3d"])

    no = refusal(dinner.table, salon.draw, dinner.cards)

    assert (no.code, no.detail) == ("stack-too-small", "patron b has 599; of 3 players each begins with 600 or more")
    assert dinner.may() == []
    dinner.buy(b=1)
    assert dinner.may() == ["draw"]


def test_one_alone_draws_for_nothing() -> None:
    dinner = Dinner(a=6)
    dinner.shoe()

    assert refusal(dinner.table, salon.draw, dinner.cards).code == "too-few-seated"


def test_no_round_is_opened_before_the_draw() -> None:
    dinner = Dinner(**SIX)
    dinner.shoe(["Kd", "2d", "3d"])

    assert refusal(dinner.table, salon.open_round).code == "wrong-phase"
    assert dinner.may() == ["draw"]


def test_a_game_that_is_on_is_not_drawn_for_again() -> None:
    dinner = drawn("Kd", "2d", "3d")

    assert refusal(dinner.table, salon.draw, dinner.cards).code == "game-on"
    assert dinner.may() == ["open"]


def test_nobody_draws_where_the_house_or_another_game_is_played() -> None:
    chemin = Sitting(ruled("chemin-de-fer"), builtin("chemin-de-fer").limits)
    chemin.shoe()

    assert refusal(chemin.table, salon.draw, chemin.cards).code == "wrong-game"


def test_nobody_sits_down_during_a_game() -> None:
    dinner = drawn("Kd", "2d", "3d").buy(z=100)

    no = refusal(dinner.table, salon.take_seat, seat=5, patron="z")

    assert (no.code, no.detail) == ("game-on", "a game is on: nobody may sit down")


def test_who_sits_neither_buys_nor_cashes_during_a_game_and_who_does_not_may() -> None:
    dinner = drawn("Kd", "2d", "3d").buy(z=100)

    assert refusal(dinner.table, floor.buy_chips, patron="a", amount=1, means="cash").code == "game-on"
    assert refusal(dinner.table, floor.cash_chips, patron="a", amount=1, means="cash").code == "game-on"
    assert floor.cash_chips(dinner.table, patron="z", amount=100, means="cash")


def test_who_leaves_takes_his_chips_and_the_turn_goes_to_the_next() -> None:
    dinner = drawn("2d", "Kd", "3d")

    dinner.does(salon.leave_seat(dinner.table, patron="b"))
    dinner.cash("b", 6)

    assert dinner.opened()[1] == SeatsSet(round=1, seats=(seated("a")[0], seated("abc")[2]), turn=3)


def test_a_game_goes_on_in_the_next_shoe_without_a_draw() -> None:
    dinner = drawn("2d", "Kd", "3d")
    dinner.closed_shoe("marked-cards")

    dinner.next_shoe()

    assert dinner.may() == ["open"]
    assert refusal(dinner.table, floor.cash_chips, patron="a", amount=1, means="cash").code == "game-on"
    assert dinner.opened()[1] == SeatsSet(round=1, seats=seated("abc"), turn=2)


def test_a_game_that_all_but_one_leave_between_shoes_is_over() -> None:
    dinner = drawn("2d", "Kd", "3d")
    dinner.closed_shoe("end-of-day")

    for patron in ("a", "b"):
        dinner.does(salon.leave_seat(dinner.table, patron=patron))

    dinner.cash("c", 6)
    assert dinner.table.standing == Standing()


def test_the_cut_card_may_come_in_the_draw_and_then_the_shoe_is_over() -> None:
    rules = ruled("dining-room", stakes={"unit": 1, "start": 1}, procedure={"decks": 1, "cut": 40})
    stacks = {chr(97 + seat): 10 for seat in range(8)}
    dinner = Dinner(rules, limits_of(rules), **stacks)

    dinner.drawn(["2d", "Kd", "3d", "4d", "5d", "6d", "Ks", "8d", "2h", "2s", "3h", "9h"])

    assert kinds(dinner.log)[-2:] == ["cut-card-reached", "card-drawn"]
    assert dinner.may() == []
    assert refusal(dinner.table, salon.open_round).code == "shoe-over"
    assert kinds(dinner.closed_shoe()) == ["shoe-closed"]
    dinner.next_shoe(stacked(decks=1))
    assert dinner.may() == ["open"]


def test_a_draw_for_which_there_are_too_few_cards_is_refused() -> None:
    dinner = Dinner(ruled("dining-room", stakes={"unit": 1, "start": 1}, procedure={"decks": 1}), **SIX)
    dinner.shoe(["Kd"] * 51)

    assert refusal(dinner.table, salon.draw, dinner.cards).code == "shoe-over"


def test_a_chapter_alone_reads_a_draw_without_knowing_who_sits() -> None:
    dinner = drawn("2d", "Kd", "3d")
    table = fold(dinner.chapter)

    assert table is not None
    assert isinstance(table.phase, Drawing)
    for event in dinner.opened():
        evolve(table, event)
    assert table.standing == dinner.table.standing
    assert table.seats == dinner.table.seats
    assert repr(table.phase) == repr(dinner.table.phase)


def test_a_chapter_alone_may_end_after_the_draw() -> None:
    dinner = drawn("2d", "Kd", "3d", *BANKER_WINS)
    table = fold(dinner.chapter)

    assert table is not None
    assert isinstance(dinner.closed_shoe("end-of-day")[-1], ShoeClosed)
    assert evolve(table, dinner.log[-1]).stacks == dinner.table.stacks


def test_a_shoe_is_not_ended_as_if_its_game_were_over() -> None:
    dinner = drawn("2d", "Kd", "3d")

    no = refusal(dinner.table, shoes.close, seed=SEED, reason="last-player")

    assert no.code == "wrong-phase"
    assert not any(isinstance(event, RoundOpened) for event in dinner.log)
