"""How a check is told of entries: it names the kinds of event that it watches."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from schemas.events import AnyEvent, BetPlaced, Line, LinesSettled
from schemas.reading import BetSeen, LineSeen, LinesSeen, SeenEvent

# Takes an entry's version, its event (of the kind watched) and its leaf in hex.
Watcher = Callable[[int, Any, str], None]
# Takes a run of bets and their leaves.
BetWatcher = Callable[[Sequence[Any], Sequence[str]], None]
Kind = type[AnyEvent]
SeenLine = Line | LineSeen


class BetRow(Protocol):
    """An entry that is a bet, however it was read."""

    version: int
    event: BetSeen


# The two kinds that are read at speed come in other clothes.
_SEEN_AS: dict[type[SeenEvent], Kind] = {BetSeen: BetPlaced, LinesSeen: LinesSettled}


def kind_of(event: SeenEvent) -> Kind:
    """Give the kind of an event, however it was read."""
    seen: Any = type(event)
    kind: Kind = _SEEN_AS.get(seen, seen)
    return kind


def told(*checks: dict[Kind, Watcher]) -> dict[type[SeenEvent], tuple[Watcher, ...]]:
    """Give who is told of each kind of event, in the order of the checks."""
    kinds = {kind for watchers in checks for kind in watchers}
    table: dict[type[SeenEvent], tuple[Watcher, ...]] = {
        kind: tuple(watchers[kind] for watchers in checks if kind in watchers) for kind in kinds
    }
    return table | {seen: table.get(kind, ()) for seen, kind in _SEEN_AS.items()}
