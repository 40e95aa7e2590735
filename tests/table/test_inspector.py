"""The old entries of a log are gone over before more is signed: what is damaged is noticed, wherever it stands."""

from collections.abc import Sequence
from typing import Any

import asyncpg
import pytest

from schemas.edge import Edge
from schemas.entry import leaf
from schemas.tile import WIDTH
from schemas.tree import root
from services.table import inspector
from services.table.inspector import Inspector
from services.table.journal import Journal
from services.table.notary import Notary
from services.table.register import FileRegister
from services.table.shelf import MismatchError, Shelf
from tests.databases import Database
from tests.table.filling import fill
from tests.table.office import Office, cheat, flipped, leaves_of, write
from tests.table.tapes import Tape

pytestmark = pytest.mark.anyio
SIZE = 12 * WIDTH + 77


def edge_of(leaves: Sequence[bytes]) -> Edge:
    edge = Edge()
    for each in leaves:
        edge.append(each)
    return edge


@pytest.fixture
async def shelf(journal_database: Database, pool: asyncpg.Pool) -> Shelf:
    """A log of twelve full pieces and a bit."""
    fill(journal_database, Tape(), SIZE)
    return Shelf(pool.fetch, base=0)


@pytest.fixture
async def knowing(shelf: Shelf, journal: Journal) -> Inspector:
    """An inspector who has read all of it."""
    knowing = Inspector()
    await knowing.learn(shelf, edge_of(await leaves_of(journal)))
    assert knowing.pieces == SIZE // WIDTH
    return knowing


