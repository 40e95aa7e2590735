"""A party with a shoe of real cards: whatever a reader tells, at each game in which a player banks."""

from typing import Any

import pytest
from msgspec.structs import replace

from schemas.events import TableEvent
from schemas.rules import Limits, Rules
from services.table.game import rounds, salon, shoes
from services.table.game.reader import IrregularError
from tests.table.game.banque_party import LIMITS as BANQUE_LIMITS
from tests.table.game.banque_party import SEATS
from tests.table.game.chemin_party import LIMITS as CHEMIN_LIMITS
from tests.table.game.chemin_party import with_play
from tests.table.game.dinner import limits_of, rules_of
from tests.table.game.party import Party
from tests.table.game.sitting import ruled, seen


class Real(Party):
    """A party with a shoe of real cards."""

    def __init__(self, rules: Rules, limits: Limits, seats: dict[str, int], chips: int = 1000) -> None:
        super().__init__(rules, limits)
        self.buy(**dict.fromkeys(seats, chips)).sit(**seats)
        self.take_shoe()

    def take_shoe(self) -> None:
        """Take a shoe, and burn if the rules say so."""
        self.do(shoes.commit_scanned(self.table))
        if rounds.due(self.table) == "burn":
            self.tell("As")

    def tell(self, *cards: str, reader: Any = None, position: int | None = None) -> list[TableEvent]:
        """Tell cards as they leave the shoe."""
        return self.does(rounds.tell_cards(self.table, cards, reader=reader, position=position))

    def irregular(self, *cards: str, reader: Any = None, position: int | None = None) -> IrregularError:
        """Give the irregularity that cards are; nothing has changed by them."""
        before = seen(self.table)
        with pytest.raises(IrregularError) as found:
            rounds.tell_cards(self.table, cards, reader=reader, position=position)
        assert seen(self.table) == before
        assert found.value.facts["came"] in cards
        return found.value

    def decides(self, patron: str, hand: str, choice: Any) -> list[TableEvent]:
        """Let somebody choose."""
        return self.does(salon.decide(self.table, patron=patron, hand=hand, choice=choice))

    @property
    def due(self) -> str:
        """Where the next card goes."""
        return rounds.due(self.table)


def rules_of_chemin(*, decks: int = 6) -> Rules:
    """Give the rules in which every choice is free."""
    rules: Rules = with_play({"mode": "free"})
    return replace(rules, procedure=replace(rules.procedure, decks=decks))


def chemin(*, decks: int = 6) -> Real:
    """Have a name a bank of 100, which b faces alone, and close."""
    return against_a_bank(Real(rules_of_chemin(decks=decks), CHEMIN_LIMITS, {"a": 1, "b": 2, "c": 3}))


def against_a_bank(made: Real) -> Real:
    made.opened()
    made.bet("a", "bank", 100)
    made.bet("b", "banco", 100)
    made.closed_bets()
    return made


def banque() -> Real:
    """Let e bank against stakes of a on the right and b on the left, and close."""
    made = Real(ruled("banque"), BANQUE_LIMITS, SEATS)
    made.opened()
    made.does(salon.ask(made.table, patron="e", bet="bank", amount=500))
    made.no("a", "b", "c", "d")
    made.bet("a", "right", 100)
    made.bet("b", "left", 100)
    made.closed_bets()
    return made


def dining() -> Real:
    """Seat a, b and c with ten chips each."""
    return Real(rules_of(), limits_of(rules_of()), {"a": 1, "b": 2, "c": 3}, chips=10)
