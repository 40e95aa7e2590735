"""Bundles: a shoe for an auditor, written from the log's own bytes, with the proof that they are in it."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from tempfile import SpooledTemporaryFile

from schemas import bundle as bundles
from schemas import policy, proof
from services.table.pit import Pit
from services.table.recall import SLICE_ENTRIES, Span, span

SPOOL_BYTES = 1 << 23
CHUNK_BYTES = 1 << 16


class Bundle:
    """A bundle that is ready to be sent: its file's name and size, and its bytes, once."""

    def __init__(self, name: str, file: "SpooledTemporaryFile[bytes]") -> None:
        self.name = name
        self.size = file.tell()
        self._file = file

    async def chunks(self) -> AsyncIterator[bytes]:
        """Give the bytes piece by piece."""
        with self._file:
            self._file.seek(0)
            while chunk := self._file.read(CHUNK_BYTES):
                yield chunk


async def bundle(pit: Pit, table: str, shoe: int) -> Bundle | None:
    """Write a shoe's bundle, as far as the shoe has gone; None when the table never had it."""
    found = await span(pit, table, shoe)
    if found is None:
        return None
    position = await pit.journal.position(f"table/{table}", found.last_version)
    assert position is not None, "it has just been read"
    log = await pit.notary.log_of(position)
    manifest = bundles.Manifest(
        table=table,
        shoe=shoe,
        origin=log.name,
        first_version=found.first_version,
        last_version=found.last_version,
        entries=found.last_version - found.first_version + 1,
        complete=found.is_complete,
    )
    proved = await pit.witnesses.prove(position)
    file: SpooledTemporaryFile[bytes] = SpooledTemporaryFile(SPOOL_BYTES)  # noqa: SIM115  # closed when it is sent
    lines = _lines(pit, f"table/{table}", found, asyncio.get_running_loop())
    await asyncio.to_thread(
        bundles.write,
        file,
        lines=lines,
        proof=proof.encode(proved),
        policy=policy.encode(pit.witnesses.policy_of(log)),
        manifest=manifest,
    )
    return Bundle(bundles.file_name(manifest), file)


def _lines(pit: Pit, stream: str, whole: Span, loop: asyncio.AbstractEventLoop) -> Iterator[bytes]:
    """Give a shoe's lines to the thread that writes them, a slice at a time."""
    for first in range(whole.first_version, whole.last_version + 1, SLICE_ENTRIES):
        last = min(first + SLICE_ENTRIES - 1, whole.last_version)
        reading = asyncio.run_coroutine_threadsafe(pit.journal.slice(stream, first=first, last=last), loop)
        yield from reading.result()
