"""A line whose bytes are wrong, read as well as it can be read, so that the other checks can go on."""

import msgspec
from msgspec import Struct

from schemas.entry import Entry, UnreadableError, decode, read_json
from schemas.reading import Row


class Tag(Struct, frozen=True, kw_only=True):
    """Of an event, its kind."""

    type: str


class Head(Struct, frozen=True, kw_only=True):
    """An entry of which only its place can be read, and what kind of entry it is."""

    stream: str
    version: int
    at: str
    actor: str
    command: str
    prev: str
    event: Tag


Placed = Row | Entry | Head
"""An entry, however well it could be read."""


def read_loosely(line: bytes) -> Entry | Head | None:
    """Read a line whole, or at least its place; None when there is not even that.

    White space, escapes, the order of keys and keys said twice do not matter, the last of them counts; what no entry
    may hold does: nulls, fractions, integers above 2^53-1, lone surrogates, more than 64 levels or 65,535 bytes.
    """
    try:
        value = read_json(line)
    except UnreadableError:
        return None
    try:
        return msgspec.convert(value, Entry)
    except msgspec.ValidationError:
        pass
    try:
        return msgspec.convert(value, Head)
    except msgspec.ValidationError:
        return None


def reread(line: bytes) -> Entry | Head | None:
    """Read a line once more, most likely one that is written as it should be."""
    try:
        return decode(line)
    except UnreadableError:
        return read_loosely(line)
