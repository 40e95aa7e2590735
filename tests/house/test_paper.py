"""`shoelog coup` and `shoelog shoe`: what is worked out on paper, and what is no coup."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from services.house.cli import main
from services.table.game import rules
from services.table.game.cards import CARDS

DATA = Path(__file__).parents[1] / "data"
VECTORS = json.loads((DATA / "shoe_vectors.json").read_text())["vectors"]
SEED = "00" * 32


def shoelog(*words: str) -> Result:
    return CliRunner().invoke(main, words)


def shoe_of(vector: dict[str, Any]) -> dict[str, Any]:
    contributions = [f"--contribution={source}={value}" for source, value in vector["contributions"]]
    shoe = ("--seed", vector["seed"], "--shoe-id", vector["shoe_id"], "--decks", str(vector["decks"]))
    answer = json.loads(shoelog("shoe", *shoe, *contributions, "--json").stdout)
    assert isinstance(answer, dict)
    return answer


def test_a_coup_in_json_is_one_line_of_exactly_these_bytes() -> None:
    said = shoelog("coup", "5d,Kd,5s,Ac,9s,5c", "--json")

    assert said.exit_code == 0
    assert said.stdout == (
        '{"player":9,"banker":6,"winner":"player","natural":"none",'
        '"hands":{"player":["5d","5s","9s"],"banker":["Kd","Ac","5c"]},'
        '"bets":{"player":"1/1","banker":"-1/1","tie":"-1/1","player-pair":"11/1","banker-pair":"-1/1"}}\n'
    )


def test_a_coup_is_told_the_way_a_dealer_tells_it() -> None:
    said = shoelog("coup", "5d,Kd,5s,Ac,9s,5c").stdout

    assert "Player draws on 0: 9s makes 9." in said
    assert "Banker draws on 1 against a 9: 5c makes 6." in said
    assert "Player wins, 9 to 6." in said
    assert "player-pair  11 to 1" in said


def test_commission_is_deducted_from_the_odds_of_banker() -> None:
    answer = json.loads(shoelog("coup", "2h,9h,5s,Td", "--json").stdout)

    assert answer["natural"] == "banker"
    assert answer["bets"]["banker"] == "19/20"


def test_on_a_tie_player_and_banker_push() -> None:
    bets = json.loads(shoelog("coup", "9h,Ks,Td,9c", "--json").stdout)["bets"]

    assert (bets["player"], bets["banker"], bets["tie"]) == ("0/1", "0/1", "8/1")


@pytest.mark.parametrize("name", rules.house_banked())
def test_every_rule_set_tells_the_odds_of_its_bets_in_its_own_order(name: str) -> None:
    bets = json.loads(shoelog("coup", "5d,Kd,5s,Ac,9s,5c", "--rules", name, "--json").stdout)["bets"]

    assert list(bets) == list(rules.builtin(name).rules.bets)


@pytest.mark.parametrize(
    ("cards", "reason"),
    [
        ("9h,Ks,Td", "one card is missing"),
        ("9h,Ks,Td,7c,2d", "one card too many"),
        ("9h,Ks,Td,7x", "'7x' is not a card"),
        ("10h,Ks,Td,7c", "'10h' is not a card"),
        ("9h,,Td,7c", "'' is not a card"),
        ("", "'' is not a card"),
    ],
)
def test_what_is_not_a_coup_ends_with_one_and_the_reason(cards: str, reason: str) -> None:
    said = shoelog("coup", cards, "--json")

    assert said.exit_code == 1
    assert said.stdout == ""
    assert reason in said.stderr


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_published_shoes_are_derived(vector: dict[str, Any]) -> None:
    answer = shoe_of(vector)

    codes = [CARDS.index(card) for card in answer["cards"]]
    assert list(answer) == ["seed_commitment", "mix", "root", "cards"]
    assert answer["seed_commitment"] == vector["seed_commitment"]
    assert answer["mix"] == vector["mix"]
    assert answer["root"] == vector["deck_root"]
    assert codes[:16] == vector["first_16_cards"]
    assert hashlib.sha256(bytes(codes)).hexdigest() == vector["cards_sha256"]


def test_a_shoe_for_people_shows_what_was_published_and_every_card() -> None:
    said = shoelog("shoe", "--seed", SEED, "--shoe-id", "b1/1", "--decks", "1").stdout

    assert all(card in said for card in CARDS)
    assert said.startswith("seed_commitment ")


@pytest.mark.parametrize(
    "words",
    [
        ["coup"],
        ["coup", "9h,Ks,Td,7c", "--rules", "roulette"],
        ["coup", "9h,Ks,Td,7c", "8d"],
        ["coup", "9h,Ks,Td,7c", "--colour"],
        ["coup", "9h,Ks,Td,7c", "--rules", "banque"],
        ["shoe", "--seed", SEED, "--shoe-id", "b1/1"],
        ["shoe", "--seed", SEED, "--shoe-id", "b1/1", "--decks", "13"],
        ["shoe", "--seed", SEED, "--shoe-id", "b1/1", "--decks", "eight"],
        ["shoe", "--seed", SEED[2:], "--shoe-id", "b1/1", "--decks", "8"],
        ["shoe", "--seed", "0x" + SEED[2:], "--shoe-id", "b1/1", "--decks", "8"],
        ["shoe", "--seed", SEED, "--shoe-id", "bär/1", "--decks", "8"],
        ["shoe", "--seed", SEED, "--shoe-id", "b1/1", "--decks", "8", "--contribution", "patron:7f3a"],
        ["shoe", "--seed", SEED, "--shoe-id", "b1/1", "--decks", "8", "--contribution", "patron:7f3a="],
        ["shoe", "--seed", SEED, "--shoe-id", "b1/1", "--decks", "8", "--contribution", "patron:7f3a=" + "00" * 257],
        ["export", "--key", "k", "--table", "b1", "--shoe", "0", "--out", "x"],
        ["export", "--key", "k", "--table", "B 1", "--shoe", "1", "--out", "x"],
        ["export", "--key", "k", "--url", "file:///etc/passwd", "--table", "b1", "--shoe", "1", "--out", "x"],
        ["up", "--port", "70000"],
        ["deal"],
        [],
    ],
    ids=" ".join,
)
def test_wrong_usage_ends_with_64(words: list[str]) -> None:
    said = shoelog(*words)

    assert said.exit_code == 64
    assert said.stdout == ""
    assert "Usage" in said.stderr
