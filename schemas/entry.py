"""One line of the log: its bytes, its leaf hash, and the checks that both must pass.

The bytes are made once, by `encode`, before they are stored; from then on they are copied, never made again.
"""

import json
import re
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from typing import Any, Literal

import msgspec
from msgspec import Struct

from schemas.events import AnyEvent
from schemas.words import Actor, CommandKey, EntryId, Hash, Ordinal, Stream, Time

MAX_BYTES = 65_535
# No event needs ten; beyond, readers of JSON run out of stack, each at a depth of its own.
MAX_DEPTH = 64
NO_PREV = "0" * 64
_MAX_INTEGER = 2**53 - 1


class Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A fact in its place: `version` within `stream`, linked by `prev` to the entry before it."""

    id: EntryId
    stream: Stream
    version: Ordinal
    at: Time
    actor: Actor
    command: CommandKey
    schema: Literal[1]
    prev: Hash
    event: AnyEvent


class Envelope(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of a schema that this reader does not know: all but its event must be as in `Entry`."""

    id: EntryId
    stream: Stream
    version: Ordinal
    at: Time
    actor: Actor
    command: CommandKey
    schema: Ordinal
    prev: Hash
    event: dict[str, Any]


class UnreadableError(ValueError):
    """Bytes that are no entry; the message says why. `unknown_schema` when the shape may be newer than this reader."""

    def __init__(self, why: str, *, unknown_schema: bool = False) -> None:
        super().__init__(why)
        self.unknown_schema = unknown_schema


# Every line begins alike, so one pattern reads what stands before the event, and its place is exact by construction:
# twice as fast as eight patterns on eight decoded fields. It says what `Entry` says; a test holds the two together.
_HEAD = re.compile(
    rb'\{"id":"([0-9a-f]{32})","stream":"(log|(?:table|patron)/[a-z0-9-]{1,64})","version":([1-9][0-9]{0,15}),'
    rb'"at":"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z)",'
    rb'"actor":"([a-z-]{1,32}:[a-z0-9-]{1,64})","command":"([A-Za-z0-9._~-]{1,64})","schema":1,'
    rb'"prev":"([0-9a-f]{64})","event":'
)
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BRACKET = re.compile(rb"[\[{\]}]")
_encoder = msgspec.json.Encoder()
_event = msgspec.json.Decoder(AnyEvent)
_decoder = msgspec.json.Decoder(Entry)
_envelope = msgspec.json.Decoder(Envelope)


def encode(entry: Entry) -> bytes:
    """Make the bytes of an entry (without line feed). Raises ValueError above 65,535 bytes."""
    line = _encoder.encode(entry)
    if len(line) > MAX_BYTES:
        raise ValueError(f"an entry is at most {MAX_BYTES} bytes long, this one is {len(line)}")
    return line


def leaf(line: bytes) -> bytes:
    """Give the 32-byte leaf hash of an entry's bytes: its link in `prev`, and its leaf in the log's tree."""
    return sha256(b"\x00" + line).digest()


def has_long_line(text: bytes) -> bool:
    """Tell whether any line of a text, ended or not, is too long to be an entry; without looking at each."""
    begin = 0
    while len(text) - begin > MAX_BYTES:
        end = text.rfind(b"\n", begin, begin + MAX_BYTES + 1)
        if end < begin:
            return True
        begin = end + 1
    return False


def decode(line: bytes) -> Entry:
    """Read an entry strictly: the shape of its schema, and the one way to write it. Raises UnreadableError."""
    if len(line) > MAX_BYTES:
        raise UnreadableError(f"an entry is at most {MAX_BYTES} bytes long, this one is {len(line)}")
    head = _HEAD.match(line)
    if head is None or line[-1:] != b"}":
        raise _why_unreadable(line)
    written = line[head.end() : -1]
    try:
        event = _event.decode(written)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise _why_unreadable(line) from None
    number = int(head[3])
    if _encoder.encode(event) != written or number > _MAX_INTEGER:
        raise _why_unreadable(line)
    entry_id, stream, _, at, actor, command, prev = head.groups()
    at_text = at.decode()
    _check_time(at_text)
    return Entry(
        id=entry_id.decode(),
        stream=stream.decode(),
        version=number,
        at=at_text,
        actor=actor.decode(),
        command=command.decode(),
        schema=1,
        prev=prev.decode(),
        event=event,
    )


