"""The reckoning after an evening: what the patrons counted, what the ledger says, and what a stranger verifies."""

import asyncio
import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from services.house.circle import Circle
from services.house.evening import Evening
from services.house.house import House
from services.house.party import Party
from services.house.runner import Runner
from services.house.staff import importable

VERIFY_SECONDS = 120.0
BOOKS_CHECK = "ledger"  # not made from a bundle alone
COUNTED = ("rounds", "voided", "handle", "win", "commission", "net")


class Books(Struct, kw_only=True):
    """What was fetched after an evening, and what of it does not agree with what the patrons counted."""

    policy: Path
    bundles: list[Path]
    figures: dict[str, dict[str, Any]]
    trial: dict[str, Any]
    findings: list[str]


class Verdict(Struct, frozen=True, kw_only=True):
    """What the verifier said of a bundle, in a process of its own."""

    path: Path
    holds: bool
    said: str
    table: str | None = None
    entropy: str | None = None


async def fetch(house: House, evening: Evening, out: Path) -> Books:
    """Write every bundle, the log's key and a policy to a directory; hold the ledger's figures against the patrons'."""
    key = house.keys["auditor"]
    async with Runner(house.table_url, key) as runner, Runner(house.ledger_url, key) as ledger:
        vkey = (await runner.fetch("/v1/log/vkey")).decode().strip()
        (out / "log.vkey").write_text(f"{vkey}\n")
        policy = out / "policy"
        policy.write_bytes(await runner.fetch("/v1/log/policy"))
        bundles = [path for party in evening.parties for path in await fetch_bundles(runner, party, out)]
        figures = (await ledger.ask("/v1/figures", by="table"))["figures"]
        books = Books(
            policy=policy,
            bundles=bundles,
            figures={figure["table"]: figure for figure in figures},
            trial=await ledger.ask("/v1/trial-balance"),
            findings=[],
        )
        for party in evening.parties:
            books.findings += differences(party, books.figures.get(party.table, {}))
            books.findings += await strays(runner, ledger, party)
        if not books.trial["balanced"]:
            books.findings.append("the trial balance does not balance")
        return books


async def fetch_bundles(runner: Runner, party: Party, out: Path) -> list[Path]:
    """The bundles of a table's closed shoes, in files of their own names."""
    paths = []
    for shoe in party.closed_shoes:
        path = out / f"{party.table}-shoe-{shoe}.zip"
        path.write_bytes(await runner.fetch(f"/v1/tables/{party.table}/shoes/{shoe}/bundle"))
        paths.append(path)
    return paths


def differences(party: Party, figure: dict[str, Any]) -> Iterator[str]:
    """Where the ledger's figures of a table are not what its patrons counted."""
    for name in COUNTED:
        counted, said = getattr(party.tally, name), figure.get(name)
        if counted != said:
            yield f"table {party.table}: the patrons counted {name} {counted}, the ledger says {said}"
    if isinstance(party, Circle) and (won := figure.get("win")):
        yield f"table {party.table}: a player banks, and the ledger says that the house won {won}"
    if (brought := party.tally.bought - party.tally.cashed) != party.tally.net:
        yield f"table {party.table}: patrons left {brought} behind, the house has {party.tally.net}"


async def strays(runner: Runner, ledger: Runner, party: Party) -> list[str]:
    """Chips that are where they should not be after everybody has left, and accounts that do not agree."""
    found = []
    view = await runner.ask(f"/v1/tables/{party.table}")
    if view["stacks"] or view["owed"]:
        found.append(f"table {party.table}: chips are left on it: {view['stacks']} {view['owed']}")
    for patron in party.patrons:
        balance = await ledger.ask(f"/v1/patrons/{patron.name}/balance")
        held = sum(purse["total"] for purse in balance["money"])
        if held != patron.account:
            found.append(f"patron {patron.name} has {patron.account}, the ledger says {held}")
    return found


def told(evening: Evening, books: Books, verdicts: Sequence[Verdict]) -> str:
    """The evening's figures in a table, a line each table, and the trial balance; money in minor units."""
    rows: list[tuple[str, ...]] = [("table", "rounds", "bets", "handle", "win", "commission", "net", "hold", "entropy")]
    for party in evening.parties:
        figure = books.figures.get(party.table, {})
        money = (f"{figure.get(name, 0):,}" for name in ("bets", "handle", "win", "commission", "net"))
        hold = figure.get("net", 0) / (figure.get("handle") or 1)
        rows.append(
            (party.table, f"{figure.get('rounds', 0):,}", *money, f"{hold:.2%}", least_entropy(party.table, verdicts))
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    lines += [
        f"trial balance {trial['currency']}: debit {trial['debit']:,}, credit {trial['credit']:,},"
        f" difference {trial['difference']:,}"
        for trial in books.trial["currencies"]
    ]
    return "\n".join(lines)


def least_entropy(table: str, verdicts: Sequence[Verdict]) -> str:
    """The lowest grade among a table's shoes, as the verifier gave it."""
    from services.table.game.grade import GRADES

    grades = {verdict.entropy for verdict in verdicts if verdict.table == table}
    return next((grade for grade in GRADES if grade in grades), "-")


async def verify(books: Books, *, progress: Callable[[int], None]) -> list[Verdict]:
    """Verify each bundle in a process of its own, as many at a time as there are cores."""
    desks = asyncio.Semaphore(os.cpu_count() or 1)

    async def at_a_desk(path: Path) -> Verdict:
        async with desks:
            verdict = await verify_one(path, books.policy)
        progress(1)
        return verdict

    return await asyncio.gather(*(at_a_desk(path) for path in books.bundles))


async def verify_one(path: Path, policy: Path) -> Verdict:
    """`shoelog verify --json --policy FILE FILE`, and its verdict in a line."""
    words = ["-m", "services.house.cli", "verify", "--json", "--policy", str(policy), str(path)]
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *words,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, **importable()},
    )
    try:
        said, complained = await asyncio.wait_for(process.communicate(), VERIFY_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
        return Verdict(path=path, holds=False, said=f"not verified within {VERIFY_SECONDS:.0f} s")
    if process.returncode:
        complaint = (said or complained).decode(errors="replace").strip()
        return Verdict(path=path, holds=False, said=f"exit status {process.returncode}: {complaint[:2000]}")
    return verdict_of(path, json.loads(said))


def verdict_of(path: Path, reports: Any) -> Verdict:
    """The verdict in a line; it holds when the shoe is complete, and each check passed that one file allows."""
    [report] = reports
    results = {check["check"]: check["result"] for check in report["checks"]}
    passed = [name for name, result in results.items() if result == "passed"]
    others = [f"{name} {result}" for name, result in results.items() if result != "passed" and name != BOOKS_CHECK]
    words = [f"passed: {', '.join(passed)}", f"entropy: {report['entropy']}", *others]
    return Verdict(
        path=path,
        holds=bool(passed) and not others and report["complete"],
        said="; ".join(words),
        table=report.get("table"),
        entropy=report["entropy"],
    )
