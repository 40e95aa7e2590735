"""Lines that are no entries: how far both verifiers read them all the same, and when they give up.

Parsers of JSON differ in what they bear: how deep, how long an integer, which escapes. Neither verifier may lean on
that, so every kind of oddity stands here in a shoe's last line, in a bet and in its first line, linked and signed.
"""

import json
import random
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from schemas.entry import MAX_DEPTH, leaf
from services.house.scribe import bind
from tests.audit.both import TRUST, differences, gist, shoes_of, zipped
from tests.audit.dealt import LOG, Chapter
from tests.audit.page.node import NEEDS_NODE, verify

pytestmark = NEEDS_NODE
Spelling = Callable[[bytes], bytes]
DEPTHS = (MAX_DEPTH - 2, MAX_DEPTH - 1, MAX_DEPTH, 500, 899, 1_000, 2_000, 20_000)
DIGITS = (15, 16, 17, 18, 19, 20, 310, 4_300, 4_301, 20_000)
VALUES = (
    *(b"[" * depth + b"]" * depth for depth in DEPTHS),
    *(b'{"a":' * depth + b"1" + b"}" * depth for depth in DEPTHS[:-1]),
    *(b"9" * digits for digits in DIGITS),
    *(b"-0 0.0 1.0 1e0 1e400 1e-400 -1 01 +1 .5 1. - NaN Infinity -Infinity null true nul True".split()),
    *(rb'"\ud800" "\udc00\ud800" "\ud83d\ude00" "\u0041" "\/" "\x" "\u00e9" "\u0000" "\u12" ""'.split()),
    *(b'"\x7f" "\x01" "\xff" "\xed\xa0\x80" "\xf4\x90\x80\x80" "\xc0\x80"'.split()),
    *(b'"\xef\xbf\xbf" "\xe2\x80\xa8" "[[[" {"y":1,"y":2} {"y":null} [1,] {"y"} ["y":1]'.split()),
    b'"\t"',
    b'"\xc2\xa0"\xc2\xa0',
)
KEYS = (rb'"\ud800"', rb'"\u0078"', b'"__proto__"', b'"constructor"', b'"toString"', b'"1"', b'""', b"x", b'"\xff"')
VERSIONS = (
    b"57.0",
    b"5e1",
    b'"57"',
    b"-57",
    b"0",
    b"true",
    b"null",
    b"9007199254740992",
    b"18446744073709551616",
    b" 57",
)
SCHEMAS = (
    b"2",
    b"0",
    b'"1"',
    b"1.0",
    b"true",
    b"-1",
    b"null",
    b"9007199254740991",
    b"9007199254740992",
    b'"2"',
    b"[2]",
)
BROKEN = (
    (b'"id":"', b'"id":"Z'),
    (b'"stream":"table/', b'"stream":"Table/'),
    (b'"stream":"table/', b'"stream":"stool/'),
    (b'"at":"2026-11', b'"at":"2026-13'),
    (b'"at":"2026-11', b'"at":"26-11'),
    (b'"actor":"', b'"actor":"x y'),
    (b'"command":"', b'"command":"\xc3\xa9'),
    (b'"command":"', b'"cmd":"'),
    (b'"prev":"', b'"prev":"0'),
    (b'"prev":"', b'"more":1,"prev":"'),
    (b'"event":{', b'"event":[{'),
    (b'"event":{"type":"', b'"event":{"type":"un'),
    (b'"event":{"type":"', b'"event":{"kind":"'),
    (b'"event":{"type":"', b'"event":{"a":1,"type":"'),
    (b'"event":{"type":"', b'"event":{"type":1,"type":"'),
    (b'"event":{"type":"', b'"event":{"type":"x","type":"'),
    (b'"version":', b'"version":3,"version":'),
)


def put(before: bytes, after: bytes) -> Spelling:
    return lambda line: line.replace(before, after, 1)


def number(key: bytes, value: bytes) -> Spelling:
    """Write another value behind a key that has a number."""

    def write(line: bytes) -> bytes:
        start = line.index(b'"%s":' % key) + len(key) + 3
        return line[:start] + value + line[line.index(b",", start) :]

    return write


def padded(length: int, *, with_spaces: bool) -> Spelling:
    """Make a line so many bytes long."""

    def pad(line: bytes) -> bytes:
        if with_spaces:
            return line + b" " * (length - len(line))
        return line[:-2] + b',"x":"' + b"y" * (length - len(line) - 7) + b'"}}'

    return pad


def spellings() -> Iterator[Spelling]:
    """Every oddity, first the values, within the event and beside it."""
    for value in VALUES:
        yield put(b'"event":{"type":', b'"event":{"x":%s,"type":' % value)
        yield put(b'"event":', b'"x":%s,"event":' % value)
    for key in KEYS:
        yield put(b'"event":{', b'"event":{%s:1,' % key)
    yield from (number(b"version", value) for value in VERSIONS)
    for schema in SCHEMAS:
        yield number(b"schema", schema)
        yield from (both(number(b"schema", schema), put(*broken)) for broken in BROKEN if schema in (b"2", b"0"))
        yield both(number(b"schema", schema), ordered)
    yield from (put(*broken) for broken in BROKEN)
    yield from (padded(length, with_spaces=s) for s in (False, True) for length in (65_535, 65_536, 65_537, 140_000))
    yield lambda line: b"[" + line + b"]"
    yield lambda line: b" \t" + line + b"\r "
    yield lambda line: b"\xef\xbb\xbf" + line
    yield lambda line: line.decode().encode("utf-16")
    yield lambda line: line.decode().encode("utf-16-le")
    yield lambda line: line + line
    yield lambda line: line + b","
    yield lambda line: line[:-1]
    yield lambda line: b"\xc2\xa0" + line
    yield lambda line: line.replace(b'"', b"'")
    yield ordered
    yield lambda line: json.dumps(json.loads(line)).encode()
    yield lambda line: b"".join(b"\\u%04x" % letter if letter in b"zx" else bytes([letter]) for letter in line)


