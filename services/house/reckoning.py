"""The reckoning after an evening: what the patrons counted, what the ledger says, and what a stranger verifies."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct

from services.house.staff import importable

VERIFY_SECONDS = 120.0


class Books(Struct, kw_only=True):
    """What was fetched after an evening, and what of it does not agree with what the patrons counted."""

    vkey: str
    bundles: list[Path]
    figures: dict[str, dict[str, Any]]
    trial_balance: Any
    findings: list[str]


class Verdict(Struct, frozen=True, kw_only=True):
    """What the verifier said of a bundle, in a process of its own."""

    path: Path
    holds: bool
    said: str


async def verify(books: Books, *, progress: Callable[[int], None]) -> list[Verdict]:
    """Verify each bundle in a process of its own, as many at a time as there are cores."""
    desks = asyncio.Semaphore(os.cpu_count() or 1)

    async def at_a_desk(path: Path) -> Verdict:
        async with desks:
            verdict = await verify_one(path, books.vkey)
        progress(1)
        return verdict

    return await asyncio.gather(*(at_a_desk(path) for path in books.bundles))


async def verify_one(path: Path, vkey: str) -> Verdict:
    """`shoelog verify --json --log-key VKEY FILE`, and its verdict in a line."""
    words = ["-m", "services.house.cli", "verify", "--json", "--log-key", vkey, str(path)]
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
    """The verdict in a line; it holds when each check passed, of a complete shoe."""
    [report] = reports
    passed = [check["check"] for check in report["checks"] if check["result"] == "passed"]
    others = [f"{check['check']} {check['result']}" for check in report["checks"] if check["result"] != "passed"]
    words = ["passed " + " ".join(passed), f"entropy {report['entropy']}", *others]
    return Verdict(path=path, holds=bool(passed) and not others and report["complete"], said="; ".join(words))
