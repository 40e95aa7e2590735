"""The seeds that the journal keeps for shoes that are open: which of them the keys at hand do not unseal.

It is looked into at the start: a key that is gone shows itself there, and not at the next card.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from schemas.entry import decode
from schemas.events import ShoeCommitted
from services.table import seal
from services.table.database import Pool, fetch

PATIENCE_SECONDS = 30.0
_MOST_NAMED = 20
_OPEN = """
    select c.stream, c.shoe, c.sealed, e.line from journal.chapter c
    join journal.entry e on e.stream = c.stream and e.version = c.version
    where c.sealed is not null and not exists (
        select from journal.entry l where l.stream = c.stream and l.version > c.version
        and (position('"event":{"type":"shoe-closed",'::bytea in l.line) > 0
             or position('"event":{"type":"shoe-voided",'::bytea in l.line) > 0))
    order by c.stream
"""


class KeyGoneError(ValueError):
    """There is no key where seeds are sealed that another one would not open."""

    def __init__(self, file: Path, shoes: Sequence[str]) -> None:
        super().__init__(
            f"{file} is not there, and its key sealed the seeds of {_named(shoes)}: put the file back. If it is lost, "
            f"`shoelog table key rotate-seeds --new --seed-key-file {file}` makes another key; those shoes can then "
            "only be voided"
        )


async def key(pool: Pool, file: Path, told: str = "") -> seal.SeedKey:
    """Take the keys that were told, else those of the file, which is made where nothing was sealed yet.

    Raises KeyGoneError, OSError, KeyFileError.
    """
    if told:
        return seal.told_key(told)
    if _is_missing(file) and (shoes := [_shoe_id(row) for row in await _open(pool)]):
        raise KeyGoneError(file, shoes)
    return seal.load_key(file)


async def unreadable(pool: Pool, known: seal.SeedKey) -> list[str]:
    """Name the open shoes, as `b1/12`, whose seed none of the keys unseals."""
    return [_shoe_id(row) for row in await _open(pool) if not _opens(known, row)]


def warning(file: str, shoes: Sequence[str]) -> str:
    """Say which shoes cannot be opened, and what to do."""
    return (
        f"no key in {file} opens {_named(shoes)}: put the key that sealed them back, before anybody plays there, or "
        "void them (POST /v1/tables/{table}/shoes/current/void)"
    )


def _is_missing(file: Path) -> bool:
    return not file.exists()


async def _open(pool: Pool) -> list[Any]:
    return await fetch(pool, _OPEN, patience_seconds=PATIENCE_SECONDS)


def _opens(known: seal.SeedKey, row: Any) -> bool:
    committed = decode(row["line"]).event
    assert isinstance(committed, ShoeCommitted)
    assert isinstance(committed.seed_commitment, str), "only a committed shoe has a seed"
    commitment = bytes.fromhex(committed.seed_commitment)
    try:
        seal.unseal(known, shoe_id=_shoe_id(row), commitment=commitment, sealed=row["sealed"])
    except seal.SealedSeedError:
        return False
    return True


def _shoe_id(row: Any) -> str:
    return f"{row['stream'].partition('/')[2]}/{row['shoe']}"


def _named(shoes: Sequence[str]) -> str:
    """Name shoes in words, the first twenty of many."""
    more = f" and {len(shoes) - _MOST_NAMED} more" if len(shoes) > _MOST_NAMED else ""
    return f"shoe{'' if len(shoes) == 1 else 's'} {', '.join(shoes[:_MOST_NAMED])}{more}"
