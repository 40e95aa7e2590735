"""A party at baccarat banque: two on either side, one who likes to bank, one standing by, and cards as a test needs."""

from typing import Any

from schemas.rules import Limits
from schemas.seats import SeatsSet
from services.table.game import salon
from services.table.game.state import Playing
from tests.table.game.party import Party
from tests.table.game.sitting import limited, ruled

# a and c sit right, a nearest; b and d sit left, b nearest; e sits outermost on the right, and banks; z stands by.
SEATS = {"a": 1, "c": 2, "e": 5, "d": 9, "b": 10}
CHIPS = 2000
STAKES = {"right": (5, 5000), "left": (5, 5000), "cheval": (5, 5000)}
LIMITS = limited({"bank": (100, 5000), **STAKES})
WITH_BANCO = limited({"bank": (100, 5000), **STAKES, "banco-right": (100, 5000), "banco-left": (100, 5000)})

# Six cards each, right, left, banker, twice: the banker has a natural, or nobody has more than 7.
BANKER_WINS = ("Kd", "Kh", "9d", "7d", "7h", "Kc")
SIDES_WIN = ("9d", "9h", "Kd", "Kh", "Kc", "8d")
RIGHT_LOSES = ("Kd", "9h", "8d", "7d", "Kc", "Kh")
TIES = ("9d", "9h", "9c", "Kd", "Kh", "Kc")

# Both sides have 5, the banker 3.
FIVES = ("2d", "2h", "Ad", "3d", "3h", "2c")


def party(*front: str, limits: Limits = LIMITS, **changes: dict[str, Any]) -> Party:
    """Seat them, and have a shoe that begins with chosen cards."""
    made = Party(ruled("banque", **changes), limits)
    made.buy(**dict.fromkeys([*SEATS, "z"], CHIPS)).sit(**SEATS)
    made.shoe(front)
    return made


def bid(made: Party, patron: str, amount: int) -> list[Any]:
    """Bid for the bank."""
    return made.does(salon.ask(made.table, patron=patron, bet="bank", amount=amount))


def banked(*front: str, amount: int = 1000, limits: Limits = LIMITS, **changes: dict[str, Any]) -> Party:
    """Let e have the bank."""
    made = party(*front, limits=limits, **changes)
    made.opened()
    bid(made, "e", amount)
    return made.no("a", "b", "c", "d")


def goes_on(made: Party, amount: int) -> Party:
    """Open the next round, and let the standing banker name his bank."""
    made.opened()
    made.bet("e", "bank", amount)
    return made


def seats_set(made: Party) -> SeatsSet:
    """Open the next round and give what it starts from."""
    (_, stated, *_) = made.opened()
    assert isinstance(stated, SeatsSet)
    return stated


def playing(made: Party) -> Playing:
    phase = made.table.phase
    assert isinstance(phase, Playing)
    return phase


def withdrawn(made: Party, patron: str, bet: str) -> list[Any]:
    """Take a stake back."""
    return made.does(salon.withdraw(made.table, patron=patron, bet=bet))


def lines(settled: Any) -> list[str]:
    return [f"{x.patron} {x.bet} {x.stake} {x.won} {x.commission} {x.returned}" for x in settled.lines]


def cards_dealt(made: Party) -> list[str]:
    """Name the hands that got a card, in order."""
    return [event.hand for event in made.log if hasattr(event, "hand") and hasattr(event, "card")]


def after_one(front: tuple[str, ...], *stakes: str, limits: Any = LIMITS) -> Party:
    """Play one coup with e's bank and 10 on each of these; whoever else is asked passes."""
    made = banked(*front, limits=limits)
    for stake in stakes:
        patron, bet = stake.split()
        while made.asked() and made.asked() != [patron]:
            made.no(*made.asked())
        made.bet(patron, bet, 1000 if bet.startswith("banco") else 10)
    made.played()
    return made
