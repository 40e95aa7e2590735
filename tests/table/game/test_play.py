"""Play: a coup from its opening to its settlement."""

import pytest
from msgspec import UNSET

from schemas.events import Line, LinesSettled, RoundSettled
from services.table.game import play, wagers
from services.table.game.state import Between, Dealing
from tests.table.game.sitting import (
    ANNA,
    BANKER_WINS,
    BOTH,
    DIGEST,
    FILLER,
    MARKING,
    PLAYER_WINS,
    SIX_CARDS,
    Sitting,
    chips_on,
    in_play,
    kinds,
    ruled,
    said,
)


def lines_of(sitting: Sitting) -> tuple[Line, ...]:
    assert isinstance(sitting.table.phase, Between)
    assert sitting.table.phase.last is not None
    return sitting.table.phase.last.lines


def test_cards_fall_to_player_and_banker_in_turn_and_leave_from_the_front() -> None:
    sitting = Sitting(ruled(procedure={"burn": "one"})).shoe(SIX_CARDS)

    events = sitting.coup()

    cards = [said(event) for event in events if "card" in said(event)]
    assert kinds(events) == ["bets-closed", *["card-dealt"] * 6, "round-settled"]
    assert [card["hand"] for card in cards] == ["player", "banker", "player", "banker", "player", "banker"]
    assert [card["card"] for card in cards] == list(SIX_CARDS)
    assert [card["position"] for card in cards] == [1, 2, 3, 4, 5, 6]
    assert [card["salt"] for card in cards] == [sitting.cards.salts[position].hex() for position in range(1, 7)]
    assert said(events[-1]) == {"round": 1, "player": 2, "banker": 8, "winner": "banker", "lines": ()}


def test_card_by_card_is_the_same_coup() -> None:
    at_once = Sitting().buy(p1=1_000).shoe(SIX_CARDS)
    by_card = Sitting().buy(p1=1_000).shoe(SIX_CARDS)

    at_once.coup(("p1", "banker", 500))
    by_card.round(("p1", "banker", 500))
    by_card.do(play.close_bets(by_card.table, count=1, digest=DIGEST))
    entries = []
    while isinstance(by_card.table.phase, Dealing):
        entries.append(kinds(by_card.do(play.deal(by_card.table, by_card.cards, whole=False))))

    assert entries == [["card-dealt"]] * 5 + [["card-dealt", "round-settled"]]
    assert by_card.log == at_once.log


def test_the_rest_of_a_coup_may_be_dealt_at_once() -> None:
    sitting = Sitting().shoe(SIX_CARDS).round()
    sitting.do(play.close_bets(sitting.table, count=0, digest=DIGEST))

    sitting.do(play.deal(sitting.table, sitting.cards, whole=False))
    rest = sitting.do(play.deal(sitting.table, sitting.cards))

    assert kinds(rest) == [*["card-dealt"] * 5, "round-settled"]


def test_a_coup_whose_bets_are_closed_is_played_to_its_end() -> None:
    sitting = Sitting().shoe(SIX_CARDS).round()
    sitting.do(play.close_bets(sitting.table, count=0, digest=DIGEST))

    rest = sitting.do(play.play_coup(sitting.table, sitting.cards, count=0, digest=DIGEST))

    assert kinds(rest) == [*["card-dealt"] * 6, "round-settled"]


def test_bets_close_also_with_none() -> None:
    sitting = Sitting().shoe().round()

    (closed,) = play.close_bets(sitting.table, count=0, digest=DIGEST)

    assert said(closed) == {"round": 1, "count": 0, "digest": DIGEST}


def test_rounds_are_counted_within_the_shoe_voided_ones_too() -> None:
    sitting = Sitting().shoe()
    sitting.coup()
    sitting.round().do(play.void_round(sitting.table, reason="misdeal", approved_by=(ANNA,)))
    sitting.coup()
    assert in_play(sitting.table).rounds == 3

    sitting.end_shoe()
    sitting.shoe().coup()
    assert (in_play(sitting.table).number, in_play(sitting.table).rounds) == (2, 1)


