"""Real cards where a player banks: where each goes, which choices are awaited, and what holds play."""

from collections.abc import Callable, Sequence
from random import Random

import pytest
from msgspec import UNSET

from schemas.events import CardDealt, RoundSettled, RoundVoided
from schemas.seats import CardDrawn, SeatLeft
from services.table.game import floor, reader, rounds, salon, shoes
from services.table.game.cards import CARDS
from services.table.game.deeds import BySystem
from services.table.game.state import Between, Drawing, Playing
from tests.table.game.banque_party import FIVES, SEATS
from tests.table.game.banque_party import LIMITS as BANQUE_LIMITS
from tests.table.game.chemin_party import FIVE_AND_THREE
from tests.table.game.chemin_party import LIMITS as CHEMIN_LIMITS
from tests.table.game.dinner import BANKER_WINS, limits_of, rules_of
from tests.table.game.party import command_of
from tests.table.game.real_party import Real, banque, chemin, dining, rules_of_chemin
from tests.table.game.sitting import chips_on, fold, in_play, kinds, refusal, ruled

NATURAL = ("9d", "9c", "Kh", "2c")  # Player 9, Banker A: over after four cards


def test_cards_go_to_the_hands_in_turn_and_the_last_one_settles_the_coup() -> None:
    made = chemin()
    assert (made.due, made.may()) == ("player", ["read"])

    for card, then in zip(NATURAL[:3], ("banker", "player", "banker"), strict=True):
        made.tell(card)
        assert made.due == then
    events = made.tell(NATURAL[3])

    assert kinds(events) == ["card-dealt", "round-settled"]
    dealt = [event for event in made.log if isinstance(event, CardDealt)]
    assert [(event.hand, event.card) for event in dealt] == [
        ("player", "9d"),
        ("banker", "9c"),
        ("player", "Kh"),
        ("banker", "2c"),
    ]
    assert {(event.position, event.salt) for event in dealt} == {(UNSET, UNSET)}
    assert (in_play(made.table).position, made.due, made.table.stack("b")) == (4, "no-card", 1100)
    assert fold(made.log) == made.table


def test_a_free_choice_is_awaited_before_the_next_card_counts() -> None:
    made = chemin()
    made.tell(*FIVE_AND_THREE[:4])
    assert made.due == "decision"

    early = made.irregular("9d")
    made.decides("b", "player", "draw")
    assert made.due == "player"
    made.tell("9d")
    assert made.due == "decision"
    made.decides("a", "banker", "draw")
    events = made.tell("4d")

    assert (early.what, early.facts["expected"], early.facts["position"]) == ("card-before-decision", "no-card", 4)
    assert early.detail == "b has not decided for player yet, and 9d is out"
    assert kinds(events) == ["card-dealt", "round-settled"]


def test_of_cards_told_at_once_none_is_taken_when_a_choice_comes_between_them() -> None:
    made = chemin()

    assert made.irregular(*FIVE_AND_THREE[:5]).what == "card-before-decision"
    assert made.due == "player"


def test_when_a_choice_is_the_last_that_happens_the_dealer_settles_the_coup() -> None:
    made = chemin()
    made.tell(*FIVE_AND_THREE[:4])
    made.decides("b", "player", "stand")
    assert refusal(made.table, rounds.deal, made.cards).code == "still-asked"
    made.decides("a", "banker", "stand")

    assert (made.due, made.may()) == ("no-card", ["deal"])
    assert made.irregular("9d").what == "card-after-coup"
    assert kinds(made.does(rounds.deal(made.table, made.cards))) == ["round-settled"]


def test_for_who_is_silent_the_system_decides_and_its_card_is_told_then() -> None:
    made = chemin()
    made.tell(*FIVE_AND_THREE[:4])

    made.does(salon.silence(made.table))

    assert made.due == "player"
    assert kinds(made.tell("2h")) in (["card-dealt"], ["card-dealt", "round-settled"])


def test_nobody_deals_what_a_reader_tells() -> None:
    made = against = chemin()
    for command in (rounds.deal, rounds.play_coup):
        order = {"count": 0, "digest": ""} if command is rounds.play_coup else {}
        assert refusal(made.table, command, made.cards, **order).code == "shoe-source"
    made.tell(*NATURAL)
    against.opened()
    against.bet("a", "bank", 100) if against.asked()[0] == "a" else against.bet("b", "bank", 100)

    assert refusal(made.table, rounds.play_coup, made.cards, count=0, digest="").code == "shoe-source"


