"""Rule sets as data: those of the house, each in the versions it has had, and those that people bring."""

import re
from functools import cache
from pathlib import Path

from msgspec import UNSET, Struct, UnsetType, convert
from msgspec.structs import replace

from schemas.rules import (
    Bet,
    BetLimits,
    Commission,
    Limits,
    Procedure,
    Rounding,
    Rules,
    Rung,
)
from services.table.game.paytable import PayTable, paytable, ratio, ratio_text
from services.table.game.rulefile import RULEBOOK, SIDE_BETS, expanded, load, parsed, readings, shared
from services.table.game.scrutiny import FACTS, RulesError, check, check_limits, insist
from services.table.game.written import RulesWritten

__all__ = [
    "FACTS",
    "Bet",
    "BetLimits",
    "Book",
    "Commission",
    "Edition",
    "Limits",
    "PayTable",
    "Procedure",
    "Rounding",
    "Rules",
    "RulesError",
    "Rung",
    "builtin",
    "check",
    "check_limits",
    "choose",
    "edition",
    "editions",
    "house_banked",
    "insist",
    "load",
    "names",
    "paytable",
    "ratio",
    "ratio_text",
    "with_readings",
    "with_side_bets",
]

RETIRED = re.compile(r"(?P<name>[a-z][a-z0-9-]*)@(?P<version>[1-9][0-9]*)")


class Book(Struct, frozen=True, kw_only=True):
    """A rule set as it will be logged, and limits."""

    rules: Rules
    limits: Limits


class Edition(Struct, frozen=True, kw_only=True):
    """A rule set of the house in one version. A retired one is given only to whoever asks for its version."""

    name: str
    version: int
    is_retired: bool


def names(rulebook: Path = RULEBOOK) -> list[str]:
    """List the rule sets of the house."""
    return sorted(path.stem for path in _files(rulebook) if not RETIRED.fullmatch(path.stem))


def house_banked() -> list[str]:
    """List those whose bank is the house's."""
    return [name for name in names() if builtin(name).rules.game == "house"]


@cache
def editions(rulebook: Path = RULEBOOK) -> tuple[Edition, ...]:
    """List the rule sets of the house in every version they have had, the newest first."""
    found = []
    for path in _files(rulebook):
        rules = _read(path).rules
        found.append(Edition(name=rules.name, version=rules.version, is_retired=bool(RETIRED.fullmatch(path.stem))))
    return tuple(sorted(found, key=lambda edition: (edition.name, -edition.version)))


def builtin(name: str, rulebook: Path = RULEBOOK) -> Book:
    """Give a rule set of the house: the one in force, as `ez`, or in a version it had, as `ez@1`.

    Raises RulesError, which lists those there are.
    """
    wanted, at, version = name.partition("@")
    if wanted not in names(rulebook):
        raise RulesError(f"{name!r} is not a rule set of the house; it has {', '.join(names(rulebook))}")
    book = _read(rulebook / f"{wanted}.toml")
    if at and version != str(book.rules.version):
        had = sorted(edition.version for edition in editions(rulebook) if edition.name == wanted)
        if version not in map(str, had):
            raise RulesError(f"{name!r} is no version of {wanted}; it has {', '.join(f'{wanted}@{v}' for v in had)}")
        return _read(rulebook / f"{wanted}@{version}.toml")
    return book


def edition(name: str, version: int | None) -> str | None:
    """Give the name under which the house has a rule set, in a version or in force; None when it has not."""
    if version is None:
        return name if name in names() else None
    has = any((one.name, one.version) == (name, version) for one in editions())
    return f"{name}@{version}" if has else None


def choose(rules: str | RulesWritten, limits: Limits | UnsetType) -> Book:
    """Give the rules and limits of a table to be opened: the house's by name, or written ones. Raises RulesError."""
    if isinstance(rules, str):
        book = builtin(rules)
        return book if limits is UNSET else Book(rules=book.rules, limits=limits)
    if limits is UNSET:
        raise RulesError("limits: rules that are not the house's bring no limits of their own; say them")
    return Book(rules=rules.whole.rules, limits=limits)


def with_readings(rules: Rules) -> Rules:
    """Put beside each bet that the shared file knows by this name and ladder its other readings."""
    bets: dict[str, Bet] = {}
    for name, bet in rules.bets.items():
        bets[name] = bet
        if name in shared() and bet.ladder == _shared_bet(name).ladder:
            bets |= {other: _shared_bet(other) for other in readings()[name] if other not in rules.bets}
    return replace(rules, bets=bets)


def with_side_bets(rules: Rules) -> Rules:
    """Put every bet of the shared file behind those that the rules have."""
    others = {name: _shared_bet(name) for name in shared() if name not in rules.bets}
    return replace(rules, bets=rules.bets | others)


def _shared_bet(name: str) -> Bet:
    return convert(shared()[name], Bet)


@cache
def _files(rulebook: Path) -> tuple[Path, ...]:
    return tuple(path for path in rulebook.glob("*.toml") if path.name != SIDE_BETS.name)


@cache
def _read(path: Path) -> Book:
    """Read a file of the rulebook, which a test found sound: its contradictions are not looked for again."""
    tree, _ = parsed(path, path.read_text(encoding="utf-8"))
    book = expanded(tree, SIDE_BETS)
    assert book.limits is not UNSET, "a rule set of the house suggests limits"
    return Book(rules=book.rules, limits=book.limits)
