"""Check 2, the chain: each entry links to the one before it, versions and times go on, the manifest counts right."""

from schemas.bundle import Manifest
from schemas.entry import NO_PREV
from services.audit.findings import Page

_NO_PREV = NO_PREV.encode()


class Chain:
    """The last entry seen, which the next one must link to."""

    __slots__ = ("_at", "_leaf", "_next", "entries", "first", "page", "stream")

    def __init__(self, page: Page) -> None:
        self.page = page
        self.entries = 0
        self.first = 0
        self.stream = b""
        self._next = 0
        self._at = b""
        self._leaf = b""

    @property
    def last(self) -> int:
        """The version of the last entry; 0 before the first."""
        return self._next - 1 if self.entries else 0

    def follow(self, stream: bytes, version: int, at: bytes, prev: bytes, leaf: bytes) -> None:
        """Take the next entry; `prev` and `leaf` in hex."""
        if prev != self._leaf or version != self._next or at < self._at or stream != self.stream:
            self._doubt(stream, version, at, prev)
        self._next, self._at, self._leaf = version + 1, at, leaf
        self.entries += 1

    def pass_over(self, leaf: bytes) -> None:
        """Take an entry that nothing could be read of but its bytes."""
        self._next += 1
        self._leaf = leaf
        self.entries += 1
        if not self.first:
            self.first = self._next - 1

    def _doubt(self, stream: bytes, version: int, at: bytes, prev: bytes) -> None:
        """Say what is wrong with an entry that is not as it should be; the first one is free to begin anywhere."""
        if not self.entries:
            self.stream, self.first = stream, version
            if not stream.startswith(b"table/"):
                self.page.note(version, f"the stream {stream.decode()} is no table's")
            if (prev == _NO_PREV) != (version == 1):
                self.page.note(version, "a stream's first entry, and no other, links to 64 zeros")
            return
        if stream != self.stream:
            self.page.note(version, f"of the stream {stream.decode()}, among entries of {self.stream.decode()}")
        if version != self._next:
            self.page.note(version, f"version {version} stands where {self._next} belongs")
        if prev != self._leaf:
            self.page.note(version, "prev is not the hash of the entry before it")
        if at < self._at:
            self.page.note(version, f"at {at.decode()} is earlier than the entry before it, {self._at.decode()}")

    def finish(self, manifest: Manifest, *, shoe: int | None, complete: bool) -> None:
        """Compare what was seen with what the manifest says."""
        seen = {
            "table": self.stream.removeprefix(b"table/").decode("utf-8", "backslashreplace"),
            "shoe": manifest.shoe if shoe is None else shoe,
            "first_version": self.first,
            "last_version": self.last,
            "entries": self.entries,
            "complete": complete,
        }
        for field, value in seen.items():
            if (said := getattr(manifest, field)) != value:
                self.page.note(0, f"the manifest says {field} {_word(said)}; the entries say {_word(value)}")


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
