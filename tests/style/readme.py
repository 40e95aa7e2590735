"""The commands that a page tells its readers to type, and those that exist."""

import re
from collections.abc import Iterator
from typing import Any

Commands = dict[str, Any]  # a command's name, and the commands below it


def code_of(page: str) -> Iterator[str]:
    """Each line of a fenced or indented block, each inline piece of code."""
    parts = re.split(r"^```.*$", page, flags=re.MULTILINE)
    for number, part in enumerate(parts):
        if number % 2:
            yield from part.splitlines()
        else:
            yield from (a or b for a, b in re.findall(r"`([^`\n]+)`|^ {4}(.+)$", part, re.MULTILINE))


def made_targets(makefile: str) -> set[str]:
    """What `make` can be told."""
    return {target for targets in re.findall(r"^([\w -]+):(?!=)", makefile, re.MULTILINE) for target in targets.split()}


def named_targets(page: str) -> set[str]:
    """The targets that a page names."""
    return {target for line in code_of(page) for target in re.findall(r"(?:^|[;&|$] *|\s)make +([a-z][\w-]*)", line)}


def named_commands(page: str) -> set[tuple[str, ...]]:
    """The words after `shoelog` that a page names, up to the first that is no plain word."""
    found = set()
    for line in code_of(page):
        for words in re.findall(r"(?:^|[\s;&|/])shoelog((?: +[a-z][a-z-]*(?![\w.:/,=@]))+)", line):
            found.add(tuple(words.split()))
    return found


def unknown_commands(named: set[tuple[str, ...]], known: Commands) -> list[str]:
    """Those that nobody could type."""
    return sorted(" ".join(words) for words in named if not is_known(words, known))


def is_known(words: tuple[str, ...], known: Commands) -> bool:
    """Whether the words lead down to a command; what follows a command are its arguments."""
    if not words or not known:
        return True
    return words[0] in known and is_known(words[1:], known[words[0]])
