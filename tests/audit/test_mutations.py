"""Every field of every kind of entry, changed by the operator, who seals and signs again: found, or told why not."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from schemas.events import AnyEvent, RoundVoided
from services.audit.verdict import judge
from services.house.scribe import Fact
from services.table.game.cards import CARDS
from tests.audit import tapes
from tests.audit.tapes import Tape
from tests.audit.test_tapes import PARIS, TRUST, failed

A_WORD = "a word, an actor or a name that nothing in a shoe's own log follows from"
OUTSIDE = "its truth lies outside the shoe: in the cage, or in what went before; the whole log and the ledger tell"
WIDER = "limits and rules are as good as any others while every bet of the shoe keeps to them"
SAME = "the settlement under it is the same, or nobody bet on it"
# Kind and path (regular expressions), and the reason why nobody can tell from the bundle alone.
UNTOLD = {
    r"shoe-committed limits\..*|limits-changed limits\..*": WIDER,
    r"shoe-committed rules\.(name|version|seats)": A_WORD,
    r"shoe-committed rules\.bets\.(tie|player-pair|banker-pair|player-dragon-bonus)\..*": SAME,
    r"shoe-committed rules\.bets\.(player|banker)\.ladder\[1\]\..*": SAME,
    r"shoe-committed rules\.winnings\..*|shoe-committed rules\.commission\.mode": SAME,
    r"shoe-committed (currency|carried.*)": OUTSIDE,
    r"a crowd: chips-carried carried.*": OUTSIDE,
    r"chips-(bought|cashed) .*": OUTSIDE,
    r".*commission-(collected|waived) (amount|patron)": OUTSIDE,
    r"chips-(filled|credited) (slip|.*_by)": A_WORD,
    r".*(round-voided|settlement-reversed|commission-waived) approved_by\[.*": A_WORD,
    r".*dealer-changed dealer": A_WORD,
    r".* reason": A_WORD,
    r"[a-z ]+: shoe-committed (rules|limits|currency|carried).*": "short shoes do not bring every rule into play",
    r".*void bet-placed (bet|amount)": "a coup voided before the last call returns whatever was staked",
    r"scanned: (card-dealt|cards-burned) card": "whether a scanner read a real card right, its log cannot tell",
}
WORDS = {
    **dict.fromkeys(("player", "banker", "tie"), ("player", "banker", "tie")),
    **dict.fromkeys(("cash", "voucher", "marker", "account"), ("cash", "voucher", "marker", "account")),
    **dict.fromkeys(("floor", "half-up", "half-even"), ("floor", "half-up", "half-even")),
    **dict.fromkeys(("one", "first-card", "decks"), ("none", "one", "first-card", "decks")),
    **dict.fromkeys(("finish", "one-more"), ("finish", "one-more")),
    **dict.fromkeys(("at-once", "marked"), ("at-once", "marked")),
}
A_FEW = 2


# What the other tapes have that the evening's has not, or has in another way.
ELSEWHERE = {
    "at once": ("round-settled", "cards-burned", "cut-card-reached"),
    "frozen": ("shoe-frozen", "round-voided", "shoe-voided"),
    "a crowd": ("chips-carried", "lines-settled", "round-settled"),
    "scanned": ("shoe-committed", "cards-burned", "card-dealt", "cut-card-reached", "shoe-closed"),
    "signed last": ("shoe-committed", "entropy-contributed"),
}


@cache
def honest() -> dict[str, Tape]:
    """The tapes to be changed."""
    return {
        "an evening": tapes.an_evening(),
        "at once": tapes.at_once(),
        "frozen": tapes.frozen(),
        "a crowd": tapes.a_crowd(),
        "scanned": tapes.scanned(),
        "signed last": tapes.signed_last(PARIS),
    }


def samples() -> Iterator[tuple[str, int]]:
    """Some entries of every kind on every tape: the first ones and the last one."""
    for name, tape in honest().items():
        places: dict[str, list[int]] = {}
        for index, fact in enumerate(tape.facts[tape.first :], tape.first):
            kind = str(type(fact.event).__struct_config__.tag)
            if kind in ELSEWHERE.get(name, (kind,)):
                places.setdefault(kind, []).append(index)
        for found in places.values():
            for index in sorted({*found[:A_FEW], found[-1]}):
                yield name, index


def changes(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every way to change one leaf of a value, with its path."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key != "type":
                where = f"{path}.{key}" if path else key
                yield from ((at, {**value, key: other}) for at, other in changes(part, where))
    elif isinstance(value, list):
        for number, part in enumerate(value[:2]):
            for at, other in changes(part, f"{path}[{number}]"):
                yield at, [*value[:number], other, *value[number + 1 :]]
    else:
        yield from ((path, other) for other in others(value))


def others(value: Any) -> Iterator[Any]:
    """A few values beside one."""
    if isinstance(value, bool):
        return
    if isinstance(value, int):
        yield value + 1
        if value:
            yield value - 1
    elif value in CARDS:
        yield CARDS[(CARDS.index(value) + 1) % 52]
        yield CARDS[(CARDS.index(value) + 13) % 52]
    elif value in WORDS:
        yield from (word for word in WORDS[value] if word != value)
    elif re.fullmatch(r"[0-9a-f]{32,}", value):
        yield ("0" if value[0] != "0" else "1") + value[1:]
        yield value[:-1] + ("0" if value[-1] != "0" else "1")
    elif re.fullmatch(r"\d+/\d+", value):
        yield "3/7"
    elif len(value) > 500:
        yield ("A" if value[0] != "A" else "B") + value[1:]
    else:
        yield "zed" if ":" not in value else "zed:zed"


def changed(fact: Fact) -> Iterator[tuple[str, Fact]]:
    """The fact with one leaf changed, as long as it is still an event of the schema."""
    tree = msgspec.json.decode(msgspec.json.encode(fact.event))
    for path, other in changes(tree):
        try:
            event = msgspec.json.decode(msgspec.json.encode(other), type=AnyEvent)
        except msgspec.ValidationError:
            continue
        if event != fact.event:
            yield path, Fact(id=fact.id, at=fact.at, actor=fact.actor, command=fact.command, event=event)


def described(tape: Tape, index: int, of: str) -> str:
    """The kind of an entry, and whether it is of a coup that was voided."""
    event = tape.facts[index].event
    void = {fact.event.round for fact in tape.facts if isinstance(fact.event, RoundVoided)}
    return f"{of}{'void ' if getattr(event, 'round', None) in void else ''}{event.__struct_config__.tag}"


@pytest.mark.parametrize(("name", "index"), list(samples()), ids=str)
def test_a_changed_field_is_found(name: str, index: int, tmp_path: Path) -> None:
    tape = honest()[name]
    what = described(tape, index, "" if name == "an evening" else f"{name}: ")

    unfound = [
        f"{what} {path}"
        for path, fact in changed(tape.facts[index])
        if path != "digest" and not failed(judge(tape.put(index, fact).write(tmp_path / "bundle.zip"), TRUST))
    ]

    assert not [found for found in unfound if not any(re.fullmatch(known, found) for known in UNTOLD)]


def test_every_kind_of_a_tables_entry_is_on_a_tape() -> None:
    kinds = {type(fact.event) for tape in honest().values() for fact in tape.facts[tape.first :]}

    elsewhere = {"TableOpened", "TableClosed"}  # between shoes
    players_bank = {
        "DecisionMade",
        *(kind.__name__ for kind in get_args(AnyEvent) if kind.__module__ == "schemas.seats"),
    }
    patrons = {"AccountOpened", "FundsDeposited", "FundsWithdrawn", "FundsToTable", "FundsFromTable", "LogSucceeded"}
    assert {kind.__name__ for kind in get_args(AnyEvent)} - {
        kind.__name__ for kind in kinds
    } == elsewhere | patrons | players_bank
