"""Whose deal it is: the able are asked in turn, the rules place a bank where nobody is, ties leave it, it passes on."""

from schemas.events import BetPlaced, RoundVoided
from schemas.seats import SeatsSet, TurnPassed
from services.table.game import floor, play, salon
from services.table.game.seats import Standing
from tests.table.game.dinner import BANKER_WINS, SIX_CARD_TIE, TIE, Dinner, limits_of, rules_of, seated
from tests.table.game.sitting import ANNA, kinds, refusal

THREE = {"a": 6, "b": 6, "c": 6}


def drawn(*cards: str, draw: tuple[str, ...] = ("Kd", "2d", "3d"), **stacks: int) -> Dinner:
    """Sit down, and draw: a deals first unless said otherwise; the coups' cards follow."""
    return Dinner(**(stacks or THREE)).drawn(draw, cards)


def bank(number: int, patron: str, amount: int) -> BetPlaced:
    """Give the event that places a bank."""
    return BetPlaced(round=number, patron=patron, bet="bank", amount=amount)


def test_the_able_are_asked_in_turn_for_their_whole_stack() -> None:
    dinner = drawn(a=2, b=9, c=4, draw=("2d", "Kd", "3d"))
    dinner.opened()

    assert dinner.may("b") == ["bank bank 9", "pass"]
    assert dinner.may("a") == dinner.may("c") == []
    no = refusal(dinner.table, salon.place, patron="b", bet="bank", amount=8)
    assert (no.code, no.right) == ("out-of-bounds", "9")
    dinner.passes("b")
    assert dinner.may("c") == ["bank bank 4", "pass"]
    assert dinner.stake("c", "bank", 4) == [bank(1, "c", 4)]


def test_who_cannot_match_a_unit_of_each_other_player_is_not_asked() -> None:
    rules = rules_of(unit=10)
    dinner = Dinner(rules, a=20, b=200, c=20).drawn(("Kd", "2d", "3d"), [*BANKER_WINS] * 4)
    dinner.opened()
    dinner.stake("a", "bank", 20)
    dinner.stake("b", "player", 10)
    dinner.stake("c", "banker", 10)
    dinner.whole_coup()
    assert dinner.table.stacks == {"a": 20, "b": 190, "c": 30}
    dinner.opened()
    dinner.stake("b", "bank", 190)
    dinner.stake("a", "player", 10)
    dinner.stake("c", "banker", 10)
    dinner.whole_coup()
    assert dinner.table.stacks == {"a": 10, "b": 190, "c": 40}

    dinner.opened()
    dinner.passes("c")

    assert dinner.may("a") == []
    assert dinner.may("b") == ["bank bank 190", "pass"]


def test_when_all_pass_the_first_one_deals_all_the_same_and_the_system_places_his_bank() -> None:
    dinner = drawn(draw=("2d", "Kd", "3d"))
    dinner.opened()
    dinner.passes("b", "c")

    assert dinner.passes("a") == [TurnPassed(round=1, patron="a"), bank(1, "b", 6)]
    assert dinner.by_system == [bank(1, "b", 6)]


def test_who_alone_is_able_deals_unasked() -> None:
    dinner = Dinner(rules_of(start=1), a=2, b=2, c=9).drawn(("Kd", "2d", "3d"), BANKER_WINS)
    dinner.opened()
    dinner.stake("a", "bank", 2)
    dinner.stake("b", "player", 1)
    dinner.stake("c", "banker", 1)
    dinner.whole_coup()
    dinner.opened()
    dinner.stake("c", "bank", 10)
    dinner.stake("a", "player", 1)
    dinner.stake("b", "player", 1)
    dinner.does(salon.close_bets(dinner.table))
    dinner.do(play.void_round(dinner.table, reason="misdeal", approved_by=(ANNA,)))
    dinner.by_system.clear()
    dinner.table.stacks |= {"a": 1, "b": 1}
    dinner.table.standing = Standing(turn=1)

    assert kinds(dinner.opened()) == ["round-opened", "seats-set", "bet-placed"]
    assert dinner.by_system == [bank(3, "c", 10)]


def poor(unable: str) -> Dinner:
    """Bring three of different wealth to where nobody can match the others: a unit of ten each."""
    dinner = Dinner(rules_of(unit=10, unable=unable), a=20, b=20, c=20).drawn(("Kd", "2d", "3d"), BANKER_WINS)
    dinner.table.stacks |= {"a": 10, "b": 19, "c": 19}
    return dinner


def test_when_nobody_is_able_the_richest_deals_the_first_in_turn_of_equals() -> None:
    dinner = poor("richest")

    dinner.opened()

    assert dinner.by_system == [bank(1, "b", 19)]


def test_when_nobody_is_able_the_shoe_is_closed_where_the_rules_say_so() -> None:
    dinner = poor("close")

    assert dinner.may() == []
    assert refusal(dinner.table, salon.open_round).detail == "the game is over: no-dealer"
    assert dinner.closed_shoe()[-1].reason == "no-dealer"  # type: ignore[union-attr]  # a shoe-closed
    assert dinner.table.standing == Standing()
    assert floor.cash_chips(dinner.table, patron="a", amount=10, means="cash")


