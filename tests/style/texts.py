"""What no kept file may hold: leftover marks, paths of somebody's machine, addresses of package registries."""

import re
from pathlib import Path
from typing import NamedTuple


class Rule(NamedTuple):
    """What must not be written, and what to do about it."""

    pattern: re.Pattern[str]
    remedy: str


# The patterns are written so that this file does not match them itself.
MARKS = Rule(
    re.compile(r"\b(T[O]DO|FIX[M]E|X[X]X|HAC[K])\b|^(<{7}|>{7}) |\bbreak[p]oint\(\)", re.MULTILINE),
    "a leftover mark: do it, or file it",
)
MACHINE = Rule(
    re.compile(r"(?<![\w.}>-])/(?:[r]oot|[h]ome|[U]sers|[w]ork|[o]pt/(?:pypi|wheels))/[\w.-]+"),
    "a path of one machine: others do not have it",
)
REGISTRY = Rule(
    re.compile(r"(?:pypi[.]org|python[h]osted[.]org|registry[.]npm[j]s|proxy[.]gol[a]ng)"),
    "a registry's address: whoever installs has his own",
)
LOCKED = Rule(
    re.compile(
        r"https?://|file:|^\s*-(?:i|f)\b|--(?:extra-)?index|--find-links|--trusted-host|^[\w.-]+ *@", re.MULTILINE
    ),
    "a lock file names versions and hashes, not places",
)


def findings(path: Path, text: str) -> list[str]:
    """Whatever a file holds that it may not."""
    rules = [MARKS, MACHINE, REGISTRY, *([LOCKED] if path.suffix == ".lock" else [])]
    return [
        f"{path}:{text.count(chr(10), 0, found.start()) + 1}: `{found[0].strip()}`: {rule.remedy}"
        for rule in rules
        for found in rule.pattern.finditer(text)
    ]
