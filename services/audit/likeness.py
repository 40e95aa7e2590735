"""Likeness: whether what was written is what a command at the table comes to, and in words where it is not."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import asdict

from schemas.events import AnyEvent, BetsClosed, LinesSettled, RoundSettled
from services.audit.phases import name_of
from services.table.game.deeds import BySystem, Choose, Deed, Draw, event_of


class Written(Struct, frozen=True):
    """An entry of the command at work: its version, its event, and whether the system is said to have done it."""

    version: int
    event: AnyEvent
    is_by_system: bool


def agreeing(deeds: Sequence[Deed], written: Sequence[Written]) -> int:
    """Count the entries, from the first on, that are what a command comes to, each by whom it should be."""
    agreed = 0
    for deed, each in zip(deeds, written, strict=False):
        if not is_it(deed, each):
            break
        agreed += 1
    return agreed


def is_it(deed: Deed, written: Written) -> bool:
    """Tell whether an entry is what a command comes to; the count and digest of `bets-closed` are judged elsewhere."""
    event = event_of(deed)
    if isinstance(deed, BySystem) and not written.is_by_system:
        return False
    if isinstance(event, BetsClosed):
        return isinstance(written.event, BetsClosed)
    return event == written.event


def difference(deeds: Sequence[Deed], written: Sequence[Written]) -> str:
    """Say where what was written leaves what the rules make of it."""
    for place, deed in enumerate(deeds):
        if place >= len(written):
            return f"the rules go on with {in_words(event_of(deed))}"
        if not is_it(deed, written[place]):
            by = "the system's " if isinstance(deed, BySystem) else ""
            return f"the rules make it {by}{in_words(event_of(deed))}"
    return ""


def without_amounts(event: AnyEvent) -> object:
    """Give an event for comparison: of lines only whose they are, and on which bet."""
    if isinstance(event, LinesSettled | RoundSettled):
        lines = [(line.patron, line.bet) for line in event.lines]
        return type(event), {**asdict(event), "lines": lines}
    return event


def in_words(event: AnyEvent) -> str:
    """Write an event for people: its name and what it says."""
    said = ", ".join(f"{name} {value}" for name, value in asdict(event).items() if name != "round" and value)
    return f"{name_of(type(event))} ({said})" if said else name_of(type(event))


def told(step: object) -> str:
    """Say what should come next."""
    match step:
        case Draw(hand):
            return f"{hand} is to have a card"
        case Choose(hand):
            return f"{hand} has a free choice"
        case _:
            return "the coup is complete"
