"""The shape of the code: how deep, how long, how named, how introduced.

A finding is a sentence: where, what, and what would be right.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

FILE_LINES = 400
FUNCTION_LINES = 70
PACKAGES_DEEP = 3
JUNK_DRAWERS = frozenset({"utils", "util", "common", "helpers", "helper", "shared", "base", "misc"})
COMPUTER_WORDS = frozenset({"manager", "handler", "processor", "factory", "helper", "impl", "repository"})

Function = ast.FunctionDef | ast.AsyncFunctionDef


def findings(path: Path, source: str) -> list[str]:
    """All that is out of shape in a Python file."""
    tree = ast.parse(source)
    return [
        *place_findings(path),
        *length_findings(path, source, tree),
        *introduction_findings(path, tree),
        *name_findings(path, tree),
    ]


def place_findings(path: Path) -> Iterator[str]:
    """Packages too deep, junk drawers."""
    if len(path.parts) - 1 > PACKAGES_DEEP:
        yield f"{path}: lies {len(path.parts) - 1} packages deep; {PACKAGES_DEEP} at most"
    for part in path.with_suffix("").parts:
        if part in JUNK_DRAWERS:
            yield f"{path}: `{part}` is a junk drawer; name what is in it"


def length_findings(path: Path, source: str, tree: ast.Module) -> Iterator[str]:
    """Files and functions too long."""
    lines = len(source.splitlines())
    if lines > FILE_LINES:
        yield f"{path}: has {lines} lines, {FILE_LINES} at most; one noun, one promise: part it"
    for function in functions_of(tree):
        length = (function.end_lineno or function.lineno) - function.lineno + 1
        if length > FUNCTION_LINES:
            said = f"`{function.name}` has {length} lines, {FUNCTION_LINES} at most"
            yield f"{path}:{function.lineno}: {said}; branch in the parent, compute in leaves"


def introduction_findings(path: Path, tree: ast.Module) -> Iterator[str]:
    """Modules without a first sentence, packages that hold more than one."""
    if not (ast.get_docstring(tree) or "").strip():
        yield f"{path}:1: has no docstring; the first line is a sentence a stranger understands"
    elif path.name == "__init__.py" and len(tree.body) > 1:
        yield f"{path}:{tree.body[1].lineno}: holds more than a docstring; importing a room must import nothing"


def name_findings(path: Path, tree: ast.Module) -> Iterator[str]:
    """Computer words where a casino word should stand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef | Function):
            for word in words_of(node.name):
                if word in COMPUTER_WORDS or word.removesuffix("s") in COMPUTER_WORDS:
                    yield f"{path}:{node.lineno}: `{node.name}` says `{word}`; say what it is or does in the casino"


def functions_of(tree: ast.Module) -> Iterator[Function]:
    """Every function, also those within classes and functions."""
    yield from (node for node in ast.walk(tree) if isinstance(node, Function))


def words_of(name: str) -> list[str]:
    """`ShoeManager` and `shoe_manager` both are shoe, manager."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_").split("_")
