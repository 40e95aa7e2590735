"""Lines read at speed are read as strictly as lines read one by one."""

import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.entry import UnreadableError, decode
from schemas.reading import BetSeen, LinesSeen, Reader

with zipfile.ZipFile(Path("tests/data/sample-punto-banco.zip")) as sample:
    LINES = sample.read("entries.jsonl").splitlines()
BET = next(line for line in LINES if b'"type":"bet-placed"' in line)
SETTLED = next(line for line in LINES if b'"type":"round-settled"' in line)
TOTALS = b'"player":8,"banker":2,"winner":"player",'
SOME_LINES_SETTLED = SETTLED.replace(b"round-settled", b"lines-settled").replace(TOTALS, b"")


def is_right(line: bytes) -> bool:
    """Whether a line is an entry, read alone."""
    try:
        decode(line)
    except UnreadableError:
        return False
    return True


def test_a_whole_shoe_is_read_alike() -> None:
    batch = Reader().read(LINES)

    assert batch is not None
    assert batch.streams == {row.stream for row in batch.rows}
    assert (batch.times, batch.prevs) == ([row.at for row in batch.rows], [row.prev for row in batch.rows])
    for line, row in zip(LINES, batch.rows, strict=True):
        entry = decode(line)
        for field in ("id", "stream", "version", "at", "actor", "command", "prev"):
            assert getattr(row, field) == getattr(entry, field)
        if isinstance(row.event, BetSeen | LinesSeen):
            assert [getattr(row.event, name) for name in row.event.__struct_fields__] == [
                getattr(entry.event, name) for name in entry.event.__struct_fields__
            ]
        else:
            assert row.event == entry.event


def test_settlement_lines_are_read_alike() -> None:
    batch = Reader().read([SOME_LINES_SETTLED])

    assert is_right(SOME_LINES_SETTLED)
    assert batch is not None
    assert isinstance(batch.rows[0].event, LinesSeen)


WRONG = {
    "a space": (b'"round":1', b'"round": 1'),
    "a key twice": (b'"round":1', b'"round":1,"round":1'),
    "an unknown key": (b'"round":1', b'"round":1,"x":1'),
    "a missing key": (b'"round":1,', b""),
    "another order": (b'"schema":1,"prev"', b'"prev":"","schema":1,"prev"'),
    "an upper-case id": (b'{"id":"', b'{"id":"A'),
    "a line feed in an id": (b'{"id":"', b'{"id":"' + b"0" * 32 + b"\\n"),
    "a line feed in a time": (b'"at":"', b'"at":"2026-11-30T10:00:00.000000Z\\n'),
    "a stream that is none": (b'"stream":"table/', b'"stream":"tables/'),
    "a stream with a space": (b'"stream":"table/', b'"stream":"table/ '),
    "version nought": (b'"version":', b'"version":0'),
    "a version above 2^53": (b'"version":', b'"version":99999999999999999'),
    "a month that is none": (b'"at":"2026-11-', b'"at":"2026-13-'),
    "a day that is none": (b'"at":"2026-11-30', b'"at":"2026-11-31'),
    "an hour that is none": (b"T10:", b"T25:"),
    "a time with a comma": (b'Z",', b',",'),
    "an actor without a role": (b'"actor":"', b'"actor":":'),
    "a key with a space": (b'"command":"', b'"command":" '),
    "an empty key": (b'"command":"s1', b'"command":"","x":"'),
    "schema 2": (b'"schema":1', b'"schema":2'),
    "a link that is none": (b'"prev":"', b'"prev":"x'),
    "an amount of nought": (b'"amount":13828', b'"amount":0'),
    "a negative amount": (b'"amount":13828', b'"amount":-1'),
    "a fractional amount": (b'"amount":13828', b'"amount":13828.0'),
    "an amount as text": (b'"amount":13828', b'"amount":"13828"'),
    "a patron with a capital": (b'"patron":"', b'"patron":"A'),
    "a patron of none": (b'"patron":"77a24c83"', b'"patron":""'),
    "a bet that begins with a digit": (b'"bet":"', b'"bet":"9'),
    "an escaped letter": (b'"bet":"p', b'"bet":"\\u0070'),
    "a line feed in a name": (b'"patron":"', b'"patron":"\\n'),
    "a null": (b'"amount":13828', b'"amount":null'),
    "something behind": (b"}}", b"}}x"),
    "a long name": (b'"patron":"', b'"patron":"' + b"a" * 60),
    "a long bet": (b'"bet":"', b'"bet":"' + b"a" * 40),
    "a stake of nought": (b'"stake":13828', b'"stake":0'),
    "a type of another": (b'"type":"bet-placed"', b'"type":"bet-withdrawn"'),
}


CASES = [
    pytest.param(line.replace(old, new, 1), id=f"{name}: {wrong}")
    for wrong, (old, new) in WRONG.items()
    for name, line in (("bet", BET), ("lines", SOME_LINES_SETTLED))
    if old in line
]


@pytest.mark.parametrize("bad", CASES)
def test_a_wrong_line_is_not_read_in_a_batch(bad: bytes) -> None:
    assert not is_right(bad)
    assert Reader().read([bad]) is None
    assert Reader().read([BET, bad, BET]) is None


def test_two_wrongs_do_not_make_a_right() -> None:
    """Texts are checked joined: a letter that is missing in one and too many in another is missing all the same."""
    short, long = BET.replace(b'{"id":"', b'{"id":"0', 1), BET.replace(BET[7:39], BET[7:38], 1)
    early, late = BET.replace(b'"at":"2026', b'"at":"26', 1), BET.replace(b'Z","actor"', b'Z20","actor"', 1)

    assert Reader().read([BET, BET]) is not None
    assert Reader().read([short, long]) is None
    assert Reader().read([late, early]) is None
    assert Reader().read([BET, b"", BET]) is None
    assert Reader().read([BET + b"\n" + BET]) is None


def test_an_entry_too_long_is_not_read() -> None:
    line = b'{"patron":"77a24c83","bet":"player","stake":13828,"won":13828,"commission":0,"returned":27656},'
    full = SOME_LINES_SETTLED.replace(b'"lines":[', b'"lines":[' + line * 198)
    too_many = SOME_LINES_SETTLED.replace(b'"lines":[', b'"lines":[' + line * 199)

    assert Reader().read([full]) is not None
    assert Reader().read([too_many]) is None
    huge = (
        full.replace(b"77a24c83", b"a" * 64).replace(b'"player"', b'"' + b"b" * 32 + b'"').replace(b"13828", b"9" * 15)
    )
    assert Reader().read([huge[:-2]]) is None
    assert (Reader().read([huge]) is not None) == (len(huge) <= 65_535)


def test_links_that_are_expected_are_not_looked_at_again_and_others_are() -> None:
    prev = BET[BET.index(b'"prev":"') + 8 :][:64].decode()

    assert Reader().read([BET], [prev]) is not None
    assert Reader().read([BET], ["0" * 64]) is not None
    assert Reader().read([BET.replace(prev.encode(), prev.upper().encode())], [prev]) is None


@given(
    line=st.sampled_from([BET, SOME_LINES_SETTLED, *LINES[3:60]]),
    place=st.floats(0, 1),
    other=st.binary(min_size=0, max_size=3),
    width=st.integers(0, 3),
)
@settings(max_examples=500, deadline=None)
def test_whatever_is_changed_both_readings_agree(line: bytes, place: float, other: bytes, width: int) -> None:
    at = int(place * len(line))
    changed = line[:at] + other.replace(b"\n", b"") + line[at + width :]

    assert (Reader().read([changed]) is not None) == is_right(changed)
