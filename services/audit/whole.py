"""A whole log under audit: every shoe of every table, and that nothing is missing between them.

One pass over the entries in log order: the tree is grown again, each stream is followed by itself, and each shoe is
shown to the same checks as in a bundle of its own.
"""

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from msgspec import Struct

from schemas.accounts import LogSucceeded
from schemas.checkpoint import CheckpointError
from schemas.checkpoint import parse as parse_checkpoint
from schemas.entry import NO_PREV, UnreadableError, decode
from schemas.folder import LogFolder, UnreadableFolderError
from schemas.note import NoteError
from schemas.note import parse as parse_note
from services.audit.auditor import printable
from services.audit.commands import Commands
from services.audit.findings import CHECKS, LISTED_FINDINGS, NO_LEDGER, Check, CheckName, Page, Report, not_made
from services.audit.grove import Grove
from services.audit.log import LogCheck, Trust
from services.audit.loosely import read_loosely
from services.audit.purses import Purses, move_of
from services.audit.story import ShoeJudged, Story, TableTold

# Beyond these, a file is no casino's log, but made to fill the memory.
MOST_TABLES = 10_000
_HEAD = re.compile(
    rb'\{"id":"[0-9a-f]{32}","stream":"(log|(?:table|patron)/[a-z0-9-]{1,64})","version":([1-9][0-9]{0,15}),'
    rb'"at":"([0-9T:.Z-]{27})","actor":"([a-z-]{1,32}:[a-z0-9-]{1,64})","command":"([A-Za-z0-9._~-]{1,64})",'
    rb'"schema":[0-9]{1,3},"prev":"([0-9a-f]{64})","event":\{"type":"([a-z-]{1,32})"'
)
_MOVES = frozenset({"funds-to-table", "funds-from-table"})
_MAY_MOVE = frozenset({"chips-bought", "chips-cashed"})
_OF_ACCOUNTS = b'"means":"account"'


class LogTold(Struct, frozen=True, kw_only=True):
    """What a whole log holds: how many entries under which origin, and each table's shoes in numbers."""

    origin: str | None
    size: int
    tables: tuple[TableTold, ...]


class LogReport(Report, frozen=True, kw_only=True):
    """The report on a log beside those on its shoes: `table` and `shoe` are null, `log` is what it holds."""

    log: LogTold


class Head(Struct, gc=False):
    """What a line begins with, as bytes; `kind` is its event's."""

    stream: str
    version: int
    at: bytes
    actor: bytes
    command: bytes
    prev: bytes
    kind: str


class Tail(Struct, gc=False):
    """The end of a stream so far: what its next entry must follow."""

    version: int
    at: bytes
    link: bytes


