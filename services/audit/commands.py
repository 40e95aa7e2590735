"""Commands: all entries of one stand together, and none comes back later. Part of check 5, the rules."""

from array import array

from services.audit.findings import Page

_BUCKETS = 256


class Commands:
    """The command at work, by number, and a mark of every one before: 16 bytes each, so that memory stays flat."""

    __slots__ = ("_command", "_marks", "_versions", "actor", "number", "page")

    def __init__(self, page: Page) -> None:
        self.page = page
        self.number = 0
        self.actor = b""
        self._command = b""
        self._marks = [array("q") for _ in range(_BUCKETS)]
        self._versions = [array("q") for _ in range(_BUCKETS)]

    def follow(self, version: int, actor: bytes, command: bytes) -> None:
        """Take the next entry: of the command at work, or of a new one."""
        if command == self._command and actor == self.actor:
            return
        self.actor, self._command = actor, command
        self.number += 1
        mark = hash((actor, command))  # 64 bits under a key of this process: nobody can aim at a collision
        self._marks[mark % _BUCKETS].append(mark)
        self._versions[mark % _BUCKETS].append(version)

    def finish(self) -> None:
        """Find the commands whose entries do not stand together."""
        for marks, versions in zip(self._marks, self._versions, strict=True):
            if len(set(marks)) == len(marks):
                continue
            seen: set[int] = set()
            for mark, version in zip(marks, versions, strict=True):
                if mark in seen:
                    self.page.note(version, "its command has entries before, with another command's between them")
                seen.add(mark)
