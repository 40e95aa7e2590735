"""Mutants: a module with one thing changed at a time, and whether the tests notice. Those that survive are printed.

python -m tests.mutants services/table/game/bank.py 0 tests/table/game/test_bank.py …     from mutant 0 on
python -m tests.mutants services/table/game/salon.py 50/1 tests/table/game/test_banked.py …  fifty, drawn with seed 1
"""

import ast
import copy
import multiprocessing
import os
import random
import resource
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol

import click
import hypothesis  # noqa: F401  # read once, for all trials
import msgspec  # noqa: F401  # as hypothesis
import pytest

from tests.style.checkout import ROOT

ROOMS = ("schemas", "services", "tests", "docs")
PATIENCE_SECONDS = 120
# A mutant that never ends may fill a list meanwhile.
MOST_MEMORY_BYTES = 3 * 1024**3
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
RECKONED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
# The letters of the tableau: draw or stand.
LETTERS = {"D": "S", "S": "D"}


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """Give each mutant: its line, what was changed, and the source."""
    tree = ast.parse(source)
    for number, node in enumerate(ast.walk(tree)):
        for what, change in changes(node):
            other = copy.deepcopy(tree)
            twin = next(one for place, one in enumerate(ast.walk(other)) if place == number)
            change(twin)
            yield getattr(node, "lineno", 0), what, ast.unparse(ast.fix_missing_locations(other))


def changes(node: ast.AST) -> Iterator[tuple[str, "Change"]]:
    """Give what can be changed in a node, and how."""
    match node:
        case ast.Compare():
            for place, sign in enumerate(node.ops):
                other = COMPARED[type(sign)]
                yield f"{type(sign).__name__} -> {other.__name__}", setting_item("ops", place, other())
        case ast.BinOp() if type(node.op) in RECKONED:
            reckoned = RECKONED[type(node.op)]
            yield f"{type(node.op).__name__} -> {reckoned.__name__}", setting("op", reckoned())
        case ast.AugAssign() if type(node.op) in RECKONED:
            reckoned = RECKONED[type(node.op)]
            yield f"{type(node.op).__name__}= -> {reckoned.__name__}=", setting("op", reckoned())
        case ast.BoolOp():
            yield "and <-> or", setting("op", ast.Or() if isinstance(node.op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield "not dropped", setting("op", ast.UAdd())
        case ast.If() | ast.IfExp() | ast.While():
            yield "condition negated", negate
        case ast.Constant():
            yield from constants(node)
        case _:
            pass


def constants(node: ast.Constant) -> Iterator[tuple[str, "Change"]]:
    """Give what can be changed in a constant: a number, a truth, a cell of the tableau."""
    value = node.value
    if isinstance(value, bool):
        yield f"{value} -> {not value}", setting("value", not value)
    elif isinstance(value, int):
        yield f"{value} -> {value + 1}", setting("value", value + 1)
    elif isinstance(value, str) and len(value) in (8, 10) and set(value) <= set(LETTERS):
        for place, letter in enumerate(value):
            flipped = value[:place] + LETTERS[letter] + value[place + 1 :]
            yield f"{value} -> {flipped}", setting("value", flipped)


class Change(Protocol):
    """Something that is done to a node."""

    def __call__(self, node: Any) -> None:
        """Do it."""


def setting(field: str, value: Any) -> Change:
    """Put another value into a field."""
    return lambda node: setattr(node, field, value)


def setting_item(field: str, place: int, value: Any) -> Change:
    """Put another value into a field's list."""
    return lambda node: getattr(node, field).__setitem__(place, value)


def negate(node: Any) -> None:
    """Turn a condition round."""
    node.test = ast.UnaryOp(op=ast.Not(), operand=node.test)


def chosen(source: str, which: str) -> list[tuple[int, str, str]]:
    """Give the mutants from the one of this number on; or, for `50/1`, fifty of them, drawn with seed 1."""
    count, _, seed = which.partition("/")
    every = list(mutants(source))
    if not seed:
        return every[int(count) :]
    numbers = random.Random(int(seed)).sample(range(len(every)), min(int(count), len(every)))
    return [every[number] for number in sorted(numbers)]


def survives(checkout: Path, tests: list[str]) -> bool:
    """Tell whether the tests pass all the same, in a process of their own that has read nothing of ours yet."""
    trial = multiprocessing.get_context("fork").Process(target=judge, args=(checkout, tests))
    trial.start()
    trial.join(PATIENCE_SECONDS)
    if trial.is_alive():
        trial.kill()
        trial.join()
    return trial.exitcode == 0


def judge(checkout: Path, tests: list[str]) -> None:
    """Run the tests in the checkout, and exit as they do."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ROOMS]:
        del sys.modules[name]
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
    os.chdir(checkout)
    sys.path[0] = str(checkout)
    sys.dont_write_bytecode = True
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
        os._exit(pytest.main(["-q", "-x", "--assert=plain", "-p", "no:cacheprovider", "--hypothesis-seed=1", *tests]))


def main(module: str, which: str, tests: list[str]) -> None:
    """Try mutants of a module."""
    source = (ROOT / module).read_text(encoding="utf-8")
    tried = 0
    survivors = []
    with tempfile.TemporaryDirectory() as scratch:
        checkout = Path(scratch)
        for room in ROOMS:
            shutil.copytree(ROOT / room, checkout / room, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(ROOT / "pyproject.toml", checkout)
        if not survives(checkout, tests):
            raise SystemExit("the tests fail without any mutant")
        for line, what, mutant in chosen(source, which):
            (checkout / module).write_text(mutant, encoding="utf-8")
            tried += 1
            if tried % 10 == 0:
                click.echo(f"{tried} tried", err=True)
            if survives(checkout, tests):
                survivors.append(f"{module}:{line}: {what}")
                click.echo(survivors[-1])
    click.echo(f"{module}: {tried} mutants ({which}), {len(survivors)} survive")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
