"""`shoelog odds`: what every bet of a rule set costs, exactly."""

from typing import TYPE_CHECKING, Any

import click

from services.house.ruling import chosen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from services.table.game.odds import BetOdds, Odds

HUNDREDTHS = 6


@click.command(short_help="What every bet of a rule set costs, exactly.")
@click.option("--rules", "name", default="punto-banco", show_default=True, metavar="NAME|FILE", help="A rule set.")
@click.option("--decks", type=click.IntRange(1, 12), metavar="N", help="Another number of decks than the rules say.")
@click.option("--side-bets", "with_all", is_flag=True, help="Every side bet of the house beside.")
@click.option("--json", "wants_json", is_flag=True, help="Print one line of JSON.")
def odds(*, name: str, decks: int | None, with_all: bool, wants_json: bool) -> None:
    """What every bet of a rule set costs out of a fresh shoe: counted, deal by deal, never sampled.

    Other readings of a bet, such as winning-8-tie-loses, stand beside it. Edges below zero are the patron's.

    \b
      shoelog odds --rules ez
      shoelog odds --rules evening.toml --decks 6 --json
    """  # noqa: D301
    from services.table.game.odds import fresh_odds
    from services.table.game.rules import with_readings, with_side_bets

    rules = with_readings(chosen(name))
    if rules.game not in ("house", "dining-room"):
        why = f"{name!r} leaves choices to its players; what its bets cost hangs on them"
        raise click.BadParameter(why, param_hint="--rules")
    rules = with_side_bets(rules) if with_all else rules
    found = fresh_odds(rules, decks)
    decks = decks or rules.procedure.decks
    click.echo(in_json(rules.name, decks, found) if wants_json else "\n".join(told(rules.name, decks, found)))


def in_json(rules: str, decks: int, found: "Odds") -> bytes:
    """One line of JSON."""
    import msgspec

    from services.table.game.odds import bet_told, outcomes_told

    answer: dict[str, Any] = {
        "rules": rules,
        "decks": decks,
        "bets": {name: bet_told(bet) for name, bet in found.bets.items()},
        "outcomes": outcomes_told(found),
    }
    return msgspec.json.encode(answer)


def told(rules: str, decks: int, found: "Odds") -> "Iterator[str]":
    """The odds for people: a line for each bet, and below it one for each way to end."""
    from services.table.game.odds import decimal

    yield f"{rules}, {decks} deck{'s' if decks > 1 else ''}"
    yield "  " + "   ".join(f"{winner.title()} {decimal(chance, 9)}" for winner, chance in found.winners.items())
    width = max(map(len, found.bets))
    yield ""
    yield f"{'bet':<{width}}  {'house edge':>12}  {'deviation':>10}"
    for name, bet in found.bets.items():
        yield from told_bet(f"{name:<{width}}", bet)


def told_bet(name: str, bet: "BetOdds") -> "Iterator[str]":
    """A bet, and its steps."""
    from services.table.game.odds import decimal, decimal_root

    yield f"{name}  {decimal(100 * bet.edge, HUNDREDTHS):>10} %  {decimal_root(bet.variance, HUNDREDTHS):>10}"
    for gain, chance in bet.steps:
        paid = "lost" if gain == -1 else "push" if gain == 0 else f"{gain.numerator} to {gain.denominator}"
        yield f"{'':{len(name)}}  {paid:>10}    {decimal(chance, 9):>12}"
