"""What can be changed in a module, one thing at a time: a comparison, an operator, a condition, a constant."""

import ast
import copy
import random
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple, Protocol

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
# Promises that no run can tell from their absence: nobody changes a struct, all are made by keyword, lengths are equal.
PROMISES = {"frozen", "kw_only", "strict"}
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Mutant(NamedTuple):
    """A module with one thing changed."""

    line: int
    what: str
    code: CodeType
    within: str | None
    """The outermost function that is changed, `C.f` of a class; none when something beside the functions is."""
    lines: range
    """Those of the statement, or of a compound one's head, that is changed."""


class Place(NamedTuple):
    """Where in a module a node stands."""

    within: str | None
    lines: range


def mutants(path: Path) -> Iterator[Mutant]:
    """Give each mutant of a module."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    places = dict(placed(tree, Place(None, range(1)), ""))
    untold = set(untellable(tree, places))
    for number, node in enumerate(ast.walk(tree)):
        for what, change in changes(node) if node not in untold else ():
            other = copy.deepcopy(tree)
            change(next(one for place, one in enumerate(ast.walk(other)) if place == number))
            code = compile(ast.fix_missing_locations(other), str(path), "exec")
            yield Mutant(getattr(node, "lineno", 0), what, code, *places[node])


def untellable(tree: ast.Module, places: dict[ast.AST, Place]) -> Iterator[ast.AST]:
    """Give what no run can tell from its opposite: promises, and the types of a function's own names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg in PROMISES:
            yield node.value
        elif isinstance(node, ast.AnnAssign) and places[node].within:
            yield from ast.walk(node.annotation)


def chosen(path: Path, sample: str | None) -> list[Mutant]:
    """Give all mutants of a module or, for `50/1`, fifty of them, drawn with seed 1."""
    every = list(mutants(path))
    if sample is None:
        return every
    count, seed = map(int, sample.split("/"))
    return [every[number] for number in sorted(random.Random(seed).sample(range(len(every)), min(count, len(every))))]


def placed(node: ast.AST, place: Place, scope: str) -> Iterator[tuple[ast.AST, Place]]:
    """Give every node beneath one, and this one, with where it stands."""
    if isinstance(node, ast.stmt):
        place = Place(place.within, head(node))
    elif isinstance(node, ast.match_case):
        place = Place(place.within, range(node.pattern.lineno, node.body[0].lineno + 1))
    yield node, place
    for field, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST):
                continue
            if isinstance(node, ast.FunctionDef) and field == "body" and place.within is None:
                yield from placed(child, Place(scope + node.name, place.lines), scope)
            else:
                inner = f"{scope}{node.name}." if isinstance(node, ast.ClassDef) else scope
                yield from placed(child, place, inner)


def head(node: ast.stmt) -> range:
    """Give the lines of a statement without the blocks in it."""
    inner = [child.lineno for block in BLOCKS for child in getattr(node, block, []) if hasattr(child, "lineno")]
    last = node.end_lineno or node.lineno
    return range(node.lineno, max(node.lineno, min([last, *(line - 1 for line in inner)])) + 1)


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
            yield "not dropped", setting("operand", ast.UnaryOp(op=ast.Not(), operand=node.operand))
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
