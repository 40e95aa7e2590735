"""One line of the log: there is one way to write it, and every other is refused with the reason."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import entry
from schemas.events import BetPlaced, TableOpened, TableSuspended
from schemas.rules import Rules

GOLDEN = Path(__file__).parents[2] / "schemas" / "golden"
LINE = (GOLDEN / "bet-placed-1.json").read_bytes()
OPENED = (GOLDEN / "table-opened-1.json").read_bytes()
FIELDS = json.loads(LINE)


def with_event(event: str) -> bytes:
    """The golden line with another event, written as given."""
    return LINE[: LINE.index(b'"event":') + 8] + event.encode() + b"}"


def with_field(name: str, value: object) -> bytes:
    """The golden line with one field of its envelope changed, else written the one way."""
    return json.dumps(FIELDS | {name: value}, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (LINE.replace(b'"actor"', b'"at":"x","actor"'), "the key 'at' stands twice"),
        (LINE.replace(b'"amount":500', b'"amount":400,"amount":500'), "the key 'amount' stands twice"),
        (LINE.replace(b'{"type"', b'{ "type"'), "not written the one way"),
        (b" " + LINE, "not written the one way"),
        (LINE + b" ", "not written the one way"),
        (LINE + b"\n", "not written the one way"),
        (LINE + LINE, "not the JSON of an entry"),
        (LINE[:-1], "not the JSON of an entry"),
        (b"", "not the JSON of an entry"),
        (b"\xef\xbb\xbf" + LINE, "not the JSON of an entry"),
        (LINE.decode().encode("utf-16"), "not the JSON of an entry"),
        (LINE.replace(b":500}", b":500.0}"), "500.0 is not an integer"),
        (LINE.replace(b":500}", b":5e2}"), "5e2 is not an integer"),
        (LINE.replace(b":500}", b":NaN}"), "NaN is not an integer"),
        (LINE.replace(b":500}", b":null}"), "null is not allowed"),
        (LINE.replace(b":500}", b":0500}"), "not the JSON of an entry"),
        (LINE.replace(b":500}", b":-0}"), "not written the one way"),
        (LINE.replace(b":500}", b":9007199254740992}"), "larger than 2^53-1"),
        (LINE.replace(b":500}", b":%s}" % (b"9" * 5000)), "larger than 2^53-1"),
        (LINE.replace(b"banker", b"bank\\u0065r"), "not written the one way"),
        (LINE.replace(b"banker", b"\\ud800"), "not the JSON of an entry"),
        (LINE.replace(b"banker", b"\xff"), "not the JSON of an entry"),
        (LINE.replace(b"banker", b"\xed\xa0\x80"), "not the JSON of an entry"),
        (LINE.replace(b"banker", b"a\tb"), "not the JSON of an entry"),
        (b"[" * 30_000, "nested more than 64 deep"),
        (b'{"a":' * 12_000 + b"1" + b"}" * 5_000, "nested more than 64 deep"),
        (b"x" * 65_536, "at most 65535 bytes"),
        (b"7", "Expected `object`"),
        (b"{}", "missing required field"),
    ],
)
def test_a_line_written_another_way_is_unreadable(line: bytes, why: str) -> None:
    assert line != LINE

    with pytest.raises(entry.UnreadableError, match=re.escape(why)) as refused:
        entry.decode(line)
    assert not refused.value.unknown_schema


@pytest.mark.parametrize(
    "event",
    [
        '{"type":"bet-placed","round":1,"patron":"56778cb8","bet":"banker"}',
        '{"type":"bet-placed","round":1,"patron":"56778cb8","bet":"banker","amount":500,"tip":1}',
        '{"type":"bet-placed","round":1,"patron":"56778cb8","bet":"banker","amount":"500"}',
        '{"type":"bet-placed","round":1,"patron":"56778cb8","bet":"banker","amount":0}',
        '{"type":"bet-placed","round":1,"patron":"56778cb8","bet":"banker","amount":-5}',
        '{"type":"bet-placed","round":1,"patron":"56778cb8","bet":"banker","amount":true}',
        '{"type":"bet-placed","round":1,"patron":"56778cb8\\n","bet":"banker","amount":500}',
        '{"type":"bet-placed","round":1,"patron":"56778cb8","bet":"banker\\n","amount":500}',
        '{"type":"table-suspended","reason":"fire-alarm\\n"}',
        '{"type":"table-suspended","reason":"Fire alarm"}',
        '{"type":"card-dealt","round":1,"hand":"player","card":"1c"}',
        '{"type":"card-dealt","round":1,"hand":"player","card":"Ac\\n"}',
        '{"type":"card-dealt","round":1,"hand":"dealer","card":"Ac"}',
        '{"type":"round-opened","shoe":1,"round":1,"free":false}',
        '{"type":"shoe-frozen","shoe":0,"reason":"x"}',
        '{"type":"bet-changed","round":1}',
        '{"round":1}',
        "[]",
    ],
)
def test_an_event_of_another_shape_is_unreadable(event: str) -> None:
    with pytest.raises(entry.UnreadableError) as refused:
        entry.decode(with_event(event))
    assert not refused.value.unknown_schema


@pytest.mark.parametrize(
    "event",
    [
        '{"round":1,"type":"bet-placed","patron":"56778cb8","bet":"banker","amount":500}',
        '{"type":"bet-placed","patron":"56778cb8","round":1,"bet":"banker","amount":500}',
    ],
)
def test_the_keys_of_an_event_stand_in_the_order_of_its_schema(event: str) -> None:
    with pytest.raises(entry.UnreadableError):
        entry.decode(with_event(event))


def test_the_keys_of_an_entry_stand_in_order() -> None:
    moved = {"stream": FIELDS["stream"], **FIELDS}

    with pytest.raises(entry.UnreadableError, match="the order of their schema"):
        entry.decode(json.dumps(moved, separators=(",", ":")).encode())


@pytest.mark.parametrize("integer", [2**53, 2**64, -1])
def test_a_fact_in_a_rule_is_a_number_that_everybody_can_hold(integer: int) -> None:
    line = OPENED.replace(b'"banker":7', b'"banker":%d' % integer)

    with pytest.raises(entry.UnreadableError):
        entry.decode(line)


def test_a_schema_that_is_newer_than_the_reader_is_told_apart() -> None:
    newer = with_field("schema", 2).replace(b'"bet-placed"', b'"bet-hinted"')

    with pytest.raises(entry.UnreadableError) as refused:
        entry.decode(newer)
    assert refused.value.unknown_schema


def test_a_newer_schema_does_not_excuse_other_bytes() -> None:
    with pytest.raises(entry.UnreadableError, match="stands twice") as refused:
        entry.decode(with_field("schema", 2).replace(b'"round"', b'"round":1,"round"'))
    assert not refused.value.unknown_schema


@pytest.mark.parametrize(
    "at", ["2026-02-30T10:00:00.000000Z", "2026-11-30T24:00:01.000000Z", "0000-01-01T00:00:00.000000Z"]
)
def test_a_time_that_no_calendar_has_is_unreadable(at: str) -> None:
    with pytest.raises(entry.UnreadableError, match="is no time"):
        entry.decode(with_field("at", at))


def test_an_entry_has_at_most_65_535_bytes() -> None:
    spare = entry.MAX_BYTES - len(OPENED)
    longest = OPENED.replace(b'"pays":"40/1"', b'"pays":"40/1","note":"%s"' % (b"x" * (spare - len(',"note":""'))))
    assert len(longest) == entry.MAX_BYTES

    assert entry.encode(entry.decode(longest)) == longest
    with pytest.raises(entry.UnreadableError, match="at most 65535 bytes long, this one is 65536"):
        entry.decode(longest.replace(b'"note":"', b'"note":"x'))
    with pytest.raises(ValueError, match="at most 65535 bytes"):
        entry.encode(msgspec.structs.replace(entry.decode(longest), command="golden.table-opened~10"))


def test_a_leaf_is_the_hash_of_a_zero_byte_and_the_line() -> None:
    assert entry.leaf(b"").hex() == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d"


titles = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=64)


@given(title=titles)
def test_whatever_a_table_is_called_is_written_the_one_way_and_read_again(title: str) -> None:
    opened = entry.decode(OPENED)
    assert isinstance(opened.event, TableOpened)
    renamed = msgspec.structs.replace(opened, event=msgspec.structs.replace(opened.event, name=title))

    line = entry.encode(renamed)

    entry.check_bytes(line)
    assert entry.decode(line) == renamed


events = st.one_of(
    st.builds(
        BetPlaced,
        round=st.integers(1, 2**53 - 1),
        patron=st.from_regex(r"[a-z0-9-]{1,64}", fullmatch=True),
        bet=st.from_regex(r"[a-z][a-z0-9-]{0,31}", fullmatch=True),
        amount=st.integers(1, 2**53 - 1),
    ),
    st.builds(TableSuspended, reason=st.from_regex(r"[a-z0-9-]{1,64}", fullmatch=True)),
)


@given(
    made=st.builds(
        entry.Entry,
        id=st.from_regex(r"[0-9a-f]{32}", fullmatch=True),
        stream=st.from_regex(r"log|(table|patron)/[a-z0-9-]{1,64}", fullmatch=True),
        version=st.integers(1, 2**53 - 1),
        at=st.datetimes().map(lambda at: at.isoformat(timespec="microseconds") + "Z"),
        actor=st.from_regex(r"[a-z-]{1,32}:[a-z0-9-]{1,64}", fullmatch=True),
        command=st.from_regex(r"[A-Za-z0-9._~-]{1,64}", fullmatch=True),
        schema=st.just(1),
        prev=st.from_regex(r"[0-9a-f]{64}", fullmatch=True),
        event=events,
    )
)
def test_every_entry_that_can_be_made_reads_as_itself(made: entry.Entry) -> None:
    line = entry.encode(made)

    entry.check_bytes(line)
    assert entry.decode(line) == made


JSON = st.recursive(
    st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
    max_leaves=20,
)


@given(value=JSON)
def test_the_one_way_to_write_is_the_same_for_two_writers(value: object) -> None:
    entry.check_bytes(msgspec.json.encode(value))


@given(cut=st.integers(0, len(LINE) - 1), byte=st.integers(0, 255))
def test_a_line_with_one_byte_changed_is_read_as_written_or_not_at_all(cut: int, byte: int) -> None:
    line = LINE[:cut] + bytes([byte]) + LINE[cut + 1 :]

    try:
        read = entry.decode(line)
    except entry.UnreadableError:
        return
    assert entry.encode(read) == line


# The head of a line is read by one pattern, what it means is said by the struct: whatever is near the border of a
# field must be on the same side for both.
EDGES: dict[str, list[object]] = {
    "id": ["0" * 32, "0" * 31, "0" * 33, "A" * 32, "g" * 32, "0" * 32 + "\n", 0],
    "stream": [
        "log",
        "logs",
        "log\n",
        "log/1",
        "table/b1",
        "table/",
        "table/B1",
        "table/" + "x" * 64,
        "table/" + "x" * 65,
        "patron/-",
        "patron/é",
        "cage/b1",
        "table/b1\n",
    ],
    "version": [1, 0, -1, 2**53 - 1, 2**53, 10**16, 10**17, "1", True, 1.0],
    "at": ["2026-11-30T10:00:00.000000Z", "2026-11-30T10:00:00.00000Z", "2026-11-30T10:00:00.000000", "2026-11-30"],
    "actor": ["a:1", ":1", "a:", "A:1", "a1:1", "a" * 32 + ":1", "a" * 33 + ":1", "a:" + "1" * 65, "a:1:1", "a:1\n"],
    "command": ["x", "", "x" * 64, "x" * 65, "a.B_c~-", "a+b", "a b", 'a"b', "x\n", "é"],
    "schema": [1, 0, True, "1", 1.0],
    "prev": ["0" * 64, "0" * 63, "0" * 65, "F" * 64, "0" * 64 + "\n"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in EDGES.items() for value in values])
def test_the_pattern_of_a_head_and_the_struct_agree(name: str, value: object) -> None:
    line = with_field(name, value)
    try:
        entry.check_bytes(line)
        by_struct: entry.Entry | None = msgspec.json.decode(line, type=entry.Entry)
    except (entry.UnreadableError, msgspec.ValidationError):
        by_struct = None

    try:
        by_pattern: entry.Entry | None = entry.decode(line)
    except entry.UnreadableError:
        by_pattern = None

    assert by_pattern == by_struct


def test_rules_are_logged_whole_and_in_order() -> None:
    read = entry.decode(OPENED)
    assert isinstance(read.event, TableOpened)

    rules = read.event.rules

    assert isinstance(rules, Rules)
    assert list(rules.bets) == ["player", "banker", "tie", "dragon-7"]
    assert rules.bets["dragon-7"].ladder[0] == {"winner": "banker", "banker": 7, "banker_cards": 3, "pays": "40/1"}


@given(st.lists(st.integers(0, 3 * entry.MAX_BYTES // 2), max_size=6), st.booleans())
def test_a_line_too_long_to_be_an_entry_is_found_wherever_it_stands(lengths: list[int], is_ended: bool) -> None:  # noqa: FBT001
    text = b"\n".join(b"x" * length for length in lengths) + b"\n" * is_ended

    assert entry.has_long_line(text) == any(length > entry.MAX_BYTES for length in lengths)


@pytest.mark.parametrize("others", [b"", b"x\n" * 9, b"x" * entry.MAX_BYTES + b"\n"])
def test_a_line_as_long_as_an_entry_may_be_is_not_too_long(others: bytes) -> None:
    line = b"x" * entry.MAX_BYTES

    assert not entry.has_long_line(others + line)
    assert not entry.has_long_line(others + line + b"\n" + others)
    assert entry.has_long_line(others + line + b"x\n" + others)
