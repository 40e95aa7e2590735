"""Check 2, the chain: each entry links to the one before it, versions and times go on, the manifest counts right."""

from collections.abc import Sequence
from operator import attrgetter

from schemas.bundle import Manifest
from schemas.entry import NO_PREV
from schemas.reading import Batch
from services.audit.findings import Page
from services.audit.loosely import Placed

_version = attrgetter("version")


class Chain:
    """The last entry seen, which the next one must link to."""

    __slots__ = ("_at", "_next", "entries", "first", "page", "stream")

    def __init__(self, page: Page) -> None:
        self.page = page
        self.entries = 0
        self.first = 0
        self.stream = ""
        self._next = 0
        self._at = ""

    @property
    def last(self) -> int:
        """The version of the last entry; 0 before the first."""
        return self._next - 1 if self.entries else 0

    def follow(self, batch: Batch, links: Sequence[str]) -> None:
        """Take the next entries; `links` are the hashes, in hex, that their `prev` ought to be."""
        rows = batch.rows
        if self._are_next(batch, links):
            self.entries += len(rows)
            self._next, self._at = rows[-1].version + 1, rows[-1].at
            return
        for row, link in zip(rows, links, strict=True):
            self.follow_closely(row, link)

    def follow_closely(self, row: Placed, link: str) -> None:
        """Take the next entry, and say what is wrong with its place."""
        self._doubt(row, link)
        self._next, self._at = row.version + 1, row.at
        self.entries += 1

    def _are_next(self, batch: Batch, links: Sequence[str]) -> bool:
        """Tell whether entries follow on the last one without any doubt."""
        times = [self._at, *batch.times]
        return (
            batch.prevs == links
            and list(map(_version, batch.rows)) == list(range(self._next, self._next + len(batch.rows)))
            and batch.streams == {self.stream}
            and times == sorted(times)
        )

    def pass_over(self) -> None:
        """Take an entry that nothing could be read of but its bytes."""
        self.first = self.first or self._next
        self._next += 1
        self.entries += 1

    def _doubt(self, row: Placed, link: str) -> None:
        """Say what is wrong with an entry; the first one is free to begin anywhere."""
        stream, version, at, prev = row.stream, row.version, row.at, row.prev
        if not self.entries:
            self.stream, self.first = stream, version
            if not stream.startswith("table/"):
                self.page.note(version, f"the stream {stream} is no table's")
            if (prev == NO_PREV) != (version == 1):
                self.page.note(version, "a stream's first entry, and no other, links to 64 zeros")
            return
        if stream != self.stream:
            self.page.note(version, f"of the stream {stream}, among entries of {self.stream}")
        if version != self._next:
            self.page.note(version, f"version {version} stands where {self._next} belongs")
        if prev != link:
            self.page.note(version, "prev is not the hash of the entry before it")
        if at < self._at:
            self.page.note(version, f"at {at} is earlier than the entry before it, {self._at}")

    def finish(self, manifest: Manifest, *, shoe: int | None, is_complete: bool) -> None:
        """Compare what was seen with what the manifest says."""
        seen = {
            "table": self.stream.removeprefix("table/"),
            "shoe": manifest.shoe if shoe is None else shoe,
            "first_version": self.first,
            "last_version": self.last,
            "entries": self.entries,
            "complete": is_complete,
        }
        for field, value in seen.items():
            if (said := getattr(manifest, field)) != value:
                self.page.note(0, f"the manifest says {field} {_word(said)}; the entries say {_word(value)}")


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
