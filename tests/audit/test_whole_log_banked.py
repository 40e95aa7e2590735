"""A whole log of tables where players bank: who sits where is followed from shoe to shoe."""

from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from schemas.events import ShoeCommitted
from schemas.seats import SeatLeft, SeatsSet, SeatTaken
from services.audit.log import Trust
from services.audit.verdict import Judgement, judge_path
from services.house.scribe import Fact, seal
from tests.audit import salons
from tests.audit.parties import Recorded, a_banque, a_chemin, a_dining, more_shoes
from tests.audit.tapes import LOG

BORDERS = ("shoe-committed", "shoe-closed", "shoe-voided")
GAMES = {"chemin-de-fer": a_chemin, "banque": a_banque, "dining-room": a_dining}


def an_evening(game: str, chance: int) -> list[Fact]:
    """Three shoes of a table, and what happens between them."""
    party: Recorded = more_shoes(GAMES[game](chance), Random(chance), 2)
    return party.scribe.facts


def judged(facts: list[Fact], folder: Path) -> list[Judgement]:
    lines = list(seal(facts, stream="table/b1"))
    return judge_path(salons.write(folder, lines), Trust(log_key=LOG.verifier))


def failed(judgements: list[Judgement]) -> list[tuple[int | None, str, str]]:
    return [
        (one.report.shoe, check.check, check.findings[0].what)
        for one in judgements
        for check in one.report.checks
        if check.result == "failed"
    ]


@pytest.mark.parametrize("chance", range(3))
@pytest.mark.parametrize("game", GAMES)
def test_an_honest_log_passes(game: str, chance: int, tmp_path: Path) -> None:
    judgements = judged(an_evening(game, chance), tmp_path / "log")

    assert failed(judgements) == []
    assert [one.report.shoe for one in judgements] == [1, 2, 3, None]


def test_who_left_between_two_shoes_does_not_sit_in_the_next(tmp_path: Path) -> None:
    facts, place = between(SeatLeft)
    del facts[place]

    assert "rules" in [check for _, check, _ in failed(judged(facts, tmp_path / "log"))]


def test_nobody_takes_a_seat_that_is_taken(tmp_path: Path) -> None:
    facts, place = between(SeatTaken)
    event = facts[place].event
    assert isinstance(event, SeatTaken)
    stated = next(fact.event for fact in reversed(facts[:place]) if isinstance(fact.event, SeatsSet))
    other = next(seated.seat for seated in stated.seats if seated.seat != event.seat)
    facts[place] = replace(facts[place], event=replace(event, seat=other))

    assert "rules" in [check for _, check, _ in failed(judged(facts, tmp_path / "log"))]


def between(kind: type[SeatTaken | SeatLeft]) -> tuple[list[Fact], int]:
    """Find an evening in which this happens after the first shoe and before another, and where."""
    for chance in range(20):
        facts = an_evening("chemin-de-fer", chance)
        first = next(n for n, fact in enumerate(facts) if isinstance(fact.event, ShoeCommitted))
        places = [place for place, fact in enumerate(facts) if isinstance(fact.event, kind)]
        later = [place for place in places if place > first and is_between(facts, place)]
        if later:
            return facts, later[-1]
    pytest.fail("it never happens")


def is_between(facts: list[Fact], place: int) -> bool:
    """Whether no shoe is in play there."""
    after = next((fact.event for fact in facts[place:] if fact.event.__struct_config__.tag in BORDERS), None)
    return isinstance(after, ShoeCommitted)
