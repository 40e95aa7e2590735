"""Shoes in which players bank: every honest one passes, and each lie about a turn, a bank or a settlement is found."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from services.audit.findings import Report
from services.audit.log import Trust
from services.audit.verdict import judge
from tests.audit.dealt import LOG, Chapter, linked, scanned
from tests.audit.parties import a_banque, a_chemin, a_dining

Entry = dict[str, Any]
GAMES = {"chemin-de-fer": a_chemin, "banque": a_banque, "dining-room": a_dining}
TRUST = Trust(policy=None, log_key=LOG.verifier, signers=())


def judged(chapter: Chapter, path: Path) -> Report:
    return judge(chapter.bind(path), TRUST).report


def failed(report: Report) -> list[str]:
    return [check.check for check in report.checks if check.result == "failed"]


def complaints(report: Report) -> list[str]:
    return [f"{x.check} {f.version}: {f.what}" for x in report.checks if x.result == "failed" for f in x.findings]


@pytest.mark.parametrize("chance", range(4))
@pytest.mark.parametrize("game", GAMES)
def test_an_honest_shoe_passes(game: str, chance: int, tmp_path: Path) -> None:
    chapter = GAMES[game](chance).sealed()

    report, of_real_cards = (judged(told, tmp_path / "b1.zip") for told in (chapter, scanned(chapter)))

    assert complaints(report) == complaints(of_real_cards) == []
    assert [check.result for check in report.checks if check.check != "ledger"] == ["passed"] * 6


def first(entries: list[Entry], kind: str, number: int = 0) -> int:
    """The place of the so-manieth entry of a kind."""
    return [at for at, entry in enumerate(entries) if entry["event"]["type"] == kind][number]


def change(kind: str, number: int = 0, **fields: Any) -> Callable[[list[Entry]], None]:
    """Let an entry say something else; what is a function is applied to what was said."""

    def lie(entries: list[Entry]) -> None:
        event = entries[first(entries, kind, number)]["event"]
        event |= {key: value(event[key]) if callable(value) else value for key, value in fields.items()}

    return lie


def without(kind: str, number: int = 0) -> Callable[[list[Entry]], None]:
    """Leave an entry out."""
    return lambda entries: entries.__delitem__(first(entries, kind, number))


def exchange(kind: str, number: int = 0) -> Callable[[list[Entry]], None]:
    """Let an entry and the one behind it change places."""

    def lie(entries: list[Entry]) -> None:
        at = first(entries, kind, number)
        entries[at : at + 2] = entries[at : at + 2][::-1]

    return lie


def shift(key: str, by: int, line: int = 0) -> Callable[[list[Entry]], None]:
    """Let a line of the first settlement pay more, or less."""

    def lie(entries: list[Entry]) -> None:
        entries[first(entries, "round-settled")]["event"]["lines"][line][key] += by

    return lie


def higher(by: int) -> Callable[[int], int]:
    return lambda amount: amount + by


EVERYWHERE: dict[str, tuple[Callable[[list[Entry]], None], str]] = {
    "a bank higher by one": (change("bet-placed", amount=higher(1)), "money"),
    "a bank above what he has": (change("bet-placed", amount=10**9), "rules"),
    "the bank's line higher by one": (shift("returned", 1), "money"),
    "a bank that won less": (shift("won", 1), "money"),
    "a levy off by one": (shift("commission", 1), "money"),
    "another's line higher by one": (shift("returned", 1, line=1), "money"),
    "nobody passed": (without("turn-passed"), "rules"),
    "another passed": (change("turn-passed", patron="zz"), "rules"),
    "seats that are not": (change("seats-set", 1, seats=lambda seats: seats[1:]), "rules"),
    "another's turn": (change("seats-set", 2, turn=64, right=64), "rules"),
    "no seats": (without("seats-set", 1), "rules"),
    "bank after the bets": (exchange("bets-closed"), "rules"),
    "a card for the other hand": (change("card-dealt", 0, hand="banker"), "rules"),
    "a winner who lost": (change("round-settled", banker=lambda total: (total + 1) % 10), "rules"),
}
OF_A_GAME: dict[tuple[str, str], tuple[Callable[[list[Entry]], None], str]] = {
    ("chemin-de-fer", "a bank kept too low"): (change("seats-set", 1, standing=1, banker=1), "rules"),
    ("chemin-de-fer", "a choice that is not free"): (change("decision-made", hand="right"), "rules"),
    ("chemin-de-fer", "no choice where one is free"): (without("decision-made"), "rules"),
    ("chemin-de-fer", "settled of another round"): (change("round-settled", round=99), "rules"),
    ("banque", "a bid below the last"): (change("bet-asked", 1, amount=1), "rules"),
    ("banque", "a choice left out"): (without("decision-made"), "rules"),
    ("banque", "the other side's winner"): (change("round-settled", winners={"left": "tie", "right": "tie"}), "rules"),
    ("dining-room", "another draws"): (change("card-drawn", seat=2), "rules"),
    ("dining-room", "not the whole stack"): (change("bet-placed", amount=higher(-100)), "rules"),
    ("dining-room", "a stake of two units"): (change("bet-placed", 1, amount=200), "rules"),
    ("dining-room", "no dealer where there is one"): (change("shoe-closed", reason="no-dealer"), "rules"),
}
LIES = [(game, lie, *told) for game in GAMES for lie, told in EVERYWHERE.items()]
LIES += [(game, lie, *told) for (game, lie), told in OF_A_GAME.items()]


@pytest.mark.parametrize(
    ("game", "tell", "check"),
    [(game, *told) for game, _, *told in LIES],
    ids=[f"{game}: {lie}" for game, lie, *_ in LIES],
)
def test_a_lie_is_found(game: str, tell: Callable[[list[Entry]], None], check: str, tmp_path: Path) -> None:
    for chance in range(9):
        chapter = GAMES[game](chance).sealed()
        entries = [json.loads(line) for line in chapter.lines]
        try:
            tell(entries)
        except IndexError:  # no such entry in this shoe
            continue
        lines = linked(entries, chapter.before)
        if lines != chapter.lines:
            assert check in failed(judged(replace(chapter, lines=lines), tmp_path / "spoiled.zip"))
            return
    pytest.fail("there is no shoe in which it can be told")


def a_trimmed_round() -> tuple[Chapter, list[Entry], int]:
    """Find a shoe in which the last stake is trimmed as the bets close, and where."""
    for chance in range(40):
        chapter = a_chemin(chance).sealed()
        entries = [json.loads(line) for line in chapter.lines]
        for at, entry in enumerate(entries[:-3]):
            kinds = [each["event"]["type"] for each in entries[at : at + 4]]
            if kinds == ["bet-withdrawn", "bet-placed", "bets-closed", "card-dealt"] and "system" in entry["actor"]:
                return chapter, entries, at
    pytest.fail("nothing is ever trimmed")


def test_the_systems_entries_may_stand_between_those_of_a_command(tmp_path: Path) -> None:
    chapter, entries, at = a_trimmed_round()
    command, card = entries[at]["command"], entries[at + 3]
    void = {"type": "round-voided", "round": card["event"]["round"], "reason": "misdeal", "approved_by": ["pit:a"]}
    by_system = card | {"id": "0" * 32, "command": command, "actor": "system:table", "event": void}
    told = [*entries[: at + 3], card | {"command": command}, by_system]
    open_shoe = replace(chapter, lines=linked(told, chapter.before), is_complete=False)

    assert complaints(judged(open_shoe, tmp_path / "b1.zip")) == []
