"""The house's own processes: each is started, watched, replaced when it dies, and leaves when the house does."""

import http.client
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Self

from services.house.logbook import Logbook

FIRST_WAIT_SECONDS = 0.1  # before a replacement; doubled at each further death
LONGEST_WAIT_SECONDS = 10.0
STEADY_SECONDS = 20.0  # who worked that long starts with a clean sheet
READY_SECONDS = 60.0
STOP_SECONDS = 40.0  # a service answers what it has begun within 30
SAID_BYTES = 4000

ROOT = Path(__file__).parents[2]


class Unfit(Exception):
    """A process did not come to work at all; the message ends with what it said."""


class Employee:
    """One process of the command line, such as `table serve`, with its log in a file."""

    def __init__(self, name: str, words: list[str], *, environment: Mapping[str, str], log: Path) -> None:
        self.name = name
        self.logbook = Logbook(log)
        self._words = words
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._started_at = 0.0
        self._deaths = 0
        self._due_at: float | None = None

    @property
    def pid(self) -> int | None:
        """Its process, dead or alive."""
        return self._process.pid if self._process else None

    def start(self) -> Self:
        """Come to work. In the main thread: a death signal follows the thread that asked for it."""
        tether = [sys.executable, "-I", "-S", str(Path(__file__).with_name("tether.py")), str(os.getpid()), "-", "-"]
        with self.logbook.opened() as log:
            self._process = subprocess.Popen(
                [*tether, sys.executable, "-m", "services.house.cli", *self._words],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env={**os.environ, **importable(), **self._environment},
                start_new_session=True,  # a Ctrl-C is for the house, which sends everybody home in order
            )
        self._started_at = time.monotonic()
        self._due_at = None
        return self

    def is_working(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    def replace(self) -> str | None:
        """After a death: wait a little longer each time, then start anew; give the news when there are any."""
        if self.is_working() or self._process is None:
            self.logbook.tend()
            return None
        now = time.monotonic()
        if self._due_at is None:
            self._deaths = 1 if now - self._started_at > STEADY_SECONDS else self._deaths + 1
            wait_seconds = min(FIRST_WAIT_SECONDS * 2 ** (self._deaths - 1), LONGEST_WAIT_SECONDS)
            self._due_at = now + wait_seconds
            return f"{self.name} ended {ending(self._process.returncode)}; it starts again in {wait_seconds:.1f} s"
        if now >= self._due_at:
            self.start()
        return None

    def stop(self) -> None:
        """Ask it to finish, wait, and insist at last."""
        if self._process and self.is_working():
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self.logbook.close()

    def wait_until_ready(self, *, port: int) -> None:
        """Wait until `/readyz` says so; Unfit when it ends before, or takes too long."""
        deadline = time.monotonic() + READY_SECONDS
        while not is_ready(port):
            if not self.is_working():
                code = self._process.returncode if self._process else None
                raise Unfit(f"{self.name} ended {ending(code)} before it was ready: {self.said()}")
            if time.monotonic() > deadline:
                raise Unfit(f"{self.name} was not ready in {READY_SECONDS:.0f} s: {self.said()}")
            time.sleep(0.02)

    def said(self) -> str:
        """The end of what it said since it started."""
        if not self.is_working():
            self.logbook.close()
        return self.logbook.said()[-SAID_BYTES:] or f"it said nothing ({self.logbook.path})"


def importable() -> dict[str, str]:
    """What lets a child find the rooms in a checkout that is not installed."""
    return {"PYTHONPATH": str(ROOT)} if (ROOT / "pyproject.toml").is_file() else {}


def ending(code: int | None) -> str:
    """How a process ended, in words."""
    if code is None or code >= 0:
        return f"with status {code}"
    return f"by {signal.Signals(-code).name}"


def is_ready(port: int) -> bool:
    """Whether the service at that port of this machine says that it is ready."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
