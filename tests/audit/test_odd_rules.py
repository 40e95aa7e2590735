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
RATIOS = ("1/1", "0/1", "0/2", "2/4", "1/0", "01/1", "1", "", "-1/1", "9007199254740991/1", "9007199254740992/1")
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
FACTS = (
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


def rules_of(entry: Entry) -> Any:
    return entry["event"]["rules"]


def changes() -> Iterator[Change]:
    """Every oddity of rules and limits, in the entry that begins a shoe."""
    yield from of_the_bets()
    yield from of_the_limits()
    for mode, unit in (
        ("floor", 3),
        ("half-up", 1),
        ("half-up", 25),
        ("half-even", 2**53 - 1),
        ("ceiling", 1),
        ("floor", 0),
    ):
        for rate in ("1/20", "1/2", "2/3"):
            yield lambda e, m=mode, u=unit, r=rate: _collecting(rules_of(e), m, u, r)
    yield lambda e: rules_of(e).pop("commission")
    yield lambda e: rules_of(e)["bets"]["banker"].pop("commission")
    for cut in (0, 5, 6, 39, 40, 41, 600, 2**53 - 1):
        yield lambda e, c=cut: rules_of(e)["procedure"].update(cut=c)
    for decks in (0, 1, 2, 12, 13):
        yield lambda e, d=decks: rules_of(e)["procedure"].update(decks=d)
        yield lambda e, d=decks: e["event"].update(decks=d)
    for seats in (0, 1, 64, 65):
        yield lambda e, s=seats: e["event"].update(rules=_seated(rules_of(e), s))
    yield lambda e: rules_of(e).update(bets={})
    yield lambda e: rules_of(e).update(game="chemin-de-fer")
    yield lambda e: rules_of(e).update(version=0)


def of_the_bets() -> Iterator[Change]:
    """Rates, ladders and needs."""
    for ratio in RATIOS:
        yield lambda e, r=ratio: rules_of(e)["bets"]["banker"].update(commission=r)
        yield lambda e, r=ratio: rules_of(e)["bets"]["player"]["ladder"][0].update(pays=r)
    for fact, value in (*product(FACTS[:2], VALUES), *product(FACTS, VALUES[::5])):
        yield lambda e, f=fact, v=value: rules_of(e)["bets"]["tie"]["ladder"].insert(0, {f: v, "pays": "3/1"})
    for rung in ({}, {"pays": 1}, {"pays": ["1/1"]}, {"pays": "1/1", "winner": "player"}, {"winner": "player"}):
        yield lambda e, r=rung: rules_of(e)["bets"]["tie"]["ladder"].append(r)
    for needs in ([], ["tie"], ["player", "player"], ["nowhere"], ["player", "banker"], ["constructor"], "player"):
        yield lambda e, n=needs: _needing(rules_of(e)["bets"]["tie"], n)


def of_the_limits() -> Iterator[Change]:
    """Spans and bounds."""
    for low, high in ((5, 4), (0, 4), (1, 2**53), (1, 2**53 - 1)):
        yield lambda e, s=(low, high): e["event"]["limits"]["bets"].update(player={"min": s[0], "max": s[1]})
        yield lambda e, s=(low, high): e["event"]["limits"]["bets"].update(nowhere={"min": s[0], "max": s[1]})
    for bound, most in product(("patron", "table", "differential"), (0, 1, 500, 2**53 - 1)):
        yield lambda e, b=bound, m=most: _bounded(e["event"], b, m)
    yield lambda e: e["event"]["limits"].update(bets={})
    yield lambda e: e["event"]["limits"]["bets"].update(player={"min": 1})


def _needing(bet: Entry, needs: Any) -> None:
    ladder = bet.pop("ladder")
    bet.update(needs=needs, ladder=ladder)


def _collecting(rules: Entry, mode: str, unit: int, rate: str) -> None:
    rules["commission"].update(mode=mode, unit=unit)
    ladder = rules["bets"]["banker"].pop("ladder")
    rules["bets"]["banker"].update(commission=rate, ladder=ladder)


def _seated(rules: Entry, seats: int) -> Entry:
    told = {}
    for key, value in rules.items():
        told[key] = value
        if key == "game":
            told["seats"] = seats
    return told


def _bounded(event: Entry, bound: str, most: int) -> None:
    limits = event["limits"] | {bound: most}
    event["limits"] = {key: limits[key] for key in ("bets", "patron", "table", "differential") if key in limits}


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
FINALS = ("none", f"signer:{REGULATOR.verifier.vkey}", f"signer:{LOG.verifier.vkey}", "drand:" + "ab" * 32 + ":7")
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
    files = []
    for final in FINALS:
        for given in GIVEN:
            for keep in (0, 1, 1000):
                entries = ingredients(shoe, final, given, keep=keep)
                files.append(bound(tmp_path / f"{len(files)}.zip", shoe, entries))

    found = list(differences(files, *TRUST)) + list(differences(files[:60], *TRUST[:2]))

    assert not found, "\n".join(f"{what}" for what in found[:40])
