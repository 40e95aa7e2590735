"""Check 5 where players bank: what every shoe has, its procedure and its digests; the play itself is the salon's."""

from typing import Any, ClassVar, get_args

from schemas.events import (
    AnyEvent,
    BetPlaced,
    CardDealt,
    CutCardReached,
    DecisionMade,
    RoundSettled,
    RoundVoided,
    ShoeCommitted,
)
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
from services.audit.pile import Pile
from services.audit.rules import RulesCheck
from services.audit.salon import Salon
from services.audit.watchers import Kind, Watcher
from services.table.game.scrutiny import check as scrutinize
from services.table.game.state import Table

A_ROUND_ALONE = "a round alone does not show what each has before him, by which the dining-room says who deals"
BETWEEN_ROUNDS = (SEALING, BURNING, BETWEEN, SETTLED)
BANKED_ORDER: Order = ORDER | {
    SeatTaken: (BETWEEN_ROUNDS, None),
    SeatLeft: (BETWEEN_ROUNDS, None),
    CardDrawn: ((BETWEEN, SETTLED), None),
    CutCardReached: ((DEALING, BETWEEN, SETTLED), None),
    SeatsSet: ((BETTING,), None),
    TurnPassed: ((BETTING,), None),
    BetAsked: ((BETTING,), None),
    BetAgreed: ((BETTING,), None),
    BetRefused: ((BETTING,), None),
    DecisionMade: ((DEALING,), None),
    BankBroken: ((SETTLED,), None),
}


class Row:
    """One bet, as a run of one."""

    def __init__(self, version: int, event: BetSeen | BetPlaced) -> None:
        self.version = version
        self.event: Any = event


class BankedRulesCheck(RulesCheck):
    """What the rules expect next in a shoe in which players bank."""

    layout_of: ClassVar[type[Layout]] = Pile
    order: ClassVar[Order] = BANKED_ORDER

    def __init__(self, page: Page, commands: Commands, committed: ShoeCommitted, table: Table | None = None) -> None:
        super().__init__(page, commands, committed)
        self._salon = Salon(page, table)
        if any(scrutinize(committed.rules)):
            self._salon.give_up()
        self._does |= {CardDrawn: self._draw, BetPlaced: self._stake, SeatsSet: self._seat}

    @property
    def table(self) -> Table | None:
        """The table as the shoe has left it; None when it could not be followed."""
        return self._salon.table

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

    def take_up(self, *, round_before: int, consumed: int | None) -> None:
        """Go on before a coup in the middle of the shoe."""
        super().take_up(round_before=round_before, consumed=consumed)
        if self._rules.game == "dining-room":
            self.page.leave(A_ROUND_ALONE)
            self._salon.give_up()
            return
        self._salon.take_up(round_before=round_before)

    def _seat(self, _: int, event: SeatsSet, __: str) -> None:
        assert isinstance(self.layout, Pile), "its own layout"
        self.layout.seats = {seated.seat: seated.patron for seated in event.seats}

    def _stake(self, version: int, event: BetPlaced, leaf: str) -> None:
        self._leaves += bytes.fromhex(leaf)
        self.layout.place((Row(version, event),))

    def _draw(self, version: int, _: CardDrawn, __: str) -> None:
        if complaint := self._procedure.deal():
            self.page.note(version, complaint)

    def _deal(self, version: int, event: CardDealt, _: str) -> None:
        if complaint := self._procedure.deal():
            self.page.note(version, complaint)
        assert isinstance(self.layout, Pile), "its own layout"
        self.layout.deal(event.hand, event.card)
        if not self.layout.banker:
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
