"""Rules, limits and ingredients that make no sense, or hardly any: both verifiers say the same of each."""

import json
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from schemas.ingredient import final_message
from services.house.scribe import bind
from services.table.game.shoe import derive, mix, seed_commitment
from tests.audit.both import TRUST, differences, shoes_of
from tests.audit.dealt import LOG, REGULATOR, Chapter, linked
from tests.audit.page.node import NEEDS_NODE

pytestmark = NEEDS_NODE
Entry = dict[str, Any]
Change = Callable[[Entry], object]
RATIOS: tuple[str, ...] = (
    "1/1",
    "0/1",
    "0/2",
    "2/4",
    "1/0",
    "01/1",
    "1",
    "",
    "-1/1",
    "9007199254740991/1",
    "9007199254740992/1",
)
RATIOS += ("1/9007199254740992", "999999999999999/1", "1/2", "3/4", "1/20", "1/3", "1.5/1", " 1/1", "0/0", "5/5")
VALUES: tuple[Any, ...] = (
    "player",
    "none",
    "both",
    "suited",
    "alike",
    "mixed",
    "",
    0,
    1,
    2,
    4,
    9,
    10,
    -1,
    2**53 - 1,
    2**53,
)
VALUES += (
    ["player"],
    ["player", "player"],
    [],
    ["player", "tie", "banker"],
    [8, 9],
    [8, 8],
    [["player"]],
    True,
    {},
    "9",
    [1, "1"],
)
FACTS: tuple[str, ...] = (
    "winner",
    "player",
    "banker_cards",
    "cards",
    "margin",
    "natural",
    "player_pair",
    "pairs",
    "right_winner",
    "left_winner",
)
FACTS += ("Winner", "constructor", "__proto__", "1")


def merged(path: tuple[str | int, ...], fields: Entry) -> Change:
    """Let a part of the event have these fields, too, or otherwise."""

    def change(entry: Entry) -> None:
        part: Any = entry["event"]
        for step in path:
            part = part[step]
        part.update(fields)

    return change


def without(*path: str) -> Change:
    """Leave a field out."""

    def change(entry: Entry) -> None:
        part: Any = entry["event"]
        for step in path[:-1]:
            part = part[step]
        del part[path[-1]]

    return change


def rung(at: int, told: Entry) -> Change:
    """Put a rung into the ladder of the tie."""

    def change(entry: Entry) -> None:
        entry["event"]["rules"]["bets"]["tie"]["ladder"].insert(at, told)

    return change


def renamed(bet: str) -> Change:
    """Give a bet another name in the rules, while its stakes and lines keep the old one."""

    def change(entry: Entry) -> None:
        rules = entry["event"]["rules"]
        rules["bets"] = {f"{name}s" if name == bet else name: told for name, told in rules["bets"].items()}

    return change


def ordered(path: tuple[str, ...], fields: Entry, keys: str) -> Change:
    """Let a part have these fields, and its keys stand in this order."""

    def change(entry: Entry) -> None:
        merged(path, fields)(entry)
        part: Any = entry["event"]
        for step in path:
            part = part[step]
        told = {key: part[key] for key in keys.split() if key in part}
        part.clear()
        part.update(told)

    return change


def changes() -> Iterator[Change]:
    """Every oddity of rules and limits, in the entry that begins a shoe."""
    yield from of_the_bets()
    yield from of_the_limits()
    yield from of_the_commission()
    for cut in (0, 5, 6, 39, 40, 41, 600, 2**53 - 1):
        yield merged(("rules", "procedure"), {"cut": cut})
    for decks in (0, 1, 2, 12, 13):
        yield merged(("rules", "procedure"), {"decks": decks})
        yield merged((), {"decks": decks})
    for seats in (0, 1, 64, 65):
        yield ordered(("rules",), {"seats": seats}, "name version game seats procedure winnings commission bets")
    yield merged(("rules",), {"bets": {}})
    yield merged(("rules",), {"game": "faro"})
    yield merged(("rules",), {"version": 0})


def of_the_commission() -> Iterator[Change]:
    """How commission is rounded, at which rates."""
    roundings = (("floor", 3), ("half-up", 1), ("half-up", 25), ("half-even", 2**53 - 1), ("ceiling", 1), ("floor", 0))
    for (mode, unit), rate in product(roundings, ("1/20", "1/2", "2/3")):
        rounded = merged(("rules", "commission"), {"mode": mode, "unit": unit})
        yield each(rounded, merged(("rules", "bets", "banker"), {"commission": rate}))
    yield without("rules", "commission")
    yield without("rules", "bets", "banker", "commission")


def each(*changes: Change) -> Change:
    """Make several changes."""

    def change(entry: Entry) -> None:
        for one in changes:
            one(entry)

    return change


def of_the_bets() -> Iterator[Change]:
    """Names, rates, ladders and needs."""
    yield from (renamed(bet) for bet in ("player", "banker", "tie"))
    for ratio in RATIOS:
        yield merged(("rules", "bets", "banker"), {"commission": ratio})
        yield merged(("rules", "bets", "player", "ladder", 0), {"pays": ratio})
    for fact, value in (*product(FACTS[:2], VALUES), *product(FACTS, VALUES[::5])):
        yield rung(0, {fact: value, "pays": "3/1"})
    odd: tuple[Entry, ...] = (
        {},
        {"pays": 1},
        {"pays": ["1/1"]},
        {"pays": "1/1", "winner": "player"},
        {"winner": "tie"},
    )
    for told in odd:
        yield rung(99, told)
    wanted: tuple[Any, ...] = (
        [],
        ["tie"],
        ["player", "player"],
        ["nowhere"],
        ["player", "banker"],
        ["constructor"],
        "x",
    )
    for needs in wanted:
        yield ordered(("rules", "bets", "tie"), {"needs": needs}, "commission needs ladder")


