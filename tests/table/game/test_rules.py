"""Rule sets: the built-in ones, files that people write, and the nonsense that is refused."""

import json
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from schemas.rules import encode
from services.table.game import rules as rule_sets
from services.table.game.contradictions import warnings
from services.table.game.rulefile import RULEBOOK, complaints_about, examine
from services.table.game.rules import (
    Limits,
    Rules,
    RulesError,
    builtin,
    check,
    house_banked,
    insist,
    load,
)

LOGGED = (Path(__file__).parents[2] / "data" / "logged_rules.json").read_bytes()

HOUSE_BANKED = ["berlin", "ez", "mini", "punto-banco", "punto-banco-9", "simplified", "super-6"]

FILE = """
name = "evening"
version = 3
game = "house"
side_bets = ["panda-8", "player-pair"]
procedure = { decks = 6, burn = "none", cut = 20, after_cut = "finish" }
winnings = { mode = "half-even", unit = 25 }

[bets.player]
ladder = [{ pays = "1/1", winner = "player" }, { winner = "tie", pays = "0/1" }]

[limits.bets]
player = { min = 1, max = 2 }
"""


def rules(**changes: Any) -> Rules:
    """Give punto banco with some of its tree changed: `__` leads into it."""
    tree: dict[str, Any] = deepcopy(msgspec.to_builtins(builtin("punto-banco").rules))
    for path, value in changes.items():
        *parents, last = path.split("__")
        place = tree
        for parent in parents:
            place = place[parent]
        if value is None:
            del place[last]
        else:
            place[last] = value
    return msgspec.convert(tree, Rules)


def file_of(folder: Path, text: str) -> Path:
    path = folder / "evening.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_house_has_these_rule_sets() -> None:
    assert house_banked() == HOUSE_BANKED


@pytest.mark.parametrize("name", HOUSE_BANKED)
def test_a_built_in_rule_set_is_sound_and_offers_every_bet(name: str) -> None:
    book = builtin(name)

    assert book.rules.name == name
    assert complaints_about(book.rules, book.limits) == []
    assert warnings(book.rules, book.limits) == []
    assert list(book.limits.bets) == list(book.rules.bets)


@pytest.mark.parametrize(
    ("name", "bets"),
    [
        ("punto-banco", ["player", "banker", "tie", "player-pair", "banker-pair"]),
        ("punto-banco-9", ["player", "banker", "tie-9", "player-pair", "banker-pair"]),
        ("simplified", ["player", "banker", "tie"]),
        ("berlin", ["player", "banker", "tie"]),
        ("super-6", ["player", "banker", "tie", "super-6"]),
        ("ez", ["player", "banker", "tie", "dragon-7", "panda-8"]),
        ("mini", ["player", "banker", "tie", "player-pair", "banker-pair"]),
    ],
)
def test_each_rule_set_carries_its_bets(name: str, bets: list[str]) -> None:
    assert list(builtin(name).rules.bets) == bets


def test_berlin_seats_seven() -> None:
    assert builtin("berlin").rules.seats == 7


def test_mini_is_punto_banco_at_lower_limits() -> None:
    mini, full = builtin("mini"), builtin("punto-banco")

    assert mini.rules.bets == full.rules.bets
    assert all(mini.limits.bets[bet].max < full.limits.bets[bet].max for bet in full.rules.bets)


def test_an_unknown_rule_set_is_answered_with_those_there_are() -> None:
    with pytest.raises(
        RulesError,
        match=r"'faro' is not a rule set of the house; it has banque, berlin, chemin-de-fer, dining-room",
    ):
        builtin("faro")


RELEASED = json.loads((Path(__file__).parents[2] / "data" / "released_rules.json").read_text(encoding="utf-8"))


def test_a_released_rule_set_is_never_changed_under_its_version() -> None:
    """A changed pay table takes the next version; the one before stays, as NAME@VERSION.toml."""
    now = {f"{one.name}@{one.version}": builtin(f"{one.name}@{one.version}").rules for one in rule_sets.editions()}

    assert {name: sha256(encode(found)).hexdigest() for name, found in now.items()} == RELEASED


