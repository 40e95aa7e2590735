"""`shoelog rules`: the rule sets of the house, and what is wrong with one that somebody wrote."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from services.table.game.rulefile import Examined, RuleFile
    from services.table.game.rules import Rules

UNSOUND = 1


def chosen(text: str) -> "Rules":
    """The rules that a name of the house or a file stands for."""
    return chosen_book(text, hint="--rules").rules


def chosen_book(text: str, *, hint: str) -> "RuleFile":
    """The rules and limits that a name of the house or a file stands for; a name is `ez`, or `ez@1` for that version.

    Ends as wrong usage when there are none, and with 1 when they are unsound.
    """
    from services.table.game.rulefile import RuleFile, examine
    from services.table.game.rules import RulesError, builtin

    path = Path(text)
    if path.suffix in (".toml", ".json") or path.is_file():
        if not path.is_file():
            raise click.BadParameter(f"there is no file {text}", param_hint=hint)
        found = examine(path)
        if found.book is None:
            raise click.ClickException("\n".join(f"{text}, {remark}" for remark in found.complaints))
        return found.book
    try:
        book = builtin(text)
    except RulesError as error:
        raise click.BadParameter(str(error), param_hint=hint) from None
    return RuleFile(rules=book.rules, limits=book.limits)


@click.group(short_help="The rule sets of the house, and what is wrong with one that you wrote.")
def rules() -> None:
    """The rule sets of the house, and what is wrong with one that you wrote."""


@rules.command("list", short_help="Every rule set of the house.")
@click.option("--json", "wants_json", is_flag=True, help="Print one line of JSON.")
def list_rules(*, wants_json: bool) -> None:
    """Every rule set of the house, with the versions it has had; a retired one is named with its version: ez@1."""
    import msgspec

    from services.table.game.rules import builtin, editions

    found = editions()
    if wants_json:
        click.echo(msgspec.json.encode(found))
        return
    width = max(len(edition.name) for edition in found)
    for edition in found:
        named = f"{edition.name}@{edition.version}" if edition.is_retired else edition.name
        book = builtin(named).rules
        retired = "  retired" if edition.is_retired else ""
        click.echo(f"{edition.name:<{width}}  version {edition.version}{retired}  {' '.join(book.bets)}")


@rules.command("show", short_help="One rule set, whole.")
@click.argument("name", metavar="NAME|FILE")
@click.option(
    "--json", "wants_json", is_flag=True, help="Print one line of JSON: rules and limits, to open a table with."
)
def show(*, name: str, wants_json: bool) -> None:
    """One rule set, whole: its procedure, its rounding, and the ladder of every bet."""
    import msgspec

    found = chosen_book(name, hint="NAME")
    click.echo(msgspec.json.encode(found) if wants_json else "\n".join(shown(found.rules)))


@rules.command("check", short_help="What is wrong with a rule file, line by line.")
@click.argument("file", metavar="FILE", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--json", "wants_json", is_flag=True, help="Print one line of JSON.")
def check(*, file: Path, wants_json: bool) -> None:
    """What is wrong with a rule file: the line, the field, and what would be right; and what is doubtful about it.

    Exit status: 0 a table can be opened with it, though there be warnings; 1 it is refused; 64 wrong usage.
    """
    import msgspec

    from services.table.game.rulefile import examine

    found = examine(file)
    if wants_json:
        answer = {
            "file": str(file),
            "sound": found.book is not None,
            "complaints": found.complaints,
            "warnings": found.warnings,
        }
        click.echo(msgspec.json.encode(answer))
    else:
        click.echo("\n".join(judged(str(file), found)))
    raise SystemExit(0 if found.book else UNSOUND)


def judged(file: str, found: "Examined") -> "Iterator[str]":
    """What `check` says."""
    from msgspec import UNSET

    for remark in found.complaints:
        yield f"{file}, {remark}"
    for remark in found.warnings:
        yield f"{file}, warning, {remark}"
    if found.book is None:
        yield f"{file}: refused"
        return
    rules = found.book.rules
    yield f"{file}: sound; {rules.name}, version {rules.version}, {len(rules.bets)} bets"
    if found.book.limits is UNSET:
        yield f"{file}: it suggests no limits, so a table opened with it must be given some"


def shown(found: "Rules") -> "Iterator[str]":
    """A rule set for people."""
    from msgspec import UNSET

    procedure, commission = found.procedure, found.commission
    after = {"finish": "that coup is the last", "one-more": "one more coup"}[procedure.after_cut]
    yield f"{found.name}, version {found.version}"
    yield f"  {procedure.decks} decks, burn {procedure.burn}, cut {procedure.cut}: {after}"
    yield f"  winnings rounded {found.winnings.mode} to {found.winnings.unit}"
    if commission is not UNSET:
        yield f"  commission {commission.collect}, rounded {commission.mode} to {commission.unit}"
    for name, bet in found.bets.items():
        rate = "" if bet.commission is UNSET else f", commission {bet.commission}"
        needs = "" if bet.needs is UNSET else f", with {' or '.join(bet.needs)}"
        yield f"  {name}{rate}{needs}"
        yield from (f"    {paid(rung['pays'])}  {facts(rung)}" for rung in bet.ladder)


def paid(pays: Any) -> str:
    """Odds for people, as wide as the widest usual ones."""
    return f"{'push' if pays == '0/1' else pays.replace('/', ' to '):>9}"


def facts(rung: Any) -> str:
    """What a rung asks for."""
    asked = {fact: values if isinstance(values, list) else [values] for fact, values in rung.items() if fact != "pays"}
    return ", ".join(f"{fact} {' or '.join(map(str, values))}" for fact, values in asked.items()) or "anything"
