"""The test command is the only gate: ruff and mypy run inside it, and are shown to bite."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.style.checkout import ROOT


def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """One of the tools, as this Python's own."""
    return subprocess.run([sys.executable, "-m", *arguments], cwd=cwd, capture_output=True, text=True, check=False)


def complaints(finished: subprocess.CompletedProcess[str]) -> str:
    """What a tool found, with the target that shows or mends it."""
    return f"\n{finished.stdout}{finished.stderr}\nalone: make lint, make format, make types"


def test_ruff_finds_nothing() -> None:
    finished = run("ruff", "check", ".")

    assert finished.returncode == 0, complaints(finished)


def test_every_file_is_formatted() -> None:
    finished = run("ruff", "format", "--check", ".")

    assert finished.returncode == 0, complaints(finished)


def test_every_type_holds() -> None:
    finished = run("mypy")

    assert finished.returncode == 0, complaints(finished)


@pytest.mark.parametrize(
    ("source", "command", "said"),
    [
        ('"""Spoiled."""\n\nimport json\n', ("ruff", "check"), "F401"),
        ('"""Spoiled."""\nx   = 1\n', ("ruff", "format", "--check"), "would be reformatted"),
        ('"""Spoiled."""\n\n\ndef f(x):\n    return x\n', ("mypy",), "no-untyped-def"),
    ],
)
def test_a_spoiled_file_is_found(tmp_path: Path, source: str, command: tuple[str, ...], said: str) -> None:
    spoiled = tmp_path / "spoiled.py"
    spoiled.write_text(source)

    settings = "--config-file" if command[0] == "mypy" else "--config"
    finished = run(*command, settings, str(ROOT / "pyproject.toml"), str(spoiled), cwd=tmp_path)

    assert finished.returncode == 1, complaints(finished)
    assert said in finished.stdout + finished.stderr
