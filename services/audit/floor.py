"""Between two shoes: tables open and close, chips are bought and cashed, debts paid; the next shoe carries all."""

from collections.abc import Mapping
from typing import Literal

from schemas.events import (
    AnyEvent,
    ChipsBought,
    ChipsCarried,
    ChipsCashed,
    ChipsCredited,
    ChipsFilled,
    CommissionCollected,
    CommissionWaived,
    DealerChanged,
    LimitsChanged,
    ShoeCommitted,
    TableClosed,
    TableOpened,
    TableResumed,
    TableSuspended,
)
from schemas.rules import Limits, Rules
from schemas.seats import SeatLeft, SeatTaken
from services.audit.findings import Page
from services.audit.money import slip_complaints
from services.audit.phases import name_of
from services.audit.rules import TWO_PEOPLE

Standing = Mapping[str, tuple[int, int]]
"""What every patron has before him, and owes; who has and owes nothing is not in it."""


class Floor:
    """What must be true of a table when its next shoe is committed to. Unknown where a log begins within a story."""

    def __init__(self, table: str, *, rules: Page, money: Page, is_continued: bool) -> None:
        self.table = table
        self.currency: str | None = None
        self._rules_page = rules
        self._money_page = money
        self._phase: Literal["unknown", "closed", "idle"] = "unknown" if is_continued else "closed"
        self._rules: Rules | None = None
        self._limits: Limits | None = None
        self._standing: dict[str, tuple[int, int]] | None = None if is_continued else {}
        self._carried: dict[str, tuple[int, int]] | None = None
        self._carried_at = 0

    def take(self, version: int, event: AnyEvent) -> None:
        """Take an entry that belongs to no shoe."""
        match event:
            case TableOpened():
                self._open(version, event)
            case TableClosed():
                self._insist_on_open(version, event)
                self._close(version)
            case LimitsChanged():
                self._insist_on_open(version, event)
                self.change_limits(event.limits)
            case ChipsFilled() | ChipsCredited():
                self._insist_on_open(version, event)
                for what in slip_complaints(event):
                    self._note_money(version, what)
            case ChipsBought() | ChipsCashed() | CommissionCollected() | CommissionWaived():
                self._insist_on_open(version, event)
                self._move(version, event)
            case SeatTaken() | SeatLeft() if self._rules is None or self._rules.game != "house":
                self._insist_on_open(version, event)  # who sits where is for the seating to say
            case DealerChanged() | TableSuspended() | TableResumed():
                self._insist_on_open(version, event)
            case _ if self._phase != "unknown":
                self._note_rules(version, f"{name_of(type(event))} stands between two shoes")
            case _:
                pass  # the end of a shoe that began in the log before this one

    def commit(self, version: int, event: ShoeCommitted) -> None:
        """Compare a shoe with what is in force, and begin to hear what it carries."""
        if self._phase == "closed":
            self._note_rules(version, f"shoe {event.shoe} is committed to at a table that is closed")
        for name, said, known in (
            ("currency", event.currency, self.currency),
            ("rules", event.rules, self._rules),
            ("limits", event.limits, self._limits),
        ):
            if known is not None and said != known:
                self._note_rules(version, f"shoe {event.shoe} is committed to with other {name} than are in force")
        self._phase = "idle"
        self.currency, self._rules, self._limits = event.currency, event.rules, event.limits
        self._carried, self._carried_at = {}, version
        self.carry(event)

    def carry(self, event: ShoeCommitted | ChipsCarried) -> None:
        """Hear what a shoe carries."""
        if self._carried is not None:
            self._carried.update({row.patron: (row.chips, row.owed) for row in event.carried})

    def compare_carried(self) -> None:
        """Hold what was carried against what every patron had, once all of it was heard."""
        carried, self._carried = self._carried, None
        if carried is None:
            return
        standing = self._standing
        if standing is None:
            self._money_page.leave(f"what table {self.table} carries into its first shoe stands in the log before")
            return
        for patron in sorted({*carried, *standing}):
            said, had = carried.get(patron, (0, 0)), standing.get(patron, (0, 0))
            if said != had:
                what = f"carried: patron {patron} with {said[0]}, owing {said[1]}; he had {had[0]}, owing {had[1]}"
                self._note_money(self._carried_at, what)

    def change_limits(self, limits: Limits) -> None:
        """Let other limits be in force, from the next round or shoe on."""
        self._limits = limits

    def go_on(self, standing: Standing | None) -> None:
        """Go on after a shoe, with what it left before every patron; None: it could not be followed."""
        self._standing = None if standing is None else dict(standing)

    def _open(self, version: int, event: TableOpened) -> None:
        if self._phase == "idle":
            self._note_rules(version, "table-opened at a table that is open")
        if event.table != self.table:
            self._note_rules(version, f"table-opened names the table {event.table}")
        self._phase = "idle"
        self.currency, self._rules, self._limits = event.currency, event.rules, event.limits
        self._standing = {}

    def _close(self, version: int) -> None:
        for patron, (chips, _) in sorted((self._standing or {}).items()):
            if chips:
                self._note_money(version, f"the table closes with {chips} before patron {patron}")
        self._phase, self._standing = "closed", {}

    def _move(self, version: int, event: ChipsBought | ChipsCashed | CommissionCollected | CommissionWaived) -> None:
        """Move chips, or debts, or one to pay the other."""
        if isinstance(event, CommissionWaived) and len(set(event.approved_by)) < TWO_PEOPLE:
            self._note_rules(version, "commission is waived by fewer than two people")
        if self._standing is None:
            return
        chips, owed = self._standing.get(event.patron, (0, 0))
        if isinstance(event, ChipsBought):
            chips += event.amount
        elif not isinstance(event, CommissionWaived):
            chips -= event.amount
        if isinstance(event, CommissionCollected | CommissionWaived):
            owed -= event.amount
        if chips < 0 or owed < 0:
            what = f"{name_of(type(event))}: patron {event.patron} is left with {chips}, owing {owed}"
            self._note_money(version, what)
        if isinstance(event, ChipsCashed) and owed > 0 and not chips:
            self._note_money(version, f"patron {event.patron} leaves with nothing on the table, owing {owed}")
        self._standing[event.patron] = chips, owed
        if not chips and not owed:
            del self._standing[event.patron]

    def _insist_on_open(self, version: int, event: AnyEvent) -> None:
        if self._phase == "closed":
            self._note_rules(version, f"{name_of(type(event))} at a table that is closed")

    def _note_rules(self, version: int, what: str) -> None:
        self._rules_page.note(version, f"table {self.table}: {what}")

    def _note_money(self, version: int, what: str) -> None:
        self._money_page.note(version, f"table {self.table}: {what}")
