"""Two verifiers say the same of shoes in which players bank: honest ones of all three games, and lies about each."""

import os
import random
from pathlib import Path

import pytest

from tests.audit.both import TRUST, both_say, disagreements, gist
from tests.audit.dealt import Chapter, at_once, scanned
from tests.audit.false_parties import Banker
from tests.audit.page.node import NEEDS_NODE
from tests.audit.parties import a_banque, a_chemin, a_dining
from tests.audit.tapes import LOG
from tests.audit.test_mutations import changed
from tests.audit.test_rounds import Round

pytestmark = NEEDS_NODE
LIES = int(os.environ.get("SHOELOG_LIES", "700")) // 4
GAMES = {"chemin-de-fer": a_chemin, "banque": a_banque, "dining-room": a_dining}
CHANCES = 9
GOLDEN = Path("schemas/golden/bundles/salon")


@pytest.fixture(scope="module", params=GAMES)
def shoes(request: pytest.FixtureRequest) -> list[Chapter]:
    """Shoes of one game, some of them as a scanner would tell them, some with bets that came as lists."""
    dealt = [GAMES[request.param](chance).sealed() for chance in range(CHANCES)]
    return [*dealt, *map(scanned, dealt[::4]), *map(at_once, dealt[1::4])]


def test_both_pass_honest_shoes(shoes: list[Chapter], tmp_path: Path) -> None:
    files = [shoe.bind(tmp_path / f"{number}.zip") for number, shoe in enumerate(shoes)]

    ours, others = both_say(files, *TRUST)

    assert [gist(report) for report in ours] == [gist(report) for report in others]
    assert not [check for report in ours for check in report["checks"] if check["result"] == "failed"]


def test_both_pass_the_golden_bundles() -> None:
    key = (GOLDEN / "log.vkey").read_text(encoding="utf-8").strip()

    ours, others = both_say([GOLDEN / f"{game}-shoe-1.zip" for game in GAMES], "--log-key", key)

    for reports in (ours, others):
        said = [set(gist(report).values()) for report in reports]
        assert [words & {"failed", "not-checked"} for words in said] == [{"not-checked"}] * len(GAMES)  # the ledger


def test_both_say_the_same_of_every_lie(shoes: list[Chapter], tmp_path: Path) -> None:
    chance = random.Random(20261130)
    told: dict[Path, str] = {}
    for number in range(LIES):
        file = tmp_path / f"{number}.zip"
        told[file] = Banker(chance.choice(shoes), chance).lie(file)

    ours, others = both_say(list(told), *TRUST)

    found = [
        f"{told[file]}\n    {difference}"
        for file, one, other in zip(told, ours, others, strict=True)
        for difference in disagreements(one, other)
    ]
    assert not found, "\n".join(found[:20])
    assert sum("failed" in gist(report).values() for report in ours) > LIES * 2 // 3


def rounds_of(game: str) -> list[Round]:
    """Every round that came to an end, of some shoes."""
    made = []
    for chance in range(2):
        tape, number = GAMES[game](chance).tape(), 1
        while True:
            try:
                made.append(Round(tape, number))
            except (StopIteration, IndexError):
                break
            number += 1
    return made


@pytest.mark.parametrize("game", GAMES)
def test_both_pass_every_honest_round(game: str, tmp_path: Path) -> None:
    files = [one.write(tmp_path / f"{number}.zip") for number, one in enumerate(rounds_of(game))]

    ours, others = both_say(files, "--log-key", LOG.verifier.vkey)

    assert [gist(report) for report in ours] == [gist(report) for report in others]
    assert not [check for report in ours for check in report["checks"] if check["result"] == "failed"]


@pytest.mark.parametrize("game", GAMES)
def test_both_say_the_same_of_a_round_about_which_the_operator_lies(game: str, tmp_path: Path) -> None:
    chance, known, files = random.Random(1), rounds_of(game), list[Path]()
    while len(files) < LIES // 2:
        one = chance.choice(known)
        place = chance.randint(one.first, one.last)
        if others := list(changed(one.tape.facts[place])):
            lie = Round.__new__(Round)
            lie.__dict__.update(one.__dict__ | {"tape": one.tape.put(place, chance.choice(others)[1])})
            files.append(lie.write(tmp_path / f"{len(files)}.zip"))

    ours, others_say = both_say(files, "--log-key", LOG.verifier.vkey)

    assert not [told for one, other in zip(ours, others_say, strict=True) for told in disagreements(one, other)]
    assert sum("failed" in gist(report).values() for report in ours) > len(files) // 2
