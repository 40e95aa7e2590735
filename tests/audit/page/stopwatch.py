"""How long verify.html takes for the eight-deck sample and for a shoe of 10^5 bets, in Chromium and under Node.

    python -m tests.audit.page.stopwatch [--turns 5]

In Chromium: what the page itself says, from the file to the verdict, a fresh browser each turn, opened from disk. Under
Node: the whole process, its start included. Medians, taken in turns.
"""

import re
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click

from services.audit.press import PRINTED
from services.house.bench_shoe import signer, write_shoe
from tests.audit.page import browser, node
from tests.audit.page.test_page import KEY, SAMPLE

BETS = 100_000


def in_chromium(program: str, profile: Path, file: Path, key: str) -> float:
    """Open the page, drop the file on it, and read how long it took."""
    with browser.tab(program, profile) as tab:
        tab.open(PRINTED.resolve())
        tab.value(f"document.getElementById('trust').value = {key!r}")
        tab.choose("#files", [file.resolve()])
        tab.until("document.querySelector('article')")
        said = str(tab.value("document.querySelector('article').innerText"))
    assert "Everything passed" in said, said[:500]
    found = re.search(r"checked in ([0-9.]+) s", said)
    assert found is not None
    return float(found[1])


def under_node(file: Path, key: str) -> float:
    """Run the core on the file."""
    started = time.perf_counter()
    status, _ = node.verify("--log-key", key, files=[file])
    assert status == 0
    return time.perf_counter() - started


@click.command()
@click.option("--turns", default=5, help="How often each is measured.")
def main(*, turns: int) -> None:
    """Measure, and print medians in seconds."""
    program = browser.found()
    with TemporaryDirectory() as folder:
        busy = Path(folder) / "busy.zip"
        entries = write_shoe(busy, bets=BETS)
        files = {
            "the eight-deck sample": (SAMPLE, KEY),
            f"a shoe of {entries:,} entries": (busy, signer().verifier.vkey),
        }
        told: dict[tuple[str, str], list[float]] = {}
        with click.progressbar(range(turns), label="turns", file=sys.stderr) as bar:
            for turn in bar:
                for name, (file, key) in files.items():
                    if program is not None:
                        profile = Path(folder) / f"profile-{turn}-{len(name)}"
                        told.setdefault((name, "Chromium"), []).append(in_chromium(program, profile, file, key))
                    told.setdefault((name, "Node"), []).append(under_node(file, key))
    for (name, where), seconds in told.items():
        click.echo(f"{name}, {where}: {median(seconds):.2f} s (of {turns}, {min(seconds):.2f} to {max(seconds):.2f})")


if __name__ == "__main__":
    main()
