"""Seating: who sits where at a table where players bank, between two shoes of a whole log."""

from schemas.events import AnyEvent, ChipsBought, ChipsCashed, TableOpened
from schemas.seats import SeatLeft, SeatTaken
from services.audit.findings import Page
from services.audit.phases import name_of
from services.audit.salon import IMPOSSIBLE
from services.audit.sitting import buy, keep_the_bank
from services.table.game import salon
from services.table.game.evolve import evolve
from services.table.game.refusal import RefusedError
from services.table.game.state import Table


class Seating:
    """The table as it is between two shoes. Unknown where a log begins within its story, or could not be followed."""

    def __init__(self, name: str, page: Page) -> None:
        self._name = name
        self._page = page
        self.table: Table | None = None

    def take(self, version: int, event: AnyEvent) -> None:
        """Take an entry that belongs to no shoe."""
        if isinstance(event, TableOpened) and event.rules.game == "house":
            self.table = None
        elif self.table is not None or isinstance(event, TableOpened):
            self._follow(version, event)

    def _follow(self, version: int, event: AnyEvent) -> None:
        """Let it be true, if it may be; else the table is not followed until a shoe says who sits."""
        try:
            if self.table is not None:
                insist(self.table, event)
            self.table = evolve(self.table, event)  # type: ignore[arg-type]  # a table's stream holds these
        except RefusedError as refused:
            self._page.note(version, f"table {self._name}: {name_of(type(event))}: {refused.detail}")
            self.table = None
        except IMPOSSIBLE:
            self.table = None  # why it cannot be, is said elsewhere


def insist(table: Table, event: AnyEvent) -> None:
    """Refuse what may not be done between two shoes."""
    match event:
        case SeatTaken():
            salon.take_seat(table, seat=event.seat, patron=event.patron)
        case SeatLeft() if table.seats.get(event.seat) != event.patron or event.reason != "left":
            raise RefusedError("not-seated", f"{event.patron} does not leave it", where="seat", right="who sits there")
        case ChipsBought():
            buy(table, event)
        case ChipsCashed():
            keep_the_bank(table, event)
        case _:
            pass
