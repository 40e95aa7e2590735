"""Who PostgreSQL runs as, and what is his: it will not run as root, so root drops to `postgres`, else to `nobody`.

Only the data and the socket directory change owner. A user of None stands for staying who one is.
"""

import hashlib
import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

SOCKET_BYTES = 107 if sys.platform == "linux" else 103  # sockaddr_un's path, less its closing zero


class NoSeat(Exception):
    """PostgreSQL has no user or no directory to run in; the message says what would be right."""


class User(NamedTuple):
    """Somebody to drop to."""

    name: str
    uid: int
    gid: int


def user_for(cluster: Path) -> User | None:
    """Whom root drops to: the owner of data that exist, else `postgres`, else `nobody`."""
    if os.geteuid() != 0:
        return None
    if cluster.exists() and cluster.stat().st_uid != 0:
        owner = cluster.stat()
        return User(str(owner.st_uid), owner.st_uid, owner.st_gid)
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return User(name, entry.pw_uid, entry.pw_gid)
    raise NoSeat("PostgreSQL will not run as root, and there is no user postgres or nobody: run the house as a user")


def dropped(user: User | None) -> dict[str, Any]:
    """The arguments with which subprocess runs a program as that user."""
    return {"user": user.uid, "group": user.gid, "extra_groups": []} if user else {}


def can_reach(path: Path, user: User | None) -> bool:
    """Whether the user may enter that directory, or run that program."""
    if user is None:
        return os.access(path, os.X_OK)
    return subprocess.run(["/bin/sh", "-c", 'test -x "$1"', "sh", path], **dropped(user), check=False).returncode == 0


def check_reach(directory: Path, user: User | None) -> None:
    """Refuse a directory that the server could not enter."""
    if not can_reach(directory, user):
        raise NoSeat(
            f"PostgreSQL will not run as root, and user {user and user.name} cannot enter {directory}: choose a"
            " directory that everybody may pass through (mode 711 on the way to it), or run the house as a user"
        )


def lodge(place: Path, *, lodgings: Path) -> None:
    """Put the server up in `lodgings` where it could not enter a place that is still to be made: make that a link.

    The link is what remembers it. A place that is there stays what it is. Raises NoSeat when what it leads to is gone.
    """
    if place.is_symlink() and not place.exists():
        raise NoSeat(f"{place} leads to {place.readlink()}, which is gone: bring it back, or remove the link")
    if place.exists() or can_reach(place.parent, user_for(place)):
        return
    if not lodgings.exists():
        lodgings.mkdir(parents=True)
        lodgings.chmod(0o711)
    there = Path(tempfile.mkdtemp(prefix=f"{place.parent.name}-", dir=lodgings))
    there.chmod(0o711)
    place.symlink_to(there)


def give(path: Path, user: User | None) -> None:
    """Make the user its owner."""
    if user:
        os.chown(path, user.uid, user.gid)


def fresh_directory(path: Path, user: User | None) -> Path:
    """An empty directory, the user's alone."""
    if path.exists():
        shutil.rmtree(path)
    path.mkdir(mode=0o700)
    give(path, user)
    return path


def socket_directory(directory: Path, user: User | None, *, port: int) -> Path:
    """`run` in the directory; where the socket's path would be too long, a private one of fixed name in /tmp."""
    path = directory / "run"
    if len(os.fsencode(path / f".s.PGSQL.{port}")) > SOCKET_BYTES:
        digest = hashlib.sha256(os.fsencode(directory)).hexdigest()[:16]
        path = Path("/tmp") / f"shoelog-{digest}"  # noqa: S108  # checked below to be ours and private
    owner = user.uid if user else os.geteuid()
    if not os.path.lexists(path):
        path.mkdir(mode=0o700)
        give(path, user)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != owner or found.st_mode & 0o077:
        raise NoSeat(f"{path} should be a directory of user {owner} with mode 700: remove it, so that it is made anew")
    return path


def write_secret(path: Path, secret: str) -> None:
    """A file for its owner's eyes, never half written."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(f"{secret}\n")
        file.flush()
        os.fsync(file.fileno())
    unfinished.rename(path)


def lines_of(path: Path) -> list[str]:
    """The lines of a file that may be gone."""
    try:
        return path.read_text().splitlines()
    except FileNotFoundError:
        return []


def first_number(path: Path) -> int | None:
    """The process that a lock file names."""
    lines = lines_of(path)
    return int(lines[0]) if lines and lines[0].isdigit() else None


def is_alive(pid: int) -> bool:
    """Whether there is a process of that number."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def works_in(pid: int, cluster: Path) -> bool:
    """Whether that process is a server of this cluster."""
    if sys.platform == "linux":
        try:
            return Path(f"/proc/{pid}/cwd").readlink() == cluster.resolve()
        except OSError:
            return False
    asked = ["/bin/ps", "-ww", "-o", "command=", "-p", str(pid)]
    said = subprocess.run(asked, capture_output=True, text=True, check=False)
    return f"-D {cluster}" in said.stdout