def play_a_round(dinner: Dinner) -> None:
    """Let a deal, b and c stake."""
    dinner.opened()
    dinner.stake("a", "bank", dinner.table.stack("a"))
    dinner.stake("b", "player", 1)
    dinner.stake("c", "banker", 1)
    dinner.whole_coup()


def test_the_deal_passes_on_from_who_has_dealt_not_from_whose_turn_it_was() -> None:
    dinner = drawn(*BANKER_WINS)
    dinner.opened()
    dinner.passes("a")
    dinner.stake("b", "bank", 6)
    dinner.stake("a", "player", 1)
    dinner.stake("c", "player", 1)
    dinner.whole_coup()

    assert dinner.opened()[1] == SeatsSet(round=2, seats=seated("abc"), turn=3)
    assert dinner.may("c") == ["bank bank 5", "pass"]


def test_after_a_tie_the_same_dealer_deals_again_unasked() -> None:
    dinner = drawn(*TIE, *BANKER_WINS)
    play_a_round(dinner)

    opened = dinner.opened()

    assert opened[1:] == [SeatsSet(round=2, seats=seated("abc"), turn=1, tied=True), bank(2, "a", 6)]
    assert dinner.by_system == [bank(2, "a", 6)]


def test_after_a_tie_that_cost_the_dealer_too_much_the_others_are_asked() -> None:
    dinner = drawn(*SIX_CARD_TIE)
    dinner.opened()
    dinner.stake("a", "bank", 6)
    dinner.stake("b", "player", 1)
    dinner.stake("c", "player", 1)
    dinner.ask("c", "final-6", 2)
    dinner.ask("b", "final-6", 1)
    dinner.answer("a", "c", "final-6")
    dinner.answer("a", "b", "final-6")
    dinner.whole_coup()
    assert dinner.table.stacks == {"a": 0, "b": 8, "c": 10}

    assert dinner.opened()[1:] == [SeatsSet(round=2, seats=(seated("abc")[1:]), turn=2)]
    assert dinner.may("b") == ["bank bank 8", "pass"]


def test_after_a_tie_a_dealer_who_is_no_longer_able_is_not_asked_first() -> None:
    dinner = drawn(*SIX_CARD_TIE)
    dinner.opened()
    dinner.stake("a", "bank", 6)
    dinner.stake("b", "player", 1)
    dinner.stake("c", "player", 1)
    dinner.ask("c", "final-6", 2)
    dinner.answer("a", "c", "final-6")
    dinner.ask("b", "winning-8", 1)
    dinner.answer("a", "b", "winning-8")
    dinner.whole_coup()
    assert dinner.table.stacks == {"a": 2, "b": 6, "c": 10}
    dinner.table.stacks |= {"a": 1, "b": 7}

    assert dinner.opened()[1:] == [SeatsSet(round=2, seats=seated("abc"), turn=1, tied=True)]
    assert dinner.may("b") == ["bank bank 7", "pass"]


def test_after_a_void_the_same_dealer_deals_again() -> None:
    dinner = drawn()
    dinner.opened()
    dinner.passes("a")
    dinner.stake("b", "bank", 6)
    dinner.do(play.void_round(dinner.table, reason="misdeal", approved_by=(ANNA,)))

    assert dinner.opened()[1:] == [SeatsSet(round=2, seats=seated("abc"), turn=2, tied=True), bank(2, "b", 6)]


def test_a_void_before_anybody_deals_leaves_the_turn() -> None:
    dinner = drawn()
    dinner.opened()
    dinner.passes("a")
    dinner.do([RoundVoided(round=1, reason="misdeal", approved_by=(ANNA,))])

    assert dinner.opened()[1] == SeatsSet(round=2, seats=seated("abc"), turn=1)


def test_a_tied_dealer_who_leaves_passes_the_deal() -> None:
    dinner = drawn(*TIE)
    play_a_round(dinner)

    dinner.does(salon.leave_seat(dinner.table, patron="a"))

    assert dinner.opened()[1] == SeatsSet(round=2, seats=seated("abc")[1:], turn=2)


def test_a_tie_does_not_outlast_its_shoe() -> None:
    dinner = drawn(*TIE)
    play_a_round(dinner)
    dinner.closed_shoe("end-of-day")
    dinner.next_shoe()

    assert dinner.opened()[1] == SeatsSet(round=1, seats=seated("abc"), turn=1)
    assert dinner.may("a") == ["bank bank 6", "pass"]


def test_who_is_silent_when_asked_for_the_bank_has_passed() -> None:
    dinner = drawn()
    dinner.opened()

    dinner.does(salon.silence(dinner.table))

    assert dinner.by_system == [TurnPassed(round=1, patron="a")]
    assert dinner.may("b") == ["bank bank 6", "pass"]


def test_a_bank_of_any_size_is_taken_whatever_the_limits_say_of_a_patron() -> None:
    rules = rules_of()
    dinner = Dinner(rules, limits_of(rules, patron=2, table=3), a=60, b=60).drawn(("Kd", "2d"))
    dinner.opened()

    assert dinner.may("a") == ["bank bank 60", "pass"]