def test_lines_stand_in_the_order_first_placed_counted_anew_after_a_withdrawal() -> None:
    sitting = Sitting().buy(p1=10_000, p2=10_000).shoe(PLAYER_WINS)
    sitting.round(("p1", "player", 500), ("p2", "tie", 100), ("p1", "tie", 100), ("p2", "tie", 200))
    sitting.do(wagers.withdraw_bet(sitting.table, patron="p1", bet="player"))
    for bet in (("p1", "tie", 50), ("p2", "player", 600), ("p1", "player", 700)):
        sitting.do(wagers.place_bets(sitting.table, [bet]))

    sitting.do(play.play_coup(sitting.table, sitting.cards, count=8, digest=DIGEST))

    assert [(line.patron, line.bet, line.stake) for line in lines_of(sitting)] == [
        ("p2", "tie", 300),
        ("p1", "tie", 150),
        ("p2", "player", 600),
        ("p1", "player", 700),
    ]


def test_a_withdrawn_bet_leaves_no_line() -> None:
    sitting = Sitting().buy(p1=10_000).shoe(PLAYER_WINS).round(("p1", "player", 500))
    sitting.do(wagers.withdraw_bet(sitting.table, patron="p1", bet="player"))

    sitting.do(play.play_coup(sitting.table, sitting.cards, count=2, digest=DIGEST))

    assert lines_of(sitting) == ()
    assert sitting.table.stack("p1") == 10_000


@pytest.mark.parametrize(("bets", "entries"), [(200, [200]), (201, [200, 1]), (400, [200, 200]), (450, [200, 200, 50])])
def test_more_lines_than_an_entry_holds_are_settled_in_several_of_one_command(bets: int, entries: list[int]) -> None:
    patrons = [f"p{number:03}" for number in range(bets)]
    sitting = Sitting().buy(**dict.fromkeys(patrons, 500)).shoe(PLAYER_WINS)

    events = sitting.coup(*((patron, "player" if n % 2 else "banker", 500) for n, patron in enumerate(patrons)))

    settled = [event for event in events if isinstance(event, LinesSettled | RoundSettled)]
    assert [len(event.lines) for event in settled] == entries
    assert kinds(settled) == [*["lines-settled"] * (len(entries) - 1), "round-settled"]
    assert [line.patron for line in lines_of(sitting)] == patrons
    assert chips_on(sitting.table) == bets // 2 * 1_000
    sitting.do(play.reverse_settlement(sitting.table, reason="miscount", approved_by=BOTH, settle_again=True))
    assert [line.patron for line in lines_of(sitting)] == patrons


def test_marked_stands_on_every_line_of_a_table_that_marks_and_on_no_other() -> None:
    bets = (("p1", "banker", 500), ("p1", "player", 500), ("p1", "tie", 100))
    marking, plain = (Sitting(rules).buy(p1=10_000).shoe(BANKER_WINS) for rules in (MARKING, None))
    for sitting in (marking, plain):
        sitting.coup(*bets)

    assert [(line.marked, line.commission) for line in lines_of(marking)] == [(25, 0), (0, 0), (0, 0)]
    assert [(line.marked, line.commission) for line in lines_of(plain)] == [(UNSET, 25), (UNSET, 0), (UNSET, 0)]


def test_a_free_coup_is_dealt_and_settled_without_lines() -> None:
    sitting = Sitting().shoe()

    (opened,) = sitting.do(play.open_round(sitting.table, free=True))
    sitting.do(play.play_coup(sitting.table, sitting.cards, count=0, digest=DIGEST))

    assert said(opened) == {"shoe": 1, "round": 1, "free": True}
    assert lines_of(sitting) == ()
    assert FILLER in sitting.cards.cards
