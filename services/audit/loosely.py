"""A line whose bytes are wrong, read as well as it can be read, so that the other checks can go on."""

import json

import msgspec
from msgspec import Struct

from schemas.entry import Entry
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

_entry = msgspec.json.Decoder(Entry).decode
_head = msgspec.json.Decoder(Head).decode


def read_loosely(line: bytes) -> Entry | Head | None:
    """Read a line whole, or at least its place; None when there is not even that, or no JSON at all."""
    try:
        json.loads(line)  # stricter than the decoders below, which let raw control characters pass
    except (ValueError, RecursionError):
        return None
    for decode in (_entry, _head):
        try:
            return decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
    return None
