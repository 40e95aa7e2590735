"""The archive: every log that this journal has filled, with the last checkpoint whose entries are all still here.

When entries are lost the log that held them ends, and its successor opens. What is left of the old one stays readable
under its number, for ever the same: of a log with a quorum up to the last checkpoint that had it.
"""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from schemas.policy import NONE, Policy
from services.table import agreement, database
from services.table.notary import PATIENCE_SECONDS
from services.table.pit import Pit
from services.table.scribe import Signed, opened
from services.table.shelf import Fetch, Shelf
from services.table.volume import Volume, volumes


class Kept(Struct, frozen=True, kw_only=True):
    """A log: `signed` is None when no checkpoint is here whose entries are."""

    volume: Volume
    signed: Signed | None
    policy: Policy
    shelf: Shelf
    has_ended: bool


async def logs(pit: Pit) -> Sequence[Kept]:
    """List all logs, the one that is being filled last. Raises MismatchError, UnavailableError."""
    return [await _kept(pit, volume) for volume in await _volumes(pit)]


async def log(pit: Pit, number: int) -> Kept | None:
    """Give a log by its number, if there is one. Raises as `logs` does."""
    volume = next((each for each in await _volumes(pit) if each.number == number), None)
    return None if volume is None else await _kept(pit, volume)


async def checkpoint(pit: Pit, kept: Kept) -> Signed | None:
    """Give the checkpoint to show of a log: of the one that is being filled, the newest with its cosignatures."""
    return kept.signed if kept.has_ended else await pit.witnesses.show()


async def _volumes(pit: Pit) -> Sequence[Volume]:
    await pit.notary.ready()
    return await volumes(_fetch_of(pit))


async def _kept(pit: Pit, volume: Volume) -> Kept:
    has_ended = volume.vkey != pit.notary.vkey
    policy = pit.witnesses.policy_of(volume.verifier)
    return Kept(
        volume=volume,
        signed=await _last_of(pit, volume, policy) if has_ended else pit.notary.latest,
        policy=policy,
        shelf=Shelf(_fetch_of(pit), base=volume.base),
        has_ended=has_ended,
    )


async def _last_of(pit: Pit, volume: Volume, policy: Policy) -> Signed | None:
    """Read the last checkpoint of a log that has ended: the last that had its quorum, if one is asked for."""
    agreed = None if policy.quorum == NONE else await agreement.read(pit.pool, policy)
    if agreed is not None:
        return agreed
    async with pit.pool.acquire() as connection:
        note = await volume.last_kept(connection)
    return None if note is None else opened(note, volume.verifier, "in the database")


def _fetch_of(pit: Pit) -> Fetch:
    return partial(database.fetch, pit.pool, patience_seconds=PATIENCE_SECONDS)
