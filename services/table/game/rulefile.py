"""Rule files: what people write over coffee, read with every remark about it, each with its line and its field.

TOML as it is written, or the JSON of the log; side bets named from the shared file are put in.
"""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from schemas.rules import (
    BankRules,
    Bet,
    BetLimits,
    BetName,
    Clocks,
    Commission,
    Levy,
    Limits,
    Play,
    Procedure,
    Rounding,
    Rules,
    StakeRules,
)
from services.table.game.bank_defaults import with_defaults
from services.table.game.contradictions import contradictions, warnings
from services.table.game.lines import Place, lines_of, place_of
from services.table.game.scrutiny import RulesError, check, check_limits

RULEBOOK: Final = Path(__file__).parent / "rulebook"
SIDE_BETS: Final = RULEBOOK / "side-bets.toml"
BESIDE: Final = "beside"

PARTS: Final[Mapping[str, Any]] = {
    "procedure": Procedure,
    "winnings": Rounding,
    "commission": Commission,
    "levy": Levy,
    "bank": BankRules,
    "stakes": StakeRules,
    "play": Play,
    "clocks": Clocks,
}
# What nothing is wrong with: it stands in while another part is judged.
STANDING_IN: Final[Mapping[str, Any]] = {
    "name": "name",
    "version": 1,
    "game": "house",
    "procedure": {"decks": 8, "burn": "none", "cut": 14, "after_cut": "finish"},
    "winnings": {"mode": "floor", "unit": 1},
    "commission": {"collect": "at-once", "mode": "floor", "unit": 1},
    "levy": {"rate": "1/20", "on": "gross", "mode": "floor", "unit": 1},
    "bank": {},
    "stakes": {},
    "play": {"mode": "free"},
    "clocks": {"bank": 0, "turn": 0, "decide": 0},
    "bets": {"bet": {"ladder": [{}]}},
}
NEEDED: Final = ("name", "version", "game", "procedure", "winnings", "bets")
SPAN: Final[Mapping[str, Any]] = {"min": 1, "max": 1}
RIGHT: Final[Mapping[str, str]] = {
    "name": "a letter, then letters, digits and -, all small, 32 at most",
    "version": "1, 2, 3 …",
    "game": '"house", where the house banks; or chemin-de-fer, banque or dining-room',
    "seats": "1 to 64",
    "decks": "1 to 12",
    "burn": "none, one, first-card or decks",
    "cut": "6 or more cards, for the coup in which the cut card comes out may take six",
    "after_cut": "finish or one-more",
    "mode": "floor, half-up or half-even",
    "unit": "1 or more minor units",
    "collect": "at-once or marked",
    "commission": "a rate such as 1/20",
    "needs": "a list of bets",
    "ladder": 'a list of one or more rungs, such as { winner = "tie", pays = "8/1" }',
    "min": "1 or more minor units",
    "max": "1 or more minor units",
    "patron": "1 or more minor units",
    "table": "1 or more minor units",
    "differential": "1 or more minor units",
    "side_bets": "a list of names from the shared file",
    "levy.rate": "a rate such as 1/20",
    "levy.on": "gross or net",
    "bank.high": "king or ace",
    "bank.unable": "richest or close",
    "bank.withdraw": "true or false",
    "bank.add": "true or false",
    "stakes.start": "1 to 1000 chips for each other player",
    "stakes.absent": "out, player or banker",
    "stakes.late_banco": "true or false",
    "stakes.suivi": "true or false",
    "stakes.tie": "stay or return",
    "stakes.bystanders": "true or false",
    "play.mode": "tableau, options or free",
    "play.cells": 'a list of cells such as ["3-9", "5-4", "6-stand"]',
    "clocks.bank": "seconds, 0 for no clock",
    "clocks.turn": "seconds, 0 for no clock",
    "clocks.decide": "seconds, 0 for no clock",
}
"""What would be right: of one field of one part, else of every field of that name."""
RIGHT_WHOLE: Final[Mapping[str, str]] = {
    "procedure": "a table of decks, burn, cut and after_cut",
    "winnings": "a table of mode and unit",
    "commission": "a table of collect, mode and unit",
    "bets": "one table a bet, such as [bets.player]",
    "limits": "a table of bets, and of patron, table and differential where they are bounded",
    "limits.bets": "one span a bet, such as player = { min = 500, max = 100000 }",
    "levy": "a table of rate, on, mode and unit",
    "bank": "a table, in a game where a player banks",
    "stakes": "a table, in a game where a player banks",
    "play": "a table of mode and cells",
    "clocks": "a table of bank, turn and decide",
}
"""What would be right for a part, as RIGHT says it for a field."""

