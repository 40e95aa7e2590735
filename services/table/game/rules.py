"""Rule sets as data: the built-in ones, and those that people write in a TOML file."""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

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
from services.table.game.bank_defaults import with_defaults
from services.table.game.paytable import PayTable, paytable, ratio, ratio_text
from services.table.game.scrutiny import FACTS, RulesError, check, check_limits, insist

__all__ = [
    "FACTS",
    "Bet",
    "BetLimits",
    "Commission",
    "Limits",
    "PayTable",
    "Procedure",
    "Rounding",
    "RuleFile",
    "Rules",
    "RulesError",
    "Rung",
    "builtin",
    "check",
    "check_limits",
    "choose",
    "house_banked",
    "insist",
    "load",
    "names",
    "paytable",
    "ratio",
    "ratio_text",
]

T = TypeVar("T")

RULEBOOK = Path(__file__).parent / "rulebook"
SIDE_BETS = RULEBOOK / "side-bets.toml"


class RuleFile(msgspec.Struct, frozen=True, kw_only=True):
    """A rule file, read and expanded: the rules as they will be logged, and the limits it suggests."""

    rules: Rules
    limits: Limits


def names() -> list[str]:
    """List the built-in rule sets."""
    return sorted(path.stem for path in RULEBOOK.glob("*.toml") if path != SIDE_BETS)


def house_banked() -> list[str]:
    """List those whose bank is the house's."""
    return [name for name in names() if builtin(name).rules.game == "house"]


@cache
def builtin(name: str) -> RuleFile:
    """Give a built-in rule set by name; RulesError lists the names there are."""
    if name not in names():
        raise RulesError(f"{name!r} is not a rule set of the house; it has {', '.join(names())}")
    return load(RULEBOOK / f"{name}.toml")


def choose(rules: str | Rules, limits: Limits | UnsetType) -> RuleFile:
    """Give the rules and limits of a table to be opened: the house's by name, or whole ones. Raises RulesError."""
    if isinstance(rules, str):
        book = builtin(rules)
        return book if limits is UNSET else RuleFile(rules=book.rules, limits=limits)
    if limits is UNSET:
        raise RulesError("limits: rules that are not the house's bring no limits of their own; say them")
    return RuleFile(rules=rules, limits=limits)


def load(path: Path, *, side_bets: Path = SIDE_BETS) -> RuleFile:
    """Read a rule file, expanding the side bets it names from the shared file; RulesError says what is wrong where."""
    tree = read_toml(path)
    limits = shaped(f"{path.name}: limits", tree.pop("limits", {}), Limits)
    chosen = shaped(f"{path.name}: side_bets", tree.pop("side_bets", []), list[str])
    own = shaped(f"{path.name}: bets", tree.get("bets", {}), dict[str, Any])
    tree = with_defaults(tree)
    tree["bets"] = own | chosen_from(read_toml(side_bets), chosen, own)
    book = RuleFile(rules=shaped(path.name, tree, Rules), limits=limits)
    insist(book.rules, book.limits)
    return book


def shaped(where: str, tree: Any, shape: type[T]) -> T:
    """Give a part of a file the shape it must have; RulesError says where it has another."""
    try:
        return msgspec.convert(tree, shape)
    except msgspec.ValidationError as misshapen:
        raise RulesError(f"{where}: {misshapen}") from None


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file; RulesError when it is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as unreadable:
        raise RulesError(f"{path.name}: {unreadable}") from None


def chosen_from(shared: dict[str, Any], chosen: list[str], own: dict[str, Any]) -> dict[str, Any]:
    """Pick the named side bets from the shared file, in the order named."""
    for name in chosen:
        if name not in shared:
            raise RulesError(f"side_bets: {name!r} is not in the shared file; it has {', '.join(shared)}")
        if name in own:
            raise RulesError(f"side_bets: {name!r} is written out under bets too; keep one of them")
    return {name: shared[name] for name in chosen}
