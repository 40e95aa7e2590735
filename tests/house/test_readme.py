"""The README's first screen is typed as it stands, into a fresh house, and shows what it says it shows.

What no two runs share is masked on both sides: hashes, keys, times, and what the cards brought.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.databases import scratch_directory
from tests.house.opened import Opened, start, stop
from tests.style.checkout import ROOT

MARK = "\x1e"
CONTINUED = "    "
MASKS = (
    (r"shoelog_(operator|auditor|dashboard)_[\w-]+", "KEY"),
    (r"[\w.]+/log/1\+[0-9a-f]{8}\+[A-Za-z0-9+/=]+", "VKEY"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME"),
    (r"\b[0-9a-f]{32,64}\b", "HASH"),
    (r'"command":"[^"]+"', "COMMAND"),
    (r"127\.0\.0\.1:\d+", "ADDRESS"),
    (r"\d+,\d{3} bytes", "SIZE"),
    (r'"version":\d+,"entries":\d+,', "PLACE"),
    (r'"player":\[.*', "COUP"),  # from here on, what the cards brought
    (r'"seed":.*', "SEED"),
    (r"^  Cards\n(?s:.*)", "TOLD"),
    (r"version \d+: p7f3's banker", "SETTLED"),
)


class Typed(NamedTuple):
    """One command of the README, and what it is said to print."""

    command: str
    shown: str


def typed(page: str) -> Iterator[Typed]:
    """Every command in the page's console blocks, in order."""
    for block in re.findall(r"^```console\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            count = 1
            while lines[count:] and lines[count].startswith(CONTINUED):
                count += 1
            yield Typed("\n".join(lines[:count]), "\n".join(lines[count:]).strip())


def masked(text: str) -> str:
    """The text without what no two runs share."""
    for pattern, name in MASKS:
        text = re.sub(pattern, name, text, flags=re.MULTILINE)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


def run(commands: list[str], *, opened: Opened, data: Path, directory: Path) -> list[str]:
    """What each command prints, typed into one shell after the other."""
    script = "\n".join(f"printf '{MARK}'\n{command}" for command in commands)
    script = script.replace("127.0.0.1:8100", opened.table.removeprefix("http://"))
    script = script.replace("data/keys.json", str(data / "keys.json"))
    script = script.replace(".venv/bin/shoelog", f"{sys.executable} -m services.house.cli")
    script = script.replace("python3 ", f"{sys.executable} ")
    said = subprocess.run(
        ["bash", "-c", script],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return said.stdout.split(MARK)[1:]


@pytest.fixture(scope="module")
def said() -> list[tuple[Typed, str]]:
    """Every command with what the README shows and what it really prints; the first one opens the house."""
    first, *rest = typed((ROOT / "README.md").read_text())
    assert first.command == "make run"
    with scratch_directory() as scratch:
        data, work = scratch / "house", scratch / "work"
        work.mkdir()
        opened = start(data)
        try:
            printed = run([each.command for each in rest], opened=opened, data=data, directory=work)
        finally:
            stop(opened)
    return [(first, opened.said.replace(str(data), "data")), *zip(rest, printed, strict=True)]


def test_every_command_prints_what_the_readme_shows(said: list[tuple[Typed, str]]) -> None:
    for each, printed in said:
        assert masked(printed) == masked(each.shown), f"$ {each.command}"


def test_the_first_screen_shows_the_changed_byte_caught(said: list[tuple[Typed, str]]) -> None:
    verdicts = [printed for each, printed in said if "shoelog verify" in each.command]

    assert "everything passed" in verdicts[0]
    assert "failed" in verdicts[-1]
