"""Tiles (C2SP tlog-tiles): a log's tree and its entries as files of 256, each with a path that says which it is.

A tile of level L holds roots of complete subtrees at level 8 L of the tree; level 0 holds leaf hashes. Level `ENTRIES`
holds the entries themselves, each behind its length.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

WIDTH = 256
LEVELS_PER_ROW = 8  # a tile of one row is the root of 256 hashes: 8 levels of the tree
HASH_BYTES = 32
ENTRIES = -1
MAX_LEVEL = 63
MAX_ENTRY_BYTES = 0xFFFF
_LENGTH_BYTES = 2
_LEVEL = re.compile(r"0|[1-9][0-9]?")
_NUMBER = re.compile(r"((?:x[0-9]{3}/){0,5}[0-9]{3})(?:\.p/([1-9][0-9]{0,2}))?")


class Tile(Struct, frozen=True, kw_only=True):
    """Which tile: its level, its index within the level, and how many of its 256 places are filled."""

    level: int
    index: int
    width: int = WIDTH

    @property
    def path(self) -> str:
        """Where it is served, below the log's prefix: `tile/0/x001/x234/067`, `tile/entries/000.p/7`."""
        level = "entries" if self.level == ENTRIES else str(self.level)
        digits = f"{self.index:03d}"
        digits = digits.zfill(-(-len(digits) // 3) * 3)
        groups = [digits[at : at + 3] for at in range(0, len(digits), 3)]
        number = "/".join([*(f"x{group}" for group in groups[:-1]), groups[-1]])
        return f"tile/{level}/{number}" + ("" if self.width == WIDTH else f".p/{self.width}")

    @property
    def start(self) -> int:
        """The index of its first hash within its level, or of its first entry."""
        return self.index * WIDTH

    @property
    def end(self) -> int:
        """The index behind its last hash within its level, or behind its last entry."""
        return self.start + self.width

    def is_covered(self, size: int) -> bool:
        """Tell whether a tree of this size fills it."""
        return self.end <= size >> LEVELS_PER_ROW * max(self.level, 0)


def parse(level: str, number: str) -> Tile:
    """Read a tile's level and number, as its path has them behind `tile/`. Raises ValueError."""
    named = _NUMBER.fullmatch(number)
    if level != "entries" and (not _LEVEL.fullmatch(level) or int(level) > MAX_LEVEL):
        raise ValueError(f"a tile's level is entries, or 0 to {MAX_LEVEL}")
    if named is None:
        raise ValueError("a tile's number is written as 067, or x001/x234/067; of a partial one, 067.p/5")
    tile = Tile(
        level=ENTRIES if level == "entries" else int(level),
        index=int(named[1].replace("/", "").replace("x", "")),
        width=int(named[2] or WIDTH),
    )
    if tile.path != f"tile/{level}/{number}" or tile.width > WIDTH:
        raise ValueError("a tile's number is written in one way only")
    return tile


def tiles_of(size: int, *, level: int | None = None) -> Iterator[Tile]:
    """Name the tiles of a tree of this size, row by row: of one level, or of all but the entries."""
    levels = range(MAX_LEVEL + 1) if level is None else (level,)
    for each in levels:
        count = size >> LEVELS_PER_ROW * max(each, 0)
        if not count:
            return
        for index in range(count // WIDTH):
            yield Tile(level=each, index=index)
        if count % WIDTH:
            yield Tile(level=each, index=count // WIDTH, width=count % WIDTH)


def pack(entries: Iterable[bytes]) -> bytes:
    """Put entries into a bundle. Raises OverflowError for one that is longer than 65,535 bytes."""
    return b"".join(part for entry in entries for part in (len(entry).to_bytes(_LENGTH_BYTES, "big"), entry))


def unpack(bundle: bytes) -> list[bytes]:
    """Take the entries out of a bundle. Raises ValueError when it does not end with one."""
    entries, at = [], 0
    while at < len(bundle):
        start = at + _LENGTH_BYTES
        at = start + int.from_bytes(bundle[at:start], "big")
        entries.append(bundle[start:at])
    if at != len(bundle):
        raise ValueError("an entry bundle breaks off within an entry")
    return entries
