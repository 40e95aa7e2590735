"""The scorecard of a shoe: what its coups came to, as far as they count."""

from collections.abc import Mapping
from types import MappingProxyType

from schemas.events import AnyEvent, RoundSettled, SettlementReversed, ShoeCommitted, TableOpened
from services.table.game.roads import Outcome

LETTERS: Mapping[str, bytes] = MappingProxyType({"banker": b"B", "player": b"P", "tie": b"T"})
NOTHING = b"-"


class Scorecard:
    """The winners of a shoe's coups by their numbers; a coup that is void, or undone, or has two winners, is left out.

    `version` is that of the entry which changed it last; `shoe` is 0 before the first one. A byte a coup: every table
    that is held has a scorecard.
    """

    __slots__ = ("_winners", "shoe", "version")

    def __init__(self) -> None:
        self._winners = bytearray()
        self.shoe = 0
        self.version = 0

    def hear(self, event: AnyEvent, version: int) -> None:
        """Take in an entry of the table's stream."""
        match event:
            case RoundSettled():
                self._write(event.round, LETTERS.get(str(event.winner), NOTHING), version)
            case SettlementReversed():
                self._write(event.round, NOTHING, version)
            case ShoeCommitted():
                self._winners, self.shoe, self.version = bytearray(), event.shoe, version
            case TableOpened():
                self._winners, self.shoe, self.version = bytearray(), 0, version
            case _:
                pass

    def outcomes(self) -> list[Outcome]:
        """Give the winners of the coups that count, in order."""
        return list(self._winners.replace(NOTHING, b"").decode())

    def _write(self, number: int, letter: bytes, version: int) -> None:
        self._winners = self._winners.ljust(number, NOTHING)
        self._winners[number - 1 : number] = letter
        self.version = version
