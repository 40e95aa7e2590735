"""A notary with the witnesses of a policy, as a test opens it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import NamedTuple

from schemas import policy as policies
from schemas.note import Signer
from schemas.policy import Policy
from services.table.journal import Journal
from services.table.notary import Notary
from services.table.scribe import Signed
from services.table.witnesses import Witnesses
from tests.table.stranger import Script, Stranger

PATIENCE_SECONDS = 30
NOWHERE = "http://127.0.0.1:1"


class Witnessed(NamedTuple):
    """The notary, and his witnesses."""

    notary: Notary
    witnesses: Witnesses

    async def signed(self, journal: Journal) -> Signed:
        """A checkpoint of all that is written."""
        return await self.notary.cover(await journal.size() - 1)


OpenOffice = Callable[[Signer, Policy], AbstractAsyncContextManager[Witnessed]]
TakeBack = Callable[[int], Awaitable[None]]
MakeStranger = Callable[[Script], Stranger]


def policy_of(log: Signer, stranger: Stranger) -> Policy:
    """The policy that asks one stranger."""
    return policies.parse(f"log {log.verifier.vkey}\nwitness s {stranger.vkey} {stranger.url}\nquorum s\n".encode())


async def eventually(is_true: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not is_true():  # noqa: ASYNC110  # others make it true, in threads and processes
            await asyncio.sleep(0.01)
