"""Every PostgreSQL from 15 on serves: no statement of ours calls a function that came later."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.style.checkout import ROOMS, ROOT, kept_files, python_files

# What pg_proc of PostgreSQL 18 names and that of 15 does not; `bytea` and words of mathematics left out.
NEWER = (ROOT / "tests/data/functions_after_postgresql_15.txt").read_text(encoding="utf-8").split()
CALLED = re.compile(rf"\b({'|'.join(NEWER)})\s*\(", re.IGNORECASE)


def statements() -> Iterator[tuple[Path, str]]:
    """Every text in which SQL may stand: the files of it, and whatever is quoted in our Python."""
    for path in kept_files():
        if path.suffix == ".sql":
            yield path, (ROOT / path).read_text(encoding="utf-8")
    for path in python_files(*ROOMS):
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield path, node.value


def newer_functions(texts: Iterator[tuple[Path, str]]) -> list[str]:
    return [f"{path}: {name}" for path, text in texts for name in CALLED.findall(text)]


def test_no_statement_needs_a_postgresql_newer_than_15() -> None:
    assert newer_functions(statements()) == []


def test_a_function_that_came_later_is_found_wherever_it_is_called() -> None:
    texts = [(Path("a.sql"), "select Array_Sort(x)"), (Path("b.py"), "bit_xor(hashbyteaextended (line, 1))")]

    assert newer_functions(iter(texts)) == ["a.sql: Array_Sort", "b.py: hashbyteaextended"]