def _why_unreadable(line: bytes) -> UnreadableError:
    """Say what is wrong with a line that is wrong: its bytes, its shape, or the order of its keys."""
    try:
        check_bytes(line)
        _decoder.decode(line)
    except UnreadableError as error:
        return error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        return UnreadableError(str(error), unknown_schema=_is_newer(line))
    return UnreadableError("the keys do not stand in the order of their schema")


def _check_time(at: str) -> None:
    """Refuse a day or an hour that no calendar has."""
    try:
        datetime.fromisoformat(at)
    except ValueError as error:
        raise UnreadableError(f"{at} is no time: {error}") from None


def check_bytes(line: bytes) -> None:
    """Check that a line is JSON written the one way, whatever its shape. Raises UnreadableError with the reason."""
    again = _written(read_json(line, pairs=_object))
    if again != line:
        where = next(
            (i for i, (a, b) in enumerate(zip(again, line, strict=False)) if a != b), min(len(again), len(line))
        )
        raise UnreadableError(f"not written the one way: byte {where} would be {again[where : where + 1]!r}")


def read_json(line: bytes, *, pairs: Callable[[list[tuple[str, Any]]], Any] = dict) -> Any:
    """Read a line as JSON of what an entry may hold, however it is written. Raises UnreadableError with the reason."""
    if len(line) > MAX_BYTES:
        raise UnreadableError(f"an entry is at most {MAX_BYTES} bytes long, this one is longer")
    if _is_too_deep(line):
        raise UnreadableError(f"nested more than {MAX_DEPTH} deep")
    try:
        text = line.decode("utf-8")
        value = json.loads(
            text, object_pairs_hook=pairs, parse_float=_no_float, parse_int=_integer, parse_constant=_no_float
        )
        _refuse_null(value)
        _written(value)
    except UnreadableError:
        raise
    except ValueError as error:
        raise UnreadableError(f"not the JSON of an entry: {error}") from error
    return value


def _written(value: Any) -> bytes:
    """Write a value the one way. Raises ValueError for lone surrogates."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def _is_too_deep(line: bytes) -> bool:
    """Tell whether arrays and objects lie deeper in each other than an entry's may."""
    if line.count(b"[") + line.count(b"{") <= MAX_DEPTH:
        return False
    depth = 0
    for bracket in _BRACKET.findall(_STRING.sub(b"", line)):
        depth += 1 if bracket in b"[{" else -1
        if depth > MAX_DEPTH:
            return True
    return False


def _is_newer(line: bytes) -> bool:
    """Tell whether the line is an entry of a schema that this reader does not know."""
    try:
        envelope = _envelope.decode(line)
        _check_time(envelope.at)
    except (msgspec.DecodeError, UnicodeDecodeError, UnreadableError):
        return False
    return envelope.schema > 1 and tuple(json.loads(line)) == Envelope.__struct_fields__


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object, refusing a key said twice."""
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UnreadableError(f"the key {twice!r} stands twice")
    return made


def _integer(digits: str) -> int:
    """Read an integer, refusing what a double cannot hold exactly."""
    if len(digits) > 17 or not -_MAX_INTEGER <= (number := int(digits)) <= _MAX_INTEGER:  # noqa: PLR2004 (17 = a sign and 16 digits)
        raise UnreadableError(f"the integer {digits[:20]} is larger than 2^53-1")
    return number


def _no_float(text: str) -> Any:
    raise UnreadableError(f"{text[:20]} is not an integer")


def _refuse_null(value: Any) -> None:
    """Refuse nulls, wherever they stand."""
    if value is None:
        raise UnreadableError("null is not allowed: an absent field is absent")
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _refuse_null(part)
