"""Commands: all entries of one stand together, and none comes back later. Part of check 5, the rules."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter, eq, xor
from typing import Any, Protocol

from services.audit.findings import Page

_BUCKETS = 256
_actor, _command = attrgetter("actor"), attrgetter("command")


class Marked(Protocol):
    """An entry, however well it could be read; its words are text, or all of them bytes."""

    @property
    def version(self) -> int:
        """Its number within its stream."""

    @property
    def actor(self) -> Any:
        """Whose command it is."""

    @property
    def command(self) -> Any:
        """Under which key."""


class Commands:
    """The command at work, by number, and a mark of every one before.

    A mark has eight bytes, so that memory stays flat: 64 bits of a hash under a key of this process, so that nobody can
    aim at a collision. Entries are read again only when a mark came twice.
    """

    __slots__ = ("_command", "_company", "_marks", "actor", "number", "page")

    def __init__(self, page: Page) -> None:
        self.page = page
        self.number = 0
        self.actor = ""
        self._command = ""
        self._company: Company | None = None  # made for the few commands in which more than one has a hand
        self._marks = [array("q") for _ in range(_BUCKETS)]

    @property
    def key(self) -> Any:
        """The idempotency key of the command at work."""
        return self._command

    def follow(self, row: Marked) -> None:
        """Take the next entry: of the command at work, or of a new one."""
        actor, command = row.actor, row.command
        if command != self._command:
            self._company = None
        elif actor == self.actor:
            return
        elif not self._joins(actor, after=self.actor):
            self.actor, self.number = actor, self.number + 1
            return
        self.actor, self._command, self.number = actor, command, self.number + 1
        mark = hash(actor) ^ hash(command)
        self._marks[mark % _BUCKETS].append(mark)

    def follow_all(self, rows: Sequence[Marked]) -> None:
        """Take the next entries, one or more."""
        actors, commands = list(map(_actor, rows)), list(map(_command, rows))
        if any(map(eq, commands, [self._command, *commands])):
            for row in rows:
                self.follow(row)
            return
        # Each begins a command, as a bet does.
        marks = self._marks
        for mark in map(xor, map(hash, actors), map(hash, commands)):
            marks[mark % _BUCKETS].append(mark)
        self.actor, self._command, self._company = actors[-1], commands[-1], None
        self.number += len(rows)

    def _joins(self, actor: Any, *, after: Any) -> bool:
        """Take an entry of the command at work by another actor; tell whether it begins a command of its own."""
        self._company = self._company or Company(after)
        return self._company.joins(actor, after=after)

    def finish(self, entries: Callable[[], Iterable[Marked]]) -> None:
        """Find the commands whose entries do not stand together."""
        twice = {mark for marks in self._marks for mark, count in Counter(marks).items() if count > 1}
        seen: set[int] = set()
        for version, mark in _begun(entries()) if twice else ():
            if mark in seen:
                self.page.note(version, "its command has entries before, with another command's between them")
            elif mark in twice:
                seen.add(mark)


class Company:
    """Who has entries in the command at work: the system may have some between those of whoever gave it."""

    __slots__ = ("_actors",)

    def __init__(self, first: Any) -> None:
        self._actors = {first}

    def joins(self, actor: Any, *, after: Any) -> bool:
        """Take an entry by somebody else than the one before; tell whether it begins a command of its own.

        It does not when it goes on with a command in which the system, and nobody else, had a hand meanwhile.
        """
        if not (is_system(actor) or is_system(after)):
            self._actors = {actor}
            return True
        is_new = actor not in self._actors
        self._actors |= {actor, after}
        return is_new


def is_system(actor: Any) -> bool:
    """Whether an actor, in text or in bytes, is the system."""
    return actor[:7] in ("system:", b"system:")


def _begun(entries: Iterable[Marked]) -> Iterable[tuple[int, int]]:
    """Give the entries at which a command begins, each with its mark."""
    actor = command = company = None
    for entry in entries:
        if entry.command != command:
            actor, command, company = entry.actor, entry.command, Company(entry.actor)
            yield entry.version, hash(actor) ^ hash(command)
        elif entry.actor != actor and company is not None:
            before, actor = actor, entry.actor
            if company.joins(actor, after=before):
                yield entry.version, hash(actor) ^ hash(command)
