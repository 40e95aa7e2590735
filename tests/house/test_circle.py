"""The circle: what somebody does of what he may, and who sits where."""

from random import Random
from typing import Any

import pytest

from services.house.circle import places
from services.house.party import Patron
from services.house.temper import LIKING, MOST_WHIMS, Temper

BANK = {"does": "bank", "patron": "p1", "bet": "bank", "least": 1500, "most": 1_000_000}
ASK = {"does": "ask", "patron": "p1", "bet": "final-6", "least": 200, "most": 700, "by": 100}
PASS = {"does": "pass", "patron": "p1"}
BANCO = {"does": "banco", "patron": "p1", "bet": "banco", "least": 9000, "most": 9000}
STAKE = {"does": "stake", "patron": "p1", "bet": "right", "least": 500, "most": 900}
STEPS = {"bank": 1000, "final-6": 100, "banco": 1000, "right": 500}
SEEDS = range(2000)


def patrons(count: int) -> list[Patron]:
    return [Patron(f"p{number}", luck=Random(number), has_account=False) for number in range(1, count + 1)]


def test_who_is_asked_always_answers_and_in_every_way_that_he_may() -> None:
    answers = [Temper(Random(seed)).choose([BANK, BANCO, PASS], STEPS) for seed in SEEDS]

    assert {answer["does"] for answer in answers if answer} == {"bank", "banco", "pass"}
    assert None not in answers


@pytest.mark.parametrize("may", [BANK, ASK, BANCO, STAKE], ids=lambda may: may["does"])
def test_an_amount_is_one_that_would_be_taken(may: dict[str, Any]) -> None:
    chosen = [Temper(Random(seed)).choose([may, PASS], STEPS) for seed in SEEDS]
    amounts = {answer["amount"] for answer in chosen if answer and answer["does"] == may["does"]}

    assert amounts <= set(range(may["least"], may["most"] + 1, may.get("by", 1)))
    assert max(amounts) <= may["least"] + 13 * STEPS[may["bet"]]
    assert len(amounts) > 1 or may["least"] == may["most"]


def test_who_is_not_asked_soon_does_nothing_more() -> None:
    for seed in SEEDS:
        temper = Temper(Random(seed))
        temper.begin_coup()
        done = [temper.choose([STAKE], STEPS) for _ in range(MOST_WHIMS + 1)]

        assert done[-1] is None


def test_some_hands_are_played_against_the_advice() -> None:
    decided = {Temper(Random(seed)).decide(("draw", "stand"), advice="draw") for seed in SEEDS}

    assert decided == {"draw", "stand"}


def test_a_deed_that_nobody_has_a_liking_for_yet_is_done_too() -> None:
    assert "decide" not in LIKING

    decide = {"does": "decide", "patron": "p1", "hand": "banker", "choices": ("draw", "stand")}

    assert Temper(Random(1)).choose([decide], STEPS) == decide


def test_patrons_sit_all_round_the_table_and_the_last_one_stands_by() -> None:
    assert places(patrons(7), seats=10, has_bystander=True) == {"p1": 1, "p2": 2, "p3": 4, "p4": 6, "p5": 7, "p6": 9}
    assert places(patrons(3), seats=10, has_bystander=True) == {"p1": 1, "p2": 4, "p3": 7}


def test_no_more_sit_than_there_are_seats() -> None:
    assert set(places(patrons(100), seats=8, has_bystander=False).values()) == set(range(1, 9))
