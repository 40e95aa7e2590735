"""A table's story over a whole log: its shoes one after the other, each under audit, and what happens between them."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from msgspec import Struct

from schemas.entry import Entry, UnreadableError, decode
from schemas.events import ChipsCarried, LimitsChanged, ShoeClosed, ShoeCommitted, ShoeVoided
from schemas.note import Verifier
from services.audit.chapter import ENDS, Chapter
from services.audit.findings import Check, CheckName, Page
from services.audit.floor import Floor
from services.audit.seating import Seating
from services.table.game.grade import GRADES, Entropy, Grade

LINES_AT_ONCE = 256
# What is read on its own though it stands within a shoe: it binds what comes after the shoe, or the next one.
READ_APART = ("shoe-committed", "chips-carried", "limits-changed", *ENDS)


class VoidedShoe(Struct, frozen=True, kw_only=True):
    """A shoe that was given up: why, and the version of the entry that says so."""

    shoe: int
    reason: str
    version: int


class TableTold(Struct, frozen=True, kw_only=True):
    """A table's shoes in numbers. `void_rate`: voided of all that are over; `entropy`: shoes of each grade."""

    table: str
    shoes: int
    closed: int
    voided: tuple[VoidedShoe, ...]
    open: tuple[int, ...]
    void_rate: str
    entropy: dict[Grade, int]


class ShoeJudged(Struct, frozen=True, kw_only=True):
    """What is kept of a shoe once its chapter is read. The check of the log itself is to be put in its place."""

    number: int | None
    complete: bool
    entropy: Entropy | None
    entropy_reason: str
    shoe_id: str
    seed: tuple[int, str] | None
    checks: tuple[Check, ...]


class Story:
    """One table's stream. Findings about a shoe stand on the shoe's own pages, all others on the log's."""

    def __init__(
        self, table: str, pages: dict[CheckName, Page], signers: Sequence[Verifier], *, is_continued: bool
    ) -> None:
        self.table = table
        self.shoes: list[ShoeJudged] = []
        self._pages = pages
        self._signers = signers
        self._is_continued = is_continued
        self._floor = Floor(table, rules=pages["rules"], money=pages["money"], is_continued=is_continued)
        self._seating = Seating(table, pages["rules"])
        self._last_shoe: int | None = None if is_continued else 0
        self._chapter: Chapter | None = None
        self._lines: list[bytes] = []
        self._leaves: list[str] = []
        self._voided: list[VoidedShoe] = []
        self._closed = 0

    @property
    def currency(self) -> str | None:
        """The currency that is played for, once it is known."""
        return self._floor.currency

    def take(self, line: bytes, leaf: str, kind: str, version: int) -> None:
        """Take the next entry; `kind` is its event's, as the line seems to say."""
        event = self._read(line, kind, version) if kind in READ_APART or self._chapter is None else None
        if isinstance(event, ShoeCommitted):
            self._begin(version, event)
        elif isinstance(event, ChipsCarried):
            self._floor.carry(event)
        elif kind not in ("shoe-committed", "chips-carried"):
            self._floor.compare_carried()
        if isinstance(event, LimitsChanged) and self._chapter is not None:
            self._floor.change_limits(event.limits)
        if self._chapter is None:
            self._take_between(version, event)
            return
        self._lines.append(line)
        self._leaves.append(leaf)
        if len(self._lines) == LINES_AT_ONCE or kind in ENDS:
            self._show(self._chapter)
        if kind in ENDS:
            self._end(version, event)

    def finish(self) -> None:
        """Judge what is still open."""
        self._floor.compare_carried()
        self._close_chapter()

    def told(self) -> TableTold:
        """Tell the table's shoes in numbers."""
        grades = Counter(shoe.entropy.grade for shoe in self.shoes if shoe.entropy is not None)
        over = self._closed + len(self._voided)
        rate = Fraction(len(self._voided), over) if over else Fraction(0)
        return TableTold(
            table=self.table,
            shoes=len(self.shoes),
            closed=self._closed,
            voided=tuple(self._voided),
            open=tuple(shoe.number or 0 for shoe in self.shoes if not shoe.complete),
            void_rate=f"{rate.numerator}/{rate.denominator}",
            entropy={grade: grades[grade] for grade in GRADES if grades[grade]},
        )

    def _read(self, line: bytes, kind: str, version: int) -> Any:
        """Read an entry's event; what cannot be read is told on the log's page, unless it stands within a shoe."""
        try:
            entry: Entry | None = decode(line)
        except UnreadableError as error:
            entry = None
            if self._chapter is None and kind != "shoe-committed":
                page = self._pages["bytes"]
                if error.unknown_schema:
                    page.leave(f"table {self.table}: version {version} is of a schema that this verifier does not know")
                else:
                    page.note(version, f"table {self.table}: {error}")
        if entry is None and kind == "shoe-committed":
            # Its own chapter says what is wrong with it; what it carries cannot be known.
            self._close_chapter()
            self._floor.go_on(None)
            self._chapter = Chapter(self._signers)
        return None if entry is None else entry.event

    def _begin(self, version: int, event: ShoeCommitted) -> None:
        if self._chapter is not None:
            self._note("rules", version, f"shoe {event.shoe} is committed to before shoe {self._last_shoe} has ended")
            self._close_chapter()
        if self._last_shoe is not None and event.shoe != self._last_shoe + 1:
            self._note("shoe", version, f"shoe {event.shoe} follows shoe {self._last_shoe}")
        self._last_shoe = event.shoe
        self._floor.commit(version, event)
        self._chapter = Chapter(self._signers, self._seating.table)
        self._seating.table = None

    def _take_between(self, version: int, event: Any) -> None:
        """Take an entry that belongs to no shoe; in a log that goes on, it may end one that began in the log before."""
        if event is None:
            return
        if self._is_continued and not self.shoes and isinstance(event, ShoeClosed | ShoeVoided):
            self._last_shoe = event.shoe
            self._count(version, event)
        self._floor.take(version, event)
        self._seating.take(version, event)

    def _show(self, chapter: Chapter) -> None:
        """Show the lines that were gathered."""
        if self._lines and not chapter.is_given_up:
            chapter.take(self._lines, self._leaves)
        self._lines, self._leaves = [], []

    def _end(self, version: int, event: Any) -> None:
        self._count(version, event)
        self._close_chapter()

    def _count(self, version: int, event: Any) -> None:
        if isinstance(event, ShoeVoided):
            self._voided.append(VoidedShoe(shoe=event.shoe, reason=event.reason, version=version))
        else:
            self._closed += 1

    def _close_chapter(self) -> None:
        """Finish the chapter, and go on with the stacks that it leaves, if they could be followed."""
        chapter, self._chapter = self._chapter, None
        if chapter is None:
            return
        self._show(chapter)
        chapter.finish(None)
        shoe = chapter.shoe
        self.shoes.append(
            ShoeJudged(
                number=chapter.shoe_number,
                complete=chapter.is_complete,
                entropy=None if shoe is None else shoe.entropy,
                entropy_reason="" if shoe is None else shoe.entropy_reason,
                shoe_id="" if shoe is None else shoe.shoe_id,
                seed=None if shoe is None else shoe.seed,
                checks=chapter.checks(),
            )
        )
        is_followed = not chapter.pages["money"].is_left
        self._seating.table = chapter.table
        self._floor.go_on(chapter.money.standing if is_followed and chapter.money is not None else None)

    def _note(self, check: CheckName, version: int, what: str) -> None:
        self._pages[check].note(version, f"table {self.table}: {what}")