def test_a_retired_version_is_given_to_whoever_asks_for_it(tmp_path: Path) -> None:
    text = (RULEBOOK / "ez.toml").read_text(encoding="utf-8")
    (tmp_path / "ez@1.toml").write_text(text, encoding="utf-8")
    (tmp_path / "ez.toml").write_text(text.replace("version = 1", "version = 2", 1), encoding="utf-8")

    assert rule_sets.names(tmp_path) == ["ez"]
    assert [(one.version, one.is_retired) for one in rule_sets.editions(tmp_path)] == [(2, False), (1, True)]
    assert [builtin(name, tmp_path).rules.version for name in ("ez", "ez@2", "ez@1")] == [2, 2, 1]
    with pytest.raises(RulesError, match="'ez@3' is no version of ez; it has ez@1, ez@2"):
        builtin("ez@3", tmp_path)


def test_logged_rules_keep_their_bytes() -> None:
    both = json.loads(LOGGED)
    for key, shape in (("rules", Rules), ("limits", Limits)):
        logged = json.dumps(both[key], separators=(",", ":")).encode()
        assert msgspec.json.encode(msgspec.json.decode(logged, type=shape)) == logged
    assert check(msgspec.convert(both["rules"], Rules)) == []


def test_keys_are_logged_in_order_and_a_rung_as_it_was_written(tmp_path: Path) -> None:
    book = load(file_of(tmp_path, FILE))

    assert msgspec.json.encode(book.rules) == (
        b'{"name":"evening","version":3,"game":"house",'
        b'"procedure":{"decks":6,"burn":"none","cut":20,"after_cut":"finish"},'
        b'"winnings":{"mode":"half-even","unit":25},'
        b'"bets":{"player":{"ladder":[{"pays":"1/1","winner":"player"},{"winner":"tie","pays":"0/1"}]},'
        b'"panda-8":{"ladder":[{"winner":"player","player":8,"player_cards":3,"pays":"25/1"}]},'
        b'"player-pair":{"ladder":[{"player_pair":["mixed","suited"],"pays":"11/1"}]}}}'
    )
    assert msgspec.json.encode(book.limits) == b'{"bets":{"player":{"min":1,"max":2}}}'


@pytest.mark.parametrize(
    ("written", "instead", "complaint"),
    [
        (
            '"panda-8"',
            '"panda-9"',
            r"line 5, side_bets\[0\]: 'panda-9' is not in the shared file; it has tie, tie-9, pla",
        ),
        ("[bets.player]", "[bets.panda-8]", r"line 5, side_bets\[0\]: 'panda-8' is written out under bets too"),
        (
            'name = "evening"',
            'name = "Evening"',
            "evening.toml, line 2, name: expected `str` matching .*; a letter, then",
        ),
        ("version = 3", "version = 0", "evening.toml, line 3, version: .*; 1, 2, 3"),
        ("version = 3", "version = 3.5", "evening.toml, line 3, version: "),
        ('"house"', '"roulette"', 'evening.toml, line 4, game: .*; "house", where the house banks'),
        ("decks = 6", "decks = 13", "evening.toml, line 6, procedure.decks: .*; 1 to 12"),
        ('burn = "none"', 'burn = "two"', "evening.toml, line 6, procedure.burn: .*; none, one, first-card or decks"),
        ("cut = 20", "cut = 5", "evening.toml, line 6, procedure.cut: .*; 6 or more cards"),
        ("cut = 20", "cut = 301", "evening.toml, line 6, procedure.cut: 301 is too deep; 6 to 300 with 6 decks"),
        ('cut = 20, after_cut = "finish"', "cut = 20", "line 6, procedure.after_cut: is missing; finish or one-more"),
        ("unit = 25", 'unit = 25, tip = "yes"', "evening.toml, line 7, winnings.tip: is no field"),
        ("max = 2", "max = 0", "evening.toml, line 13, limits.bets.player.max: .*; 1 or more minor units"),
        ("[limits.bets]", "[limits.stakes]", "evening.toml, line 12, limits.stakes: is no field"),
        ('["panda-8", "player-pair"]', '"panda-8"', "evening.toml, line 5, side_bets: expected `array`, got `str`"),
        ("[bets.player]", "bets = 5\n[bet]", "evening.toml, line 9, bets: is no table"),
        ("[bets.player]", "[wagers.player]", "evening.toml, line 9, wagers: is no field"),
        ("[bets.player]", "[bets.Player]", "evening.toml, line 9, bets.Player: is no name of a bet; a letter, then"),
        ('pays = "1/1"', "pays = 1.5", r"line 10, bets.player.ladder\[0\].pays: 1.5 cannot stand here; odds such as"),
        ('winner = "tie"', "winner = true", r"line 10, bets.player.ladder\[1\].winner: True cannot stand here; a word"),
        (
            'pays = "1/1"',
            'pays = "2/2"',
            r"line 10, bets.player.ladder\[0\].pays: 2/2 is not in lowest terms; write 1/1",
        ),
        ("ladder", "ladders", "line 10, bets.player.ladders: is no field that rules have here; is ladder meant"),
        ('name = "evening"', "", "evening.toml, name: is missing; a letter, then"),
        ("min = 1", "min = 3", "evening.toml, line 13, limits.bets.player: min 3 is above max 2"),
        ("player = { min", "banker = { min", "limits.bets.banker: evening has no such bet; it has player, panda-8"),
        ("max = 2", "max = 9007199254740991", "limits.bets.player.max: .*at most 4503599627370495"),
        ("version = 3", "version = ", "evening.toml, line 3: cannot be read: Invalid value"),
    ],
)
def test_a_file_that_makes_no_sense_is_refused(tmp_path: Path, written: str, instead: str, complaint: str) -> None:
    assert written in FILE
    path = file_of(tmp_path, FILE.replace(written, instead, 1))

    with pytest.raises(RulesError, match=complaint):
        load(path)


