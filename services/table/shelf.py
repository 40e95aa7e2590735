"""The shelf: where a volume's tree is kept. Leaf hashes stand beside their entries, the rows above them apart.

The rows above are derived from the leaves, and derived again when they are missing: losing them costs time alone.
Indices count from the volume's base; positions are the journal's.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple

import asyncpg

from schemas.entry import leaf as leaf_of
from schemas.tile import LEVELS_PER_ROW, WIDTH
from schemas.tree import root as root_over

_HASH_BYTES = 32
_LEAVES = """
    select coalesce(string_agg(leaf, ''::bytea order by position), ''::bytea) as hashes
    from journal.entry where position >= $1 and position < $2
"""
_WEIGHT = "hash_record_extended(row(leaf, line), $1 # position)"  # salted, and known to PostgreSQL 15
_ENTRIES = f"""
    select position, line, leaf, {_WEIGHT} as weight
    from journal.entry where position >= $2 and position < $3 order by position
"""  # noqa: S608  # words of ours, as below
_WEIGHED = f"""
    select count(*) as entries, coalesce(bit_xor({_WEIGHT}), 0) as weight
    from journal.entry where position >= $2 and position < $3
"""  # noqa: S608
_LINES = "select line from journal.entry where position >= $1 and position < $2 order by position"
_NODES = """
    select coalesce(string_agg(hash, ''::bytea order by index), ''::bytea) as hashes
    from journal.node where base = $1 and level = $2 and index >= $3 and index < $4
"""
_PIECES = f"""
    select p, e.* from generate_series($3::bigint, $4::bigint - 1) p cross join lateral (
        select count(*) as entries, coalesce(string_agg(line, '\\x0a'::bytea), '') as lines,
            coalesce(string_agg(leaf, ''::bytea), '') as leaves, coalesce(bit_xor({_WEIGHT}), 0) as weight
        from (
            select position, line, leaf from journal.entry
            where position >= $2 + p * {WIDTH} and position < $2 + (p + 1) * {WIDTH} order by position offset 0
        ) in_order
    ) e order by p
"""  # noqa: S608
_GUARD = """
    select coalesce(string_agg(format('%s %s %s', tgname, tgenabled, xmin), ' ' order by tgname), '') || ' '
        || pg_relation_filenode('journal.entry') || ' '
        || (select n_tup_upd + n_tup_del from pg_stat_all_tables where relid = 'journal.entry'::regclass) as guard
    from pg_trigger where tgrelid = 'journal.entry'::regclass
"""
_KEEP = "select journal.keep_nodes($1, $2, $3, $4)"

Fetch = Callable[..., Awaitable[list[asyncpg.Record]]]


class MismatchError(Exception):
    """The log is not what was signed. The message says what was found, and what to do when there is a choice."""


class Piece(NamedTuple):
    """Entries of a piece as they stand in the database: how many, their bytes with line feeds between, their leaves.

    The weight is what the database makes of both in its own way: 64 bits, quickly, and other ones with another salt.
    """

    number: int
    entries: int
    lines: bytes
    leaves: bytes
    weight: int


class Hashed(NamedTuple):
    """Entries that were hashed: their bytes, their leaves, and what the database made of each."""

    lines: list[bytes]
    leaves: list[bytes]
    weights: list[int]

    def part(self, which: slice) -> "Hashed":
        """Give some of them."""
        return Hashed(self.lines[which], self.leaves[which], self.weights[which])


class Shelf:
    """The tree of one volume, read with whatever connection `fetch` has."""

    def __init__(self, fetch: Fetch, *, base: int) -> None:
        self._fetch = fetch
        self.base = base

    async def read(self, row: int, start: int, end: int) -> Sequence[bytes]:
        """Read the hashes of a row, from one index up to another. Raises MismatchError when leaves are missing."""
        if not row:
            leaves = _apart((await self._fetch(_LEAVES, self.base + start, self.base + end))[0]["hashes"])
            self._insist_on(len(leaves), start, end)
            return leaves
        hashes = await self.stored(row, start, end)
        if len(hashes) == end - start:
            return hashes
        pieces = range(start, end)
        derived = [root_over(await self.read(row - 1, at * WIDTH, (at + 1) * WIDTH)) for at in pieces]
        await self.keep([(row, index, value) for index, value in enumerate(derived, start)])
        return derived

    async def stored(self, row: int, start: int, end: int) -> Sequence[bytes]:
        """Read what is kept of a row above the leaves, though hashes be missing."""
        rows = await self._fetch(_NODES, self.base, row * LEVELS_PER_ROW, start, end)
        return _apart(rows[0]["hashes"])

    async def lines(self, start: int, end: int) -> list[bytes]:
        """Read the bytes of entries. Raises MismatchError when some are missing."""
        lines = [row["line"] for row in await self._fetch(_LINES, self.base + start, self.base + end)]
        self._insist_on(len(lines), start, end)
        return lines

    async def pieces(self, start: int, end: int, *, salt: int) -> list[Piece]:
        """Read the entries of pieces of 256, from one piece up to another, and what is written beside them."""
        return [Piece(*row) for row in await self._fetch(_PIECES, salt, self.base, start, end)]

    async def weighed(self, start: int, end: int, *, salt: int) -> tuple[int, int]:
        """Have pieces counted and weighed where they stand: how many entries, and the weights of all in one."""
        places = (self.base + piece * WIDTH for piece in (start, end))
        entries, weight = (await self._fetch(_WEIGHED, salt, *places))[0]
        return entries, weight

    async def guard(self) -> str:
        """Tell how the table of entries is guarded: it reads otherwise after anybody has changed one by statements.

        What guards it was taken away for that, and put back; the table was written anew; or its changes were counted.
        """
        guard: str = (await self._fetch(_GUARD))[0]["guard"]
        return guard

    async def hashed(self, start: int, end: int, *, salt: int = 0) -> Hashed:
        """Read the entries from one index up to another, or as far as they go, and hash their bytes.

        Raises MismatchError when one is missing, or another leaf is written beside it.
        """
        found = Hashed([], [], [])
        rows = await self._fetch(_ENTRIES, salt, self.base + start, self.base + end)
        for at, (position, line, leaf, weight) in enumerate(rows, self.base + start):
            if position != at:
                raise MismatchError(f"the entry at {at} is missing")
            if leaf_of(line) != leaf:
                raise MismatchError(f"the entry at {at} and the leaf hash beside it do not agree")
            found.lines.append(line)
            found.leaves.append(leaf)
            found.weights.append(weight)
        return found

    async def keep(self, roots: Sequence[tuple[int, int, bytes]]) -> None:
        """Keep roots of complete subtrees, each behind row and index; one that is kept as another is put right."""
        if roots:
            rows, indexes, hashes = zip(*roots, strict=True)
            await self._fetch(_KEEP, self.base, [row * LEVELS_PER_ROW for row in rows], indexes, hashes)

    def _insist_on(self, count: int, start: int, end: int) -> None:
        if count != end - start:
            raise MismatchError(f"of the entries from {self.base + start} to {self.base + end - 1} some are missing")


def _apart(hashes: bytes) -> list[bytes]:
    return [hashes[start : start + _HASH_BYTES] for start in range(0, len(hashes), _HASH_BYTES)]
