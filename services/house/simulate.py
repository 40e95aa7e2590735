"""`shoelog simulate`: whole shoes played without services, and every bet's return held against its exact odds."""

import multiprocessing
import os
import secrets
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from math import sqrt
from typing import TYPE_CHECKING, Any

import click

from services.house.ruling import chosen

if TYPE_CHECKING:
    from schemas.rules import Rules
    from services.table.game.simulation import Finding, Tally

BOUND = 5  # standard errors: with thirty bets, honest dice go beyond in about one run of 60,000
SHOES = 1000
SHOES_AT_ONCE = 100  # what a process plays before it says how far it is
SEED_SIGNS = 64
PLACES = 15

Task = tuple[bytes, str, int, int]
"""Rules as they are logged, the seed, the first shoe's number, and the number behind the last one's."""


@click.command(short_help="Play whole shoes on paper, and compare every bet with its exact odds.")
@click.option("--rules", "name", default="punto-banco", show_default=True, metavar="NAME|FILE", help="A rule set.")
@click.option("--shoes", "count", default=SHOES, show_default=True, type=click.IntRange(1), help="How many shoes.")
@click.option("--seed", metavar="TEXT", help="What the shoes are made from.  [default: drawn, and told]")
@click.option("--jobs", type=click.IntRange(1), help="How many processes.  [default: one a core]")
@click.option("--json", "wants_json", is_flag=True, help="Print one line of JSON.")
def simulate(*, name: str, count: int, seed: str | None, jobs: int | None, wants_json: bool) -> None:
    """Play whole shoes at full speed, a unit on every bet of every coup, and hold its loss against the exact edge.

    The shuffle is that of committed shoes, the tableau, pay table, burn and cut card those of play; nothing is sealed,
    staked or logged. The same seed gives the same figures, however many processes play. z is the distance of a figure
    from what is exact, in standard errors. Ends with 1 when one lies beyond 5, which chance alone does in about one
    run of 60,000.

    \b
      shoelog simulate --rules ez --shoes 100000 --seed tuesday
    """  # noqa: D301
    from services.table.game.simulation import compare, compare_winners

    rules = without_choices(chosen(name))
    seed = secrets.token_hex(8) if seed is None else checked(seed)
    tally = played(rules, seed, count, jobs=jobs or cores())
    if not tally.coups:
        raise click.ClickException("not one coup had the cards it takes")
    winners, bets = compare_winners(rules, tally), compare(rules, tally)
    answer = as_told(rules, seed, tally, winners=winners, bets=bets)
    if wants_json:
        import msgspec

        click.echo(msgspec.json.encode(answer))
    else:
        click.echo("\n".join(table_of(answer)))
    if any(abs(found.z) > BOUND for found in (*winners.values(), *bets.values())):
        sys.exit(1)


def without_choices(rules: "Rules") -> "Rules":
    """Give rules under which nobody chooses anything; wrong usage when they are others."""
    if rules.game != "house":
        raise click.BadParameter(
            f"{rules.name!r} has choices to make, which nobody makes here; a house-banked rule set has none",
            param_hint="--rules",
        )
    return rules


def checked(seed: str) -> str:
    """Give a seed that is short enough to be told."""
    if len(seed) > SEED_SIGNS:
        raise click.BadParameter(f"{len(seed)} signs; at most {SEED_SIGNS}", param_hint="--seed")
    return seed


