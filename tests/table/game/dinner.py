"""A dinner: a table of the dining-room, its players on their seats, and what each of them says by name."""

from collections.abc import Sequence
from typing import Any

from schemas.events import Line, LinesSettled, RoundSettled, TableEvent
from schemas.rules import Limits, Rules
from schemas.words import Seated
from services.table.game import floor, salon, shoes
from services.table.game.deeds import BySystem, Deed, May
from services.table.game.shoe import Shoe
from tests.table.game.party import Party
from tests.table.game.sitting import SEED, chips_on, limited, ruled

SIDE_BETS = ("final-6", "final-5", "winning-8", "winning-7")
# Player 7 and 9, Banker 5 and a king, then 3: the coup of the dining-room text. Banker wins with 8, five cards in all.
TEXT = ("7d", "5h", "9c", "Kd", "3c")
PLAYER_WINS = ("9d", "Kd", "Kh", "Ac")
BANKER_WINS = ("Kd", "9d", "Ac", "Kh")
TIE = ("9d", "9c", "Kh", "Kc")
SIX_CARD_TIE = ("Kd", "Kh", "Qd", "3h", "3c", "Ks")
DRAGON = ("Kd", "2h", "Qd", "2d", "2s", "3h")
"""Banker wins with three cards and 7."""


def rules_of(**stakes: Any) -> Rules:
    """Give the rules of the dining-room, played for chips of one unless said otherwise."""
    bank: dict[str, Any] = {key: stakes.pop(key) for key in ("high", "unable") if key in stakes}
    return ruled("dining-room", stakes={"unit": 1, "start": 1} | stakes, bank=bank)


def limits_of(rules: Rules, **bounds: Any) -> Limits:
    """Offer every main bet and side bet of the text."""
    unit = rules.stakes.unit if rules.stakes else 1
    return limited(dict.fromkeys(("player", "banker", *SIDE_BETS), (unit or 1, 1_000_000)), **bounds)


class Dinner(Party):
    """A table of the dining-room; whoever is named sits, from seat 1 on, with so many chips."""

    def __init__(self, rules: Rules | None = None, limits: Limits | None = None, /, **stacks: int) -> None:
        rules = rules or rules_of()
        super().__init__(rules, limits or limits_of(rules))
        self.by_system: list[TableEvent] = []
        self.buy(**stacks)
        for seat, patron in enumerate(stacks, start=1):
            self.does(salon.take_seat(self.table, seat=seat, patron=patron))

    def does(self, deeds: Sequence[Deed]) -> list[TableEvent]:
        """Let what a command comes to happen, and keep apart what the system does."""
        self.by_system += [deed.event for deed in deeds if isinstance(deed, BySystem)]
        before = chips_on(self.table)
        events = super().does(deeds)
        assert chips_on(self.table) == before, "no chip is made or lost"
        return events

    def drawn(self, draw: Sequence[str], cards: Sequence[str] = (), back: Sequence[str] = ()) -> "Dinner":
        """Open a shoe, draw for the deal with these cards; the next coups have these."""
        self.shoe((*draw, *cards), back)
        self.does(salon.draw(self.table, self.cards))
        return self

    def stake(self, patron: str, bet: str, amount: int) -> list[TableEvent]:
        """Let a patron bank, or stake."""
        return self.does(salon.place(self.table, patron=patron, bet=bet, amount=amount))

    def ask(self, patron: str, bet: str, amount: int) -> list[TableEvent]:
        """Let a patron ask for a bet."""
        return self.does(salon.ask(self.table, patron=patron, bet=bet, amount=amount))

    def answer(self, patron: str, of: str, bet: str, *, agrees: bool = True) -> list[TableEvent]:
        """Let the dealer of the coup answer."""
        return self.does(salon.answer(self.table, patron=patron, of=of, bet=bet, agrees=agrees))

    def passes(self, *patrons: str) -> list[TableEvent]:
        """Let patrons pass."""
        return [event for patron in patrons for event in self.does(salon.pass_turn(self.table, patron=patron))]

    def whole_coup(self) -> list[TableEvent]:
        """Close the bets and deal the whole coup; give what falls."""
        self.closed_bets()
        return self.dealt()

    def closed_shoe(self, reason: str | None = None) -> list[TableEvent]:
        """Close the shoe."""
        return self.does(shoes.close(self.table, seed=SEED, reason=reason))

    def next_shoe(self, cards: Shoe | None = None) -> None:
        """Commit to another shoe, shuffle and burn it."""
        self.do(shoes.commit(self.table, seed_commitment=SEED))
        self.cards = cards or self.cards
        self.do(shoes.shuffle(self.table, self.cards, mix=SEED))

    def may(self, patron: str | None = None) -> list[str]:
        """Tell in short what somebody may do, or the dealer of the house."""
        return [short(may) for may in salon.mays(self.table) if (may.patron or None) == patron]

    def cash(self, patron: str, amount: int) -> None:
        """Let a patron take chips away."""
        self.do(floor.cash_chips(self.table, patron=patron, amount=amount, means="cash"))


def short(may: May) -> str:
    """Write what may be done in a line."""
    amount = f"{may.least}" if may.least == may.most else f"{may.least}-{may.most}"
    return " ".join(str(part) for part in (may.does, may.of, may.bet, amount if may.most else None) if part)


def lines_of(events: Sequence[TableEvent]) -> list[Line]:
    """Give the lines of a settlement."""
    return [line for event in events if isinstance(event, LinesSettled | RoundSettled) for line in event.lines]


def written(events: Sequence[TableEvent]) -> list[str]:
    """Write a settlement's lines as the format page does."""
    return [
        f"{line.patron} {line.bet} {line.stake} {line.won} {line.commission} {line.returned}"
        for line in lines_of(events)
    ]


def seated(patrons: str) -> tuple[Seated, ...]:
    """Seat patrons from 1 on."""
    return tuple(Seated(seat=seat, patron=patron) for seat, patron in enumerate(patrons, start=1))
