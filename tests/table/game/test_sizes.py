"""Sizes: the largest entry that the game can decide still fits into the log."""

from bisect import bisect_left
from functools import cache
from typing import Any

import msgspec
import pytest

from schemas.entry import MAX_BYTES, Entry, encode
from schemas.events import (
    ChipsCarried,
    ChipsFilled,
    Line,
    LinesSettled,
    RoundSettled,
    RoundVoided,
    ShoeCommitted,
    ShoeShuffled,
    TableEvent,
    TableOpened,
)
from schemas.rules import Limits, Rules
from schemas.rules import encode as encode_rules
from schemas.words import Carried
from services.table.game import floor, play, shoes
from services.table.game.approval import MOST_NAMES
from services.table.game.scrutiny import LARGEST_RULES_BYTES, check, check_limits
from tests.table.game.sitting import DIGEST, SEED, Sitting, leaves_text, limited, opening, ruled, stacked

MOST = 2**53 - 1
NAME = "p" * 64
BET = "b" * 32
ACTOR = f"{'a' * 32}:{NAME}"
LARGEST_LINE = Line(patron=NAME, bet=BET, stake=MOST, won=MOST, commission=MOST, returned=MOST, marked=MOST)
# As many chips as a tray has denominations, each of the largest kind.
TRAY = tuple((MOST - number, MOST) for number in range(floor.MOST_DENOMINATIONS))


def size_of(event: TableEvent) -> int:
    """Measure an entry whose every field is as long as it may be."""
    return len(
        encode(
            Entry(
                id="f" * 32,
                stream=f"table/{NAME}",
                version=MOST,
                at="2026-11-30T10:00:00.000000Z",
                actor=ACTOR,
                command="c" * 64,
                schema=1,
                prev=DIGEST,
                event=event,
            )
        )
    )


def rules_of(bets: int) -> tuple[Rules, Limits]:
    """Give rules with this many bets beside the usual ones, and limits for these."""
    names = [f"b{number:031}" for number in range(bets)]
    ladder = [{"winner": "tie", "pays": "1/1"}]
    return ruled(bets={name: {"ladder": ladder} for name in names}), limited(dict.fromkeys(names, (1, 1)))


@cache
def largest_rules() -> tuple[Rules, Limits]:
    """Give the largest of them that scrutiny lets pass."""
    too_many = bisect_left(range(1_000), 1, lo=1, key=lambda bets: len(check_limits(*rules_of(bets))))
    return rules_of(too_many - 1)


def test_rules_that_would_not_fit_into_an_entry_are_refused() -> None:
    rules, limits = largest_rules()
    assert check(rules) == []
    size = len(encode_rules(rules)) + len(encode_rules(limits))
    assert LARGEST_RULES_BYTES - 200 < size <= LARGEST_RULES_BYTES

    more = limited(dict.fromkeys(limits.bets, (1, MOST // 10000)))
    (complaint,) = [text for text in check_limits(rules, more) if "bytes" in text]
    assert complaint.endswith(f"at most {LARGEST_RULES_BYTES}")


@pytest.mark.parametrize("kind", [LinesSettled, RoundSettled])
def test_200_of_the_longest_lines_fit(kind: type[Any]) -> None:
    ending: dict[str, Any] = {"player": 9, "banker": 9, "winner": "banker"} if kind is RoundSettled else {}

    assert size_of(kind(round=MOST, lines=(LARGEST_LINE,) * 200, **ending)) < MAX_BYTES


def test_200_of_the_longest_stacks_fit_beside_the_largest_rules() -> None:
    carried = (Carried(patron=NAME, chips=MOST, owed=MOST),) * 200
    rules, limits = largest_rules()
    committed = ShoeCommitted(
        shoe=MOST,
        decks=12,
        source="committed",
        currency="EUR",
        rules=rules,
        limits=limits,
        carried=carried,
        seed_commitment=DIGEST,
        final_source=f"signer:{'s' * 255}+00000000+{'A' * 44}",
    )

    slack = LARGEST_RULES_BYTES - len(encode_rules(rules)) - len(encode_rules(limits))
    assert size_of(committed) + slack < MAX_BYTES
    assert size_of(ChipsCarried(carried=carried)) < MAX_BYTES


def test_the_opening_with_the_largest_rules_and_tray_fits() -> None:
    rules, limits = largest_rules()
    opened = opening(rules, limits, table=NAME, name="\x01" * 64, float=TRAY, counted_by=ACTOR, verified_by=ACTOR)

    assert size_of(opened) < MAX_BYTES
    assert msgspec.convert(msgspec.to_builtins(opened), TableOpened) == opened


def test_the_largest_slip_fits() -> None:
    people = {"requested_by": ACTOR, "issued_by": ACTOR, "received_by": ACTOR}

    assert size_of(ChipsFilled(slip=NAME, amount=MOST, chips=TRAY, **people)) < MAX_BYTES


def test_a_shuffle_of_twelve_decks_fits() -> None:
    sitting = Sitting(ruled(procedure={"decks": 12}))
    sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))

    shuffled = shoes.shuffle(sitting.table, stacked(decks=12), mix=bytes(32))[0]

    assert isinstance(shuffled, ShoeShuffled)
    assert len(leaves_text(stacked(decks=12))) == 26_624
    assert size_of(shuffled) < MAX_BYTES


def test_as_many_names_as_may_approve_fit() -> None:
    sitting = Sitting().shoe().round()
    names = tuple(f"{'a' * 32}:{'b' * 62}{number:02}" for number in range(MOST_NAMES))

    (voided,) = play.void_round(sitting.table, reason=NAME, approved_by=names)

    assert isinstance(voided, RoundVoided)
    assert size_of(voided) < MAX_BYTES