def test_all_that_is_wrong_with_a_file_is_told_at_once_line_by_line(tmp_path: Path) -> None:
    path = file_of(
        tmp_path, FILE.replace("decks = 6", "decks = 60").replace("min = 1", "min = 0").replace("= 3", "= 0")
    )

    with pytest.raises(RulesError) as refused:
        load(path)

    assert [complaint.partition(": ")[0] for complaint in refused.value.complaints] == [
        "evening.toml, line 6, procedure.decks",
        "evening.toml, line 13, limits.bets.player.min",
        "evening.toml, line 3, version",
    ]


def test_every_field_of_a_part_is_complained_about_for_itself_and_told_what_would_be_right(tmp_path: Path) -> None:
    written = """
game = "hous"
winnings = { mode = "round", units = 0 }
procedure = "macau"
bank = 3
[bets]
player = "1/1"
[limits]
patron = 0
bets.player = { min = 0, max = "all" }
"""

    found = examine(file_of(tmp_path, written)).complaints

    assert [(remark.line, remark.where, remark.what.partition("; ")[2][:30]) for remark in found] == [
        (4, "procedure", "a table of decks, burn, cut an"),
        (3, "winnings.mode", "floor, half-up or half-even"),
        (3, "winnings.units", "is unit meant?"),
        (3, "winnings.unit", "1 or more minor units"),
        (5, "bank", "a table, in a game where a pla"),
        (7, "bets.player", "a table with a ladder, a list "),
        (10, "limits.bets.player.min", "1 or more minor units"),
        (10, "limits.bets.player.max", "1 or more minor units"),
        (9, "limits.patron", "1 or more minor units"),
        (2, "game", '"house", where the house banks'),
        (UNSET, "name", "a letter, then letters, digits"),
        (UNSET, "version", "1, 2, 3 …"),
    ]


def test_a_file_may_begin_with_a_mark_of_its_encoding(tmp_path: Path) -> None:
    assert load(file_of(tmp_path, "\ufeff" + FILE)).rules.name == "evening"


def test_a_bet_that_needs_itself_and_is_alone_is_told_to_need_nothing(tmp_path: Path) -> None:
    alone = FILE.replace('["panda-8", "player-pair"]', "[]").replace(
        "[bets.player]", '[bets.player]\nneeds = ["player"]'
    )

    (complaint,) = examine(file_of(tmp_path, alone)).complaints

    assert complaint.what == "'player' is not another bet of these rules; leave it out, for there is no other"


def test_a_file_need_not_suggest_limits(tmp_path: Path) -> None:
    assert load(file_of(tmp_path, FILE.partition("[limits")[0])).limits is UNSET


