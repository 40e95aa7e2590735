"""`shoelog demo`: a house in a scratch directory, patrons at every table, nothing believed that can be checked."""

import asyncio
import contextlib
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from services.house.up import check_strictness, witnessed

if TYPE_CHECKING:
    from services.house.evening import Evening
    from services.house.house import House
    from services.house.reckoning import Verdict

PATRONS = 7
LINE_SECONDS = 5.0  # between two lines of progress where there is no terminal


@click.command(short_help="Patrons play whole shoes; everything is proved.")
@click.option("--out", required=True, metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--shoes", default=1, show_default=True, type=click.IntRange(1, 1000), help="Whole shoes at each table.")
@click.option("--rules", "names", multiple=True, metavar="NAME", help="A table of this rule set.  [default: all]")
@click.option("--seed", default="demo", show_default=True, help="What the patrons' luck is drawn from.")
@witnessed
def demo(  # noqa: PLR0913  # one command line
    *, out: Path, shoes: int, names: tuple[str, ...], seed: str, witnesses: int, is_strict: bool
) -> None:
    """Seven patrons play whole shoes at a table of each rule set; the ledger keeps the books, every shoe is verified.

    Where a player banks each patron answers for himself when he is asked, and what the bank pays is the patrons' alone:
    the house's win is 0, and its commission the levy.

    The house stands in a scratch directory and is gone afterwards; each shoe's bundle stays in DIR. Ends with 0 only
    if every figure and every proof holds.

    \b
      shoelog demo --out demo
      shoelog demo --out demo --shoes 3 --rules berlin --rules ez
      shoelog demo --out demo --rules chemin-de-fer --rules banque --rules dining-room
      shoelog demo --out demo --rules mini --witnesses 3 --strict
    """  # noqa: D301
    from services.house.evening import NotLevel
    from services.house.house import Trouble, stop_on_signal
    from services.house.runner import Away, Refused

    check_strictness(witnesses, is_strict=is_strict)
    chosen = rule_sets(names)
    stop_on_signal(status=1)
    out.mkdir(parents=True, exist_ok=True)
    try:
        with scratch_house(witnesses=witnesses, is_strict=is_strict) as house:
            all_hold = show(house, out, rules=chosen, shoes=shoes, seed=seed)
    except (*Trouble, NotLevel, Refused, Away) as trouble:
        raise click.ClickException(str(trouble)) from None
    except ExceptionGroup as troubles:
        raise click.ClickException("; ".join(map(str, troubles.exceptions))) from troubles
    if not all_hold:
        sys.exit(1)


def rule_sets(names: Sequence[str]) -> list[str]:
    """Those named, each once; all of the house without any."""
    from services.table.game import rules

    for name in names:
        if name not in rules.names():
            raise click.BadParameter(f"{name!r} is none of {', '.join(rules.names())}", param_hint="--rules")
    return list(dict.fromkeys(names)) or rules.names()


@contextlib.contextmanager
def scratch_house(
    *, table_options: Sequence[str] = (), witnesses: int = 0, is_strict: bool = False
) -> Iterator["House"]:
    """A house that leaves nothing behind."""
    from services.house.house import House, choose_ports
    from services.house.premises import Premises

    scratch = Path(tempfile.mkdtemp(prefix="shoelog-demo-"))
    scratch.chmod(0o711)  # as root, PostgreSQL's user passes through
    table_port, ledger_port, witness_ports = choose_ports(0, witnesses=witnesses)
    house = House(
        Premises(scratch / "house"),
        table_port=table_port,
        ledger_port=ledger_port,
        tell=lambda news: click.echo(news, err=True),
        table_options=table_options,
        witness_ports=witness_ports,
        is_strict=is_strict,
    )
    try:
        house.open()
        yield house
    finally:
        house.close()
        shutil.rmtree(scratch)


def show(house: "House", out: Path, *, rules: Sequence[str], shoes: int, seed: str) -> bool:
    """Play, fetch, verify, reckon; whether all of it holds."""
    from services.house import reckoning
    from services.house.evening import SHOE_COUPS, play_evening

    click.echo(f"{PATRONS} patrons play {shoes} {'shoe' if shoes == 1 else 'shoes'} at each of: {', '.join(rules)}")
    with progress_of("playing", len(rules) * shoes * SHOE_COUPS) as progress:
        evening = asyncio.run(
            play_evening(house, rules=rules, shoes=shoes, patrons=PATRONS, seed=seed, progress=progress)
        )
    click.echo(paces(evening))
    fetched = asyncio.run(reckoning.fetch(house, evening, out))
    with progress_of("verifying", len(fetched.bundles)) as progress:
        verdicts = asyncio.run(reckoning.verify(fetched, progress=progress))
    findings = [*fetched.findings, *failed(verdicts)]
    click.echo(reckoning.told(evening, fetched, verdicts))
    click.echo("\n".join(f"{verdict.path}  {verdict.said}" for verdict in verdicts))
    for finding in findings:
        click.echo(f"does not hold: {finding}", err=True)
    click.echo(f"The bundles, the log's key and a policy are in {out}" if not findings else "NOT ALL OF IT HOLDS")
    return not findings


def paces(evening: "Evening") -> str:
    """How fast it went."""
    rounds = sum(party.tally.rounds for party in evening.parties)
    return (
        f"{rounds:,} rounds and {evening.entries:,} entries in {evening.seconds:.1f} s; the ledger was"
        f" {evening.furthest_behind:,} entries behind at most, and level {evening.level_seconds:.1f} s after the last"
    )


def failed(verdicts: Sequence["Verdict"]) -> list[str]:
    """What the verifier did not pass."""
    return [f"{verdict.path}: {verdict.said}" for verdict in verdicts if not verdict.holds]


@contextlib.contextmanager
def progress_of(label: str, steps: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal; a line now and then elsewhere."""
    if sys.stdout.isatty():
        with click.progressbar(length=steps, label=label) as bar:
            yield bar.update
        return
    done, said_at = 0, time.monotonic()

    def tell(more: int) -> None:
        nonlocal done, said_at
        done += more
        if more and (time.monotonic() - said_at > LINE_SECONDS or done == steps):
            said_at = time.monotonic()
            click.echo(f"{label} {100 * done // steps} %")

    yield tell
