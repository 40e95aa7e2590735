"""`shoelog surveil`: a shoe watched from its bundle, which must verify first."""

import json
import zipfile
from collections import Counter
from pathlib import Path

from click.testing import CliRunner, Result

from schemas.bundle import ENTRIES, open_bundle
from services.audit.coups import coups
from services.audit.surveil import surveil_command
from tests.audit.parties import a_banque, a_dining
from tests.audit.test_lies import rewrite

SAMPLE = Path("tests/data/sample-punto-banco.zip")


def surveil(*arguments: str | Path) -> Result:
    return CliRunner().invoke(surveil_command, [str(argument) for argument in arguments])


def test_the_coups_in_the_favour_of_patrons_are_listed_with_what_was_staked_on_them() -> None:
    told = surveil(SAMPLE).output.splitlines()

    assert told[:4] == [
        "Table s1, shoe 1, punto-banco: 83 coups settled",
        "  2 of them with a bet in the patron's favour",
        "  round  81  player-pair 13.8340 %  (0.00 EUR of 564.04 EUR staked on them)",
        "  round  83  player-pair 37.1429 %  (0.00 EUR of 228.80 EUR staked on them)",
    ]
    assert "  1d0c5b97         coups                   1 x           9.78 EUR   49 x        8579.17 EUR" in told


def test_every_stake_of_the_shoe_is_told_in_or_out_of_such_coups() -> None:
    staked: Counter[str] = Counter()
    for coup in coups(open_bundle(SAMPLE)):
        for line in coup.endings[-1].lines:
            staked[line.patron] += line.stake

    found = json.loads(surveil(SAMPLE, "--json").output)

    both = {p["patron"]: p["in_favour"]["staked"] + p["otherwise"]["staked"] for p in found["patrons"]}
    assert both == dict(staked)
    by_bet = {
        p["patron"]: sum(bet[side]["staked"] for bet in p["bets"].values() for side in ("in_favour", "otherwise"))
        for p in found["patrons"]
    }
    assert by_bet == dict(staked)


def test_a_bundle_that_does_not_verify_is_not_believed(tmp_path: Path) -> None:
    with zipfile.ZipFile(SAMPLE) as sample:
        members = {name: sample.read(name) for name in sample.namelist()}
    members[ENTRIES] = members[ENTRIES].replace(b'"amount":15060}', b'"amount":15061}', 1)
    spoiled = rewrite(tmp_path / "spoiled.zip", members)

    said = surveil(spoiled)

    assert said.exit_code == 1
    assert "does not verify" in said.stderr


def test_what_cannot_be_read_ends_with_3_and_wrong_usage_with_64(tmp_path: Path) -> None:
    (tmp_path / "none.zip").write_bytes(b"")

    assert surveil(tmp_path / "none.zip").exit_code == 3
    assert surveil().exit_code == 64


def test_where_a_player_banks_his_bank_stands_apart_and_free_choices_are_the_tableaus(tmp_path: Path) -> None:
    told = surveil(a_banque(1).sealed().bind(tmp_path / "b1.zip")).output.splitlines()

    assert told[:3] == [
        "Table b1, shoe 1, banque: 6 coups settled",
        "  where a choice is free, counted as the tableau has it",
        "  0 of them with a bet in the patron's favour",
    ]
    assert any("(banked)" in line for line in told)


def test_in_the_dining_room_every_bet_against_the_dealer_is_watched(tmp_path: Path) -> None:
    told = surveil(a_dining(1).sealed().bind(tmp_path / "b1.zip")).output.splitlines()

    assert told[1] == "  4 of them with a bet in the patron's favour"
    assert told[2].startswith("  round   4  final-6 2.2367 %")
