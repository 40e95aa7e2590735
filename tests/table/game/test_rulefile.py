"""Rule files: bare JSON, JSON that is no rule set, rules of side bets alone, and the line of a side bet."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import UNSET, to_builtins
from msgspec.json import encode

from services.table.game.rulefile import Remark, examine
from services.table.game.rules import builtin

SIDE_BETS_ALONE = """
name = "pairs"
version = 1
game = "house"
side_bets = [
  "player-pair",
  "perfect-pair",
]
procedure = { decks = 1, burn = "none", cut = 20, after_cut = "finish" }
winnings = { mode = "floor", unit = 1 }
"""


def examined(folder: Path, name: str, text: str) -> tuple[Remark, ...]:
    """Write a file, and give what is wrong with it."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return examine(path).complaints


def test_a_side_bets_fault_stands_on_the_line_that_names_it(tmp_path: Path) -> None:
    # Of one deck no two cards have one rank and one suit.
    one, *_ = examined(tmp_path, "pairs.toml", SIDE_BETS_ALONE)
    two, *_ = examined(tmp_path, "pairs.toml", SIDE_BETS_ALONE.replace('  "player-pair",\n', ""))

    assert (one.line, one.where) == (7, "bets.perfect-pair.ladder[0]")
    assert (two.line, two.where) == (6, "bets.perfect-pair.ladder[0]")


def test_side_bets_are_bets_enough(tmp_path: Path) -> None:
    assert examined(tmp_path, "pairs.toml", SIDE_BETS_ALONE.replace("decks = 1", "decks = 2")) == ()


def test_rules_without_any_bet_lack_their_bets(tmp_path: Path) -> None:
    head, _, rest = SIDE_BETS_ALONE.partition("side_bets")
    without = head + rest.partition("]\n")[2]

    (remark,) = examined(tmp_path, "none.toml", without)

    assert str(remark).startswith("bets: is missing")


@pytest.mark.parametrize("with_limits", [False, True])
def test_rules_in_json_stand_alone_or_beside_their_limits(tmp_path: Path, *, with_limits: bool) -> None:
    book = builtin("ez")
    rules: dict[str, Any] = to_builtins(book.rules)
    limits: dict[str, Any] = to_builtins(book.limits)
    path = tmp_path / "ez.json"
    path.write_text(json.dumps({"rules": rules, "limits": limits} if with_limits else rules), encoding="utf-8")

    found = examine(path).book

    assert found is not None
    assert found.rules == book.rules
    assert found.limits == (book.limits if with_limits else UNSET)


@pytest.mark.parametrize("written", ["[]", '"rules"', "5", "null", '[{"rules": {}}]'])
def test_json_that_is_no_object_is_no_rule_set(tmp_path: Path, written: str) -> None:
    (remark,) = examined(tmp_path, "none.json", written)

    assert remark.what == "is no rule set; an object with name, version, game …"


def test_json_whose_rules_are_no_object_has_a_field_too_many(tmp_path: Path) -> None:
    told = [str(each) for each in examined(tmp_path, "none.json", '{"rules": "ez"}')]

    assert "rules: is no field that rules have here; leave it out" in told


def test_a_side_bets_fault_in_json_has_no_line(tmp_path: Path) -> None:
    rules = to_builtins(builtin("ez").rules)
    rules["procedure"] |= {"decks": 1, "cut": 14}
    rules["side_bets"] = ["perfect-pair"]

    remark, *_ = examined(tmp_path, "ez.json", json.dumps(rules))

    assert (remark.line, remark.where) == (UNSET, "bets.perfect-pair.ladder[0]")


def test_a_remark_tells_no_line_and_no_place_that_it_has_not(tmp_path: Path) -> None:
    (remark,) = examined(tmp_path, "none.toml", "name = \n")

    assert encode(Remark(what="is missing")) == b'{"what":"is missing"}'
    assert remark.where == ""
    assert str(remark).startswith("line 1: cannot be read: ")
