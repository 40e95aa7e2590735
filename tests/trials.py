"""Trials of mutants: tests are collected once, and each mutant meets, in a fork, those that reach what was changed."""

import functools
import gc
import importlib
import importlib.machinery
import os
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

from tests.changes import Mutant
from tests.style.checkout import ROOT

ARGUMENTS = ("-q", "-s", "-x", "--assert=plain", "-p", "no:cacheprovider")
# Processor time that a test may take with a mutant: so much, and so many times what it takes without.
PATIENCE_SECONDS = 2.0
PATIENCE_TIMES = 10
# And the reading of all modules and tests.
READING_SECONDS = 60.0
# So many calls of a function are followed line by line in each test.
CALLS_FOLLOWED = 300
ROOMS = ("schemas", "services", "tests")
# What is reached while tests are collected.
COLLECTION = ""


class Reach:
    """Which functions and lines of some modules each test reaches, and how long it takes."""

    def __init__(self, modules: list[Path]) -> None:
        self.modules = {str(module) for module in modules}
        self.functions: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.lines: dict[tuple[str, int], set[str]] = defaultdict(set)
        self.seconds: dict[str, float] = {}
        self.test = COLLECTION
        self.calls = Counter[CodeType]()

    def begin(self, test: str) -> None:
        """Watch a test from here."""
        self.test = test
        self.calls.clear()
        self.seconds[test] = -time.process_time()
        sys.settrace(self.called)

    def end(self) -> None:
        """Watch it no longer."""
        sys.settrace(None)
        self.calls.clear()
        self.seconds[self.test] += time.process_time()

    def called(self, frame: FrameType, _event: str, _value: object) -> Callable[..., Any] | None:
        """Note a call, as `sys.settrace` wants it."""
        code = frame.f_code
        if code.co_filename not in self.modules:
            return None
        self.functions[code.co_filename, code.co_qualname.partition(".<locals>")[0]].add(self.test)
        self.calls[code] += 1
        return self.line if self.calls[code] <= CALLS_FOLLOWED else None

    def line(self, frame: FrameType, event: str, _value: object) -> Callable[..., Any]:
        """Note a line."""
        if event == "line":
            self.lines[frame.f_code.co_filename, frame.f_lineno].add(self.test)
        return self.line

    def of(self, mutant: Mutant) -> list[str]:
        """Give the tests that reach what was changed, the fastest first: its lines, then its function."""
        module = mutant.code.co_filename
        lines = {test for line in mutant.lines for test in self.lines.get((module, line), ())}
        function = self.functions.get((module, mutant.within or ""), set())
        return [*self.fastest(lines), *self.fastest(function - lines)]

    def of_module(self, module: str) -> list[str]:
        """Give all tests, the fastest first: those that reach the module, then the others."""
        reaching = {test for (of, _), tests in self.functions.items() if of == module for test in tests}
        return [*self.fastest(reaching), *self.fastest(self.seconds.keys() - reaching)]

    def fastest(self, tests: set[str]) -> list[str]:
        """Put tests in order."""
        return sorted(tests - {COLLECTION}, key=lambda test: (self.seconds[test], test))

    def patience_seconds(self, test: str) -> float:
        """Give the processor time that a test may take."""
        return PATIENCE_SECONDS + PATIENCE_TIMES * self.seconds[test]

    def is_of_collection(self, mutant: Mutant) -> bool:
        """Tell whether what was changed runs when modules are read or tests are collected."""
        reaching = self.functions.get((mutant.code.co_filename, mutant.within or ""), set())
        return mutant.within is None or COLLECTION in reaching


