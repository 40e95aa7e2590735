"""The tree over a whole log, grown again from its entries: its root, and every tile that lies beside them."""

from collections.abc import Sequence

from schemas.folder import LogFolder
from schemas.tile import ENTRIES, WIDTH, Tile, pack
from schemas.tree import EMPTY_ROOT, Frontier
from schemas.tree import root as root_over
from services.audit.findings import Page

_LEVELS_PER_ROW = 8


class Grove:
    """The right edge of the tree: of each row, the hashes that do not fill a tile yet."""

    def __init__(self, page: Page, folder: LogFolder) -> None:
        self.page = page
        self.size = 0
        self._folder = folder
        self._rows: list[list[bytes]] = [[]]
        self._lines: list[bytes] = []

    def add(self, leaf: bytes, line: bytes) -> None:
        """Take the next entry. Tiles that it completes are compared with those that lie there."""
        self.size += 1
        self._lines.append(line)
        value, level = leaf, 0
        while True:
            row = self._rows[level]
            row.append(value)
            if len(row) < WIDTH:
                return
            if level == 0:
                self._compare_entries(WIDTH)
            index = (self.size >> _LEVELS_PER_ROW * (level + 1)) - 1
            self._compare(Tile(level=level, index=index), row)
            value = root_over(row)
            row.clear()
            level += 1
            if level == len(self._rows):
                self._rows.append([])

    def finish(self) -> None:
        """Compare the tiles that are filled in part."""
        if self._lines:
            self._compare_entries(len(self._lines))
        for level, row in enumerate(self._rows):
            if row:
                index = (self.size >> _LEVELS_PER_ROW * level) // WIDTH
                self._compare(Tile(level=level, index=index, width=len(row)), row)

    def root(self) -> bytes:
        """Give the root over all entries so far."""
        if not self.size:
            return EMPTY_ROOT
        hashes: list[bytes] = []
        for row in reversed(self._rows):
            start = 0
            for height in range(_LEVELS_PER_ROW - 1, -1, -1):
                if len(row) >> height & 1:
                    hashes.append(root_over(row[start : start + (1 << height)]))
                    start += 1 << height
        return Frontier(self.size, hashes).root()

    def _compare_entries(self, width: int) -> None:
        index = (self.size - width) // WIDTH
        lines, self._lines = self._lines, []
        tile = Tile(level=ENTRIES, index=index, width=width)
        lying = self._folder.tile(tile)
        # A line that is too long for an entry is told elsewhere, and fits into no bundle.
        if lying is not None and (max(map(len, lines)) > 0xFFFF or lying != pack(lines)):  # noqa: PLR2004
            self.page.note(0, f"{tile.path} does not hold these entries")

    def _compare(self, tile: Tile, hashes: Sequence[bytes]) -> None:
        lying = self._folder.tile(tile)
        if lying is not None and lying != b"".join(hashes):
            self.page.note(0, f"{tile.path} is not what the entries make")
