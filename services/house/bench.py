"""Every figure that the house promises, measured side by side in one run: `make bench`.

Prints a table, says how it measured, and writes `build/bench.json`.
"""

import asyncio
import inspect
import os
import platform
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click
import msgspec
from msgspec import Struct

from services.house.demo import scratch_house
from services.house.evening import play_evening
from services.house.house import House
from services.house.migrations import migrate_journal
from services.house.roles import LEDGER_DATABASE, TABLE_DATABASE, prepare

LEDGER_ENTRIES = 100_000
SIMULATED_SHOES = 20_000
RESULTS = Path("build") / "bench.json"


class Figure(Struct, frozen=True, kw_only=True):
    """One measured value; `against` is what it is compared with, `ratio` how it compares, `goal` what it should be."""

    name: str
    value: float
    unit: str
    against: str | None = None
    ratio: float | None = None
    goal: str | None = None


def spare(house: House, purpose: str) -> tuple[str, str]:
    """Another database of the table service's kind, migrated: its URL for the service, and for the superuser."""
    name = f"{TABLE_DATABASE}_{purpose}"

    async def made() -> None:
        await prepare(house.premises.superuser_url(), passwords={}, databases=[name])
        await migrate_journal(house.premises.url(role="shoelog_table_migrator", database=name))

    asyncio.run(made())
    return house.premises.url(role="shoelog_table", database=name), house.premises.superuser_url(database=name)


def journal_figures(house: House) -> Iterator[Figure]:
    """The journal: entries a second, and the slowest hundredth of the callers.

    Every way writes the same linked lines to one database; they take turns; medians of five.
    """
    from services.table import bench_journal

    found = asyncio.run(bench_journal.compare(*spare(house, "bench")))
    for callers, pace in found.grouped.items():
        yield Figure(name=f"journal, {callers} callers", value=pace.entries_per_second, unit="entries/s")
        yield Figure(name=f"journal, {callers} callers, p99", value=1000 * pace.p99_seconds, unit="ms")
    for name, callers, other, goal in (
        ("ready batches of 512", 256, found.ready_batches, ">= 0.75"),
        ("bare unnest insert", 256, found.bare_insert, None),
        ("one locked append per request", 32, found.one_at_a_time, ">= 15"),
    ):
        yield Figure(
            name=f"journal, {name}",
            value=other.entries_per_second,
            unit="entries/s",
            against=f"journal, {callers} callers",
            ratio=found.grouped[callers].entries_per_second / other.entries_per_second,
            goal=goal,
        )


def history_figures(house: House) -> Iterator[Figure]:
    """Loading a table whose last chapter has 500 entries, behind a short and a long history.

    The two tables are loaded in turn; medians of 51.
    """
    from services.table import bench_journal

    url, _ = spare(house, "history")
    taken = asyncio.run(bench_journal.load_seconds(url, histories=(10**3, 10**6)))
    short, long = taken[10**3], taken[10**6]
    yield Figure(name="load a table, 10^3 entries of history", value=1000 * short, unit="ms")
    yield Figure(
        name="load a table, 10^6 entries of history",
        value=1000 * long,
        unit="ms",
        against="load a table, 10^3 entries of history",
        ratio=long / short,
        goal="about 1",
    )


def http_figures(house: House) -> Iterator[Figure]:
    """A durable bet over HTTP against an empty POST behind the same middleware and key check.

    A process of its own sends on 32 connections, to a table each; the kinds take turns of a second; medians of eleven,
    the ratio too: each turn's against the empty requests of the same turn.
    """
    from services.house import bench_http

    found = bench_http.bench(house)
    empty = found["empty"]
    yield Figure(name="http, empty POST", value=empty.requests_per_second, unit="requests/s")
    for kind, what, goal in (("bet", "1 bet", ">= 0.6"), ("bets", f"{bench_http.LIST} bets", None)):
        rate = found[kind]
        yield Figure(
            name=f"http, {what} a request",
            value=rate.requests_per_second,
            unit="requests/s",
            against="http, empty POST",
            ratio=rate.of_empty,
            goal=goal,
        )
        yield Figure(name=f"http, {what} a request, p99", value=1000 * rate.p99_seconds, unit="ms")