KNOWN: Final = (*(key.rpartition(".")[2] for key in RIGHT), *PARTS, "bets", "limits", "pays")


class Remark(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is wrong, or doubtful, and what would be right: where in the rule set, and on which line of the file."""

    line: int | UnsetType = UNSET
    where: str = ""
    what: str

    def __str__(self) -> str:
        """Tell it."""
        line = "" if self.line is UNSET else f"line {self.line}"
        place = ", ".join(part for part in (line, self.where) if part)
        return f"{place}: {self.what}" if place else self.what


class RuleFile(Struct, frozen=True, kw_only=True):
    """A rule file, read and expanded: the rules as they will be logged, and the limits it suggests, if any."""

    rules: Rules
    limits: Limits | UnsetType


class Examined(Struct, frozen=True, kw_only=True):
    """A rule file, and what is to be said of it; no book when something is wrong with it."""

    book: RuleFile | None
    complaints: tuple[Remark, ...]
    warnings: tuple[Remark, ...]


def examine(path: Path, *, side_bets: Path = SIDE_BETS) -> Examined:
    """Read a rule file and judge it, all at once."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors begin a file with a mark of its encoding
        tree, lines = parsed(path, text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, json.JSONDecodeError, RecursionError) as unreadable:
        return Examined(book=None, complaints=(unread(unreadable),), warnings=())
    complaints = list(misshapen(tree, side_bets))
    if complaints:
        return Examined(book=None, complaints=placed(complaints, lines), warnings=())
    lines = with_side_bets(lines, tree.get("side_bets", []))
    book = expanded(tree, side_bets)
    limits = None if book.limits is UNSET else book.limits
    complaints = complaints_about(book.rules, limits)
    if complaints:
        return Examined(book=None, complaints=placed(complaints, lines), warnings=())
    return Examined(book=book, complaints=(), warnings=placed(warnings(book.rules, limits), lines))


def complaints_about(rules: Rules, limits: Limits | None) -> list[str]:
    """List what is wrong with rules, else with their limits, else with the coups that their rungs ask for."""
    return check(rules) or ([] if limits is None else check_limits(rules, limits)) or contradictions(rules)


def load(path: Path, *, side_bets: Path = SIDE_BETS) -> RuleFile:
    """Read a rule file that is sound. Raises RulesError with everything that is wrong with it."""
    found = examine(path, side_bets=side_bets)
    if found.book is None:
        raise RulesError(*(f"{path.name}, {remark}" for remark in found.complaints))
    return found.book


def parsed(path: Path, text: str) -> tuple[Any, Mapping[Place, int]]:
    """Read the text of a file into a tree, and find the lines of its parts."""
    if path.suffix != ".json":
        return completed(tomllib.loads(text)), lines_of(text)
    tree = json.loads(text)
    if isinstance(tree, dict) and isinstance(tree.get("rules"), dict):  # as GET /v1/rules/{name} gives it
        tree = {**tree["rules"], **{key: part for key, part in tree.items() if key != "rules"}}
    return completed(tree), {}


def completed(tree: Any) -> Any:
    """Write the usual values of its game into a tree that leaves them out, as every rule set is read."""
    return with_defaults(tree) if isinstance(tree, dict) else tree


def unread(error: Exception) -> Remark:
    """Say why a file cannot be read, and on which line."""
    found = re.search(r"line (\d+)", str(error))
    line = int(found[1]) if found else UNSET
    return Remark(line=line, where="", what=f"cannot be read: {error}")


def expanded(tree: Mapping[str, Any], side_bets: Path) -> RuleFile:
    """Put the side bets in, and take the limits out, of a tree that has its shape."""
    rest = {key: part for key, part in tree.items() if key not in ("limits", "side_bets")}
    rest["bets"] = dict(tree.get("bets", {})) | {name: shared(side_bets)[name] for name in tree.get("side_bets", [])}
    limits = msgspec.convert(tree["limits"], Limits) if "limits" in tree else UNSET
    return RuleFile(rules=msgspec.convert(rest, Rules), limits=limits)


@cache
def shared(path: Path = SIDE_BETS) -> dict[str, Any]:
    """Give the bets of the shared file."""
    tree = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: {key: part for key, part in bet.items() if key != BESIDE} for name, bet in tree.items()}