class Watching:
    """A plugin of pytest: every test is watched."""

    def __init__(self, reach: Reach) -> None:
        self.reach = reach

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all."""
        self.reach.end()
        known = caches()
        for item, following in followed(session.items):
            emptied(known)
            self.reach.begin(item.nodeid)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            self.reach.end()
        return True


class Trying:
    """A plugin of pytest: once the tests are collected, each mutant is tried in a fork."""

    def __init__(self, reach: Reach, mutants: list[Mutant], told: Callable[[Mutant, bool], None]) -> None:
        self.reach = reach
        self.mutants = mutants
        self.told = told

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try all."""
        items = {item.nodeid: item for item in session.items}
        for module in {mutant.code.co_filename for mutant in self.mutants}:  # some are read only when they are needed
            importlib.import_module(".".join(Path(module).relative_to(ROOT).with_suffix("").parts))
        functions = [one for one in gc.get_objects() if isinstance(one, FunctionType)]
        known = caches()
        gc.freeze()
        for mutant in self.mutants:
            tests = [items[test] for test in self.reach.of(mutant) if test in items]

            def passes(mutant: Mutant = mutant, tests: list[pytest.Item] = tests) -> bool:
                put_in(mutant, functions)
                emptied(known)
                return run(session, tests, self.reach)

            self.told(mutant, in_fork(passes))
        return True


class Ordered:
    """A plugin of pytest: the tests run in the order given."""

    def __init__(self, reach: Reach, tests: list[str]) -> None:
        self.reach = reach
        self.tests = tests

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run until one fails."""
        items = {item.nodeid: item for item in session.items}
        return run(session, [items[test] for test in self.tests if test in items], self.reach)


def followed(items: list[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    """Give each test with the one after it."""
    return zip(items, [*items[1:], None], strict=True)


def run(session: pytest.Session, tests: list[pytest.Item], reach: Reach) -> bool:
    """Run tests until one fails; tell whether all passed."""
    for item, following in followed(tests):
        signal.setitimer(signal.ITIMER_PROF, reach.patience_seconds(item.nodeid))
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return False
    signal.setitimer(signal.ITIMER_PROF, 0)
    return True


def caches() -> list[Any]:
    """Find the caches that our rooms keep."""
    known = (one for one in gc.get_objects() if isinstance(one, functools._lru_cache_wrapper))  # noqa: SLF001
    return [one for one in known if one.__module__.partition(".")[0] in ROOMS]


def emptied(known: list[Any]) -> None:
    """Let nothing be known from before."""
    for cache in known:
        cache.cache_clear()


def put_in(mutant: Mutant, functions: list[FunctionType]) -> None:
    """Give the changed function its changed code, wherever it is known."""
    changed = {(code.co_qualname, code.co_firstlineno): code for code in functions_of(mutant.code)}
    for function in functions:
        code = function.__code__
        if code.co_filename == mutant.code.co_filename and code.co_qualname == mutant.within:
            function.__code__ = changed[code.co_qualname, code.co_firstlineno]


def functions_of(code: CodeType) -> Iterator[CodeType]:
    """Give the functions and methods in a module's code."""
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield inner
            yield from functions_of(inner)


def in_fork(passes: Callable[[], bool]) -> bool:
    """Ask in a fork that says nothing; one that dies has said no."""
    fork = os.fork()
    if not fork:
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            try:
                os._exit(0 if passes() else 1)
            finally:
                os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]) == 0


def watch(tests: tuple[str, ...], modules: list[Path]) -> Reach:
    """Run the tests as they are, and give what they reach."""
    reach = Reach(modules)
    reach.begin(COLLECTION)
    if pytest.main([*ARGUMENTS, *tests], plugins=[Watching(reach)]):
        raise SystemExit("the tests fail without any mutant")
    return reach


def passes_afresh(mutant: Mutant, tests: tuple[str, ...], reach: Reach) -> bool:
    """Tell whether the tests pass when the mutant is read instead of its module, in a process that has read neither."""
    get_code = importlib.machinery.SourceFileLoader.get_code

    def read(loader: importlib.machinery.SourceFileLoader, name: str) -> CodeType | None:
        return mutant.code if loader.path == mutant.code.co_filename else get_code(loader, name)

    def passes() -> bool:
        importlib.machinery.SourceFileLoader.get_code = read  # type: ignore[assignment, method-assign]
        signal.setitimer(signal.ITIMER_PROF, READING_SECONDS)
        order = Ordered(reach, reach.of_module(mutant.code.co_filename))
        return pytest.main([*ARGUMENTS, *tests], plugins=[order]) == pytest.ExitCode.OK

    return in_fork(passes)
