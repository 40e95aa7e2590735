"""What comes once: an entry's id, and a command, whose entries stand together and which never comes back later."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable

from services.audit.findings import Page
from services.audit.loosely import Placed

_BUCKETS = 256


class Commands:
    """The command at work, by number, and a mark of every one before and of every id.

    A mark has eight bytes, so that memory stays flat: 64 bits of a hash under a key of this process, so that nobody can
    aim at a collision. Entries are read again only when a mark came twice.
    """

    __slots__ = ("_command", "_commands", "_ids", "actor", "number")

    def __init__(self) -> None:
        self.number = 0
        self.actor = ""
        self._command = ""
        self._commands = [array("q") for _ in range(_BUCKETS)]
        self._ids = [array("q") for _ in range(_BUCKETS)]

    def follow(self, rows: Iterable[Placed]) -> None:
        """Take the next entries: of the command at work, or of new ones."""
        actor, command, commands, ids = self.actor, self._command, self._commands, self._ids
        for row in rows:
            mark = hash(row.id)
            ids[mark % _BUCKETS].append(mark)
            if row.command != command or row.actor != actor:
                actor, command = row.actor, row.command
                self.number += 1
                mark = hash(actor) ^ hash(command)
                commands[mark % _BUCKETS].append(mark)
        self.actor, self._command = actor, command

    def finish(self, bytes_page: Page, rules_page: Page, entries: Callable[[], Iterable[Placed]]) -> None:
        """Find the ids that came twice, and the commands whose entries do not stand together."""
        if twice := _doubled(self._ids):
            for version in _again(((entry.version, hash(entry.id)) for entry in entries()), twice):
                bytes_page.note(version, "its id is that of an entry before")
        if twice := _doubled(self._commands):
            for version in _again(_begun(entries()), twice):
                rules_page.note(version, "its command has entries before, with another command's between them")


def _begun(entries: Iterable[Placed]) -> Iterable[tuple[int, int]]:
    """Give the entries at which a command begins, each with its mark."""
    last = None
    for entry in entries:
        if last != (entry.actor, entry.command):
            yield entry.version, hash(entry.actor) ^ hash(entry.command)
        last = entry.actor, entry.command


def _doubled(buckets: list["array[int]"]) -> set[int]:
    return {mark for marks in buckets for mark, count in Counter(marks).items() if count > 1}


def _again(marked: Iterable[tuple[int, int]], twice: set[int]) -> Iterable[int]:
    """Give the versions at which a mark comes again."""
    seen: set[int] = set()
    for version, mark in marked:
        if mark in seen:
            yield version
        elif mark in twice:
            seen.add(mark)
