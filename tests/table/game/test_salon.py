"""The salon: what a command that cannot be taken is answered with, and a coup closed and dealt in one."""

from schemas.events import BetsClosed, CardDealt, RoundSettled, RoundVoided
from services.table.game import salon
from services.table.game.deeds import BySystem, event_of
from tests.table.game.chemin_party import TIE, banked
from tests.table.game.sitting import BANKER_WINS, kinds, refusal


def test_who_cannot_do_this_now_is_told_what_he_can() -> None:
    made = banked()

    no = refusal(made.table, salon.place, patron="b", bet="tie", amount=10)
    assert (no.code, no.detail) == ("not-asked", "patron b cannot stake on tie now")
    assert no.right == "stake player, pass, banco banco"

    no = refusal(made.table, salon.pass_turn, patron="c")
    assert (no.code, no.detail) == ("not-asked", "patron c cannot pass now")


def test_who_is_not_asked_is_told_who_is() -> None:
    made = banked(stakes={"late_banco": False})

    no = refusal(made.table, salon.pass_turn, patron="c")

    assert (no.detail, no.where, no.right) == ("patron c is not asked; b is", "patron", "b")


def test_when_nobody_is_asked_it_is_for_the_dealer_to_go_on() -> None:
    made = banked()
    made.bet("b", "player", 60)
    made.bet("c", "player", 40)

    no = refusal(made.table, salon.pass_turn, patron="d")
    assert (no.detail, no.right) == ("patron d is not asked; nobody is", "wait for the dealer")

    no = refusal(made.table, salon.silence)
    assert (no.code, no.right) == ("not-asked", "close the bets")


def test_who_closes_and_deals_has_the_whole_coup() -> None:
    made = banked(*BANKER_WINS)
    made.bet("b", "player", 100)

    events = [event_of(deed) for deed in salon.close_and_deal(made.table, made.cards)]

    assert kinds(events) == ["bets-closed", *["card-dealt"] * 4, "round-settled"]
    assert isinstance(events[-1], RoundSettled)
    assert events[-1].winner == "banker"


def test_who_closes_and_deals_a_coup_without_stakes_has_its_void_and_no_card() -> None:
    made = banked(*TIE)
    made.no("b", "c", "d")

    assert salon.close_and_deal(made.table, made.cards) == [
        BySystem(RoundVoided(round=1, reason="no-stakes", approved_by=()))
    ]


def test_one_card_at_a_time_falls_as_all_at_once() -> None:
    at_once, one_by_one = (banked(*BANKER_WINS) for _ in range(2))
    for made in (at_once, one_by_one):
        made.bet("b", "player", 100)
        assert isinstance(made.closed_bets()[-1], BetsClosed)

    whole = at_once.dealt()
    each = [one_by_one.does(salon.deal(one_by_one.table, one_by_one.cards, whole=False)) for _ in range(4)]

    assert [event for events in each for event in events] == whole
    assert [sum(isinstance(event, CardDealt) for event in events) for events in each] == [1, 1, 1, 1]
