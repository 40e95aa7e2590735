"""The clock: who is asked and silent too long is answered for, whether or not anybody has asked about his table.

The clocks are the rule set's, and run from the table's last entry, or from the service's start, for nobody could answer
while it was away. Nobody verifies them: a dealer may answer for who is silent sooner. The tables that have clocks are
those of the log: they are taken up when the service starts, and again when they were dropped, or others wrote to them.
"""

import asyncio
import contextlib
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import structlog
from msgspec import UNSET

from schemas.entry import decode
from schemas.events import TableOpened
from services.table import answers, salon
from services.table.command import OutrunError, UnavailableError
from services.table.croupier import SYSTEM, About, At, Croupier, KeyReusedError, Order
from services.table.game import salon as rules_of_the_salon
from services.table.game.deeds import Deeds
from services.table.game.refusal import RefusedError
from services.table.journal import Journal
from services.table.stream import TableStream

TICK_SECONDS = 0.5
TICKS_PER_LOOK_AROUND = 10
TABLES_AT_ONCE = 500
_log = structlog.get_logger("clock")


def wall_time() -> datetime:
    """Give the time."""
    return datetime.now(UTC)


class Clock:
    """Looks at every table whose coup is open twice a second, and in the log every five seconds for more of them."""

    def __init__(self, croupier: Croupier, journal: Journal, *, now: Callable[[], datetime] = wall_time) -> None:
        self._croupier = croupier
        self._journal = journal
        self._now = now
        self._began = now()
        self._openings: dict[str, int] = {}
        self._timed: set[str] = set()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Let it run."""
        self._began = self._now()
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop it."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            try:
                await self.look_around()
            except (OutrunError, UnavailableError) as error:
                _log.warning("the clock could not look around", error=type(error).__name__)
            for _ in range(TICKS_PER_LOOK_AROUND):
                await self.tick()
                await asyncio.sleep(TICK_SECONDS)

    async def look_around(self) -> None:
        """Hold every table of the log that has clocks, as it stands."""
        opened = await self._journal.opened()
        new = [stream for stream, version in opened.items() if self._openings.get(stream) != version]
        for first in range(0, len(new), TABLES_AT_ONCE):
            await self._learn({stream: opened[stream] for stream in new[first : first + TABLES_AT_ONCE]})
        for end in await self._journal.ends(sorted(self._timed)):
            table = end.stream.partition("/")[2]
            if not self._croupier.is_level(table, end.version):
                await self._croupier.view(About(table=table), lambda _: None)

    async def _learn(self, openings: dict[str, int]) -> None:
        """Learn which of these tables were opened with clocks."""
        for stream, line in (await self._journal.lines(openings)).items():
            opening = decode(line).event
            (self._timed.add if has_clocks(opening) else self._timed.discard)(stream)
        self._openings |= openings

    async def tick(self) -> None:
        """Answer for everybody whose time is over."""
        now = self._now()
        for held in self._croupier.players_bank():
            if is_out(held, now, began=self._began):
                await self._answer_for_who_is_silent(held.name, held.tip.version)

    async def _answer_for_who_is_silent(self, table: str, version: int) -> None:
        """Do it once, whichever service does it: the key follows from the entry that everybody waits behind."""
        key = f"silence-{version}-{sha256(table.encode()).hexdigest()[:16]}"
        order = Order(actor=SYSTEM, key=key, request=sha256(key.encode()).digest())

        def decide(at: At) -> Deeds:
            if at.table.tip.version != version:
                raise RefusedError("not-asked", "somebody has answered", where="phase", right="the next one's clock")
            return rules_of_the_salon.silence(at.table.here)

        try:
            await self._croupier.take(order, About(table=table), decide, answers.turn_done)
        except RefusedError:
            pass  # an answer came first
        except (OutrunError, UnavailableError, KeyReusedError) as error:
            _log.warning("the clock could not answer", table=table, error=type(error).__name__)


def has_clocks(opening: object) -> bool:
    """Whether a table was opened with rules under which time runs for somebody."""
    assert isinstance(opening, TableOpened), "a table's first entry opens it"
    clocks = opening.rules.clocks
    return clocks is not UNSET and any((clocks.bank, clocks.turn, clocks.decide))


def is_out(held: TableStream, now: datetime, *, began: datetime) -> bool:
    """Whether somebody is asked, and his time is over; none had passed when this service began."""
    asked = [action.seconds for action in salon.actions_told(held.here) if action.seconds is not UNSET]
    since = max(datetime.fromisoformat(held.tip.at), began)
    return bool(asked) and since + timedelta(seconds=max(asked)) <= now
