"""PostgreSQL embedded: a server of the house's own, which starts with it, stops with it and dies with it.

    server = Server(directory=Path("data/postgres"))
    server.start()                        # from the main thread
    server.url(database="shoelog_table", role="shoelog_table")
    server.poll()                         # None while it runs; after a crash, start() again
    server.stop()

In its directory: `cluster` (PostgreSQL's data), `run` (the socket), `password` (the superuser's, 0600), `postgres.log`,
its older logs, `lock`, and, where root's binaries are out of reach for the user that root drops to, a copy of them.
"""

import fcntl
import hashlib
import hmac
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO
from urllib.parse import quote

from services.house import binaries, seat
from services.house.logbook import Logbook

SUPERUSER = "postgres"
PORT = 5432  # without TCP, only the last part of the socket's name
START_SECONDS = 120.0  # a crashed server may have much to recover
STOP_SECONDS = 30.0
INITDB = (
    f"--username={SUPERUSER}",
    "--auth=scram-sha-256",
    "--data-checksums",
    "--no-locale",
    "--locale-provider=libc",
    "--encoding=UTF8",
    "--no-instructions",
)
SETTINGS = {
    "max_connections": "100",
    "unix_socket_permissions": "0700",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "jit": "off",
    "log_checkpoints": "off",
    "log_min_error_statement": "panic",  # statements carry keys and passwords; the log does not
}


class PostgresFailed(Exception):
    """PostgreSQL would not start; the message ends with what its log says."""