def cores() -> int:
    """Count the cores that may be used."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def played(rules: "Rules", seed: str, count: int, *, jobs: int) -> "Tally":
    """Play so many shoes, a hundred at once, and say on the way how many are done."""
    import msgspec

    from services.table.game.simulation import Tally

    logged = msgspec.json.encode(rules)
    starts = range(1, count + 1, SHOES_AT_ONCE)
    tasks = [(logged, seed, start, min(start + SHOES_AT_ONCE, count + 1)) for start in starts]
    tally = Tally()
    with (
        click.progressbar(length=count, label="playing", file=sys.stderr, hidden=not sys.stderr.isatty()) as bar,
        workers(min(jobs, len(tasks))) as done_by,
    ):
        for part in done_by(tasks):
            tally.add(part)
            bar.update(part.shoes)
    return tally


@contextmanager
def workers(jobs: int) -> Iterator[Any]:
    """Give a way to have tasks done, here or in processes of their own, in order."""
    if jobs == 1:
        yield lambda tasks: map(play_part, tasks)
        return
    # Begun anew, not forked: alike on every system, and nothing of this process is in them.
    pool = ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield lambda tasks: pool.map(play_part, tasks)
    finally:
        pool.shutdown(cancel_futures=True)


def play_part(task: Task) -> "Tally":
    """Play some of the shoes."""
    import msgspec

    from schemas.rules import Rules
    from services.table.game.simulation import play

    logged, seed, start, end = task
    return play(msgspec.json.decode(logged, type=Rules), seed, range(start, end))


def as_told(
    rules: "Rules", seed: str, tally: "Tally", *, winners: dict[str, "Finding"], bets: dict[str, "Finding"]
) -> dict[str, Any]:
    """Give everything that is told, numbers with a fraction as text."""
    mean = Fraction(tally.coups, tally.shoes)
    variance = Fraction(tally.coups_squared, tally.shoes) - mean * mean
    return {
        "rules": rules.name,
        "decks": rules.procedure.decks,
        "seed": seed,
        "shoes": tally.shoes,
        "coups": tally.coups,
        "void": tally.void,
        "coups_per_shoe": {"mean": text(mean, 4), "sd": f"{sqrt(variance):.4f}"},
        "cards_per_coup": text(tally.cards_per_coup, 6),
        "bound": BOUND,
        "outcomes": {
            winner: {"probability": text(found.exact), "counted": text(found.counted), "z": f"{found.z:.2f}"}
            for winner, found in winners.items()
        },
        "bets": {
            bet: {
                "edge": text(found.exact),
                "counted": text(found.counted),
                "sd": f"{found.sd:.6f}",
                "z": f"{found.z:.2f}",
            }
            for bet, found in bets.items()
        },
    }


def text(value: Fraction, places: int = PLACES) -> str:
    """Write a fraction as a decimal, half to even."""
    exact = Context(prec=60).divide(Decimal(value.numerator), Decimal(value.denominator))
    return format(exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN), "f")


def table_of(answer: dict[str, Any]) -> Iterator[str]:
    """Tell it in lines of text."""
    yield f"{answer['rules']}, {answer['decks']} decks, seed {answer['seed']}: {answer['shoes']:,} shoes, " + (
        f"{answer['coups']:,} coups" + (f", {answer['void']:,} more void" if answer["void"] else "")
    )
    coups = answer["coups_per_shoe"]
    yield f"Coups a shoe {coups['mean']}, standard deviation {coups['sd']}; cards a coup {answer['cards_per_coup']}"
    width = max(map(len, ["house edge", *answer["bets"], *answer["outcomes"]]))
    yield f"\n{'':<{width}}  {'counted':>13}  {'exact':>13}  {'z':>6}"
    for winner, found in answer["outcomes"].items():
        yield f"{winner:<{width}}  {shown(found['counted'])}  {shown(found['probability'])}  {found['z']:>6}"
    yield f"\n{'house edge':<{width}}  {'counted':>13}  {'exact':>13}  {'z':>6}  {'sd':>10}"
    for bet, found in answer["bets"].items():
        numbers = f"{shown(found['counted'])}  {shown(found['edge'])}  {found['z']:>6}  {found['sd']:>10}"
        yield f"{bet:<{width}}  {numbers}"


def shown(decimal: str) -> str:
    """Show ten places of a figure, in a column of thirteen."""
    return f"{Decimal(decimal):>13.10f}"