def ordered(line: bytes) -> bytes:
    """Write the keys in another order than they had."""
    return json.dumps(json.loads(line), sort_keys=True, separators=(",", ":")).encode()


def both(first: Spelling, second: Spelling) -> Spelling:
    return lambda line: second(first(line))


def relinked(lines: Sequence[bytes], at: int) -> list[bytes]:
    """Link the lines behind one to what it is now."""
    made = list(lines[: at + 1])
    for line in lines[at + 1 :]:
        link = line.index(b'"prev":"') + len(b'"prev":"')
        made.append(line[:link] + leaf(made[-1]).hex().encode() + line[link + 64 :])
    return made


@pytest.fixture(scope="module")
def shoe() -> Chapter:
    """A short shoe, over."""
    return next(shoe for shoe in shoes_of("mini", 1) if shoe.is_complete)


def bound(path: Path, shoe: Chapter, lines: Sequence[bytes]) -> Path:
    """Bind other lines as the operator does, who counts and signs again."""
    last = len(shoe.before) + len(lines)
    manifest = replace(shoe.manifest, last_version=last, entries=len(lines))
    bind(path, lines, signer=LOG, manifest=manifest, others=(shoe.before, ()))
    return path


@pytest.mark.parametrize("where", ["last", "a bet", "first"])
def test_both_read_an_odd_line_equally_far(where: str, shoe: Chapter, tmp_path: Path) -> None:
    bet = next(at for at, line in enumerate(shoe.lines) if b'"type":"bet-placed"' in line)
    at = {"last": len(shoe.lines) - 1, "a bet": bet, "first": 0}[where]
    files = []
    for count, spell in enumerate(spellings()):
        lines = [*shoe.lines[:at], spell(shoe.lines[at]), *shoe.lines[at + 1 :]]
        files.append(bound(tmp_path / f"{count}.zip", shoe, relinked(lines, at)))

    found = list(differences(files, *TRUST))

    assert not found, "\n".join(found[:30])


NON_ENTRIES: dict[str, Spelling] = {
    "empty": lambda _: b"",
    "no JSON": lambda _: b"x",
    "loose": lambda line: line + b" ",
    "newer": number(b"schema", b"2"),
}


def flooded(path: Path, shoe: Chapter, lines: Sequence[bytes]) -> Path:
    """Put other lines into an honest bundle, and count them in its manifest."""
    with zipfile.ZipFile(shoe.bind(path)) as honest:
        members = {name: honest.read(name) for name in honest.namelist()}
    manifest = replace(shoe.manifest, last_version=len(shoe.before) + len(lines), entries=len(lines))
    members["manifest.json"] = msgspec.json.encode(manifest)
    members["entries.jsonl"] = b"".join(line + b"\n" for line in lines)
    path.write_bytes(zipped(list(members.items())))
    return path


def test_both_give_up_at_the_same_line(shoe: Chapter, tmp_path: Path) -> None:
    shuffled = next(at for at, line in enumerate(shoe.lines) if b'"type":"shoe-shuffled"' in line)
    bet = next(line for line in shoe.lines if b'"type":"bet-placed"' in line)
    files: list[Path] = []
    for name, many, at in (
        ("empty", 10_000, 0),
        ("empty", 9_999, 0),
        ("no JSON", 10_000, shuffled + 1),
        ("loose", 10_000, -1),
        ("newer", 10_000, 0),
    ):
        lines = [*shoe.lines[:at], *[NON_ENTRIES[name](bet)] * many, *shoe.lines[at:]]
        files.append(flooded(tmp_path / f"{len(files)}.zip", shoe, lines))

    found = list(differences(files, *TRUST))
    _, reports = verify(*TRUST, files=files)

    assert not found, "\n".join(found)
    assert [gist(report)["bytes"] for report in reports] == ["failed"] * 4 + ["not-checked"]


def test_both_give_up_alike_whatever_stands_around(shoe: Chapter, tmp_path: Path) -> None:
    chance = random.Random(7)
    files = []
    for count in range(3):
        lines = list(shoe.lines)
        for _ in range(3):
            wrong = [NON_ENTRIES[chance.choice(["empty", "no JSON", "loose"])](chance.choice(shoe.lines[3:]))]
            at = chance.randrange(len(lines) + 1)
            lines[at:at] = wrong * chance.choice((1, 3_000, 5_000, 9_990))
        files.append(flooded(tmp_path / f"{count}.zip", shoe, lines))

    found = list(differences(files, *TRUST))

    assert not found, "\n".join(found)
