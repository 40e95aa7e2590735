"""A reader of real cards at a table: begins the shoe, opens rounds, closes the bets, and tells the cards."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any

from services.house.runner import Away, Refused, Runner

LOOK_AGAIN_SECONDS = 0.1
PATIENCE_SECONDS = 600.0
WHOLE = ("settled", "voided")


class StoppedError(Exception):
    """The table said no, or does not answer; the text says why."""


class TableReader:
    """One reader: the only one, the first of two, who deals, or the second, who agrees."""

    def __init__(self, runner: Runner, table: str, *, burn: str | None, reader: str | None, pause: float) -> None:
        self._runner = runner
        self._at = f"/v1/tables/{table}"
        self._burn = burn
        self._reader = reader
        self._pause_seconds = pause
        self._agreed: tuple[int, int] | None = None

    async def play(self, cards: Sequence[str]) -> dict[str, Any]:
        """Play a coup of these cards, or compare it; give the last answer. Raises StoppedError."""
        try:
            return await (self._agree(cards) if self._reader == "b" else self._deal(cards))
        except Refused as no:
            raise StoppedError(f"{no} ({no.code})") from None
        except Away as away:
            raise StoppedError(str(away)) from None

    async def _deal(self, cards: Sequence[str]) -> dict[str, Any]:
        """Open a round, close its bets, tell its cards; what is done already is not done again."""
        table = await self._begun()
        if table["phase"] == "dealing" and table["shoe"].get("expects") == "second-reader":
            table = await self._settled()
        if table["phase"] == "between":
            await self._tell("rounds", {}, table)
            await asyncio.sleep(self._pause_seconds)
        if table["phase"] != "dealing":
            await self._tell("rounds/current/close", {}, table)
        elif table["round"]["player"]:
            raise StoppedError("a coup is half dealt: finish it, or void it")
        return await self._tell("shoes/current/cards", self._said(cards, table["shoe"]["position"]), table)

    async def _begun(self) -> dict[str, Any]:
        """See that a shoe of real cards is open, and burned."""
        table = await self._look()
        if table["rules"]["game"] != "house":
            raise StoppedError("a player banks at this table: these lines are coups of a house's")
        if table["phase"] == "idle":
            await self._tell("shoes", {"source": "scanned"}, table)
            table = await self._look()
        if table["phase"] == "shuffled":
            if self._burn is None:
                raise StoppedError("the table waits for the burn: say its first card (--burn)")
            await self._tell("shoes/current/cards", self._said([self._burn], 0), table)
            table = await self._look()
        return table

    async def _settled(self) -> dict[str, Any]:
        """Wait until the second reader has agreed on the coup before."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (table := await self._look())["phase"] == "dealing":
            _insist(deadline, table)
            await asyncio.sleep(LOOK_AGAIN_SECONDS)
        return table

    async def _agree(self, cards: Sequence[str]) -> dict[str, Any]:
        """Tell a coup's cards until the first reader has told them all."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            table = await self._look()
            place = (table["shoes"], table.get("shoe", {}).get("rounds", 0))
            if table["phase"] == "dealing" and place != self._agreed:
                said = await self._tell("shoes/current/cards", self._said(cards, None), table)
                if said.get("state") in WHOLE:
                    self._agreed = place
                    return said
            _insist(deadline, table)
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    async def _look(self) -> dict[str, Any]:
        found: dict[str, Any] = await self._runner.ask(self._at)
        return found

    def _said(self, cards: Sequence[str], position: int | None) -> dict[str, Any]:
        counted = {} if position is None else {"position": position}
        named = {} if self._reader is None else {"reader": self._reader}
        return {"cards": list(cards), **counted, **named}

    async def _tell(self, path: str, body: dict[str, Any], table: dict[str, Any]) -> dict[str, Any]:
        """Give a command under a key that follows from what the table looked like: sent again, it is done once."""
        seen = f"{self._reader} {self._at}/{path} {body} {table['version']}"
        key = f"feed-{sha256(seen.encode()).hexdigest()[:40]}"
        said: dict[str, Any] = await self._runner.tell(f"{self._at}/{path}", body, key=key)
        return said


def _insist(deadline: float, table: dict[str, Any]) -> None:
    """Wait no longer than is sensible, and not for a table that is suspended."""
    if "suspended" in table:
        raise StoppedError(f"the table is suspended: {table['suspended']}")
    if time.monotonic() > deadline:
        raise StoppedError("the other reader does not come")


@asynccontextmanager
async def at_table(  # noqa: PLR0913  # who sits where
    url: str,
    key: str,
    *,
    table: str,
    burn: str | None,
    reader: str | None,
    pause: float,
    tell: Callable[[str], None],
) -> AsyncIterator[TableReader]:
    """Sit down at a table. Raises Away when there is no house."""
    async with Runner(url, key, tell=tell) as runner:
        await runner.greet()
        yield TableReader(runner, table, burn=burn, reader=reader, pause=pause)
