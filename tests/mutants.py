"""Mutants: the rules of the game with one thing changed at a time, and whether the game's tests notice it.

python -m tests.mutants reader.py endings.py        every mutant of two modules of services/table/game
python -m tests.mutants --sample 50/1 salon.py      fifty of its mutants, drawn with seed 1
python -m tests.mutants --tests tests/audit …       other tests than those of the game
"""

import os
import pickle
import resource
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import click
import pytest
from hypothesis import Phase, settings

from tests.changes import Mutant, chosen
from tests.style.checkout import ROOT
from tests.trials import ARGUMENTS, Reach, Trying, passes_afresh, watch

GAME = ROOT / "services/table/game"
Found = TypeVar("Found")
# A mutant that never ends may fill a list meanwhile.
MOST_MEMORY_BYTES = 3 * 1024**3


@click.command(help=__doc__, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--tests", multiple=True, default=["tests/table/game"], help="Where the tests lie that should notice.")
@click.option("--sample", help="COUNT/SEED: that many mutants of each module, drawn with this seed.")
@click.option("--reach", type=Path, help="A file that keeps what each test reaches, until modules or tests change.")
@click.argument("modules", nargs=-1, required=True)
def main(tests: tuple[str, ...], sample: str | None, reach: Path | None, modules: tuple[str, ...]) -> None:
    """Try mutants of some modules; print those that survive, then a row for each module."""
    os.chdir(ROOT)
    sys.dont_write_bytecode = True
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
    # A failure needs no simplest example, and what one mutant fails on says nothing about the next.
    settings.register_profile("mutants", database=None, derandomize=True, phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")
    mutants = {module: chosen(GAME / module, sample) for module in modules}
    survivors = Counter[str]()
    reached = kept(reach, lambda: watch(tests, sorted(GAME.glob("*.py"))))
    for mutant in survive([one for each in mutants.values() for one in each], tests, reached):
        module = Path(mutant.code.co_filename).name
        survivors[module] += 1
        click.echo(f"{module}:{mutant.line}: {mutant.what}")
    for module, each in mutants.items():
        click.echo(f"| `{module}` | {len(each)} | {survivors[module]} |")


def survive(mutants: list[Mutant], tests: tuple[str, ...], reach: Reach) -> Iterator[Mutant]:
    """Give those that no test notices."""
    inside = [mutant for mutant in mutants if mutant.within]
    passed = apart(lambda: tried(inside, tests, reach))
    doubtful = {number for number, mutant in enumerate(inside) if passed[number] and reach.is_of_collection(mutant)}
    yield from (mutant for number, mutant in enumerate(inside) if passed[number] and number not in doubtful)
    for mutant in [inside[number] for number in doubtful] + [mutant for mutant in mutants if not mutant.within]:
        if passes_afresh(mutant, tests, reach):
            yield mutant


def tried(mutants: list[Mutant], tests: tuple[str, ...], reach: Reach) -> list[bool]:
    """Tell of each mutant of a function whether all tests pass."""
    passed: list[bool] = []

    def told(mutant: Mutant, survives: bool) -> None:  # noqa: FBT001  # a verdict
        passed.append(survives)
        if survives:
            click.echo(f"perhaps {Path(mutant.code.co_filename).name}:{mutant.line}: {mutant.what}", err=True)
        if len(passed) % 50 == 0:
            click.echo(f"{len(passed)} of {len(mutants)} tried", err=True)

    pytest.main([*ARGUMENTS, *tests], plugins=[Trying(reach, mutants, told)])
    return passed


def kept(file: Path | None, watched: Callable[[], Reach]) -> Reach:
    """Give what is kept in a file, or else what is found now, and keep it there."""
    if file and file.exists():
        return pickle.loads(file.read_bytes())  # type: ignore[no-any-return]  # noqa: S301  # our own
    reach = apart(watched)
    if file:
        file.write_bytes(pickle.dumps(reach))
    return reach


def apart(deed: Callable[[], Found]) -> Found:
    """Do something in a fork, where modules are read that are not to be read here, and give what is found."""
    reading, writing = os.pipe()
    fork = os.fork()
    if not fork:
        os.close(reading)
        with os.fdopen(writing, "wb") as out:
            pickle.dump(deed(), out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as found:
        told = found.read()
    os.waitpid(fork, 0)
    return pickle.loads(told)  # type: ignore[no-any-return]  # noqa: S301  # our own


if __name__ == "__main__":
    main()
