"""`shoelog odds`: what every bet of a rule set costs, exactly."""

from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from services.house.ruling import chosen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.rules import Rules
    from services.table.game.free_choice import Solution
    from services.table.game.odds import BetOdds
    from services.table.game.prices import Prices

HUNDREDTHS = 6


@click.command(short_help="What every bet of a rule set costs, exactly.")
@click.option("--rules", "name", default="punto-banco", show_default=True, metavar="NAME|FILE", help="A rule set.")
@click.option("--decks", type=click.IntRange(1, 12), metavar="N", help="Another number of decks than the rules say.")
@click.option("--side-bets", "with_all", is_flag=True, help="Every side bet of the house beside.")
@click.option("--json", "wants_json", is_flag=True, help="Print one line of JSON.")
def odds(*, name: str, decks: int | None, with_all: bool, wants_json: bool) -> None:
    """What every bet of a rule set costs out of a fresh shoe: counted, deal by deal, never sampled.

    Where players choose, as the tableau has it; the levy on a bank is not counted. Other readings of a bet, such as
    winning-8-tie-loses, stand beside it. Edges below zero are the patron's.

    \b
      shoelog odds --rules ez
      shoelog odds --rules evening.toml --decks 6 --json
    """  # noqa: D301
    from services.table.game.prices import fresh_prices
    from services.table.game.rules import with_readings, with_side_bets

    rules = with_readings(chosen(name))
    rules = with_side_bets(rules) if with_all and rules.game == "house" else rules
    if decks:
        rules = replace(rules, procedure=replace(rules.procedure, decks=decks))
    found = fresh_prices(rules)
    click.echo(in_json(rules, found) if wants_json else "\n".join(told(rules, found)))


def in_json(rules: "Rules", found: "Prices") -> bytes:
    """One line of JSON."""
    import msgspec

    from services.table.game.odds import bet_told
    from services.table.game.paytable import ratio_text
    from services.table.game.prices import choices, outcomes_told

    answer: dict[str, Any] = {
        "rules": rules.name,
        "decks": rules.procedure.decks,
        "bets": {name: bet_told(bet) for name, bet in found.bets.items()},
        "outcomes": outcomes_told(found),
    }
    if how := choices(rules):
        answer["choices"] = how
    if (solved := solution(rules)) is not None:
        answer["solved"] = {
            "bank_gains": ratio_text(solved.value),
            "player_draws_on_5": ratio_text(solved.player),
            "banker_draws": {cell: ratio_text(rate) for cell, rate in solved.banker.items()},
        }
    return msgspec.json.encode(answer)


def solution(rules: "Rules") -> "Solution | None":
    """The game of free choices solved, where both hands have some: chemin de fer."""
    from services.table.game.free_choice import solve

    return solve(rules) if rules.game == "chemin-de-fer" else None


def told(rules: "Rules", found: "Prices") -> "Iterator[str]":
    """The odds for people: a line for each bet, and below it one for each way to end."""
    from services.table.game.odds import decimal
    from services.table.game.prices import choices

    decks = rules.procedure.decks
    yield f"{rules.name}, {decks} deck{'s' if decks > 1 else ''}"
    if choices(rules):
        yield "  where a choice is free, as the tableau has it"
    for side, winners in found.winners.items():
        name = f"{side}: " if side else ""
        yield f"  {name}" + "   ".join(f"{winner.title()} {decimal(chance, 9)}" for winner, chance in winners.items())
    yield from told_solution(rules)
    width = max(map(len, found.bets))
    yield ""
    yield f"{'bet':<{width}}  {'house edge':>12}  {'deviation':>10}"
    for name, bet in found.bets.items():
        yield from told_bet(f"{name:<{width}}", bet)


def told_solution(rules: "Rules") -> "Iterator[str]":
    """What the game is worth when both choose as well as can be."""
    from services.table.game.odds import decimal

    if (solved := solution(rules)) is None:
        return
    yield f"  chosen as well as can be, cards drawn with replacement: the bank gains {decimal(solved.value, 12)}"
    yield f"    Player draws on 5 in {solved.player}"
    for cell, rate in solved.banker.items():
        yield f"    Banker draws at {cell} in {rate}"


def told_bet(name: str, bet: "BetOdds") -> "Iterator[str]":
    """A bet, and its steps."""
    from services.table.game.odds import decimal, decimal_root

    yield f"{name}  {decimal(100 * bet.edge, HUNDREDTHS):>10} %  {decimal_root(bet.variance, HUNDREDTHS):>10}"
    for gain, chance in bet.steps:
        paid = "lost" if gain == -1 else "push" if gain == 0 else f"{gain.numerator} to {gain.denominator}"
        yield f"{'':{len(name)}}  {paid:>10}    {decimal(chance, 9):>12}"
