"""Chemin de fer: who plays which hand, and where the choice is free."""

from typing import Any

import pytest

from services.table.game import salon
from services.table.game.deeds import BySystem, event_of
from services.table.game.state import Playing
from tests.table.game.chemin_party import FIVE_AND_THREE, LIMITS, banked, party, playing, with_play
from tests.table.game.party import Party
from tests.table.game.sitting import kinds, refusal


def player_of(made: Party) -> str | None:
    phase = playing(made)
    return salon.game_of(made.table).decider(phase.banked, phase.stakes, "player")


def test_the_largest_stake_plays_and_on_equality_the_first_after_the_banker() -> None:
    made = banked()
    made.bet("b", "player", 20)
    made.bet("c", "player", 40)
    made.bet("d", "player", 40)
    made.closed_bets()

    assert player_of(made) == "c"


def test_a_larger_stake_of_a_bystander_does_not_play_before_a_seat() -> None:
    made = banked()
    made.bet("b", "player", 20)
    made.no("c", "d")
    made.bet("e", "player", 80)
    made.closed_bets()

    assert player_of(made) == "b"


def test_where_no_seat_has_staked_the_first_bystander_plays() -> None:
    made = banked()
    made.no("b", "c", "d").buy(f=500)
    made.bet("f", "player", 20)
    made.bet("e", "player", 80)
    made.closed_bets()

    assert player_of(made) == "f"


def choices(made: Party, **decided: str) -> list[str]:
    """Play a covered coup and list who is asked for which hand; by default whoever is stands."""
    made.bet("b", "player", 100)
    made.closed_bets()
    asked = []
    while isinstance(made.table.phase, Playing):
        (may,) = salon.mays(made.table)
        if may.does == "deal":
            made.dealt()
            continue
        asked.append(f"{may.patron} {may.hand}")
        choice: Any = decided.get(may.hand or "", "stand")
        made.does(salon.decide(made.table, patron=may.patron or "", hand=may.hand or "", choice=choice))
    return asked


@pytest.mark.parametrize(
    ("mode", "decided", "asked"),
    [
        ({"mode": "tableau"}, {}, []),
        ({"mode": "options", "cells": ["3-9", "5-4"]}, {}, ["b player"]),
        ({"mode": "options", "cells": ["3-9", "5-4"]}, {"player": "draw"}, ["b player", "a banker"]),
        ({"mode": "options", "cells": ["3-8", "3-stand"]}, {}, ["b player", "a banker"]),
        ({"mode": "options", "cells": []}, {"player": "draw"}, ["b player"]),
        ({"mode": "free"}, {}, ["b player", "a banker"]),
        ({"mode": "free"}, {"player": "draw"}, ["b player", "a banker"]),
    ],
)
def test_choices_are_free_where_the_mode_leaves_them(
    mode: dict[str, Any], decided: dict[str, str], asked: list[str]
) -> None:
    assert choices(banked_in(mode, FIVE_AND_THREE), **decided) == asked


def banked_in(mode: dict[str, Any], front: tuple[str, ...]) -> Party:
    """Bank a coup under other rules of play."""
    made = Party(with_play(mode), LIMITS)
    for seat, patron in enumerate("abcd", start=1):
        made.buy(**{patron: 1000}).sit(**{patron: seat})
    made.buy(e=1000).shoe(front)
    made.opened()
    made.bet("a", "bank", 100)
    return made.no("b", "c", "d")


def test_nobody_else_decides_and_nothing_but_what_is_free() -> None:
    made = banked(*FIVE_AND_THREE)
    made.bet("b", "player", 100)
    made.closed_bets()
    assert refusal(made.table, salon.decide, patron="b", hand="player", choice="draw").code == "no-choice"
    made.dealt()

    assert refusal(made.table, salon.decide, patron="c", hand="player", choice="draw").code == "not-asked"
    assert refusal(made.table, salon.decide, patron="a", hand="banker", choice="draw").code == "no-choice"
    assert refusal(made.table, salon.deal, made.cards).code == "still-asked"


def test_a_natural_ends_the_coup_before_any_choice() -> None:
    made = banked("2d", "9c", "3h", "Kc")
    made.bet("b", "player", 100)
    made.closed_bets()

    assert kinds(made.dealt())[-1] == "round-settled"


def test_for_who_is_silent_the_system_passes_or_decides_as_the_tableau() -> None:
    made = party(*FIVE_AND_THREE)
    made.opened()
    (passed,) = salon.silence(made.table)
    assert isinstance(passed, BySystem)
    made.does([passed])
    made.bet("b", "bank", 100)
    made.no("c", "d", "a")
    made.bet("c", "player", 100)
    made.closed_bets()
    made.dealt()

    (decided,) = salon.silence(made.table)

    assert isinstance(decided, BySystem)
    assert kinds([event_of(decided)]) == ["decision-made"]
    made.does([decided])
    assert playing(made).hands.choices == {"player": "draw"}
