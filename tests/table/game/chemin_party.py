"""A party at chemin de fer: four at the table, one standing by, and the bank as a test needs it."""

from copy import deepcopy
from typing import Any

from msgspec import convert, to_builtins

from schemas.events import RoundSettled
from schemas.rules import Rules
from schemas.seats import SeatsSet
from services.table.game.state import Playing
from tests.table.game.party import Party
from tests.table.game.sitting import limited, ruled

LIMITS = limited({"bank": (10, 1000), "player": (5, 1000), "banco": (10, 1000)})
TIE = ("9d", "9c", "Kh", "Kc")
# Player 5 and Banker 3: both have a choice in mode `free`; in `options` Banker has one if Player draws a nine.
FIVE_AND_THREE = ("2d", "2c", "3h", "Ac", "9d", "4d")


def party(*front: str, **changes: dict[str, Any]) -> Party:
    """Seat a, b, c, d with 1000 chips each, e standing by, and have a shoe that begins with chosen cards."""
    made = Party(ruled("chemin-de-fer", **changes), deepcopy(LIMITS))  # a test may change them
    for seat, patron in enumerate("abcd", start=1):
        made.buy(**{patron: 1000}).sit(**{patron: seat})
    made.buy(e=1000).shoe(front)
    return made


def banked(*front: str, **changes: dict[str, Any]) -> Party:
    """Have a name a bank of 100, with nobody calling banco."""
    made = party(*front, **changes)
    made.opened()
    made.bet("a", "bank", 100)
    return made.no("b", "c", "d")


def seats_set(made: Party) -> SeatsSet:
    """Open the next round and give what it starts from."""
    (_, stated, *_) = made.opened()
    assert isinstance(stated, SeatsSet)
    return stated


def lines(settled: RoundSettled) -> list[str]:
    return [f"{x.patron} {x.bet} {x.stake} {x.won} {x.commission} {x.returned}" for x in settled.lines]


def stack(made: Party, patron: str) -> int:
    return made.table.stack(patron)


def playing(made: Party) -> Playing:
    phase = made.table.phase
    assert isinstance(phase, Playing)
    return phase


def with_play(mode: dict[str, Any]) -> Any:
    return convert(to_builtins(ruled("chemin-de-fer")) | {"play": mode}, Rules)
