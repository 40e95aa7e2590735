"""Rules as they are written, in a file or in a request, are completed in one way."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET, ValidationError, convert, to_builtins

from schemas import rules as logged
from services.table.game import written
from services.table.game.bank_defaults import DEFAULTS
from services.table.game.rulefile import completed, examine
from services.table.game.rules import builtin, choose, names
from services.table.game.written import RulesWritten


def fields(part: type) -> list[tuple[str, dict[str, Any]]]:
    """The fields of a part in their order, each with its bounds; a part within it is known by its logged name."""
    _, told = msgspec.json.schema_components([part], ref_template="{name}")
    named: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(told).replace(b"Written", b""))
    return [*named[part.__name__.removesuffix("Written")]["properties"].items()]


def shortest(game: str) -> dict[str, Any]:
    """A built-in rule set without all that has a usual value, and that it is not at odds with."""
    tree: dict[str, Any] = to_builtins(builtin(game).rules)
    short = {part: value for part, value in tree.items() if part not in DEFAULTS[game]}
    return short | ({"stakes": {"unit": tree["stakes"]["unit"]}} if game == "dining-room" else {})


@pytest.mark.parametrize("game", DEFAULTS)
def test_what_has_a_usual_value_may_be_left_out(game: str) -> None:
    short = shortest(game)

    book = choose(convert(short, RulesWritten), builtin(game).limits)

    assert len(short) < len(to_builtins(builtin(game).rules))
    assert logged.encode(book.rules) == logged.encode(builtin(game).rules)


@pytest.mark.parametrize("name", names())
def test_whole_rules_are_logged_as_they_were_sent(name: str) -> None:
    whole = builtin(name).rules

    book = choose(convert(to_builtins(whole), RulesWritten), builtin(name).limits)

    assert logged.encode(book.rules) == logged.encode(whole)


def test_of_a_part_only_what_is_left_out_is_usual() -> None:
    said = shortest("chemin-de-fer") | {"levy": {"rate": "1/80", "on": "net"}, "play": {"mode": "free"}}

    rules = convert(said | {"clocks": {"turn": 5}}, RulesWritten).whole.rules

    assert to_builtins(rules.levy) == {"rate": "1/80", "on": "net", "mode": "floor", "unit": 1}
    assert to_builtins(rules.play) == {"mode": "free"}
    assert to_builtins(rules.clocks) == {"bank": 30, "turn": 5, "decide": 15}


def test_side_bets_are_named_from_the_shared_file() -> None:
    tree = to_builtins(builtin("punto-banco").rules)
    tree["bets"] = {bet: tree["bets"][bet] for bet in ("player", "banker")}

    rules = convert(tree | {"side_bets": ["dragon-7"]}, RulesWritten).whole.rules

    assert list(rules.bets) == ["player", "banker", "dragon-7"]


@pytest.mark.parametrize(
    ("left_out", "game", "said"),
    [
        ("procedure", "punto-banco", "procedure: is missing"),
        ("winnings", "punto-banco", "winnings: is missing"),
        ("bets", "banque", "bets: is missing"),
    ],
)
def test_what_has_no_usual_value_is_asked_for(left_out: str, game: str, said: str) -> None:
    tree = to_builtins(builtin(game).rules)
    del tree[left_out]

    with pytest.raises(ValidationError, match=said):
        convert(tree, RulesWritten)


def test_a_file_of_json_is_completed_as_one_of_toml_is(tmp_path: Path) -> None:
    path = tmp_path / "chemin-de-fer.json"
    path.write_bytes(msgspec.json.encode(shortest("chemin-de-fer")))

    found = examine(path)

    assert found.book is not None
    assert found.book.rules == builtin("chemin-de-fer").rules


def test_a_part_that_is_no_table_is_left_for_the_complaint() -> None:
    assert completed({"game": "banque", "clocks": 5})["clocks"] == 5
    assert completed([]) == []


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        (("play", "mode"), "wild", "play.mode: invalid enum value 'wild'; tableau, options or free"),
        (("stakes", "tie"), "stays", "stakes.tie: invalid enum value 'stays'; stay or return"),
        (("clocks", "bank"), -1, "clocks.bank: expected `int` >= 0; seconds, 0 for no clock"),
        (("levy", "rat"), "1/20", "levy.rat: is no field that rules have here; is rate meant?"),
    ],
)
def test_a_field_of_a_players_bank_is_judged_for_itself(
    where: tuple[str, str], value: Any, said: str, tmp_path: Path
) -> None:
    tree = to_builtins(builtin("chemin-de-fer").rules)
    tree[where[0]][where[1]] = value
    path = tmp_path / "wrong.json"
    path.write_bytes(msgspec.json.encode(tree))

    assert [str(remark) for remark in examine(path).complaints] == [said]


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        (written.ProcedureWritten, logged.Procedure),
        (written.RoundingWritten, logged.Rounding),
        (written.LevyWritten, logged.Levy),
        (written.PlayWritten, logged.Play),
        (written.ClocksWritten, logged.Clocks),
    ],
)
def test_a_part_is_written_with_the_fields_and_bounds_that_it_is_logged_with(part: type, whole: type) -> None:
    assert fields(part) == fields(whole)


def test_a_rule_set_is_written_with_the_parts_and_bounds_that_it_is_logged_with() -> None:
    assert [part for part in fields(RulesWritten) if part[0] != "side_bets"] == fields(logged.Rules)


@pytest.mark.parametrize("part", ["procedure", "winnings", "levy", "play", "clocks"])
def test_a_field_that_a_part_does_not_have_is_refused(part: str) -> None:
    tree = to_builtins(builtin("chemin-de-fer").rules)
    tree[part]["colour"] = "red"

    with pytest.raises(ValidationError, match=rf"unknown field `colour` - at `\$\.{part}`"):
        convert(tree, RulesWritten)


def test_a_part_that_rules_do_not_have_is_refused() -> None:
    with pytest.raises(ValidationError, match="unknown field `colour`"):
        convert(to_builtins(builtin("chemin-de-fer").rules) | {"colour": "red"}, RulesWritten)


def test_a_table_brings_limits_of_its_own_or_has_those_of_the_rules_it_names() -> None:
    own = builtin("ez").limits

    assert choose("punto-banco", UNSET) == builtin("punto-banco")
    assert choose("punto-banco", own).limits == own