@cache
def readings(path: Path = SIDE_BETS) -> Mapping[str, tuple[str, ...]]:
    """Give, for each bet of the shared file, those that are other readings of it."""
    tree = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: tuple(other for other, bet in tree.items() if bet.get(BESIDE) == name) for name in tree}


def misshapen(tree: Any, side_bets: Path = SIDE_BETS) -> Iterator[str]:
    """Complain about the shape of a tree: each part, each bet and each limit for itself."""
    if not isinstance(tree, dict):
        yield ": is no rule set; an object with name, version, game …"
        return
    own, named = tree.get("bets", {}), tree.get("side_bets", [])
    yield from of_the_side_bets(named, own, side_bets)
    for key, shape in PARTS.items():
        if key in tree:
            yield from of_the_fields(key, tree[key], shape, sound=STANDING_IN[key])
    yield from of_each("bets", own, Bet)
    yield from of_the_limits(tree)
    rest = {key: STANDING_IN[key] if key in PARTS else part for key, part in tree.items() if key != "limits"}
    rest.pop("side_bets", None)
    rest.pop("bets", None)
    if named or "bets" in tree:
        rest["bets"] = STANDING_IN["bets"]
    yield from of_the_fields("", rest, Rules, sound={key: STANDING_IN[key] for key in NEEDED})


def of_the_side_bets(named: Any, own: Any, side_bets: Path) -> Iterator[str]:
    """Complain about side bets that are not in the shared file, or are written out beside."""
    complaints = list(of_the_shape("side_bets", named, tuple[str, ...]))
    yield from complaints
    known = shared(side_bets)
    for number, name in enumerate(() if complaints else named):
        if name not in known:
            yield f"side_bets[{number}]: {name!r} is not in the shared file; it has {', '.join(known)}"
        elif isinstance(own, dict) and name in own:
            yield f"side_bets[{number}]: {name!r} is written out under bets too; keep one of them"


def of_the_limits(tree: Mapping[str, Any]) -> Iterator[str]:
    """Complain about the shape of the limits."""
    if "limits" not in tree:
        return
    limits = tree["limits"]
    if isinstance(limits, dict) and isinstance(limits.get("bets"), dict) and limits["bets"]:
        yield from of_each("limits.bets", limits["bets"], BetLimits)
        limits = limits | {"bets": {"bet": SPAN}}
    yield from of_the_fields("limits", limits, Limits, sound={"bets": {"bet": SPAN}})


