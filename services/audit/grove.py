"""The tree over a whole log, grown again from its entries: its root, and every tile that lies beside them."""

from collections.abc import Sequence

from schemas.edge import Edge
from schemas.folder import LogFolder
from schemas.tile import ENTRIES, LEVELS_PER_ROW, MAX_ENTRY_BYTES, WIDTH, Tile, pack
from services.audit.findings import Page


class Grove:
    """A tree that grows entry by entry, and what lies beside them of it."""

    def __init__(self, page: Page, folder: LogFolder) -> None:
        self.page = page
        self._folder = folder
        self._edge = Edge()
        self._lines: list[bytes] = []

    @property
    def size(self) -> int:
        """How many entries there are so far."""
        return self._edge.size

    def add(self, leaf: bytes, line: bytes) -> None:
        """Take the next entry. Tiles that it completes are compared with those that lie there."""
        self._lines.append(line)
        for row, index, _, below in self._edge.append(leaf):
            if row == 1:
                self._compare_entries(WIDTH)
            self._compare(Tile(level=row - 1, index=index), below)

    def finish(self) -> None:
        """Compare the tiles that are filled in part."""
        if self._lines:
            self._compare_entries(len(self._lines))
        for level, row in enumerate(self._edge.rows):
            if row:
                index = (self.size >> LEVELS_PER_ROW * level) // WIDTH
                self._compare(Tile(level=level, index=index, width=len(row)), row)

    def root(self) -> bytes:
        """Give the root over all entries so far."""
        return self._edge.root()

    def _compare_entries(self, width: int) -> None:
        index = (self.size - width) // WIDTH
        lines, self._lines = self._lines, []
        tile = Tile(level=ENTRIES, index=index, width=width)
        lying = self._folder.tile(tile)
        # A line that is too long for an entry is told elsewhere, and fits into no bundle.
        if lying is not None and (max(map(len, lines)) > MAX_ENTRY_BYTES or lying != pack(lines)):
            self.page.note(0, f"{tile.path} does not hold these entries")

    def _compare(self, tile: Tile, hashes: Sequence[bytes]) -> None:
        lying = self._folder.tile(tile)
        if lying is not None and lying != b"".join(hashes):
            self.page.note(0, f"{tile.path} is not what the entries make")
