"""Lies about a shoe, drawn at random: a stranger changes bytes; the operator changes facts, links and signs again."""

import base64
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from services.house.scribe import bind
from tests.audit.dealt import LOG, Chapter, linked

Entry = dict[str, Any]
MEMBERS = ("entries.jsonl", "last.tlog-proof", "checkpoint", "policy", "manifest.json")
ENDS = ("shoe-closed", "shoe-voided")
WORDS = ("player", "banker", "tie", "left", "draw", "none", "p1", "p4", "p9", "zz", "none", "at-once", "finish", "")
NUMBERS = (0, 1, 2, 3, 5, 7, 10, 14, 100, 500, 501, 10**6, 2**53 - 1)
CARDS = tuple(rank + suit for rank in "A23456789TJQK" for suit in "cdhs")
STRAYS: tuple[Entry, ...] = (
    {"type": "chips-bought", "patron": "p1", "amount": 100, "means": "cash"},
    {"type": "chips-cashed", "patron": "p1", "amount": 100, "means": "cash"},
    {"type": "chips-cashed", "patron": "p2", "amount": 10**9, "means": "cash"},
    {"type": "commission-collected", "patron": "p1", "amount": 1},
    {"type": "commission-waived", "patron": "p2", "amount": 1, "reason": "x", "approved_by": ["pit:a", "pit:b"]},
    {"type": "dealer-changed", "dealer": "dealer:zoe"},
    {"type": "table-suspended", "reason": "x"},
    {"type": "table-resumed"},
    {"type": "round-opened", "shoe": 1, "round": 1},
    {"type": "round-voided", "round": 1, "reason": "x", "approved_by": ["pit:a"]},
    {"type": "round-voided", "round": 1, "reason": "x", "approved_by": []},
    {"type": "settlement-reversed", "round": 1, "reason": "x", "approved_by": ["pit:a", "pit:b"]},
    {"type": "bet-placed", "round": 1, "patron": "p1", "bet": "player", "amount": 500},
    {"type": "bet-withdrawn", "round": 1, "patron": "p1", "bet": "player"},
    {"type": "bets-closed", "round": 1, "count": 0, "digest": sha256(b"").hexdigest()},
    {"type": "card-dealt", "round": 1, "hand": "player", "card": "As", "position": 5, "salt": "0" * 32},
    {"type": "decision-made", "round": 1, "hand": "player", "choice": "draw"},
    {"type": "lines-settled", "round": 1, "lines": []},
    {"type": "round-settled", "round": 1, "player": 1, "banker": 0, "winner": "player", "lines": []},
    {"type": "cards-burned", "shoe": 1, "count": 1, "position": 0, "card": "As", "salt": "0" * 32},
    {"type": "cut-card-reached", "shoe": 1, "position": 45},
    {"type": "entropy-contributed", "shoe": 1, "source": "patron:p1", "value": "00"},
    {"type": "chips-carried", "carried": [{"patron": "zz", "chips": 5, "owed": 0}]},
    {"type": "shoe-frozen", "shoe": 1, "reason": "x"},
    {"type": "shoe-voided", "shoe": 1, "reason": "x", "seed": "00" * 32, "dealt": 0, "burned": 0, "remaining": 52},
    {"type": "table-closed", "float": [], "counted_by": "pit:a", "verified_by": "pit:b"},
    {"type": "account-opened", "currency": "EUR"},
)


