"""Recall: what the log tells of a shoe or a coup that is over, read in slices."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from msgspec import UNSET, Struct

from schemas.entry import decode
from schemas.events import (
    AnyEvent,
    BetPlaced,
    BetWithdrawn,
    CardDealt,
    EntropyContributed,
    Line,
    LinesSettled,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SettlementReversed,
    ShoeClosed,
    ShoeCommitted,
    ShoeShuffled,
    ShoeVoided,
)
from services.table import views
from services.table.croupier import About, At
from services.table.game import evolve
from services.table.game.stakes import Stakes
from services.table.game.state import Closed, Idle, Playing, ShoeInPlay
from services.table.journal import Journal, ShoeRange
from services.table.pit import Pit
from services.table.scorecard import Scorecard
from services.table.told import RoadsView, RoundState, RoundView, ShoeState, ShoeView, Totals, Voided
from services.table.views import roads_told, roads_view, shoe_told, shoe_view, totals_told, wagers_told

SLICE_ENTRIES = 1000
TAIL_ENTRIES = 50
ON_THE_SCORECARD = ("shoe-committed", "round-settled", "settlement-reversed")


class Span(ShoeRange, frozen=True, kw_only=True):
    """A shoe's entries from `shoe-committed` to its end, or as far as it has gone."""

    is_complete: bool


async def span(pit: Pit, table: str, shoe: int) -> Span | None:
    """Find a shoe's entries; None when the table never had that shoe."""

    def in_play(at: At) -> int | None:
        here = at.table.here
        return at.table.tip.version if here.shoes == shoe and not isinstance(here.phase, Closed | Idle) else None

    last = await pit.croupier.view(About(table=table), in_play)
    found = await pit.journal.shoe(f"table/{table}", shoe)
    if found is None:
        return None
    if last is None:
        last = await _end(pit.journal, f"table/{table}", found)
    complete = _is_end(decode((await pit.journal.slice(f"table/{table}", first=last, last=last))[0]).event)
    return Span(shoe=shoe, first_version=found.first_version, last_version=last, is_complete=complete)


async def shoe(pit: Pit, table: str, number: int) -> ShoeView | None:
    """Show a shoe; None when the table never had it."""

    def in_play(at: At) -> ShoeView | None:
        here = at.table.here
        return shoe_view(at.table) if here.shoes == number and not isinstance(here.phase, Closed | Idle) else None

    if (current := await pit.croupier.view(About(table=table), in_play)) is not None:
        return current
    found = await span(pit, table, number)
    return None if found is None else await _shoe_over(pit.journal, table, found)


async def round_of(pit: Pit, table: str, shoe: int, number: int) -> RoundView | None:
    """Show a coup; None when the shoe never had it."""

    def face_down(at: At) -> RoundView | None:
        is_played = isinstance(at.table.here.phase, Playing) and at.table.here.shoes == shoe
        told = views.round_view(at.table) if is_played else None
        return told if told is not None and told.round == number else None

    # What lies face down is in the log already, and not for everybody yet.
    if (played := await pit.croupier.view(About(table=table), face_down)) is not None:
        return played
    found = await span(pit, table, shoe)
    if found is None:
        return None
    story = Story(table, shoe, number)
    wanted = b'"round":%d,' % number, b'"round":%d}' % number
    async for lines in slices(pit.journal, f"table/{table}", found):
        for line in lines:
            if wanted[0] in line or wanted[1] in line:
                story.hear(decode(line).event)
    return story.told()


async def roads(pit: Pit, table: str, number: int) -> RoadsView | None:
    """Show the roads of a shoe; None when the table never had it."""

    def on_the_table(at: At) -> RoadsView | None:
        return roads_view(at.table) if at.table.scorecard.shoe == number else None

    if (current := await pit.croupier.view(About(table=table), on_the_table)) is not None:
        return current
    found = await span(pit, table, number)
    if found is None:
        return None
    card = Scorecard()
    version = found.first_version
    async for lines in slices(pit.journal, f"table/{table}", found):
        for line in lines:
            if _kind_of(line) in ON_THE_SCORECARD:
                card.hear(decode(line).event, version)
            version += 1
    return roads_told(table, number, card)


class RoundSpan(Struct, kw_only=True):
    """A round's entries on its table's stream, and the lines of its shoe that are in force, each with its version.

    `last_version` is that of the entry that ended the round; None while it is open.
    """

    first_version: int
    last_version: int | None
    is_complete: bool
    shoe_lines: tuple[tuple[int, bytes], ...]


async def round_span(pit: Pit, table: str, shoe: int, number: int) -> RoundSpan | None:
    """Find a round's entries, and what is in force; None when the shoe never had it."""
    whole = await span(pit, table, shoe)
    if whole is None:
        return None
    version, of_the_shoe = whole.first_version, dict[str, list[tuple[int, bytes]]]()
    found: RoundSpan | None = None
    async for lines in slices(pit.journal, f"table/{table}", whole):
        for line in lines:
            kind = _kind_of(line)
            if kind == "round-opened":
                if found is not None:
                    return found
                if b'"round":%d' % number in line and decode(line).event.round == number:  # type: ignore[union-attr]
                    kept = sorted(placed for lines_ in of_the_shoe.values() for placed in lines_)
                    found = RoundSpan(
                        first_version=version,
                        last_version=None,
                        is_complete=whole.is_complete,
                        shoe_lines=tuple(kept),
                    )
            elif found is not None and kind in ("round-settled", "round-voided", "settlement-reversed"):
                found.last_version = None if kind == "settlement-reversed" else version
            elif found is None and kind == "chips-carried":
                of_the_shoe.setdefault(kind, []).append((version, line))
            elif found is None and kind in ("shoe-committed", "shoe-shuffled", "limits-changed"):
                of_the_shoe[kind] = [(version, line)]
            version += 1
    return found