def test_a_card_out_of_turn_is_irregular() -> None:
    made = Real(ruled("chemin-de-fer"), CHEMIN_LIMITS, {"a": 1, "b": 2})
    assert made.irregular("9d").what == "card-between-coups"
    made.opened()
    assert made.irregular("9d").what == "card-before-last-call"
    made.bet("a", "bank", 100)
    made.bet("b", "banco", 100)
    made.closed_bets()
    assert made.irregular(*NATURAL, "9d").what == "card-after-coup"
    assert made.irregular("9d", position=1).what == "card-missed"
    assert made.irregular("9d", "9c", "2c", "2c", "2c", "2c", "2c").what in ("card-too-often", "card-after-coup")


def test_a_card_comes_out_as_often_as_the_decks_hold_it_face_down_or_not() -> None:
    made = chemin(decks=1)
    made.tell("9d")

    again = made.irregular("9d")

    assert (again.what, again.facts["expected"]) == ("card-too-often", "banker")
    made.tell("9c", "Kh", "2c")
    against_a_bank_of_b(made)
    assert made.irregular("9c").what == "card-too-often"


def against_a_bank_of_b(made: Real) -> None:
    """Go on to the next coup: a has lost the bank, and b names one that c faces."""
    made.opened()
    made.bet("b", "bank", 100)
    made.bet("c", "banco", 100)
    made.closed_bets()


def test_an_irregular_card_holds_play_until_people_have_decided() -> None:
    made = chemin()
    made.tell(*FIVE_AND_THREE[:4])
    early = made.irregular("9d")

    made.do(reader.stop(made.table, early))

    assert (made.table.suspended, made.may("b")) == ("irregular-card-before-decision", [])
    assert refusal(made.table, salon.decide, patron="b", hand="player", choice="draw").code == "table-suspended"
    made.do(floor.resume(made.table))
    made.decides("b", "player", "draw")
    made.tell("9d")


def test_the_second_reader_agrees_before_a_coup_is_settled() -> None:
    made = chemin()
    assert kinds(made.tell(*NATURAL, reader="a")) == ["card-dealt"] * 4
    assert (made.due, made.may()) == ("second-reader", ["read"])
    assert refusal(made.table, rounds.deal, made.cards).code == "shoe-source"
    assert made.tell(*NATURAL[:2], reader="b") == []
    assert made.irregular("9d", "8c", reader="b").what == "readers-disagree"
    assert made.irregular(*NATURAL, "2d", reader="b").what == "card-after-coup"
    assert refusal(made.table, rounds.tell_cards, NATURAL, reader="b", position=1).code == "whole-coup"

    assert kinds(made.tell(*NATURAL, reader="b", position=0)) == ["round-settled"]
    assert made.tell(*NATURAL, reader="b") == []


def test_the_second_reader_agrees_on_a_coup_whose_last_was_a_choice() -> None:
    made = chemin()
    made.tell(*FIVE_AND_THREE[:4], reader="a")
    assert made.tell(*FIVE_AND_THREE[:4], reader="b") == []
    made.decides("b", "player", "stand")
    made.decides("a", "banker", "stand")

    assert kinds(made.tell(*FIVE_AND_THREE[:4], reader="b")) == ["round-settled"]


def test_at_two_tableaux_cards_go_right_left_banker_and_both_readers_tell_them_so() -> None:
    made = banque()
    for card, then in zip(FIVES, ("left", "banker", "right", "left", "banker", "decision"), strict=True):
        made.tell(card, reader="a")
        assert made.due == then
    for patron, hand, card in (("a", "right", "Kd"), ("b", "left", "Kh"), ("e", "banker", "Kc")):
        made.decides(patron, hand, "draw")
        assert made.due == hand
        made.tell(card, reader="a")

    assert made.due == "second-reader"
    assert kinds(made.tell(*FIVES, "Kd", "Kh", "Kc", reader="b")) == ["round-settled"]


@pytest.mark.parametrize("last", ["draw", "stand"])
def test_a_side_that_stood_before_the_bankers_choice_does_not_end_the_coup(last: str) -> None:
    made = banque()
    made.tell(*FIVES)
    made.decides("a", "right", "stand")
    made.decides("b", "left", "draw")
    made.tell("Kh", reader="a")
    made.decides("e", "banker", last)

    if last == "draw":
        made.tell("Kc", reader="a")

    assert (made.due, made.may()) == (("second-reader", ["read"]) if last == "draw" else ("no-card", ["deal"]))


def test_a_player_who_stood_does_not_end_a_coup_in_which_banker_draws_by_the_tableau() -> None:
    made = chemin()
    made.tell("2d", "Kc", "3h", "Ac", reader="a")  # 5 against 1
    made.decides("b", "player", "stand")
    made.tell("9d", reader="a")

    assert (made.due, made.may()) == ("second-reader", ["read"])