class Server:
    """One PostgreSQL server in one directory, run by at most one process at a time."""

    def __init__(
        self,
        *,
        directory: Path,
        binaries_directory: Path | None = None,
        tcp_port: int | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self.directory = directory.absolute()
        self.cluster = self.directory / "cluster"
        self.log = self.directory / "postgres.log"
        self.logbook = Logbook(self.log)
        self._explicit = binaries_directory
        self._tcp_port = tcp_port
        self._settings = {**SETTINGS, **(settings or {})}
        self._lock: IO[str] | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._sockets: Path | None = None

    @property
    def pid(self) -> int | None:
        """The postmaster's process."""
        return self._process.pid if self._process else None

    @property
    def sockets(self) -> Path:
        """The private directory of the UNIX socket, known once started."""
        assert self._sockets, "the server was never started"
        return self._sockets

    @property
    def password(self) -> str:
        """The superuser's password, made at the first start."""
        return (self.directory / "password").read_text().strip()

    def password_of(self, role: str) -> str:
        """A password for every role, drawn from the superuser's: one secret to keep."""
        return self.password if role == SUPERUSER else role_password(self.password, role)

    def url(self, *, database: str = "postgres", role: str = SUPERUSER) -> str:
        """Where a role finds a database, as asyncpg and libpq read it; by the socket, also when TCP was asked for."""
        who = f"{role}:{self.password_of(role)}"
        return f"postgresql://{who}@/{database}?host={quote(str(self.sockets), safe='')}&port={self._port}"

    def start(self) -> None:
        """Make the cluster if there is none, start the server, return when it takes connections.

        Also after a crash, of the server or of the house. Raises NoPostgres, NoSeat or PostgresFailed.
        """
        assert threading.current_thread() is threading.main_thread(), "the death signal follows the spawning thread"
        assert self.poll() is not None or self._process is None, "the server runs already"
        self.directory.mkdir(parents=True, exist_ok=True, mode=0o711)
        self._take_lock()
        try:
            self._start()
        except BaseException:
            self.stop()
            raise

    def poll(self) -> int | None:
        """None while the server runs; else the code it ended with (and None before the first start)."""
        return self._process.poll() if self._process else None

    def wait(self) -> int:
        """Until the server has ended; the code it ended with."""
        assert self._process, "the server was never started"
        return self._process.wait()

    def stop(self) -> None:
        """A fast stop: open transactions are rolled back, clients cut off, the data left clean."""
        if self._process and self.poll() is None:
            self._process.send_signal(signal.SIGINT)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.send_signal(signal.SIGQUIT)
                self._process.wait()
        self.logbook.close()
        if self._lock:
            self._lock.close()
            self._lock = None

    @property
    def _port(self) -> int:
        return self._tcp_port or PORT

    def _start(self) -> None:
        user = seat.user_for(self.cluster)
        seat.check_reach(self.directory, user)
        programs = self._programs(user)
        self._sockets = seat.socket_directory(self.directory, user, port=self._port)
        if not self.cluster.exists():
            self._initialise(programs, user)
        self._end_orphan()
        self._launch(programs, user)

    def _take_lock(self) -> None:
        """Held as long as this process lives: whoever holds it may end an orphaned server in this directory."""
        if self._lock:
            return
        lock = (self.directory / "lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            raise PostgresFailed(f"another house is open in {self.directory}: stop it, or use another one") from None
        self._lock = lock

    def _programs(self, user: seat.User | None) -> binaries.Binaries:
        found = binaries.find(explicit=self._explicit, major=self._version() if self.cluster.exists() else None)
        if seat.can_reach(found.directory / "postgres", user):
            return found
        if not binaries.is_portable(found):
            raise seat.NoSeat(
                f"PostgreSQL will not run as root, and user {user and user.name} cannot reach {found.directory}:"
                " open the way to it, or run the house as another user"
            )
        return binaries.copy(found, into=self.directory)

    def _version(self) -> int:
        """Which PostgreSQL made the cluster. Raises PostgresFailed when that cannot be told."""
        path = self.cluster / "PG_VERSION"
        said = path.read_text().strip() if path.exists() else ""
        if not said.isdigit():
            raise PostgresFailed(f"{path} does not say which PostgreSQL made it: {self.cluster} is no whole cluster")
        return int(said)

    def _initialise(self, programs: binaries.Binaries, user: seat.User | None) -> None:
        """Made beside its place and moved there when whole: a crash half way leaves nothing that looks finished."""
        if not (self.directory / "password").exists():
            seat.write_secret(self.directory / "password", secrets.token_urlsafe(32))
        unfinished = seat.fresh_directory(self.directory / "cluster.unfinished", user)
        with tempfile.NamedTemporaryFile("w", dir=self.sockets) as password:
            password.write(self.password)
            password.flush()
            seat.give(Path(password.name), user)
            made = subprocess.run(
                [programs.directory / "initdb", *INITDB, f"--pgdata={unfinished}", f"--pwfile={password.name}"],
                **{**seat.dropped(user), "cwd": "/", "env": environment()},
                capture_output=True,
                text=True,
                check=False,
            )
        if made.returncode:
            raise PostgresFailed(f"initdb in {self.directory} failed: {made.stderr.strip()}")
        unfinished.rename(self.cluster)

    def _end_orphan(self) -> None:
        """End a server that outlived its house; forget a lock file whose process is somebody else by now."""
        lock_file = self.cluster / "postmaster.pid"
        pid = seat.first_number(lock_file)
        if pid is None or not seat.is_alive(pid):
            return  # PostgreSQL itself makes sure that no old backend lives on
        if not seat.works_in(pid, self.cluster):
            lock_file.unlink()
            return
        deadline = time.monotonic() + STOP_SECONDS
        os.kill(pid, signal.SIGINT)
        while seat.is_alive(pid):
            if time.monotonic() > deadline:
                os.kill(pid, signal.SIGQUIT)
            time.sleep(0.01)

    def _launch(self, programs: binaries.Binaries, user: seat.User | None) -> None:
        """Start until it stays: after a crash the old server's backends may need a moment to go."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            self._process = self._spawn(programs, user)
            while self._process.poll() is None:
                if self._is_ready(self._process.pid):
                    return
                if time.monotonic() > deadline:
                    raise PostgresFailed(f"PostgreSQL was not ready in {START_SECONDS:.0f} s; see {self.log}")
                time.sleep(0.005)
            self.logbook.close()
            said = self.logbook.said()
            if "still in use" not in said or time.monotonic() > deadline:
                raise PostgresFailed(f"PostgreSQL ended at its start, in {self.directory}: {said[-2000:]}")
            time.sleep(0.05)

    def _spawn(self, programs: binaries.Binaries, user: seat.User | None) -> subprocess.Popen[bytes]:
        tether = [sys.executable, "-I", "-S", str(Path(__file__).with_name("tether.py")), str(os.getpid())]
        drop = [str(user.uid), str(user.gid)] if user else ["-", "-"]
        postgres = [str(programs.directory / "postgres"), "-D", str(self.cluster), "-p", str(self._port)]
        settings = {
            **self._settings,
            "listen_addresses": "127.0.0.1" if self._tcp_port else "",
            "unix_socket_directories": str(self.sockets),
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with self.logbook.opened() as log:
            return subprocess.Popen(
                [*tether, *drop, *postgres, *options],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=environment(),
                start_new_session=True,  # a Ctrl-C is for the house, which stops the server last
            )

    def _is_ready(self, pid: int) -> bool:
        """What pg_ctl looks at: the eighth line of the lock file, once it is this server's."""
        lines = seat.lines_of(self.cluster / "postmaster.pid")
        return len(lines) > 7 and lines[0] == str(pid) and lines[7].strip() == "ready"  # noqa: PLR2004


def role_password(secret: str, role: str) -> str:
    """One role's password from one secret: nobody who knows it knows another's."""
    return hmac.digest(secret.encode(), f"shoelog role {role}".encode(), hashlib.sha256).hex()


def environment() -> dict[str, str]:
    """The house's, less what would steer PostgreSQL from outside."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_", "LANG"))}
    return {**inherited, "LC_ALL": "C"}
