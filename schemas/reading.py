"""Lines of the log read at speed: as strictly as `entry.decode` does, many at once, at a third of its price.

Nine entries in ten of a busy shoe are bets, and nearly all of its bytes are bets and settlement lines. These two are
read without their patterns, and a batch's texts are then checked together: what is right in one text joined from many
is right in each. When anything at all is wrong with a batch, its lines are for `decode` to read one by one, which says
what it is. A test holds the two readings together.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Literal, Union, get_args

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from schemas.entry import has_long_line
from schemas.events import AnyEvent, BetPlaced, LinesSettled
from schemas.words import ITEMS_PER_ENTRY, Amount, Money, Ordinal

_KEY_LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._~-"
_DIGITS_AS_0 = bytes.maketrans(b"0123456789", b"0" * 10)
_HEX_AS_0 = bytes.maketrans(b"0123456789abcdef", b"0" * 16)
_TIME = b"0000-00-00T00:00:00.000000Z"
_ID, _HASH = b"0" * 32, b"0" * 64
_TO_SECONDS = len("0000-00-00T00:00:00")
_MOST_KEY_LETTERS = 64
_KNOWN_NAMES = 10_000


class BetSeen(Struct, gc=False, forbid_unknown_fields=True, tag_field="type", tag="bet-placed"):
    """A `bet-placed`, word for word."""

    round: Ordinal
    patron: str
    bet: str
    amount: Amount


class LineSeen(Struct, gc=False, forbid_unknown_fields=True):
    """One line of a settlement."""

    patron: str
    bet: str
    stake: Amount
    won: Money
    commission: Money
    returned: Money
    marked: Money | UnsetType = UNSET


class LinesSeen(Struct, gc=False, forbid_unknown_fields=True, tag_field="type", tag="lines-settled"):
    """A `lines-settled`, word for word."""

    round: Ordinal
    lines: Annotated[tuple[LineSeen, ...], Meta(max_length=ITEMS_PER_ENTRY)]


if TYPE_CHECKING:
    SeenEvent = AnyEvent | BetSeen | LinesSeen
else:
    _OTHERS = tuple(kind for kind in get_args(AnyEvent) if kind not in (BetPlaced, LinesSettled))
    SeenEvent = Union[(BetSeen, LinesSeen, *_OTHERS)]


class Row(Struct, gc=False, forbid_unknown_fields=True):
    """An entry, with the fields of `Entry`."""

    id: str
    stream: str
    version: Ordinal
    at: str
    actor: str
    command: str
    schema: Literal[1]
    prev: str
    event: SeenEvent


_id, _stream, _at, _actor, _command, _prev, _event, _patron, _bet = map(
    attrgetter, ("id", "stream", "at", "actor", "command", "prev", "event", "patron", "bet")
)
_decode_lines = msgspec.json.Decoder(Row).decode_lines
_encode_lines = msgspec.json.Encoder().encode_lines


class Batch(Struct, gc=False, eq=False):
    """Entries that were read, and column by column where each says that it stands: more than one asks for it."""

    rows: Sequence[Row]
    streams: set[str]
    times: list[str]
    prevs: list[str]


class Names:
    """Names of one kind; those that were seen need no second look."""

    __slots__ = ("_is_name", "_known")

    def __init__(self, pattern: str) -> None:
        self._is_name: Callable[[str], object] = re.compile(pattern).fullmatch
        self._known: set[str] = set()

    def are(self, texts: set[str]) -> bool:
        """Tell whether all of these are names."""
        new = texts - self._known
        if not all(map(self._is_name, new)):
            return False
        if len(self._known) > _KNOWN_NAMES:
            self._known.clear()
        self._known |= new
        return True


class Reader:
    """Reads batches of lines one after another."""

    __slots__ = ("_actors", "_bets", "_patrons", "_streams")

    def __init__(self) -> None:
        self._streams = Names(r"log|(?:table|patron)/[a-z0-9-]{1,64}")
        self._actors = Names(r"[a-z-]{1,32}:[a-z0-9-]{1,64}")
        self._patrons = Names(r"[a-z0-9-]{1,64}")
        self._bets = Names(r"[a-z][a-z0-9-]{0,31}")

    def read(self, lines: Sequence[bytes], links: Sequence[str] = ()) -> Batch | None:
        """Read entries strictly; None unless `entry.decode` reads every one of these lines (one or more).

        `links` are the hashes that their `prev` ought to be, in hex: those that are need no second look.
        """
        text = b"\n".join([*lines, b""])
        try:
            rows = _decode_lines(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return None
        if len(rows) != len(lines) or _encode_lines(rows) != text or has_long_line(text):
            return None
        batch = Batch(rows, set(map(_stream, rows)), list(map(_at, rows)), list(map(_prev, rows)))
        return batch if self._have_places(batch, links) and self._have_names(batch) else None

    def _have_places(self, batch: Batch, links: Sequence[str]) -> bool:
        """Tell whether ids, keys, links, times and streams are such."""
        rows, prevs = batch.rows, batch.prevs
        return (
            _are_like(_ID, _HEX_AS_0, list(map(_id, rows)))
            and (prevs == links or _are_like(_HASH, _HEX_AS_0, prevs))
            and _are_keys(list(map(_command, rows)))
            and _are_times(batch.times)
            and self._streams.are(batch.streams)
        )

    def _have_names(self, batch: Batch) -> bool:
        """Tell whether all names are such: of actors, and on bets and settlement lines."""
        named: list[BetSeen | LineSeen] = []
        for event in map(_event, batch.rows):
            if type(event) is BetSeen:
                named.append(event)
            elif type(event) is LinesSeen:
                named += event.lines
        return (
            self._actors.are(set(map(_actor, batch.rows)))
            and self._patrons.are(set(map(_patron, named)))
            and self._bets.are(set(map(_bet, named)))
        )


def _are_like(model: bytes, letters_as_0: bytes, texts: Collection[str]) -> bool:
    """Tell whether every text is a model's, once its letters are written as 0."""
    return ("\n".join(texts) + "\n").encode().translate(letters_as_0) == (model + b"\n") * len(texts)


def _are_keys(texts: Collection[str]) -> bool:
    """Tell whether all texts are of the letters and the length of a command's key."""
    lengths = set(map(len, texts))
    is_written = not "".join(texts).encode().translate(None, _KEY_LETTERS)
    return is_written and min(lengths) > 0 and max(lengths) <= _MOST_KEY_LETTERS


def _are_times(texts: Collection[str]) -> bool:
    """Tell whether all texts are times to the microsecond, of days and hours that a calendar has."""
    return _are_like(_TIME, _DIGITS_AS_0, texts) and _are_in_the_calendar({text[:_TO_SECONDS] for text in texts})


def _are_in_the_calendar(seconds: Iterable[str]) -> bool:
    try:
        for second in seconds:
            datetime.fromisoformat(second)
    except ValueError:
        return False
    return True
