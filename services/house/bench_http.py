"""How fast a durable bet is over HTTP, against an empty POST behind the same middleware and key check.

One process serves, another sends on 32 connections, each to a table of its own: prepared bytes, keep-alive, the next
request when the answer is in. The kinds of request take turns, a second each; the figures are medians over the turns,
and so is what a kind comes to against the empty requests of the same turn.
"""

import asyncio
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from msgspec import Struct

from services.house.house import House
from services.house.runner import Runner
from services.house.staff import ROOT

CONNECTIONS = 32
TURNS = 11
TURN_SECONDS = 1.0
LARGEST = 10**12  # a stake's limit: no bench reaches it
EMPTY = "/v1/empty"  # served only when asked for
KINDS = ("empty", "bet", "bets")
LIST = 100


class Rate(Struct, frozen=True, kw_only=True):
    """Requests answered in a second, how long the slowest hundredth took, and the share of the empty requests' pace."""

    requests_per_second: float
    p99_seconds: float
    of_empty: float = 1.0


async def open_tables(runner: Runner) -> None:
    """One table a connection, with a coup that takes bets, and a patron whose chips do not run out."""
    limits = {"bets": {"player": {"min": 1, "max": LARGEST}}}
    people = {"counted_by": "staff:anna", "verified_by": "staff:ben"}
    for number in range(CONNECTIONS):
        at = f"/v1/tables/bench-{number}"
        opening = {"table": f"bench-{number}", "name": "Bench", "currency": "EUR", "rules": "punto-banco", **people}
        await runner.tell("/v1/tables", {**opening, "limits": limits, "float": [[1, 1]]})
        await runner.tell(f"{at}/chips/buy", {"patron": "p1", "amount": LARGEST, "means": "cash"})
        await runner.tell(f"{at}/shoes/start")
        await runner.tell(f"{at}/rounds")


def requests_of(kind: str, *, port: int, key: str) -> Iterator[dict[str, str]]:
    """The request that each connection repeats."""
    bet = {"patron": "p1", "bet": "player", "amount": 1}
    body = json.dumps({"empty": {}, "bet": bet, "bets": [bet] * LIST}[kind], separators=(",", ":"))
    for number in range(CONNECTIONS):
        path = EMPTY if kind == "empty" else f"/v1/tables/bench-{number}/rounds/current/bets"
        lines = (
            f"POST {path} HTTP/1.1",
            f"Host: 127.0.0.1:{port}",
            f"Authorization: Bearer {key}",
            "Idempotency-Key: {key}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
        )
        yield {"head": "\r\n".join(lines), "body": body}


def measure(kind: str, *, port: int, key: str, seconds: float) -> Rate:
    """One turn of one kind, sent by a process of its own. Raises AssertionError when a request fails."""
    told = "\n".join(map(json.dumps, requests_of(kind, port=port, key=key)))
    sent = subprocess.run(
        [sys.executable, "-m", "services.house.telegraph", str(port), str(seconds)],
        input=told,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if sent.returncode:
        raise AssertionError(sent.stderr)
    said: dict[str, Any] = json.loads(sent.stdout)
    if said["failed"]:
        raise AssertionError(f"{said['failed']} requests failed: {sent.stderr[:1000]}")
    return Rate(requests_per_second=said["requests_per_second"], p99_seconds=said["p99_seconds"])


def bench(house: House) -> Mapping[str, Rate]:
    """Open the tables of a house that serves the empty POST too, and compare; its ledger does not read along."""
    house.dismiss("ledger")
    key = house.keys["operator"]

    async def opened() -> None:
        async with Runner(house.table_url, key) as runner:
            await open_tables(runner)

    asyncio.run(opened())
    return compare(port=house.table_port, key=key)


def compare(*, port: int, key: str, turns: int = TURNS, seconds: float = TURN_SECONDS) -> Mapping[str, Rate]:
    """Every kind, in turn."""
    taken: dict[str, list[Rate]] = defaultdict(list)
    for _ in range(turns):
        for kind in KINDS:
            taken[kind].append(measure(kind, port=port, key=key, seconds=seconds))
    return {
        kind: Rate(
            requests_per_second=median(rate.requests_per_second for rate in rates),
            p99_seconds=median(rate.p99_seconds for rate in rates),
            of_empty=median(map(share, rates, taken["empty"])),
        )
        for kind, rates in taken.items()
    }


def share(rate: Rate, of: Rate) -> float:
    """What one pace is of another."""
    return rate.requests_per_second / of.requests_per_second