def lag_figures(house: House) -> Iterator[Figure]:
    """How far the ledger falls behind while seven patrons play a shoe at every table, as fast as they can.

    The ledger is asked ten times a second; the largest answer counts. The patrons' own work is part of the pace.
    """
    from services.table.game.rules import house_banked

    evening = asyncio.run(
        play_evening(house, rules=house_banked(), shoes=1, patrons=7, seed="bench", progress=lambda _: None)
    )
    yield Figure(name="demo, entries written", value=evening.entries / evening.seconds, unit="entries/s")
    yield Figure(name="demo, ledger behind at most", value=evening.furthest_behind, unit="entries")
    yield Figure(name="demo, ledger level after the last coup", value=evening.level_seconds, unit="s")


def notary_figures(house: House) -> Iterator[Figure]:
    """The notary: what an entry costs until it is signed, and how long a durable one waits for its checkpoint.

    The cost: full batches appended, then all of them signed at once. The pace: in turn, medians of five. The wait:
    looked up fifty times a second while 32 callers write, and while seven patrons play a shoe at every table.
    """
    from services.table import bench_notary
    from services.table.game.rules import house_banked

    url, _ = spare(house, "notary")
    cost = asyncio.run(bench_notary.cost(url, house.premises.directory))
    yield Figure(name="an entry, appended", value=cost.append_microseconds, unit="us")
    yield Figure(name="an entry, hashed and signed", value=cost.sign_microseconds, unit="us")
    beside = asyncio.run(bench_notary.beside(url, house.premises.directory))
    yield Figure(
        name="journal, 32 callers, beside the notary",
        value=beside.signed.entries_per_second,
        unit="entries/s",
        against="without him",
        ratio=beside.signed.entries_per_second / beside.alone.entries_per_second,
        goal="about 1",
    )
    yield Figure(name="checkpoint behind 32 callers, p99", value=beside.waits.p99_seconds, unit="s", goal="< 1.5")

    async def watched() -> list[float]:
        over = asyncio.Event()
        watching = asyncio.create_task(bench_notary.watch(house.url("shoelog_table"), over))
        await play_evening(house, rules=house_banked(), shoes=1, patrons=7, seed="bench", progress=lambda _: None)
        over.set()
        return await watching

    waits = bench_notary.summed_up(asyncio.run(watched()))
    yield Figure(name="checkpoint behind the demo, median", value=waits.median_seconds, unit="s")
    yield Figure(name="checkpoint behind the demo, p99", value=waits.p99_seconds, unit="s", goal="< 1.5")


def simulation_figures(_: House) -> Iterator[Figure]:
    """Whole shoes simulated, of eight decks by the rules of punto-banco, alone and by two processes.

    The start of the processes is part of it; the two take turns; medians of five. No database is asked.
    """
    from services.house.simulate import played
    from services.table.game.rules import builtin

    taken: dict[int, list[float]] = {1: [], 2: []}
    coups = 0
    for _turn in range(5):
        for jobs, seconds in taken.items():
            start = time.perf_counter()
            coups = played(builtin("punto-banco").rules, "bench", SIMULATED_SHOES, jobs=jobs).coups
            seconds.append(time.perf_counter() - start)
    one, two = (coups / statistics.median(seconds) for seconds in taken.values())
    yield Figure(name="simulation, one process", value=one, unit="coups/s")
    yield Figure(
        name="simulation, two processes",
        value=two,
        unit="coups/s",
        against="simulation, one process",
        ratio=two / one,
    )


def witness_figures(house: House) -> Iterator[Figure]:
    """What witnesses cost: three of them on this machine, two are the quorum.

    An entry is written, signed at once, its checkpoint fetched until it has the quorum, all by HTTP; medians of 200.
    """
    from services.house import bench_witness

    found = asyncio.run(bench_witness.waits(house))
    yield Figure(name="a checkpoint, signed at once", value=1000 * found.signed_seconds, unit="ms")
    yield Figure(name="cosigned by two of three witnesses", value=1000 * found.cosigned_seconds, unit="ms")
    yield Figure(name="cosigned, p99", value=1000 * found.cosigned_p99_seconds, unit="ms")


