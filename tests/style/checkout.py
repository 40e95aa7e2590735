"""The files of this checkout that the house rules look at."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("schemas", "services")  # what is shipped
PYTHON = (*ROOMS, "tests")


def kept_files() -> list[Path]:
    """Every file that is tracked, or would be once added; relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    return [path for name in sorted(set(listed.split("\0"))) if name and (ROOT / (path := Path(name))).is_file()]


def python_files(*tops: str) -> list[Path]:
    """The Python files under some of the top folders."""
    return [path for path in kept_files() if path.suffix == ".py" and path.parts[0] in (tops or PYTHON)]


def text_files() -> list[Path]:
    """Every kept file that reads as UTF-8."""
    return [path for path in kept_files() if is_text(path)]


def is_text(path: Path) -> bool:
    """Whether a file is text and not, say, a bundle."""
    try:
        return "\0" not in read(path)
    except UnicodeDecodeError:
        return False


def read(path: Path) -> str:
    """A file's text, by its path from the root."""
    return (ROOT / path).read_text(encoding="utf-8")


def told(findings: list[str]) -> str:
    """All findings at once, as an assertion's message."""
    return "\n" + "\n".join(findings)
