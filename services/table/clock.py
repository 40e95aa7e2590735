"""The clock: who is asked and silent too long is answered for, at the tables that this service holds.

The clocks are the rule set's, and run from the table's last entry. Nobody verifies them: a dealer may answer for who is
silent sooner. A table that nobody has asked about since the service started is not held, and its clock stands.
"""

import asyncio
import contextlib
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import structlog
from msgspec import UNSET

from services.table import answers, salon
from services.table.command import OutrunError, UnavailableError
from services.table.croupier import SYSTEM, About, At, Croupier, KeyReusedError, Order
from services.table.game import salon as rules_of_the_salon
from services.table.game.deeds import Deeds
from services.table.game.refusal import RefusedError
from services.table.stream import TableStream

TICK_SECONDS = 0.5
_log = structlog.get_logger("clock")


class Clock:
    """Looks at every held table twice a second."""

    def __init__(self, croupier: Croupier) -> None:
        self._croupier = croupier
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Let it run."""
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Stop it."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _run(self) -> None:
        while True:
            await asyncio.sleep(TICK_SECONDS)
            now = datetime.now(UTC)
            for held in self._croupier.players_bank():
                if is_out(held, now):
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


def is_out(held: TableStream, now: datetime) -> bool:
    """Whether somebody is asked, and his time is over."""
    asked = [action.seconds for action in salon.actions_told(held.here) if action.seconds is not UNSET]
    return bool(asked) and datetime.fromisoformat(held.tip.at) + timedelta(seconds=max(asked)) <= now
