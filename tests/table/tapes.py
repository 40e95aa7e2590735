"""Streams as they will be: commands whose entries follow one another, made without asking the database."""

import itertools
import json
import secrets
from hashlib import sha256

from schemas.accounts import FundsDeposited
from schemas.entry import NO_PREV, Entry, encode, leaf
from schemas.events import AnyEvent, BetPlaced, TableResumed
from services.table.command import Command, Committed, Sealed
from services.table.journal import Placed

ACTOR = "operator:house"


class Tape:
    """The end of a stream, and the pen for what comes next."""

    def __init__(self, stream: str = "table/b1") -> None:
        self.stream = stream
        self.version, self.chapter, self.prev = 0, 1, NO_PREV

    def after(self, last: Placed) -> "Tape":
        """Go on behind an entry that was read."""
        self.version, self.prev = last.version, last.leaf.hex()
        return self

    def seal(self, key: str, event: AnyEvent | None = None, *, begins: bool = False) -> Sealed:
        """The next entry: a bet, unless something else is said."""
        self.version += 1
        if begins or not self.stream.startswith("table/"):
            self.chapter = self.version
        entry = Entry(
            id=secrets.token_hex(16),
            stream=self.stream,
            version=self.version,
            at="2026-11-30T10:00:00.000000Z",
            actor=ACTOR,
            command=key,
            schema=1,
            prev=self.prev,
            event=event or self.event(),
        )
        line = encode(entry)
        sealed = Sealed(stream=self.stream, version=self.version, chapter=self.chapter, line=line, leaf=leaf(line))
        self.prev = sealed.leaf.hex()
        return sealed

    def event(self) -> AnyEvent:
        """Something that happens on a stream of this kind."""
        if self.stream.startswith("patron/"):
            return FundsDeposited(amount=100, means="cash", balance=100 * self.version)
        return BetPlaced(round=1, patron="p-1", bet="banker", amount=500)

    def bet(self, key: str | None = None, *, count: int = 1) -> Command:
        """A command of one entry, or of more."""
        key = key or new_key()
        return command(key, *(self.seal(key) for _ in range(count)))

    def begin(self, *, shoe: int | None = None, sealed: bytes | None = None) -> Command:
        """A command that begins a chapter: with a shoe, or as an opening of the table."""
        key = new_key()
        entry = self.seal(key, TableResumed(), begins=True)
        told = None if shoe is None else Committed(stream=self.stream, shoe=shoe, version=entry.version, sealed=sealed)
        return command(key, entry, shoe=told)


def command(key: str, *entries: Sealed, shoe: Committed | None = None) -> Command:
    """A command of these entries."""
    request = sha256(key.encode()).digest()
    return Command(actor=ACTOR, key=key, request=request, answer=b'{"stack":500}', entries=entries, shoe=shoe)


def on_both(one: Tape, other: Tape) -> Command:
    """A command with an entry on each of two streams."""
    key = new_key()
    return command(key, one.seal(key), other.seal(key))


def new_key() -> str:
    """A key that nobody has used."""
    return secrets.token_hex(16)


def follows(log: list[Placed]) -> bool:
    """Tell whether a log has no gap, and each of its streams no fork."""
    assert [entry.position for entry in log] == list(range(len(log)))
    ordered = sorted(log, key=lambda entry: (entry.stream, entry.version))
    for _, stream in itertools.groupby(ordered, key=lambda entry: entry.stream):
        version, prev = 0, NO_PREV
        for entry in stream:
            assert entry.leaf == leaf(entry.line)
            assert (entry.version, json.loads(entry.line)["prev"]) == (version + 1, prev)
            version, prev = entry.version, entry.leaf.hex()
    return True
