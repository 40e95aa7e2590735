"""Faces: what everybody sees of a player-banked coup while it is played, and who reads which hand."""

from services.table.game import salon
from services.table.game.faces import played_by, shown
from tests.table.game import banque_party, chemin_party
from tests.table.game.chemin_party import FIVE_AND_THREE, playing
from tests.table.game.dinner import Dinner
from tests.table.game.party import Party


def dealt(made: Party, cards: int) -> Party:
    """Let so many cards fall, one by one."""
    for _ in range(cards):
        made.does(salon.deal(made.table, made.cards, whole=False))
    return made


def chemin(*front: str) -> Party:
    made = chemin_party.banked(*front)
    made.bet("b", "player", 100)
    made.closed_bets()
    return made


def test_the_first_two_cards_lie_face_down_from_the_first_on() -> None:
    made = chemin(*FIVE_AND_THREE)

    assert shown(made.table, playing(made))[1] == {}
    assert shown(made.table, playing(dealt(made, 1)))[1] == {"player": 1}
    assert shown(made.table, playing(dealt(made, 2)))[1] == {"player": 2, "banker": 1}
    seen, hidden = shown(made.table, playing(dealt(made, 1)))
    assert hidden == {"player": 2, "banker": 2}
    assert seen.dealt == 0


def test_a_third_card_lies_face_up() -> None:
    made = dealt(chemin(*FIVE_AND_THREE), 4)
    made.does(salon.decide(made.table, patron="b", hand="player", choice="draw"))
    dealt(made, 1)

    seen, hidden = shown(made.table, playing(made))

    assert (seen.player, seen.banker) == ([FIVE_AND_THREE[4]], [])
    assert hidden == {"player": 2, "banker": 2}


def test_an_eight_or_nine_is_shown_at_once_and_no_other_hand() -> None:
    made = banque_party.banked("9d", "2h", "3d", "Kh", "3c", "Kc")
    made.bet("a", "right", 100)
    made.bet("b", "left", 100)
    made.closed_bets()
    dealt(made, 4)
    assert shown(made.table, playing(made))[0].right == ["9d", "Kh"]

    seen, hidden = shown(made.table, playing(dealt(made, 2)))

    assert (seen.left, seen.banker) == ([], [])
    assert hidden == {"left": 2, "banker": 2}


def test_a_hand_that_comes_to_nine_with_three_cards_is_no_natural() -> None:
    made = dealt(chemin("2d", "2c", "3h", "Ac", "4d", "4s"), 4)
    made.does(salon.decide(made.table, patron="b", hand="player", choice="draw"))
    dealt(made, 1)

    assert shown(made.table, playing(made))[1] == {"player": 2, "banker": 2}


def test_each_reads_the_hand_that_he_plays() -> None:
    made = dealt(chemin(*FIVE_AND_THREE), 3)

    assert played_by(made.table, playing(made), "b") == {"player": ("2d", "3h")}
    assert played_by(made.table, playing(made), "a") == {"banker": ("2c",)}
    assert played_by(made.table, playing(made), "c") == {}
    assert played_by(made.table, playing(chemin()), "b") == {}


def test_where_the_tableau_plays_every_card_lies_face_up() -> None:
    dinner = Dinner(a=6, b=6).drawn(("Kd", "2d"))
    dinner.opened()
    dinner.stake("a", "bank", 6)
    dinner.stake("b", "player", 1)
    dinner.closed_bets()
    dealt(dinner, 3)

    seen, hidden = shown(dinner.table, playing(dinner))

    assert hidden == {}
    assert seen.dealt == 3
