"""Volumes: the logs that one journal has filled, one after another, each with a key and a tree of its own."""

from collections.abc import Sequence

import asyncpg
from msgspec import Struct

from schemas.note import Verifier, parse_vkey
from services.table.database import Connection
from services.table.shelf import Fetch

_OPEN = "select number, base, vkey from journal.open_volume($1)"
_ALL = "select number, base, vkey from journal.volume order by number"
_LAST_KEPT = "select note from journal.checkpoint where size > $1 and size <= $2 order by size desc limit 1"
_ENDLESS = 2**63 - 1


class Volume(Struct, frozen=True, kw_only=True):
    """One log: its first entry stands at the journal's place `base`, and that of the volume behind it at `end`."""

    number: int
    base: int
    vkey: str
    end: int = _ENDLESS

    @property
    def verifier(self) -> Verifier:
        """The key of the log; its name is the origin."""
        return parse_vkey(self.vkey)

    async def last_kept(self, connection: Connection) -> bytes | None:
        """Read the last checkpoint of this log that the database shows."""
        note = await connection.fetchval(_LAST_KEPT, *self.shown)
        return None if note is None else note.encode()

    @property
    def shown(self) -> tuple[int, int]:
        """Above which size, and up to which, the database's checkpoints are of this log.

        Only the first log was ever signed while it was empty: the others begin with an entry.
        """
        return self.base if self.number > 1 else -1, self.end


async def current(connection: Connection, vkey: str) -> Volume:
    """Give the volume that is being filled; the first one takes this key."""
    row = await connection.fetchrow(_OPEN, vkey)
    assert row is not None, "there is a volume now"
    return _read(row)


async def volumes(fetch: Fetch) -> Sequence[Volume]:
    """List all volumes, the one that is being filled last."""
    rows = await fetch(_ALL)
    ends = [*(row["base"] for row in rows[1:]), _ENDLESS]
    return [_read(row, end) for row, end in zip(rows, ends, strict=True)]


def _read(row: asyncpg.Record, end: int = _ENDLESS) -> Volume:
    return Volume(number=row["number"], base=row["base"], vkey=row["vkey"], end=end)
