"""The auditor: all checks made on one bundle in one pass over its entries, with one entry in memory at a time."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from schemas.bundle import Bundle
from services.audit.chapter import Chapter
from services.audit.findings import Report
from services.audit.log import LogCheck, Trust
from services.audit.loosely import Placed, reread
from services.audit.shoe import ShoeCheck


class Auditor:
    """One bundle under audit."""

    def __init__(self, bundle: Bundle, trust: Trust, chapter: Chapter | None = None) -> None:
        self._bundle = bundle
        self._trust = trust
        self._chapter = chapter or Chapter(trust.signers)

    @property
    def shoe(self) -> ShoeCheck | None:
        """What was found out of the shoe, once the bundle was read."""
        return self._chapter.shoe

    @property
    def is_complete(self) -> bool:
        """Whether what was read is a shoe as a whole."""
        return self._chapter.is_complete

    def audit(self) -> Report:
        """Read the bundle and judge it. Raises UnreadableBundleError when it proves to be damaged on the way."""
        chapter = self._chapter
        for batch in self._bundle.batches():
            chapter.take(batch)
            if chapter.is_given_up:
                break
        if self._bundle.is_unended:
            chapter.pages["bytes"].note(chapter.chain.last, "the last line does not end with a line feed")
        self._finish()
        return self._reported()

    def _finish(self) -> None:
        """Make the checks that the end of the bundle allows."""
        chapter = self._chapter
        if not chapter.is_given_up:
            chapter.chain.finish(self._bundle.manifest, shoe=chapter.shoe_number, is_complete=chapter.is_complete)
        LogCheck(chapter.pages["log"], self._trust).finish_bundle(self._bundle, chapter.end_leaf)
        chapter.finish(self._entries)

    def _reported(self) -> Report:
        """Say what was found."""
        chapter, manifest = self._chapter, self._bundle.manifest
        entropy = None if chapter.shoe is None else chapter.shoe.entropy
        return Report(
            file=printable(self._bundle.path),
            table=manifest.table,
            shoe=manifest.shoe,
            complete=self.is_complete,
            entropy=None if entropy is None else entropy.grade,
            checks=chapter.checks(),
        )

    def _entries(self) -> Iterator[Placed]:
        """Read again what was read, for what cannot be said without a second look."""
        lines = islice(self._bundle.lines(), self._chapter.chain.entries)
        return (entry for line in lines if (entry := reread(line)) is not None)


def printable(path: Path) -> str:
    """Give a file's name as text that can be written, whatever bytes it is made of."""
    return str(path).encode("utf-8", "backslashreplace").decode()
