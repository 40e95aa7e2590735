"""Scrutiny of rules whose bank is a player's: a complaint says where, what, and what would be right."""

from pathlib import Path
from typing import Any

import pytest
from msgspec import convert, to_builtins

from schemas.rules import Limits, Rules
from services.table.game.bank_defaults import DEFAULTS, with_defaults
from services.table.game.rules import builtin, house_banked, load, names
from services.table.game.scrutiny import check, check_limits

GAMES = ("banque", "chemin-de-fer", "dining-room")
LACKS = object()


def changed(game: str, path: str, value: Any) -> Rules:
    """Give a built-in rule set with one place of it changed, or taken out."""
    tree: Any = to_builtins(builtin(game).rules)
    *parts, last = path.split(".")
    place = tree
    for part in parts:
        place = place[part]
    if value is LACKS:
        del place[last]
    else:
        place[last] = value
    return convert(tree, Rules)


EVEN = {"ladder": [{"winner": "player", "pays": "1/1"}]}


@pytest.mark.parametrize(
    ("game", "path", "value", "complaint"),
    [
        ("chemin-de-fer", "seats", LACKS, "seats: missing; chemin-de-fer needs it"),
        ("chemin-de-fer", "seats", 1, "seats: 1 is too few; a banker and a player, 2 to 64"),
        ("banque", "seats", 7, "seats: 7 cannot be halved; an even number, the low half right, the high half left"),
        ("banque", "procedure.cut", 8, "procedure.cut: 8 may not last for the longest coup; 9 to 144"),
        ("chemin-de-fer", "bank", LACKS, "bank: missing; chemin-de-fer needs it"),
        ("chemin-de-fer", "bank.add", LACKS, "bank.add: missing; chemin-de-fer needs withdraw, add"),
        ("chemin-de-fer", "bank.high", "king", "bank.high: chemin-de-fer does not ask it; it has withdraw, add"),
        ("dining-room", "stakes.suivi", True, "stakes.suivi: dining-room does not ask it; it has unit, start, absent"),
        ("dining-room", "stakes", LACKS, "stakes: missing; dining-room needs it"),
        ("dining-room", "stakes.unit", LACKS, "stakes.unit: missing; dining-room needs unit, start, absent"),
        (
            "dining-room",
            "levy",
            {"rate": "1/20", "on": "gross", "mode": "floor", "unit": 1},
            "levy: dining-room has none; leave it out",
        ),
        ("dining-room", "play", {"mode": "tableau"}, "play: dining-room has none; leave it out"),
        ("banque", "levy.rate", "1/1", "levy.rate: 1/1 is no rate; from 0 to below 1"),
        ("banque", "levy.rate", "2/40", "levy.rate: 2/40 is not in lowest terms; write 1/20"),
        ("banque", "play.mode", "tableau", "play.mode: tableau is none of banque; free"),
        (
            "chemin-de-fer",
            "play.cells",
            LACKS,
            'play.cells: named where, and only where, the mode is options; say which, such as ["3-9", "5-4"]',
        ),
        (
            "chemin-de-fer",
            "play.mode",
            "free",
            "play.cells: named where, and only where, the mode is options; leave them out",
        ),
        ("chemin-de-fer", "play.cells", ["3-9", "3-9"], "play.cells: names a cell twice; once is enough"),
        (
            "chemin-de-fer",
            "winnings",
            {"mode": "half-up", "unit": 5},
            "winnings.mode: by half-up to 5 a win may be more than the bank covers; floor, or a unit of 1",
        ),
        (
            "banque",
            "winnings",
            {"mode": "half-up", "unit": 2},
            "winnings.mode: by half-up to 2 a win may be more than the bank covers; floor, or a unit of 1",
        ),
        (
            "dining-room",
            "winnings",
            {"mode": "half-even", "unit": 200},
            "winnings.mode: by half-even to 200 a win may be more than the bank covers; floor, or a unit of 1",
        ),
        ("chemin-de-fer", "clocks", LACKS, "clocks: missing; chemin-de-fer needs it"),
        ("chemin-de-fer", "bets.player", LACKS, "bets.player: missing; chemin-de-fer is played with player"),
        ("chemin-de-fer", "bets.tie", EVEN, "bets.tie: chemin-de-fer has no such bet; player, banco"),
        (
            "dining-room",
            "bets.bank",
            {**EVEN, "needs": ["player"]},
            "bets.bank: dining-room has no such bet; another name: the bank is every round's first bet",
        ),
        (
            "dining-room",
            "bets.final-6.needs",
            LACKS,
            "bets.final-6.needs: a side bet needs a main bet; player, banker",
        ),
        (
            "dining-room",
            "bets.player.needs",
            ["banker"],
            "bets.player.needs: a main bet stands by itself; leave it out",
        ),
        (
            "chemin-de-fer",
            "bets.player.ladder",
            [{"winner": "player", "pays": "2/1"}],
            "bets.player.ladder[0].pays: 2/1 is more than the bank covers; 1/1 at most",
        ),
        (
            "banque",
            "bets.right.ladder",
            [{"winner": "player", "pays": "1/1"}],
            "bets.right.ladder[0].winner: is told at one tableau only; at two, ask for right_winner, left_winner",
        ),
    ],
)
def test_what_a_game_lacks_or_has_no_use_for(game: str, path: str, value: Any, complaint: str) -> None:
    assert complaint in check(changed(game, path, value))