def ledger_figures(house: House) -> Iterator[Figure]:
    """Entries a second that the cashier checks and posts.

    A prepared log of full tables, read through the feed, into empty books; the time until he is level.
    """
    from services.house import bench_ledger
    from services.house.migrations import migrate_books

    log, ledger = f"{TABLE_DATABASE}_feed", f"{LEDGER_DATABASE}_feed"
    premises = house.premises

    async def projected() -> bench_ledger.Projected:
        await prepare(premises.superuser_url(), passwords={}, databases=[log, ledger])
        await migrate_journal(premises.url(role="shoelog_table_migrator", database=log))
        await migrate_books(premises.url(role="shoelog_ledger_migrator", database=ledger))
        entries = await bench_ledger.prepare(premises.superuser_url(database=log), entries=LEDGER_ENTRIES)
        return await bench_ledger.project(
            feed_url=premises.url(role="shoelog_feed", database=log),
            books_url=premises.url(role="shoelog_ledger", database=ledger),
            entries=entries,
        )

    found = asyncio.run(projected())
    yield Figure(name="ledger, events projected", value=found.entries_per_second, unit="events/s")
    yield Figure(name="ledger, postings written", value=found.postings / found.seconds, unit="postings/s")


def verify_figures(house: House) -> Iterator[Figure]:
    """The verifier on a shoe of 10^5 bets, against a bare loop of sha256 over the same lines.

    Every figure is a process's own, its interpreter started before the clock; they take turns; medians of five.
    """
    from services.house import bench_verify

    found = bench_verify.compare(house.premises.directory)
    yield Figure(name="verify, sha256 loop", value=found.entries / found.loop_seconds, unit="lines/s")
    yield Figure(
        name="verify, one core",
        value=found.entries / found.one_seconds,
        unit="entries/s",
        against="the time of the sha256 loop",
        ratio=found.one_seconds / found.loop_seconds,
        goal="<= 12",
    )
    yield Figure(
        name="verify, two cores, a shoe each",
        value=2 * found.entries / found.two_seconds,
        unit="entries/s",
        against="verify, one core",
        ratio=2 * found.one_seconds / found.two_seconds,
    )
    yield Figure(
        name="verify, memory",
        value=found.peak_bytes / 2**20,
        unit="MiB",
        against="a shoe of a tenth of the bets",
        ratio=found.peak_bytes / found.peak_bytes_of_fewer,
        goal="about 1",
    )


def odds_figures(_: House) -> Iterator[Figure]:
    """The odds of every bet, exactly: out of a fresh shoe by every rule set, and after every coup of three shoes.

    Warm, nothing remembered of the shoe; medians of 21, and of all coups. The first time the ladders are read too.
    """
    from services.house import bench_odds

    for pace in bench_odds.fresh():
        name = f"odds, {pace.rules}, {pace.bets} bets"
        yield Figure(name=f"{name}, first", value=1000 * pace.first_seconds, unit="ms", goal="<= 100")
        yield Figure(name=name, value=1000 * pace.again_seconds, unit="ms", goal="<= 100")
    for found in bench_odds.progress():
        name = f"odds after a coup, {found.what}"
        yield Figure(name=name, value=1000 * found.median_seconds, unit="ms", goal="<= 50")
        yield Figure(name=f"{name}, worst", value=1000 * found.worst_seconds, unit="ms", goal="<= 50")


PARTS: Mapping[str, Callable[[House], Iterator[Figure]]] = {
    "journal": journal_figures,
    "notary": notary_figures,
    "witness": witness_figures,
    "http": http_figures,
    "simulation": simulation_figures,
    "ledger": ledger_figures,
    "verify": verify_figures,
    "lag": lag_figures,
    "history": history_figures,
    "odds": odds_figures,
}

WITNESSES = {"witness": 3}
"""How many witnesses of its own the house opens for a part."""


@click.command()
@click.argument("parts", nargs=-1, type=click.Choice(list(PARTS)))
def bench(*, parts: tuple[str, ...]) -> None:
    """Measure everything, or only some parts."""
    click.echo(f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, PostgreSQL embedded")
    figures: list[Figure] = []
    for part in parts or PARTS:
        click.echo(f"\n{inspect.getdoc(PARTS[part])}\n")
        with scratch_house(table_options=["--empty-post"], witnesses=WITNESSES.get(part, 0)) as house:
            for figure in PARTS[part](house):
                click.echo(told(figure))
                figures.append(figure)
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_bytes(msgspec.json.format(msgspec.json.encode(figures), indent=2) + b"\n")
    click.echo(f"\n{len(figures)} figures are in {RESULTS}")


def told(figure: Figure) -> str:
    """A line of the table."""
    line = f"  {figure.name:<46} {figure.value:>12,.1f} {figure.unit:<10}"
    if figure.ratio is not None:
        line += f"  {figure.ratio:6.2f} x, {figure.against}"
    return f"{line}; goal {figure.goal}" if figure.goal else line


if __name__ == "__main__":
    bench()