def flip_a_bit(bundle: Path, chance: random.Random) -> str:
    """A stranger's lie: one bit of one member is another. Says where."""
    with zipfile.ZipFile(bundle) as archive:
        members = {name: bytearray(archive.read(name)) for name in MEMBERS}
    name = chance.choice([*MEMBERS, "entries.jsonl", "entries.jsonl", "last.tlog-proof"])
    at, bit = chance.randrange(len(members[name])), chance.randrange(8)
    members[name][at] ^= 1 << bit
    with zipfile.ZipFile(bundle, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in members.items():
            archive.writestr(member, bytes(content))
    return f"bit {bit} of byte {at} of {name}"


class Operator:
    """Who owns the log: changes the entries of a chapter, then numbers, links, counts and signs as if nothing were."""

    def __init__(self, chapter: Chapter, chance: random.Random) -> None:
        self.chapter = chapter
        self.chance = chance
        self.entries: list[Entry] = [json.loads(line) for line in chapter.lines]
        self.said: list[str] = []

    def lie(self, path: Path) -> str:
        """Tell one lie, or two; write the bundle and say what was changed."""
        for _ in range(self.chance.choice((1, 1, 1, 2))):
            lie = self.chance.choice(self.lies())
            if all(entry["event"] for entry in self.entries):  # the first lie may have left nothing of an event
                self.said.append(f"{lie.__name__}: {lie()}")
        self.write(path)
        return "; ".join(self.said)

    def lies(self) -> list[Callable[[], str]]:
        """Give all there are, the likely ones more than once."""
        changes = [self.change_a_field] * 8 + [self.change_a_list] * 2 + [self.drop_a_field, self.add_a_field]
        moves = [self.leave_out, self.repeat, self.exchange, self.move, self.insert_a_stray, self.insert_a_stray]
        return [*changes, *moves, self.change_the_envelope, self.swap_two_values, self.cut_the_tail]

    def pick(self) -> int:
        """Choose an entry: first its type, so that rare ones come as often as bets."""
        kind = self.chance.choice(sorted({_type(entry) for entry in self.entries}))
        return self.chance.choice([at for at, entry in enumerate(self.entries) if _type(entry) == kind])

    def change_a_field(self) -> str:
        """Another value somewhere in an event."""
        at = self.pick()
        parent, key = self.chance.choice(list(_places(self.entries[at]["event"])))
        before = parent[key]
        parent[key] = self.another(before)
        return f"{_type(self.entries[at])} at {at}: {key} {before!r:.60} to {parent[key]!r:.60}"

    def another(self, value: Any) -> Any:
        """Give another value of the same kind, mostly."""
        if isinstance(value, bool):
            return not value
        if isinstance(value, int):
            near = [value + 1, abs(value - 1), 2 * value + 2]
            return self.chance.choice([*near, *near, *(number for number in NUMBERS if number != value)][:9])
        if isinstance(value, str):
            return self.another_text(value)
        return self.chance.choice(NUMBERS)

    def another_text(self, text: str) -> str:
        """Give another text that could stand there."""
        if text in CARDS:
            return self.chance.choice([card for card in CARDS if card != text])
        if "/" in text and text.replace("/", "").isdigit():
            return self.chance.choice(["1/1", "2/2", "0/1", "1/20", "9/1", "3/2", "1/0"])
        if len(text) >= 32 and set(text) <= set("0123456789abcdef"):
            at = self.chance.randrange(len(text))
            return text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1 :]
        if len(text) > 300:
            raw = bytearray(base64.b64decode(text))
            raw[self.chance.randrange(len(raw))] ^= 1
            return base64.b64encode(raw).decode()
        others = {*WORDS, *_texts(self.entries[: 1 + self.pick()][-1]["event"])} - {text}
        return self.chance.choice(sorted(others))

    def change_a_list(self) -> str:
        """A list turned round, shortened, or with an item twice."""
        lists = [(at, held) for at, entry in enumerate(self.entries) for held in _lists(entry["event"]) if held]
        at, held = self.chance.choice(lists)
        place = self.chance.randrange(len(held))
        how = self.chance.choice(("reverse", "shorten", "repeat"))
        if how == "reverse":
            held.reverse()
        elif how == "shorten":
            held.pop(place)
        else:
            held.insert(place, deepcopy(held[place]))
        return f"{how} in {_type(self.entries[at])} at {at}"

    def drop_a_field(self) -> str:
        """A field less."""
        event = self.entries[at := self.pick()]["event"]
        key = self.chance.choice(list(event))
        del event[key]
        return f"{event.get('type')} at {at}: {key}"

    def add_a_field(self) -> str:
        """A field more, most often one that belongs to some other event."""
        event = self.entries[at := self.pick()]["event"]
        key, value = self.chance.choice(
            [("free", True), ("marked", 0), ("note", "x"), ("salt", "0" * 32), ("position", 3)]
        )
        event[key] = value
        return f"{_type(self.entries[at])} at {at}: {key}"

    def leave_out(self) -> str:
        """An entry less."""
        at = self.pick()
        return _type(self.entries.pop(at)) if len(self.entries) > 1 else ""

    def repeat(self) -> str:
        """An entry told twice, the second time under another id."""
        twin = deepcopy(self.entries[at := self.pick()])
        twin["id"] = sha256(twin["id"].encode()).hexdigest()[:32]
        self.entries.insert(at + self.chance.choice((1, 1, 2, 5)), twin)
        return f"{_type(twin)} at {at}"

    def exchange(self) -> str:
        """Two neighbours in the other order."""
        at = min(self.pick(), len(self.entries) - 2)
        self.entries[at : at + 2] = self.entries[at : at + 2][::-1]
        return f"{[_type(entry) for entry in self.entries[at : at + 2]]} at {at}"

    def move(self) -> str:
        """An entry somewhere else."""
        entry = self.entries.pop(at := self.pick())
        to = self.chance.randrange(len(self.entries) + 1)
        self.entries.insert(to, entry)
        return f"{_type(entry)} from {at} to {to}"

    def insert_a_stray(self) -> str:
        """Something that did not happen, with the numbers of what did."""
        at = self.chance.randrange(1, len(self.entries) + 1)
        event = deepcopy(self.chance.choice(STRAYS))
        before = [entry["event"] for entry in self.entries[:at]]
        for key in ("shoe", "round"):
            if key in event:
                event[key] = next((said[key] for said in reversed(before) if key in said), 1)
        command = self.chance.choice([self.entries[at - 1]["command"], "stray"])
        stray = self.entries[at - 1] | {"id": sha256(b"%d" % at).hexdigest()[:32], "command": command, "event": event}
        self.entries.insert(at, stray)
        return f"{event['type']} at {at}, command {command}"

    def change_the_envelope(self) -> str:
        """Another id, stream, time, actor, command or schema."""
        entry = self.entries[at := self.pick()]
        key, value = self.chance.choice(
            [
                ("id", "A" * 32),
                ("stream", "table/b2"),
                ("stream", "log"),
                ("at", "2026-11-30T09:59:59.000000Z"),
                ("at", "2026-13-30T10:00:00.000000Z"),
                ("actor", "patron:p1"),
                ("actor", "nobody"),
                ("command", "another"),
                ("command", self.entries[self.pick()]["command"]),
                ("schema", 2),
                ("schema", 0),
            ]
        )
        entry[key] = value
        return f"{key} {value} at {at}"

    def swap_two_values(self) -> str:
        """Two entries of one type trade a field: each by itself looks right."""
        at = self.pick()
        kind = _type(self.entries[at])
        other = self.chance.choice([place for place, entry in enumerate(self.entries) if _type(entry) == kind])
        one, two = self.entries[at]["event"], self.entries[other]["event"]
        key = self.chance.choice(sorted(one.keys() & two.keys()))
        one[key], two[key] = two[key], one[key]
        return f"{key} of {kind} at {at} and {other}"

    def cut_the_tail(self) -> str:
        """The end has not happened yet."""
        keep = self.chance.randrange(1, len(self.entries) + 1)
        del self.entries[keep:]
        return f"after {keep}"

    def write(self, path: Path) -> None:
        """Seal what is told now, digests and counts of bets as they then are, and bind it with a matching manifest."""
        lines = linked(self.entries, self.chapter.before, mends=self.chance.random() < 0.8)
        last = _type(self.entries[-1])
        manifest = replace(
            self.chapter.manifest,
            last_version=len(self.chapter.before) + len(lines),
            entries=len(lines),
            complete=last in ENDS,
        )
        bind(path, lines, signer=LOG, manifest=manifest, others=(self.chapter.before, ()))


def _type(entry: Entry) -> str:
    return str(entry["event"].get("type"))


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Give every place of a tree that holds a plain value."""
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in pairs:
        if isinstance(value, dict | list):
            yield from _places(value)
        else:
            yield tree, key


def _texts(tree: Any) -> Iterator[str]:
    yield from (parent[key] for parent, key in _places(tree) if isinstance(parent[key], str))


def _lists(tree: Any) -> Iterator[list[Any]]:
    for value in tree.values() if isinstance(tree, dict) else tree:
        if isinstance(value, list):
            yield value
        if isinstance(value, dict | list):
            yield from _lists(value)
