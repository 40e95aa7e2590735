"""Check 5 where players bank: what every shoe has, its procedure and its digests; the play itself is the salon's."""

from collections.abc import Sequence
from typing import Any, ClassVar, get_args

from schemas.events import AnyEvent, BetPlaced, CardDealt, DecisionMade, RoundSettled, RoundVoided, ShoeCommitted
from schemas.reading import BetSeen, SeenEvent
from schemas.seats import (
    BankBroken,
    BetAgreed,
    BetAsked,
    BetRefused,
    CardDrawn,
    SeatLeft,
    SeatsSet,
    SeatTaken,
    TurnPassed,
)
from services.audit.commands import Commands
from services.audit.findings import Page
from services.audit.layout import Layout
from services.audit.phases import BETTING, BETWEEN, BURNING, DEALING, ORDER, SEALING, SETTLED, Order
from services.audit.rules import RulesCheck
from services.audit.salon import Salon
from services.audit.watchers import BetRow, Kind, Watcher
from services.table.game.scrutiny import check as scrutinize

BETWEEN_ROUNDS = (SEALING, BURNING, BETWEEN, SETTLED)
BANKED_ORDER: Order = ORDER | {
    SeatTaken: (BETWEEN_ROUNDS, None),
    SeatLeft: (BETWEEN_ROUNDS, None),
    CardDrawn: ((BETWEEN, SETTLED), None),
    SeatsSet: ((BETTING,), None),
    TurnPassed: ((BETTING,), None),
    BetAsked: ((BETTING,), None),
    BetAgreed: ((BETTING,), None),
    BetRefused: ((BETTING,), None),
    DecisionMade: ((DEALING,), None),
    BankBroken: ((SETTLED,), None),
}


class Pile(Layout):
    """The stakes of a coup, all within the limits that the salon judges."""

    def place(self, rows: Sequence[BetRow]) -> list[tuple[int, str]]:
        """Add a run of bets."""
        for row in rows:
            key = row.event.patron, row.event.bet
            self.stakes[key] = self.stakes.get(key, 0) + row.event.amount
        return []

    def withdraw(self, patron: str, bet: str) -> list[str]:
        """Take back the whole of a bet."""
        self.stakes.pop((patron, bet), None)
        return []


class Row:
    """One bet, as a run of one."""

    def __init__(self, version: int, event: BetSeen | BetPlaced) -> None:
        self.version = version
        self.event: Any = event


class BankedRulesCheck(RulesCheck):
    """What the rules expect next in a shoe in which players bank."""

    layout_of: ClassVar[type[Layout]] = Pile
    order: ClassVar[Order] = BANKED_ORDER

    def __init__(self, page: Page, commands: Commands, committed: ShoeCommitted, money: Page) -> None:
        super().__init__(page, commands, committed)
        self._salon = Salon(page, money)
        if any(scrutinize(committed.rules)):
            self._salon.give_up()
        self._does |= {CardDrawn: self._draw, BetPlaced: self._stake}

    def watchers(self) -> dict[Kind, Watcher]:
        """Give what looks at each kind of entry, bets too: each is a command of its own."""
        return dict.fromkeys(get_args(AnyEvent), self._see)

    def finish(self) -> None:
        """Judge the last command, and what was left open."""
        self._salon.finish()
        super().finish()

    def _see(self, version: int, event: SeenEvent, leaf: str) -> None:
        super()._see(version, event, leaf)
        self._salon.take(version, event, key=self._commands.key, actor=self._commands.actor)

    def _stake(self, version: int, event: BetPlaced, leaf: str) -> None:
        self._leaves += bytes.fromhex(leaf)
        self.layout.place((Row(version, event),))

    def _draw(self, version: int, _: CardDrawn, __: str) -> None:
        if complaint := self._procedure.deal():
            self.page.note(version, complaint)

    def _deal(self, version: int, event: CardDealt, _: str) -> None:
        if complaint := self._procedure.deal():
            self.page.note(version, complaint)
        self.layout.banker.append(event.card)  # whose it is, the salon says; here it matters that one has fallen

    def _settle(self, version: int, event: RoundSettled, _: str) -> None:
        """Leave the settlement to the salon."""

    def _void(self, version: int, event: RoundVoided, _: str) -> None:
        if event.reason == "out-of-cards":
            if self._procedure.is_known and not self._procedure.is_empty:
                self.page.note(version, "voided for want of cards, and cards were left")
            self._procedure.coups_left = 0
        by_rule = self._phases.frozen or self._commands.actor.startswith("system:")
        self._void_by_nobody = 0 if event.approved_by or by_rule else version
