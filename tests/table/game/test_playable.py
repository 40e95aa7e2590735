"""Limits under which something that is offered could never be staked are refused, with the reason."""

from typing import Any

import pytest
from msgspec import convert, to_builtins

from schemas.rules import Limits, Rules
from services.table.game.rules import builtin
from services.table.game.scrutiny import check, check_limits

BANK = {"min": 100, "max": 1000}
NOTHING = "limits.bets: nothing can be staked against the bank; name one of"
NO_BANCO = (
    "a bank is 100 to 1000, and none of these may be faced alone; "
    "limits that one of them is within, those of patron and table too"
)


def complaints(game: str, bets: dict[str, dict[str, int]], **more: int) -> list[str]:
    return check_limits(builtin(game).rules, convert({"bets": bets} | more, Limits))


def span(least: int, most: int) -> dict[str, int]:
    return {"min": least, "max": most}


@pytest.mark.parametrize(
    ("bets", "more", "said"),
    [
        (
            {"player": span(200, 500)},
            {},
            "limits.bets.player.min: 200 is above a chip of 100, so a chip could never be staked; at most 100",
        ),
        (
            {"banker": span(50, 99)},
            {},
            "limits.bets.banker.max: 99 is below a chip of 100, so none could ever be staked; at least 100",
        ),
        (
            {"player": span(100, 500)},
            {"patron": 99},
            "limits.bets.player: takes 100 and limits.patron is 99, so it could never be staked; 100 or more",
        ),
        (
            {"player": span(100, 500)},
            {"table": 50},
            "limits.bets.player: takes 100 and limits.table is 50, so it could never be staked; 100 or more",
        ),
        (
            {"player": span(100, 500), "final-6": span(110, 190)},
            {},
            "limits.bets.final-6: no number of chips of 100 is within 110 to 190; a multiple of 100",
        ),
        (
            {"player": span(100, 500), "final-6": span(110, 200)},
            {"patron": 250},
            "limits.bets.final-6: takes 300 and limits.patron is 250, so it could never be staked; 300 or more",
        ),
        (
            {"final-6": span(100, 200)},
            {},
            f"{NOTHING} player, banker",
        ),
    ],
)
def test_what_the_dining_room_could_never_stake(bets: dict[str, Any], more: dict[str, int], said: str) -> None:
    assert complaints("dining-room", bets, **more) == [said]


def test_a_side_bet_whose_main_bets_are_not_offered() -> None:
    tree = to_builtins(builtin("dining-room").rules)
    tree["bets"]["final-6"]["needs"] = ["banker"]
    limits = convert({"bets": {"player": span(100, 500), "final-6": span(100, 500)}}, Limits)

    assert check_limits(convert(tree, Rules), limits) == [
        "limits.bets.final-6: it needs banker, and none of these is offered; offer one, or leave it out"
    ]


@pytest.mark.parametrize(
    ("bets", "more", "said"),
    [
        (
            {"banco": span(1001, 2000)},
            {},
            f"limits.bets.banco: {NO_BANCO}",
        ),
        (
            {"banco": span(10, 99)},
            {},
            f"limits.bets.banco: {NO_BANCO}",
        ),
        (
            {"player": span(10, 50), "banco": span(200, 500)},
            {"table": 199},
            f"limits.bets.banco: {NO_BANCO}",
        ),
        (
            {"player": span(50, 500)},
            {"patron": 40},
            "limits.bets.player: takes 50 and limits.patron is 40, so it could never be staked; 50 or more",
        ),
        ({}, {}, f"{NOTHING} player, banco"),
    ],
)
def test_what_could_never_be_staked_at_chemin_de_fer(bets: dict[str, Any], more: dict[str, int], said: str) -> None:
    assert complaints("chemin-de-fer", {"bank": BANK} | bets, **more) == [said]


@pytest.mark.parametrize(
    ("bets", "more", "said"),
    [
        (
            {"right": span(10, 50), "cheval": span(1001, 2000)},
            {},
            "limits.bets.cheval.min: 1001 is above the largest bank, 1000, so it could never be staked; at most 1000",
        ),
        (
            {"left": span(60, 100)},
            {"table": 59},
            "limits.bets.left: takes 60 and limits.table is 59, so it could never be staked; 60 or more",
        ),
        (
            {"left": span(60, 100), "banco-left": span(1001, 2000)},
            {},
            f"limits.bets.banco-left: {NO_BANCO}",
        ),
        (
            {},
            {},
            f"{NOTHING} right, left, cheval, banco-right, banco-left",
        ),
    ],
)
def test_what_could_never_be_staked_at_banque(bets: dict[str, Any], more: dict[str, int], said: str) -> None:
    assert complaints("banque", {"bank": BANK} | bets, **more) == [said]


def test_what_can_be_staked_just_so_is_not_complained_about() -> None:
    assert complaints("dining-room", {"banker": span(1, 100), "final-5": span(101, 200)}, patron=300, table=300) == []
    assert complaints("chemin-de-fer", {"bank": BANK, "banco": span(1000, 2000)}, patron=1000, table=1000) == []
    # What is over the bank is trimmed.
    assert complaints("chemin-de-fer", {"bank": BANK, "player": span(1500, 2000)}, table=1500) == []
    assert complaints("banque", {"bank": BANK, "cheval": span(1000, 2000)}, patron=1000, table=1000) == []


def test_a_chip_of_which_nobody_could_have_enough_to_begin_is_refused() -> None:
    tree = to_builtins(builtin("dining-room").rules)
    tree["stakes"] |= {"unit": 10**15 // 2, "start": 2}
    assert check(convert(tree, Rules)) == []

    tree["stakes"] |= {"unit": 10**15 // 3 + 1, "start": 3}

    assert check(convert(tree, Rules)) == [
        f"stakes.unit: 3 such chips are {10**15 + 2}, and the largest stack is 1000000000000000; a smaller chip"
    ]
