"""Commands: all entries of one stand together, and none comes back later. Part of check 5, the rules."""

from array import array
from collections import Counter
from collections.abc import Iterable

from services.audit.findings import Page
from services.audit.loosely import Placed

_BUCKETS = 256


class Commands:
    """The command at work, by number, and a mark of every one before: eight bytes each, so that memory stays flat."""

    __slots__ = ("_command", "_marks", "actor", "number", "page")

    def __init__(self, page: Page) -> None:
        self.page = page
        self.number = 0
        self.actor = ""
        self._command = ""
        self._marks = [array("q") for _ in range(_BUCKETS)]

    def follow(self, rows: Iterable[Placed]) -> None:
        """Take the next entries: of the command at work, or of new ones."""
        actor, command, marks = self.actor, self._command, self._marks
        for row in rows:
            if row.command == command and row.actor == actor:
                continue
            actor, command = row.actor, row.command
            self.number += 1
            mark = mark_of(actor, command)
            marks[mark % _BUCKETS].append(mark)
        self.actor, self._command = actor, command

    def finish(self, entries: Iterable[Placed]) -> None:
        """Find the commands whose entries do not stand together; the entries are read again only when there are any."""
        doubled = {mark for marks in self._marks for mark, count in Counter(marks).items() if count > 1}
        if not doubled:
            return
        seen: set[int] = set()
        last = 0
        for entry in entries:
            mark = mark_of(entry.actor, entry.command)
            if mark != last and mark in seen:
                self.page.note(entry.version, "its command has entries before, with another command's between them")
            if mark in doubled:
                seen.add(mark)
            last = mark


def mark_of(actor: str, command: str) -> int:
    """Give 64 bits that tell a command from others, under a key of this process: nobody can aim at a collision."""
    return hash(actor) ^ hash(command)