def _kind_of(line: bytes) -> str:
    """Give the kind of an entry that was written here: its event's type stands first, behind the only such key."""
    return line.partition(b'"event":{"type":"')[2].partition(b'"')[0].decode()


class Story:
    """A coup as its entries tell it, one after the other."""

    def __init__(self, table: str, shoe: int, number: int) -> None:
        self._place = (table, shoe, number)
        self._state: RoundState | None = None
        self._is_free = False
        self._stakes = Stakes()
        self._hands: dict[str, list[str]] = {"player": [], "banker": [], "right": [], "left": []}
        self._lines: list[Line] = []
        self._totals: Totals | None = None
        self._voided: Voided | None = None
        self._reversals = 0

    def hear(self, event: AnyEvent) -> None:
        """Take in one entry of the coup."""
        match event:
            case RoundOpened():
                self._state, self._is_free = "betting", event.free is True
            case BetPlaced():
                self._stakes.place(event.patron, event.bet, event.amount)
            case BetWithdrawn():
                self._stakes.withdraw(event.patron, event.bet)
            case CardDealt():
                self._state = "dealing"
                self._hands[event.hand].append(event.card)
            case LinesSettled():
                self._lines += event.lines
            case RoundSettled():
                self._state = "settled"
                self._lines += event.lines
                self._totals = totals_told(event)
            case RoundVoided():
                self._state = "voided"
                self._voided = Voided(reason=event.reason, approved_by=event.approved_by)
            case SettlementReversed():
                self._state, self._totals, self._lines = "dealing", None, []
                self._reversals += 1
            case _:
                self._state = "dealing"

    def told(self) -> RoundView | None:
        """Tell it; None when nothing was heard."""
        if self._state is None:
            return None
        table, shoe, number = self._place
        return RoundView(
            table=table,
            shoe=shoe,
            round=number,
            state=self._state,
            free=self._is_free,
            stakes=wagers_told(self._stakes),
            player=tuple(self._hands["player"]),
            banker=tuple(self._hands["banker"]),
            right=tuple(self._hands["right"]) or UNSET,
            left=tuple(self._hands["left"]) or UNSET,
            totals=self._totals or UNSET,
            lines=tuple(self._lines),
            voided=self._voided or UNSET,
            reversals=self._reversals,
        )


async def slices(journal: Journal, stream: str, whole: ShoeRange) -> AsyncIterator[Sequence[bytes]]:
    """Read a shoe's lines, some at a time, and let others work in between."""
    for first in range(whole.first_version, whole.last_version + 1, SLICE_ENTRIES):
        yield await journal.slice(stream, first=first, last=min(first + SLICE_ENTRIES - 1, whole.last_version))
        await asyncio.sleep(0)


async def _end(journal: Journal, stream: str, chapter: ShoeRange) -> int:
    """Find where a shoe that is over ended: near the end of its chapter, before what was written between two shoes."""
    last = chapter.last_version
    while last >= chapter.first_version:
        first = max(last - TAIL_ENTRIES + 1, chapter.first_version)
        lines = await journal.slice(stream, first=first, last=last)
        for version, line in zip(range(last, first - 1, -1), reversed(lines), strict=True):
            if _is_end(decode(line).event):
                return version
        last = first - 1
    return chapter.last_version


def _is_end(event: AnyEvent) -> bool:
    return isinstance(event, ShoeClosed | ShoeVoided)


async def _shoe_over(journal: Journal, table: str, whole: Span) -> ShoeView:
    """Tell a shoe from its own entries; those about coups and chips are passed over, but for the number of coups."""
    shoe: ShoeInPlay | None = None
    end: AnyEvent | None = None
    async for lines in slices(journal, f"table/{table}", whole):
        for line in lines:
            if b'"shoe":%d,' % whole.shoe in line:
                end = decode(line).event
                shoe = _go_on(shoe, end)
    assert shoe is not None, "a shoe begins by being committed to"
    assert isinstance(end, ShoeClosed | ShoeVoided), "it is over"
    shoe.dealt, shoe.burned, shoe.position = end.dealt, end.burned, shoe.cards - end.remaining
    state: ShoeState = "closed" if isinstance(end, ShoeClosed) else "voided"
    versions = (whole.first_version, whole.last_version)
    return shoe_told(table, shoe, state=state, versions=versions, end=end)


def _go_on(shoe: ShoeInPlay | None, event: AnyEvent) -> ShoeInPlay:
    match event:
        case ShoeCommitted():
            return evolve.new_shoe(event)
        case EntropyContributed() if shoe:
            shoe.contributions.append((event.source, bytes.fromhex(event.value)))
        case ShoeShuffled() if shoe:
            shoe.root = event.root
        case RoundOpened() if shoe:
            shoe.rounds = event.round
        case _:
            pass
    assert shoe is not None, "a shoe begins by being committed to"
    return shoe
