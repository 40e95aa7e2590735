"""Both verifiers cross-examined: thousands of lies, each told to both, and every verdict compared.

    python -m tests.audit.cross_examination [--lies 10000] [--flips 10000] [--seed 1] [--out build/lies.json]

An operator's lie may be a truth of another evening (another dealer, a coup that never was): such a one neither can
find, and it is counted. A stranger's flipped bit both must find. Exit status 1 when the two differ in any verdict, or
a flipped bit is missed.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import msgspec
from msgspec import Struct

from tests.audit.both import TRUST, both_say, disagreements, gist, honest_shoes
from tests.audit.dealt import Chapter
from tests.audit.lies import Operator, flip_a_bit

AT_ONCE = 250
Answer = tuple[str, dict[str, Any], dict[str, Any]]
Liar = Callable[[Path, list[Chapter], random.Random], str]


class Told(Struct, frozen=True, kw_only=True):
    """How many lies of a kind were told, how many both found, and of which the two say different things."""

    told: int
    found: int
    unreadable: int
    passed: tuple[str, ...]
    differences: tuple[str, ...]


def operators_lie(path: Path, shoes: list[Chapter], chance: random.Random) -> str:
    """Let the operator change facts, and link, count and sign as if nothing were."""
    return Operator(chance.choice(shoes), chance).lie(path)


def flipped_bit(path: Path, shoes: list[Chapter], chance: random.Random) -> str:
    """Let a stranger flip one bit of one member of a shoe's bundle."""
    whole = [shoe for shoe in shoes if shoe.is_complete]
    return flip_a_bit(chance.choice(whole).bind(path), chance)


def examine(lie: Liar, shoes: list[Chapter], count: int, chance: random.Random, step: Callable[[int], object]) -> Told:
    """Tell so many lies, some at a time, and compare what both say of each."""
    found = unreadable = 0
    passed: list[str] = []
    differences: list[str] = []
    for start in range(0, count, AT_ONCE):
        many = min(AT_ONCE, count - start)
        for said, one, other in _answers(lie, shoes, many, chance):
            differences += [f"{said}: {what}" for what in disagreements(one, other)]
            results = gist(one).values()
            if one["table"] is None:
                unreadable += 1
            elif "failed" in results:
                found += 1
            else:
                passed.append(said)
        step(many)
    return Told(told=count, found=found, unreadable=unreadable, passed=tuple(passed), differences=tuple(differences))


def _answers(lie: Liar, shoes: list[Chapter], many: int, chance: random.Random) -> Iterator[Answer]:
    with TemporaryDirectory() as folder:
        told = {path: lie(path, shoes, chance) for path in (Path(folder) / f"{number}.zip" for number in range(many))}
        one, other = both_say(list(told), *TRUST)
        yield from zip(told.values(), one, other, strict=True)


@click.command()
@click.option("--lies", default=10_000, help="How many lies the operator tells.")
@click.option("--flips", default=10_000, help="How many bits strangers flip.")
@click.option("--seed", default=1, help="Other numbers, other lies.")
@click.option("--out", type=click.Path(path_type=Path), help="Where the figures are written, as JSON.")
def main(*, lies: int, flips: int, seed: int, out: Path | None) -> None:
    """Tell lies to both verifiers and compare their verdicts."""
    shoes, started = honest_shoes(), time.monotonic()
    with click.progressbar(length=lies + flips, label="lies", file=sys.stderr, show_pos=True) as bar:
        operator = examine(operators_lie, shoes, lies, random.Random(seed), bar.update)
        stranger = examine(flipped_bit, shoes, flips, random.Random(seed + 1), bar.update)
    for name, told in (("operator's lies", operator), ("flipped bits", stranger)):
        click.echo(
            f"{name}: {told.told:,} told, {told.found:,} found by both, {told.unreadable:,} unreadable to both,"
            f" {len(told.passed):,} passed by both, {len(told.differences):,} differences"
        )
        for what in told.differences[:20]:
            click.echo(f"  {what}")
    click.echo(f"{len(shoes)} honest shoes, {time.monotonic() - started:.0f} s")
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_bytes(msgspec.json.format(msgspec.json.encode({"operator": operator, "stranger": stranger})))
    raise SystemExit(bool(operator.differences or stranger.differences or stranger.passed))


if __name__ == "__main__":
    main()
