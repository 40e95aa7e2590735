"""Receipts: what a patron takes home, so that nobody can deny his bet; and the proof that it stands in the log."""

from schemas import proof
from services.table.croupier import Taken
from services.table.done import Receipt
from services.table.pit import Pit

# As it stands in the bytes of an entry, and of no text within one, where quotes are escaped.
BY_SYSTEM = b'"actor":"system:table"'


async def of(pit: Pit, taken: Taken) -> list[Receipt]:
    """Give a receipt for each entry of a command about a table, but for what the system did within it."""
    page = await pit.journal.page(taken.position - taken.entries, taken.entries)
    return [
        Receipt(entry.leaf.hex(), entry.stream.partition("/")[2], entry.version)
        for entry in page
        if BY_SYSTEM not in entry.line
    ]


async def proved(pit: Pit, leaf: bytes) -> bytes | None:
    """Prove that an entry is in the log, under a checkpoint that is signed now if need be; None: it is not."""
    found = await pit.journal.find(leaf)
    return None if found is None else proof.encode(await pit.witnesses.prove(found.position))
