"""The import table: which room may import what, the standard library aside.

A target is a module's full path; `from services.table import journal` targets `services.table.journal`, for packages
hold nothing but modules. A finding is a sentence: where, what, and what would be right.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

BASE = ("msgspec", "cryptography")  # with CLI, what the base install has
CLI = ("click",)
WEB = (*BASE, "asyncpg", "httpx", "litestar", "prometheus_client", "structlog", "uvicorn", "anyio")
ANYTHING = ("*",)

# Room, the rooms it may import, the packages it may import. The longest name that fits a module is its room.
TABLE = (
    ("schemas", ("schemas",), BASE),
    ("services.table.game", ("schemas", "services.table.game"), ("msgspec",)),
    ("services.ledger.book", ("schemas", "services.ledger.book"), ("msgspec",)),
    ("services.door", ("schemas", "services.door"), WEB),
    ("services.table", ("schemas", "services.door", "services.table"), WEB),
    ("services.ledger", ("schemas", "services.door", "services.ledger"), WEB),
    ("services.signer", ("schemas", "services.door", "services.signer"), WEB),
    (
        "services.witness",
        ("schemas", "services.door", "services.witness"),
        ("litestar", "msgspec", "prometheus_client", "structlog"),
    ),
    ("services.audit", ("schemas", "services.table.game", "services.ledger.book", "services.audit"), (*BASE, *CLI)),
    ("services.dashboard", ("schemas", "services.door", "services.dashboard"), ("litestar", "httpx", "msgspec")),
    ("services.house", ("schemas", "services"), ANYTHING),
)


class Import(NamedTuple):
    """One imported module and where that is said."""

    target: str
    line: int
    is_deferred: bool  # inside a function: only when it is called; or for type checkers: never


class Room(NamedTuple):
    """A row of the table."""

    name: str
    rooms: tuple[str, ...]
    packages: tuple[str, ...]


def module_of(path: Path) -> str:
    """`services/table/app.py` is `services.table.app`; a package's `__init__.py` bears the package's name."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(source: str) -> Iterator[Import]:
    """Every import in a module, wherever it stands."""
    yield from imports_below(ast.parse(source), is_deferred=False)


def imports_below(node: ast.AST, *, is_deferred: bool) -> Iterator[Import]:
    """The imports in a part of a module."""
    for child in ast.iter_child_nodes(node):
        inside = is_deferred or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        inside = inside or is_for_types(child)
        if isinstance(child, ast.Import):
            yield from (Import(name.name, child.lineno, is_deferred) for name in child.names)
        elif isinstance(child, ast.ImportFrom):
            place = "." * child.level + (child.module or "")
            yield from (Import(f"{place}.{name.name}", child.lineno, is_deferred) for name in child.names)
        else:
            yield from imports_below(child, is_deferred=inside)


def is_for_types(node: ast.AST) -> bool:
    """Whether a part is read by type checkers alone."""
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def is_within(target: str, room: str) -> bool:
    """Whether a module is the room or lies in it."""
    return target == room or target.startswith(f"{room}.")


def is_ours(target: str) -> bool:
    """Whether a module is the project's own."""
    return top_of(target) in ("schemas", "services", "tests")


def top_of(target: str) -> str:
    """The package that one would install."""
    return target.split(".", maxsplit=1)[0]


def room_of(module: str) -> Room | None:
    """The row of the table that a module falls under; the packages that only hold rooms need none."""
    fitting = [Room(*row) for row in TABLE if is_within(module, row[0])]
    return max(fitting, key=lambda room: len(room.name), default=None)


def findings(path: Path, source: str) -> list[str]:
    """What a module imports against the table."""
    module = module_of(path)
    if module == "services":
        return []
    room = room_of(module)
    if room is None:
        return [f"{path}: is in no room of the import table; give it a row in tests/style/imports.py"]
    judged = ((one, complaint(module, room, one)) for one in imports_of(source))
    return [f"{path}:{one.line}: imports {one.target}; {said}" for one, said in judged if said]


def complaint(module: str, room: Room, one: Import) -> str | None:
    """What is wrong with one import, if anything."""
    if one.target.startswith("."):
        return "a relative import: write the full path"
    if is_ours(one.target):
        return complaint_of_rooms(module, room, one)
    top = top_of(one.target)
    if top in sys.stdlib_module_names or top in room.packages or room.packages == ANYTHING:
        return None
    return f"{room.name} may import of packages: {', '.join(room.packages)}"


def complaint_of_rooms(module: str, room: Room, one: Import) -> str | None:
    """What is wrong with importing a module of the project's own."""
    is_house = room.name == "services.house"
    if is_within(one.target, "services.house") and not is_house:
        return "nobody imports the house"
    if "config" in one.target.split(".") and not module.endswith(".app"):
        return "only app.py imports config"
    if not any(is_within(one.target, allowed) for allowed in room.rooms):
        return f"{room.name} may import of rooms: {', '.join(room.rooms)}"
    if is_house and not one.is_deferred and not is_within(one.target, "schemas") and room_of(one.target) != room:
        return "the house imports a room inside the command that needs it"
    return None


def drawn_in(start: str, sources: Mapping[str, str]) -> dict[str, str]:
    """What importing a module imports, all the way down, each with the module that asks for it."""
    asked_by: dict[str, str] = {}
    waiting = [start]
    while waiting:
        module = waiting.pop()
        for one in imports_of(sources[module]):
            target = next((name for name in (one.target, one.target.rpartition(".")[0]) if name in sources), one.target)
            if not one.is_deferred and target not in asked_by:
                asked_by[target] = module
                waiting += [target] if target in sources else []
    return asked_by


def burdens(start: str, sources: Mapping[str, str]) -> list[str]:
    """What importing a module draws in beyond the standard library and the base install."""
    return [
        f"{start} draws in {target}, by way of {module}; the base install has {', '.join((*BASE, *CLI))} only:"
        " import it inside the command that needs it"
        for target, module in drawn_in(start, sources).items()
        if not is_ours(target) and top_of(target) not in {*sys.stdlib_module_names, *BASE, *CLI}
    ]