def of_each(where: str, bets: Any, shape: Any) -> Iterator[str]:
    """Complain about names, and about what stands under each."""
    if not isinstance(bets, dict):
        yield f"{where}: is no table; one table a bet, such as [{where}.player]"
        return
    for name, bet in bets.items():
        if list(of_the_shape("", name, BetName)):
            yield f"{where}.{name}: is no name of a bet; {RIGHT['name']}"
        if shape is BetLimits:
            yield from of_the_fields(f"{where}.{name}", bet, shape, sound=SPAN)
        else:
            yield from list(of_the_values(f"{where}.{name}", bet)) or of_the_shape(f"{where}.{name}", bet, shape)


def of_the_values(where: str, bet: Any) -> Iterator[str]:
    """Complain about rungs whose values are none that a log can hold."""
    ladder = bet.get("ladder") if isinstance(bet, dict) else None
    for number, rung in enumerate(ladder if isinstance(ladder, list) else ()):
        for fact, asked in rung.items() if isinstance(rung, dict) else ():
            values = asked if isinstance(asked, list) else [asked]
            if not all(isinstance(value, str | int) and not isinstance(value, bool) for value in values):
                right = 'odds such as "3/2"' if fact == "pays" else "a word, a whole number, or a list of them"
                yield f"{where}.ladder[{number}].{fact}: {asked!r} cannot stand here; {right}"


def of_the_fields(where: str, part: Any, shape: Any, *, sound: Mapping[str, Any]) -> Iterator[str]:
    """Complain about each field of a part for itself, and about each that is missing; with `sound` nothing is wrong."""
    if not isinstance(part, dict):
        yield from of_the_shape(where, part, shape)
        return
    for field, value in part.items():
        yield from of_the_shape(where, {**sound, field: value}, shape)
    for field in sound:
        if field not in part:
            yield from of_the_shape(where, {key: value for key, value in sound.items() if key != field}, shape)


def of_the_shape(where: str, part: Any, shape: Any) -> Iterator[str]:
    """Complain when a part has not the shape that it must have."""
    try:
        msgspec.convert(part, shape)
    except msgspec.ValidationError as error:
        yield told(where, str(error))


def told(where: str, said: str) -> str:
    """Say what has the wrong shape, and what would be right."""
    what, _, at = said.partition(" - at `$")
    place = (where + at.removesuffix("`").replace("[...]", "")).lstrip(".")
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", what):
        place, what = f"{place}.{missing[1]}".lstrip("."), "is missing"
    elif unknown := re.fullmatch(r"Object contains unknown field `(.*)`", what):
        meant = get_close_matches(unknown[1], KNOWN, n=1)
        instead = f"is {meant[0]} meant?" if meant else "leave it out"
        return f"{place}.{unknown[1]}: is no field that rules have here; {instead}".lstrip(".")
    field = re.sub(r"\[\d+\]", "", place).rpartition(".")[2]
    right = RIGHT_WHOLE.get(place) or RIGHT.get(place) or RIGHT.get(field)
    if re.fullmatch(r"bets\.[^.]*", place):
        right = f"a table with a ladder, {RIGHT['ladder']}"
    return f"{place}: {what[0].lower() + what[1:]}{f'; {right}' if right else ''}"


def placed(complaints: Iterable[str], lines: Mapping[Place, int]) -> tuple[Remark, ...]:
    """Find the line of each complaint: that of its own place, or of the nearest around it that is written."""
    return tuple(
        Remark(line=line_of(place_of(where), lines), where=where, what=what)
        for where, _, what in (complaint.partition(": ") for complaint in complaints)
    )


def with_side_bets(lines: Mapping[Place, int], named: Iterable[str]) -> Mapping[Place, int]:
    """Let a side bet stand where it is named."""
    found = dict(lines)
    for number, name in enumerate(named):
        if ("side_bets", number) in found:
            found["bets", name] = found["side_bets", number]
    return found


def line_of(place: Place, lines: Mapping[Place, int]) -> int | UnsetType:
    """Find a line."""
    for end in range(len(place), 0, -1):
        if place[:end] in lines:
            return lines[place[:end]]
    return UNSET