def test_the_draw_for_the_deal_is_told_card_by_card_or_at_once() -> None:
    made = dining()
    assert (made.due, made.may()) == ("draw", ["read"])
    assert refusal(made.table, salon.draw, made.cards).code == "shoe-source"

    made.tell("Kd", "2d")
    assert isinstance(made.table.phase, Drawing)
    assert (made.due, made.may()) == ("draw", ["read"])
    assert refusal(made.table, salon.take_seat, seat=4, patron="d").code == "wrong-phase"
    assert refusal(made.table, floor.buy_chips, patron="a", amount=5, means="cash").code == "game-on"
    assert refusal(made.table, floor.cash_chips, patron="a", amount=5, means="cash").code == "game-on"
    made.tell("Kc")
    assert made.irregular("3d", "2c", "2s").what == "card-between-coups"
    events = made.tell("3d", "2c")

    assert [event.seat for event in events if isinstance(event, CardDrawn)] == [1, 3]
    assert isinstance(made.table.phase, Between)
    assert (made.table.standing.turn, made.due, made.may()) == (1, "no-card", ["open"])
    assert fold(made.log) == made.table


def test_who_has_no_chip_left_loses_his_seat_with_the_last_card() -> None:
    made = Real(rules_of(), limits_of(rules_of()), {"a": 1, "b": 2}, chips=1)
    made.tell("Kd", "2d")
    made.opened()
    made.bet("a", "bank", 1)
    made.bet("b", "player", 1)
    made.closed_bets()

    events = made.tell(*BANKER_WINS)

    assert events[-1] == SeatLeft(seat=2, patron="b", reason="eliminated")
    assert kinds(events)[-2:] == ["round-settled", "seat-left"]
    assert made.do(shoes.close(made.table, seed=None))[-1].reason == "last-player"  # type: ignore[union-attr]


def test_a_coup_that_wants_a_card_when_the_shoe_has_none_is_void() -> None:
    made = chemin(decks=1)
    shoe = in_play(made.table)
    shoe.position = shoe.cards - 4
    made.tell(*FIVE_AND_THREE[:4])
    assert made.due == "decision"
    made.decides("b", "player", "draw")

    assert (made.due, made.may()) == ("no-card", ["deal"])
    assert made.irregular("9d").what == "shoe-empty"
    (void,) = rounds.deal(made.table, made.cards)
    assert void == BySystem(RoundVoided(round=1, reason="out-of-cards", approved_by=()))

    other = chemin(decks=1)
    in_play(other.table).position = shoe.cards - 4
    assert kinds(other.tell("Kd", "Kh", "2d", "Ks"))[-1] == "round-voided"


def test_the_cut_card_comes_out_before_the_card_at_its_place() -> None:
    made = chemin()
    shoe = in_play(made.table)
    shoe.position = shoe.cut_at - 1

    events = made.tell(*NATURAL)

    assert kinds(events)[:3] == ["card-dealt", "cut-card-reached", "card-dealt"]
    assert in_play(made.table).coups_left == 0


def free_chemin() -> Real:
    """Seat three for chemin de fer with all its choices."""
    return Real(rules_of_chemin(), CHEMIN_LIMITS, {"a": 1, "b": 2, "c": 3})


def free_banque() -> Real:
    """Seat five for banque."""
    return Real(ruled("banque"), BANQUE_LIMITS, SEATS)


COMMANDS = 400
GAMES: dict[str, Callable[[], Real]] = {"chemin-de-fer": free_chemin, "banque": free_banque, "dining-room": dining}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(4))
def test_shoes_are_told_by_readers_and_no_chip_is_made_or_lost(game: str, seed: int) -> None:
    made, chance = GAMES[game](), Random(seed)
    before = chips_on(made.table)
    pack = [card for card in CARDS for _ in range(made.table.rules.procedure.decks)]
    chance.shuffle(pack)
    pack.insert(0, pack.pop(pack.index("As")))  # it was burned, if one was

    for _ in range(COMMANDS):
        mays = salon.mays(made.table)
        if not mays:
            break
        may = chance.choice(mays)
        if may.does == "read":
            tells(made, pack, by="a" if chance.random() < 0.3 and isinstance(made.table.phase, Playing) else None)
        else:
            made.does(command_of(made, may, chance))

    settled = [event for event in made.log if isinstance(event, RoundSettled)]
    assert settled
    assert chips_on(made.table) == before - sum(line.commission for event in settled for line in event.lines)
    assert fold(made.log) == made.table


def tells(made: Real, pack: Sequence[str], *, by: str | None) -> None:
    """Tell the next card; when the coup is whole, have the second reader agree."""
    phase, position = made.table.phase, in_play(made.table).position
    if made.due != "second-reader":
        made.tell(pack[position], reader=by, position=position)
        return
    assert isinstance(phase, Playing)
    hands = (phase.hands.player, phase.hands.right, phase.hands.left, phase.hands.banker)
    made.tell(*reader.in_order(*hands), reader="b")
