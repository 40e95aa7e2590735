"""Node, where there is one: runs the page's core, and asks its modules one by one."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

PAGE = Path("services/audit/page")
NODE = shutil.which("node")
NEEDS_NODE = pytest.mark.skipif(NODE is None, reason="no node on this machine: the page's core was not run")
WAIT_SECONDS = 600


def run(script: Path, *arguments: str, told: str = "") -> "subprocess.CompletedProcess[str]":
    """Run a script; a hang is a failure."""
    assert NODE is not None
    command = [NODE, str(script), *arguments]
    return subprocess.run(command, input=told, capture_output=True, text=True, timeout=WAIT_SECONDS, check=False)


def verify(*arguments: str, files: Sequence[Path]) -> tuple[int, list[dict[str, Any]]]:
    """Verify bundles with the page's core: the exit status and the reports."""
    names = "".join(f"{file}\n" for file in files)
    finished = run(PAGE / "node.mjs", *arguments, "--json", "-", told=names)
    assert not finished.stderr, finished.stderr
    return finished.returncode, json.loads(finished.stdout)


def ask(*questions: tuple[Any, ...]) -> list[Any]:
    """Ask the page's modules: each question is a name in `asked.mjs` and its arguments."""
    finished = run(Path("tests/audit/page/asked.mjs"), told=json.dumps(questions))
    assert finished.returncode == 0, finished.stderr
    answers: list[Any] = json.loads(finished.stdout)
    return answers