class WholeLog:
    """One log under audit."""

    def __init__(self, folder: LogFolder, trust: Trust) -> None:
        self._folder = folder
        self._trust = trust
        self._pages: dict[CheckName, Page] = {check: Page(check) for check in CHECKS}
        self._grove = Grove(self._pages["log"], folder)
        self._commands = Commands(self._pages["rules"])
        self._tails: dict[str, Tail] = {}
        self._stories: dict[str, Story] = {}
        self._is_continued = False
        self._successor: LogSucceeded | None = None
        self._purses = self._new_purses()
        self._is_given_up = False

    def audit(self) -> tuple[LogReport, list[tuple[Report, ShoeJudged]]]:
        """Read the log and judge it: the report on the log, and on each shoe. Raises UnreadableFolderError."""
        for batch in self._folder.batches():
            for line in batch:
                self._take(line)
            if len(self._pages["bytes"].findings) >= LISTED_FINDINGS:
                self._give_up()
                break
        for story in self._stories.values():
            story.finish()
        origin = None if self._is_given_up else self._finish()
        shoes = [(story.table, shoe) for story in self._stories.values() for shoe in story.shoes]
        log = LogReport(
            file=printable(self._folder.path),
            table=None,
            shoe=None,
            complete=all(shoe.complete for _, shoe in shoes),
            entropy=None,
            checks=self._checks(),
            log=LogTold(
                origin=origin,
                size=self._grove.size,
                tables=tuple(self._stories[name].told() for name in sorted(self._stories)),
            ),
        )
        return log, [(self._report(table, shoe, log.checks), shoe) for table, shoe in shoes]

    def _take(self, line: bytes) -> None:
        """Take the next line, whatever it is."""
        position = self._grove.size
        hashed = sha256(b"\x00" + line)
        leaf = hashed.hexdigest()
        self._grove.add(hashed.digest(), line)
        head = _head_of(line)
        if head is None:
            self._pages["bytes"].note(0, f"the entry at {position} cannot be read, nor which stream it is of")
            return
        if position == 0:
            self._open(line, head)
        self._commands.follow(head)
        self._follow(head, leaf)
        room, _, name = head.stream.partition("/")
        if head.kind in _MOVES or (head.kind in _MAY_MOVE and _OF_ACCOUNTS in line):
            self._move(position, head, line, name)
        if room == "table":
            self._story(name).take(line, leaf, head.kind, head.version)
        elif room == "patron":
            self._take_patrons(line, head, name)
        elif position or self._successor is None:
            self._pages["rules"].note(head.version, f"{head.kind} stands on the stream log, at {position}")

    def _open(self, line: bytes, head: Head) -> None:
        """See whether the log goes on where another one was finished."""
        if head.kind != "log-succeeded":
            return
        self._is_continued = True
        self._purses = self._new_purses()
        try:
            event = decode(line).event
        except UnreadableError as error:
            self._pages["bytes"].note(head.version, f"the log's first entry: {error}")
            return
        assert isinstance(event, LogSucceeded)
        self._successor = event
        try:
            parse_checkpoint(parse_note(event.checkpoint.encode()).text)
        except (NoteError, CheckpointError) as error:
            self._pages["log"].note(head.version, f"the checkpoint of the log before cannot be read: {error}")

    def _new_purses(self) -> Purses:
        pages = self._pages
        return Purses(rules=pages["rules"], money=pages["money"], is_continued=self._is_continued)

    def _follow(self, head: Head, leaf: str) -> None:
        """See that an entry follows the one before it on its stream."""
        tail = self._tails.get(head.stream)
        note = self._pages["chain"].note
        if tail is None:
            if not self._is_continued and (head.version != 1 or head.prev != NO_PREV.encode()):
                note(head.version, f"{head.stream} begins at version {head.version}")
            self._tails[head.stream] = Tail(head.version, head.at, leaf.encode())
            return
        if head.version != tail.version + 1:
            note(head.version, f"{head.stream}: version {head.version} stands where {tail.version + 1} belongs")
        if head.prev != tail.link:
            note(head.version, f"{head.stream}: prev is not the hash of the entry before it")
        if head.at < tail.at:
            note(head.version, f"{head.stream}: at {head.at.decode()} is earlier than the entry before it")
        tail.version, tail.at, tail.link = head.version, head.at, leaf.encode()

    def _story(self, name: str) -> Story:
        story = self._stories.get(name)
        if story is None:
            if len(self._stories) == MOST_TABLES:
                raise UnreadableFolderError(f"more than {MOST_TABLES} tables")
            story = Story(name, self._pages, self._trust.signers, is_continued=self._is_continued)
            self._stories[name] = story
        return story

    def _take_patrons(self, line: bytes, head: Head, patron: str) -> None:
        try:
            event = decode(line).event
        except UnreadableError as error:
            page = self._pages["bytes"]
            if error.unknown_schema:
                page.leave(f"patron {patron}: version {head.version} is of a schema that this verifier does not know")
            else:
                page.note(head.version, f"patron {patron}: {error}")
            return
        self._purses.take(patron, head.version, event)

    def _move(self, position: int, head: Head, line: bytes, name: str) -> None:
        """See money on its way between an account and a table."""
        try:
            move = move_of(decode(line))
        except UnreadableError:
            return  # told where its stream is read
        if move is None:
            return
        self._purses.move(position, head.version, move)
        currencies = {self._purses.currency(move.patron), self._story(move.table).currency} - {None}
        if move.side == "table" and len(currencies) > 1:
            self._pages["money"].note(
                head.version, f"table {name}: patron {move.patron}'s account is kept in another currency"
            )

    def _finish(self) -> str | None:
        """Make the checks that the end of the log allows, and give its origin."""
        pages, folder = self._pages, self._folder
        if folder.is_unended:
            pages["bytes"].note(0, "the last line does not end with a line feed")
        self._purses.finish()
        self._commands.finish(self._heads)
        self._grove.finish()
        log = LogCheck(pages["log"], self._trust)
        if not folder.policy_text:
            pages["log"].note(0, "there is no policy beside the entries")
        log.believe(folder.policy_text or None)
        if not folder.checkpoint_text:
            pages["log"].note(0, "there is no checkpoint beside the entries")
            return None
        checkpoint = log.judge(folder.checkpoint_text)
        if checkpoint is None:
            return None
        if checkpoint.size != self._grove.size:
            pages["log"].note(0, f"the checkpoint is of {checkpoint.size} entries; {self._grove.size} are there")
        elif checkpoint.root != self._grove.root():
            pages["log"].note(0, "the root over the entries is not that of the checkpoint")
        if self._successor is not None and self._successor.origin != checkpoint.origin:
            pages["log"].note(0, f"the log's first entry names it {self._successor.origin}")
        return checkpoint.origin

    def _heads(self) -> Iterator[Head]:
        """Read the log again, for what cannot be said without a second look."""
        for batch in self._folder.batches():
            for line in batch:
                head = _head_of(line)
                if head is not None:
                    yield head

    def _give_up(self) -> None:
        """Read no further in a file that is hardly a log at all."""
        self._is_given_up = True
        for check in CHECKS[1:]:
            self._pages[check].leave(f"the log was not read to its end: {LISTED_FINDINGS} of its lines are no entries")

    def _checks(self) -> tuple[Check, ...]:
        return tuple(not_made(c, NO_LEDGER) if c == "ledger" else page.close() for c, page in self._pages.items())

    def _report(self, table: str, shoe: ShoeJudged, of_the_log: Sequence[Check]) -> Report:
        """Report on a shoe; that its entries are in the log is what the whole log shows."""
        [log] = [check for check in of_the_log if check.check == "log"]
        return Report(
            file=printable(self._folder.path),
            table=table,
            shoe=shoe.number,
            complete=shoe.complete,
            entropy=None if shoe.entropy is None else shoe.entropy.grade,
            checks=tuple(log if check.check == "log" else check for check in shoe.checks),
        )


def _head_of(line: bytes) -> Head | None:
    """Read what a line begins with; one that is written otherwise, as well as it can be read."""
    found = _HEAD.match(line)
    if found is not None:
        stream, version, at, actor, command, prev, kind = found.groups()
        return Head(stream.decode(), int(version), at, actor, command, prev, kind.decode())
    entry = read_loosely(line)
    if entry is None:
        return None
    kind = getattr(entry.event, "type", None) or entry.event.__struct_config__.tag
    return Head(
        entry.stream,
        entry.version,
        entry.at.encode("utf-8", "replace"),
        entry.actor.encode("utf-8", "replace"),
        entry.command.encode("utf-8", "replace"),
        entry.prev.encode("utf-8", "replace"),
        str(kind),
    )


def examine(path: Path, trust: Trust) -> tuple[LogReport, list[tuple[Report, ShoeJudged]]]:
    """Judge a log's folder. Raises UnreadableFolderError."""
    return WholeLog(LogFolder(path), trust).audit()