def test_rules_in_the_json_of_the_log_are_read_too(tmp_path: Path) -> None:
    path = tmp_path / "logged.json"
    path.write_bytes(LOGGED)

    assert encode(load(path).rules) == json.dumps(json.loads(LOGGED)["rules"], separators=(",", ":")).encode()


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RulesError, match=r"evening.toml, cannot be read: .*No such file"):
        load(tmp_path / "evening.toml")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"procedure__cut": 405}, "procedure.cut: 405 is too deep; 6 to 404 with 8 decks"),
        (
            {"commission": None},
            "commission: missing; say how it is collected and rounded, since banker bears it",
        ),
        (
            {"bets__banker__commission": None},
            "commission: no bet bears it; leave it out, or give a bet its rate",
        ),
        (
            {"bets__banker__commission": "1/1"},
            "bets.banker.commission: 1/1 is no rate; above 0 and below 1, or absent",
        ),
        (
            {"bets__banker__commission": "0/1"},
            "bets.banker.commission: 0/1 is no rate; above 0 and below 1, or absent",
        ),
        ({"bets__banker__commission": "5/100"}, "bets.banker.commission: 5/100 is not in lowest terms; write 1/20"),
        (
            {"bets__tie__needs": ["player", "bonus"]},
            (
                "bets.tie.needs: 'bonus' is not another bet of these rules; "
                "one or more of player, banker, player-pair, banker-pair"
            ),
        ),
        (
            {"bets__tie__needs": ["tie"]},
            (
                "bets.tie.needs: 'tie' is not another bet of these rules; "
                "one or more of player, banker, player-pair, banker-pair"
            ),
        ),
        ({"bets__tie__needs": ["player", "player"]}, "bets.tie.needs: names a bet twice; once is enough"),
        (
            {"bets__tie__ladder": [{"winner": "tie"}]},
            "bets.tie.ladder[0].pays: missing; odds such as 1/1, or 0/1 for a push",
        ),
        (
            {"bets__tie__ladder": [{"winner": "tie", "pays": 8}]},
            "bets.tie.ladder[0].pays: 8 is not odds; a text such as 1/1, or 0/1 for a push",
        ),
        (
            {"bets__tie__ladder": [{"winner": "tie", "pays": "0/1"}, {"pays": "16/2"}]},
            "bets.tie.ladder[1].pays: 16/2 is not in lowest terms; write 8/1",
        ),
        (
            {"bets__tie__ladder": [{"winner": "tie", "pays": "-1/1"}]},
            "bets.tie.ladder[0].pays: '-1/1' is not a ratio; a/b in lowest terms, such as 1/1 or 19/20",
        ),
        (
            {"bets__tie__ladder": [{"winner": "tie", "pays": "8/0"}]},
            "bets.tie.ladder[0].pays: '8/0' is not a ratio; a/b in lowest terms, such as 1/1 or 19/20",
        ),
        (
            {"bets__tie__ladder": [{"winner": "tie", "pays": "9007199254740992/1"}]},
            (
                "bets.tie.ladder[0].pays: 9007199254740992/1 is larger than 9007199254740991; "
                "smaller numbers on either side"
            ),
        ),
        (
            {"bets__tie__ladder": [{"winner": "bankr", "pays": "8/1"}]},
            "bets.tie.ladder[0].winner: 'bankr' is not a value of this fact; it is one of player, banker, tie",
        ),
        (
            {"bets__tie__ladder": [{"cards": [4, 7], "pays": "8/1"}]},
            "bets.tie.ladder[0].cards: 7 is not a value of this fact; it is one of 4, 5, 6",
        ),
        (
            {"bets__tie__ladder": [{"margin": "4", "pays": "8/1"}]},
            "bets.tie.ladder[0].margin: '4' is not a value of this fact; it is one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9",
        ),
        (
            {"bets__tie__ladder": [{"winner": [], "pays": "8/1"}]},
            "bets.tie.ladder[0].winner: an empty list never holds; name a value, or leave the fact out",
        ),
        (
            {"bets__tie__ladder": [{"winner": ["tie", "tie"], "pays": "8/1"}]},
            "bets.tie.ladder[0].winner: names a value twice; once is enough",
        ),
        (
            {"bets__tie__ladder": [{"right_winner": "tie", "pays": "8/1"}]},
            "bets.tie.ladder[0].right_winner: is told at two tableaux only; at one, ask for the winner",
        ),
        (
            {"bets__tie__ladder": [{"suit": "spades", "pays": "8/1"}]},
            (
                "bets.tie.ladder[0].suit: no coup has this fact; it is one of winner, player, banker, player_cards, "
                "banker_cards, cards, margin, natural, player_pair, banker_pair, pairs, right_winner, left_winner"
            ),
        ),
    ],
)
def test_a_rule_set_that_makes_no_sense_is_told_where_and_why(changes: dict[str, Any], complaint: str) -> None:
    assert check(rules(**changes)) == [complaint]


def test_all_complaints_come_at_once() -> None:
    nonsense = rules(procedure__cut=405, commission=None, bets__tie__needs=["faro"])

    with pytest.raises(RulesError) as refused:
        insist(nonsense)

    assert len(refused.value.complaints) == 3