def of_the_limits() -> Iterator[Change]:
    """Spans and bounds."""
    for low, high in ((5, 4), (0, 4), (1, 2**53), (1, 2**53 - 1)):
        for bet in ("player", "nowhere"):
            yield merged(("limits", "bets"), {bet: {"min": low, "max": high}})
    for bound, most in product(("patron", "table", "differential"), (0, 1, 500, 2**53 - 1)):
        yield ordered(("limits",), {bound: most}, "bets patron table differential")
    yield merged(("limits",), {"bets": {}})
    yield merged(("limits", "bets"), {"player": {"min": 1}})


@pytest.fixture(scope="module")
def shoe() -> Chapter:
    """A short shoe, over."""
    return next(shoe for shoe in shoes_of("punto-banco", 4) if shoe.is_complete)


def bound(path: Path, shoe: Chapter, entries: list[Entry]) -> Path:
    """Link, count and sign again."""
    lines = linked(entries, shoe.before)
    is_over = entries[-1]["event"]["type"] == "shoe-closed"
    manifest = replace(shoe.manifest, entries=len(lines), last_version=len(shoe.before) + len(lines), complete=is_over)
    bind(path, lines, signer=LOG, manifest=manifest, others=(shoe.before, ()))
    return path


def test_both_say_the_same_of_odd_rules_and_limits(shoe: Chapter, tmp_path: Path) -> None:
    files = []
    for number, change in enumerate(changes()):
        entries = [json.loads(line) for line in shoe.lines]
        change(entries[0])
        files.append(bound(tmp_path / f"{number}.zip", shoe, entries))

    found = list(differences(files, *TRUST))

    assert not found, "\n".join(f"{what}" for what in found[:40])


SIGNER = f"signer:{REGULATOR.verifier.name}"
FINALS: tuple[str, ...] = (
    "none",
    f"signer:{REGULATOR.verifier.vkey}",
    f"signer:{LOG.verifier.vkey}",
    "drand:" + "ab" * 32 + ":7",
)
FINALS += (
    f"signer:{REGULATOR.verifier.name}+00000000+{'A' * 44}",
    f"signer:x+{REGULATOR.verifier.vkey.split('+')[1]}+{'B' * 43}=",
)
TRUE = "true"
GIVEN = (
    (),
    ((SIGNER, TRUE),),
    ((SIGNER, "00" * 64),),
    ((SIGNER, "00" * 63),),
    ((SIGNER, TRUE), ("patron:p1", "00")),
    ((SIGNER, TRUE), (SIGNER, TRUE)),
    ((SIGNER, "00" * 64), (SIGNER, TRUE)),
    (("patron:p1", "ab" * 256), (SIGNER, TRUE)),
    (("signer:somebody.example/else", "00" * 64), (SIGNER, TRUE)),
    (("signer:somebody.example/else", "00" * 64),),
    (("drand:" + "ab" * 32 + ":7", "00" * 48),),
    (("drand:" + "ab" * 32 + ":8", "00" * 48),),
    ((f"signer:{LOG.verifier.name}", TRUE),),
    (("staff:max", "ff"), ("patron:p1", "00")),
    (("signer:caf\u00e9", "00" * 64),),
)


def ingredients(shoe: Chapter, final: str, given: tuple[tuple[str, str], ...], *, keep: int) -> list[Entry]:
    """A shoe with these ingredients, sealed anew as the operator does, and cut behind so many entries."""
    entries = [json.loads(line) for line in shoe.lines if b'"type":"entropy-contributed"' not in line]
    name, seed = "b1/1", bytes(32)
    commitment = seed_commitment(name, seed)
    entries[0]["event"] |= {"seed_commitment": commitment.hex(), "final_source": final}
    told: list[tuple[str, bytes]] = []
    for source, value in given:
        message = final_message(name, commitment, mix(told))
        told.append((source, REGULATOR.sign_bytes(message) if value == TRUE else bytes.fromhex(value)))
    more = [
        entries[0]
        | {"id": f"{n:032x}", "event": {"type": "entropy-contributed", "shoe": 1, "source": s, "value": v.hex()}}
        for n, (s, v) in enumerate(told)
    ]
    at = next(n for n, entry in enumerate(entries) if entry["event"]["type"] == "shoe-shuffled")
    if all(source.isascii() for source, _ in told):
        made = derive(seed=seed, shoe_id=name, decks=1, mix=mix(told))
        entries[at]["event"] |= {"mix": mix(told).hex(), "root": made.root.hex()}
    return [*entries[:at], *more, *entries[at:]][: at + len(more) + keep]


def test_both_say_the_same_of_every_last_ingredient(shoe: Chapter, tmp_path: Path) -> None:
    files: list[Path] = []
    for final in FINALS:
        for given in GIVEN:
            for keep in (0, 1, 1000):
                entries = ingredients(shoe, final, given, keep=keep)
                files.append(bound(tmp_path / f"{len(files)}.zip", shoe, entries))

    found = list(differences(files, *TRUST)) + list(differences(files[:60], *TRUST[:2]))

    assert not found, "\n".join(f"{what}" for what in found[:40])