@pytest.mark.parametrize(
    ("game", "mode", "unit"),
    [
        ("banque", "half-up", 1),
        ("banque", "floor", 25),
        ("dining-room", "half-up", 50),
        ("dining-room", "half-up", 100),
    ],
)
def test_wins_may_be_rounded_so_that_none_is_above_its_stake(game: str, mode: str, unit: int) -> None:
    assert check(changed(game, "winnings", {"mode": mode, "unit": unit})) == []


def test_a_bet_of_a_player_banked_game_bears_no_commission() -> None:
    complaints = check(changed("chemin-de-fer", "bets.player.commission", "1/20"))

    assert complaints[0].startswith("commission: chemin-de-fer has none") or any(
        complaint.startswith("bets.player.commission: nobody but the banker pays the house") for complaint in complaints
    )


@pytest.mark.parametrize("part", ["levy", "bank", "stakes", "play", "clocks"])
def test_a_house_banked_game_has_no_part_of_a_players_bank(part: str) -> None:
    tree = to_builtins(builtin("punto-banco").rules)
    donor = to_builtins(builtin("chemin-de-fer").rules)

    complaints = check(convert(tree | {part: donor[part]}, Rules))

    assert complaints == [f"{part}: a house-banked game has none; leave it out"]


def limits_of(game: str, **changes: Any) -> Limits:
    """Give a game's suggested limits, changed; a bet set to None is taken out."""
    tree = to_builtins(builtin(game).limits)
    bets = {name: span for name, span in (tree["bets"] | changes.pop("bets", {})).items() if span is not None}
    return convert(tree | changes | {"bets": bets}, Limits)


SPAN = {"min": 10, "max": 100}


@pytest.mark.parametrize(
    ("game", "changes", "complaint"),
    [
        (
            "chemin-de-fer",
            {"bets": {"bank": None}},
            "limits.bets.bank: missing; what a bank may be, at least and at most",
        ),
        (
            "dining-room",
            {"bets": {"bank": SPAN}},
            "limits.bets.bank: in the dining-room the bank is the dealer's whole stack; leave it out",
        ),
        ("banque", {"differential": 5}, "limits.differential: banque has none; leave it out"),
        (
            "banque",
            {"bets": {"bank": {"min": 9, "max": 8}}},
            "limits.bets.bank: min 9 is above max 8; a smaller min, or a larger max",
        ),
        (
            "banque",
            {"bets": {"bank": {"min": 9, "max": 10**15 + 1}}},
            "limits.bets.bank.max: more than the largest stack, 1000000000000000",
        ),
    ],
)
def test_what_limits_a_players_bank_has(game: str, changes: dict[str, Any], complaint: str) -> None:
    assert complaint in check_limits(builtin(game).rules, limits_of(game, **changes))


@pytest.mark.parametrize("game", GAMES)
def test_the_built_in_rule_sets_are_sound(game: str) -> None:
    assert check(builtin(game).rules) == []
    assert check_limits(builtin(game).rules, builtin(game).limits) == []
    assert set(names()) == {*GAMES, *house_banked()}


@pytest.mark.parametrize("game", GAMES)
def test_a_rule_file_may_leave_out_what_has_a_usual_value(game: str, tmp_path: Path) -> None:
    written = (Path("services/table/game/rulebook") / f"{game}.toml").read_text(encoding="utf-8")
    kept = written.split("\n\n")
    short = [part for part in kept if not part.startswith(tuple(f"[{name}]" for name in DEFAULTS[game]))]
    if game == "dining-room":
        short.append("[stakes]\nunit = 100")
    path = tmp_path / f"{game}.toml"
    path.write_text("\n\n".join(short).replace(f"seats = {DEFAULTS[game]['seats']}\n", ""), encoding="utf-8")

    assert len(short) < len(kept)
    assert load(path).rules == builtin(game).rules


def test_each_game_has_its_usual_seats() -> None:
    assert {game: DEFAULTS[game]["seats"] for game in GAMES} == {"dining-room": 8, "chemin-de-fer": 10, "banque": 10}


@pytest.mark.parametrize(("part", "value"), [("seats", {}), ("procedure", 5), ("bank", []), ("play", "free")])
def test_a_part_that_is_misshapen_is_left_to_be_complained_about(part: str, value: Any) -> None:
    tree = with_defaults({"game": "chemin-de-fer", part: value})

    assert tree[part] == value
    assert tree["clocks"] == {"bank": 30, "turn": 20, "decide": 15}


@pytest.mark.parametrize("tree", [{}, {"game": 5}, {"game": ["banque"]}, {"game": "house"}])
def test_what_is_no_player_banked_game_has_no_usual_values(tree: dict[str, Any]) -> None:
    assert with_defaults(tree) == tree


def test_two_are_seats_enough() -> None:
    assert check(changed("chemin-de-fer", "seats", 2)) == []


def test_rules_that_do_not_say_how_hands_are_played_lack_that_alone() -> None:
    assert check(changed("chemin-de-fer", "play", LACKS)) == ["play: missing; chemin-de-fer needs it"]
    assert check(changed("dining-room", "play", {"mode": "tableau"})) == ["play: dining-room has none; leave it out"]
