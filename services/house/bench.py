"""Every figure that the house promises, measured side by side in one run: `make bench`.

Prints a table, says how it measured, and writes `build/bench.json`.
"""

from pathlib import Path

from msgspec import Struct

RESULTS = Path("build") / "bench.json"


class Figure(Struct, frozen=True, kw_only=True):
    """One measured value; `against` is what it is compared with, `ratio` how it compares, `goal` what it should be."""

    name: str
    value: float
    unit: str
    against: str | None = None
    ratio: float | None = None
    goal: str | None = None