@pytest.fixture
def in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the log were so large that only a part of it is gone over before a signature."""
    monkeypatch.setattr(inspector, "PIECES_AT_ONCE", 2)
    monkeypatch.setattr(inspector, "WEIGHED_AT_ONCE", 2)
    monkeypatch.setattr(inspector, "SIGNING_PIECES", 4)
    monkeypatch.setattr(inspector, "SIGNING_SECONDS", 0.0)
    monkeypatch.setattr(inspector, "READ_PIECES", 1)


async def last_bit(superuser: asyncpg.Connection, position: int) -> int:
    bytes_: int = await superuser.fetchval("select octet_length(line) from journal.entry where position = $1", position)
    return 8 * bytes_ - 1


async def test_one_flipped_bit_anywhere_in_a_log_of_many_pieces_is_noticed_the_very_next_time(
    shelf: Shelf, knowing: Inspector, superuser: asyncpg.Connection
) -> None:
    for position in (0, 255, 256, 1500, 2047, 2048, 12 * WIDTH - 1):
        for column, bit in (("line", 0), ("line", await last_bit(superuser, position)), ("leaf", 0), ("leaf", 255)):
            flip = flipped(column, bit, of=f"entry position = {position}")
            await cheat(superuser, flip)
            assert not await knowing.look_before_signing(shelf), (position, column)
            assert not await knowing.read_all(shelf), (position, column)
            await cheat(superuser, flip)
            assert await knowing.look_before_signing(shelf)


@pytest.mark.parametrize(
    ("lie", "said"),
    {
        "delete from journal.entry where position = 700": "of the entries from 512 to 767 some are missing",
        "update journal.entry set leaf = sha256('x') where position = 700": "the entry at 700 and the leaf hash beside",
        "update journal.entry set line = 'x' where position = 700": "the entry at 700 and the leaf hash beside",
        "update journal.entry set line = line || '\\x0a'::bytea where position = 700": "one has a line feed in it",
        "update journal.entry set line = 'x', leaf = sha256('\\x0078') where position = 700": "are not those that were",
    }.items(),
)
async def test_what_is_wrong_is_told_by_who_reads_it_for_the_first_time(
    shelf: Shelf, journal: Journal, superuser: asyncpg.Connection, lie: str, said: str
) -> None:
    edge = edge_of(await leaves_of(journal))
    await cheat(superuser, lie)
    reading = Inspector()

    with pytest.raises(MismatchError, match=said):
        await reading.learn(shelf, edge)
    assert reading.pieces == 0


async def test_bytes_moved_from_one_entry_into_the_next_are_noticed(
    shelf: Shelf, knowing: Inspector, superuser: asyncpg.Connection
) -> None:
    """The bytes of the piece are the same, one after another."""
    await cheat(
        superuser,
        "update journal.entry e set line = substr(line, 1, octet_length(line) - 1) where position = 300;"
        " update journal.entry e set line = '}'::bytea || line where position = 301",
    )

    assert not await knowing.look_before_signing(shelf)


@pytest.mark.usefixtures("in_haste")
@pytest.mark.parametrize("position", [0, 1100, 12 * WIDTH - 1])
async def test_damage_in_a_large_log_is_noticed_within_one_rotation(
    shelf: Shelf, knowing: Inspector, superuser: asyncpg.Connection, position: int
) -> None:
    await cheat(superuser, flipped("line", 321, of=f"entry position = {position}"))

    found = [await knowing.look_before_signing(shelf) for _ in range(6)]

    assert not all(found)
    assert not await knowing.read_all(shelf)


@pytest.mark.usefixtures("in_haste")
async def test_what_is_gone_over_between_signatures_counts(
    shelf: Shelf, knowing: Inspector, superuser: asyncpg.Connection
) -> None:
    await cheat(superuser, flipped("line", 321, of="entry position = 1100"))

    assert not await knowing.look_meanwhile(shelf)


@pytest.mark.usefixtures("in_haste")
@pytest.mark.parametrize("position", [3, 1100, 12 * WIDTH - 1])
async def test_hands_laid_on_the_table_of_entries_are_noticed_before_the_very_next_signature(  # noqa: PLR0913, PLR0917
    shelf: Shelf,
    journal: Journal,
    notary: Notary,
    register: FileRegister,
    superuser: asyncpg.Connection,
    position: int,
) -> None:
    """However large the log is: triggers were taken away and put back, the changes were counted."""
    assert shelf.base == 0
    signed = await notary.cover(SIZE - 1)
    rewritten = flipped("line", 321, of=f"entry position = {position}")
    await cheat(superuser, f"{rewritten}; update journal.entry set leaf = sha256('\\x00'::bytea || line)")  # noqa: S608
    await write(journal, 1)

    with pytest.raises(MismatchError, match=r"the first \d+ entries of .* are not those that were signed"):
        await notary.cover(SIZE)
    assert register.read() == signed.note


async def test_a_table_that_was_handled_and_is_whole_is_signed(
    journal: Journal, notary: Notary, superuser: asyncpg.Connection
) -> None:
    await write(journal, 600)
    await notary.cover(599)
    await cheat(superuser, "update journal.entry set leaf = leaf")
    await write(journal, 1)

    assert (await notary.cover(600)).size == 601


@pytest.mark.usefixtures("shelf")
async def test_who_starts_reads_everything_before_he_signs_anything(
    office: Office, journal: Journal, register: FileRegister, superuser: asyncpg.Connection
) -> None:
    async with office() as before:
        signed = await before.cover(SIZE - 1)
    await cheat(superuser, flipped("line", 77, of="entry position = 1000"))

    async with office() as after:
        with pytest.raises(MismatchError, match="the entry at 1000 and the leaf hash beside it do not agree"):
            await after.ready()
    assert register.read() == signed.note
    assert await journal.size() == SIZE


async def test_a_root_that_is_wrong_or_missing_below_the_edge_is_put_right(
    shelf: Shelf, knowing: Inspector, superuser: asyncpg.Connection, journal: Journal
) -> None:
    leaves = await leaves_of(journal)
    right = [root(leaves[at : at + WIDTH]) for at in range(0, SIZE // WIDTH * WIDTH, WIDTH)]
    await shelf.keep([(1, index, b"x" * 32) for index in range(5)])
    await superuser.execute("delete from journal.node where index = 7")

    assert await knowing.read_all(shelf)

    assert list(await shelf.stored(1, 0, len(right))) == right


async def test_pieces_lead_to_the_edge_through_every_row() -> None:
    """Beyond 65,536 entries there is a second row."""
    lines = [b"%d" % number for number in range(WIDTH * WIDTH + 3 * WIDTH + 5)]
    leaves = [leaf(line) for line in lines]

    async def fetch(_: str, __: int, base: int, start: int, end: int) -> Any:
        assert base == 0
        pieces = [slice(number * WIDTH, (number + 1) * WIDTH) for number in range(start, end)]
        return [
            (number, WIDTH, b"\n".join(lines[here]), b"".join(leaves[here]), 0)
            for number, here in zip(range(start, end), pieces, strict=True)
        ]

    reading = Inspector()
    await reading.learn(Shelf(fetch, base=0), edge_of(leaves))
    assert reading.pieces == WIDTH + 3

    with pytest.raises(MismatchError, match="are not those that were signed"):
        await Inspector().learn(Shelf(fetch, base=0), edge_of([leaf(line) for line in [*lines[:-900], *lines[-899:]]]))
