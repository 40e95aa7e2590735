"""Baccarat banque: whole coups as they are settled, and the end of the shoe."""

import pytest

from schemas.events import RoundVoided
from services.table.game import rounds, salon, shoes
from services.table.game.seats import Standing
from tests.table.game.banque_party import (
    BANKER_WINS,
    CHIPS,
    RIGHT_LOSES,
    after_one,
    banked,
    bid,
    cards_dealt,
    goes_on,
    lines,
    party,
    playing,
)
from tests.table.game.party import Party
from tests.table.game.sitting import BOTH, chips_on, kinds, limited, refusal, stacked


def test_right_left_and_banker_have_a_card_each_twice() -> None:
    made = banked(*BANKER_WINS)
    made.bet("a", "right", 100)
    made.played()

    assert cards_dealt(made) == ["right", "left", "banker"] * 2


@pytest.mark.parametrize(
    ("front", "levy", "bank", "others"),
    [
        pytest.param(
            RIGHT_LOSES,
            {},
            "e bank 100000 30000 1500 103500",
            ["a right 30000 0 0 0", "b left 25000 25000 0 50000", "c cheval 20000 0 0 20000"],
            id="right lost, left won, gross",
        ),
        pytest.param(
            RIGHT_LOSES,
            {"rate": "1/80", "on": "net"},
            "e bank 100000 30000 62 104938",
            ["a right 30000 0 0 0", "b left 25000 25000 0 50000", "c cheval 20000 0 0 20000"],
            id="the same, net",
        ),
        pytest.param(
            BANKER_WINS,
            {"rate": "1/80", "on": "net"},
            "e bank 100000 75000 937 174063",
            ["a right 30000 0 0 0", "b left 25000 0 0 0", "c cheval 20000 0 0 0"],
            id="both lost, net",
        ),
    ],
)
def test_a_whole_round_is_settled_as_the_page_works_it(
    front: tuple[str, ...], levy: dict[str, str], bank: str, others: list[str]
) -> None:
    limits = limited({"bank": (10000, 10**6), **dict.fromkeys(("right", "left", "cheval"), (500, 10**6))})
    made = party(*front, limits=limits, levy=levy)
    made.buy(**dict.fromkeys("abcde", 100_000))
    before = chips_on(made.table)
    made.opened()
    bid(made, "e", 100_000)
    made.no("a", "b", "c", "d")
    made.bet("a", "right", 30_000)
    made.bet("b", "left", 25_000)
    made.bet("c", "cheval", 20_000)

    settled = made.played()

    assert lines(settled) == [bank, *others]
    assert made.table.standing.standing == settled.lines[0].returned
    assert chips_on(made.table) == before - settled.lines[0].commission


def test_totals_and_winners_are_told_of_both_sides() -> None:
    made = banked(*RIGHT_LOSES)
    made.bet("a", "right", 10)

    settled = made.played()

    assert (settled.right, settled.left, settled.banker) == (7, 9, 8)
    assert settled.winners
    assert (settled.winners.right, settled.winners.left) == ("banker", "player")


def test_a_settlement_reversed_and_made_again_leaves_the_same() -> None:
    made = after_one(BANKER_WINS, "a right", "b left")
    before = made.table.standing

    made.does(rounds.reverse_settlement(made.table, reason="misread", approved_by=BOTH, settle_again=True))

    assert made.table.standing == before
    assert kinds(made.log)[-2:] == ["settlement-reversed", "round-settled"]


def at_the_end(after_cut: str, *, left: int) -> Party:
    """Let a bet lie on right, with so many cards left in a shoe whose cut card lies before the last nine of them."""
    made = party(procedure={"cut": 9, "after_cut": after_cut})
    made.opened()
    bid(made, "e", 1000)
    made.no("a", "b", "c", "d")
    made.bet("a", "right", 10)
    made.closed_bets()
    playing(made).shoe.position = 156 - left
    return made


def test_the_cut_card_comes_out_before_the_card_it_lies_before_and_the_coup_is_the_last() -> None:
    made = at_the_end("finish", left=11)

    made.dealt()

    reached = kinds(made.log).index("cut-card-reached")
    assert kinds(made.log)[reached - 2 : reached + 2] == ["card-dealt", "card-dealt", "cut-card-reached", "card-dealt"]
    assert kinds(made.log)[-1] == "round-settled"
    assert refusal(made.table, salon.open_round).code == "shoe-over"
    made.end_shoe(None)


def test_one_more_coup_may_follow_the_cut_card() -> None:
    made = at_the_end("one-more", left=11)
    made.dealt()

    goes_on(made, 1000).bet("a", "right", 10)
    made.closed_bets()
    made.dealt()

    assert made.log[-1] == RoundVoided(round=2, reason="out-of-cards", approved_by=())
    assert made.table.standing == Standing(banker=5, standing=1000, right=1, left=10)
    assert chips_on(made.table) == 6 * CHIPS
    assert refusal(made.table, salon.open_round).code == "shoe-over"
    assert refusal(made.table, shoes.commit, seed_commitment=bytes(32)).code == "wrong-phase"


def test_the_longest_coup_fits_behind_the_cut_card() -> None:
    made = at_the_end("finish", left=9)
    made.cards = stacked(back=["Kd"] * 9, decks=3)

    made.dealt()
    made.does(salon.silence(made.table))
    made.dealt()

    assert cards_dealt(made) == ["right", "left", "banker"] * 3
    assert kinds(made.log)[-1] == "round-settled"
    made.end_shoe(None)
