"""Bundles: a shoe for an auditor, written from the log's own bytes, with the proof that they are in it."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from tempfile import SpooledTemporaryFile

import msgspec

from schemas import bundle as bundles
from schemas import note, policy, proof
from schemas.checkpoint import parse as parse_checkpoint
from schemas.note import Verifier
from services.door.problems import Declined
from services.table.pit import Pit
from services.table.recall import SLICE_ENTRIES, round_span, span

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


async def round_bundle(pit: Pit, table: str, shoe: int, number: int) -> Bundle | None:
    """Write the bundle of one round that is over; None when the shoe never had it. Raises Declined while it is open."""
    found = await round_span(pit, table, shoe, number)
    if found is None:
        return None
    if found.last_version is None:
        raise Declined(
            409, f"round {number} is not over", code="wrong-phase", where="path round", would_be_right="settle it first"
        )
    stream = f"table/{table}"
    position = await _place(pit, stream, found.last_version)
    log = await pit.notary.log_of(position)
    last = await pit.witnesses.prove(position)
    of_the_shoe = []
    for version, line in found.shoe_lines:
        proved = await _prove_beside(pit, await _place(pit, stream, version), last)
        of_the_shoe.append((line, proof.encode(proved)))
    manifest = bundles.Manifest(
        format="round-bundle/v1",
        table=table,
        shoe=shoe,
        round=number,
        origin=log.name,
        first_version=found.first_version,
        last_version=found.last_version,
        entries=found.last_version - found.first_version + 1,
        complete=found.is_complete,
    )
    return await _written(pit, manifest, log, last, of_the_shoe)


async def _prove_beside(pit: Pit, position: int, last: proof.Proof) -> proof.Proof:
    """Prove an entry under the very checkpoint of another proof; of a log that has ended there is one alone."""
    size = parse_checkpoint(note.parse(last.checkpoint).text).size if position >= pit.notary.base else None
    proved = await pit.notary.prove(position, size=size)
    return msgspec.structs.replace(proved, checkpoint=last.checkpoint)


async def _place(pit: Pit, stream: str, version: int) -> int:
    position = await pit.journal.position(stream, version)
    assert position is not None, "it has just been read"
    return position


async def bundle(pit: Pit, table: str, shoe: int) -> Bundle | None:
    """Write a shoe's bundle, as far as the shoe has gone; None when the table never had it."""
    found = await span(pit, table, shoe)
    if found is None:
        return None
    position = await _place(pit, f"table/{table}", found.last_version)
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
    return await _written(pit, manifest, log, await pit.witnesses.prove(position))


async def _written(
    pit: Pit,
    manifest: bundles.Manifest,
    log: Verifier,
    proved: proof.Proof,
    of_the_shoe: Sequence[tuple[bytes, bytes]] = (),
) -> Bundle:
    """Write a bundle's file, in a thread of its own."""
    file: SpooledTemporaryFile[bytes] = SpooledTemporaryFile(SPOOL_BYTES)  # noqa: SIM115  # closed when it is sent
    await asyncio.to_thread(
        bundles.write,
        file,
        lines=_lines(pit, manifest, asyncio.get_running_loop()),
        proof=proof.encode(proved),
        policy=policy.encode(pit.witnesses.policy_of(log)),
        manifest=manifest,
        shoe=of_the_shoe,
    )
    return Bundle(bundles.file_name(manifest), file)


def _lines(pit: Pit, manifest: bundles.Manifest, loop: asyncio.AbstractEventLoop) -> Iterator[bytes]:
    """Give a bundle's lines to the thread that writes them, a slice at a time."""
    for first in range(manifest.first_version, manifest.last_version + 1, SLICE_ENTRIES):
        last = min(first + SLICE_ENTRIES - 1, manifest.last_version)
        reading = asyncio.run_coroutine_threadsafe(
            pit.journal.slice(f"table/{manifest.table}", first=first, last=last), loop
        )
        yield from reading.result()
