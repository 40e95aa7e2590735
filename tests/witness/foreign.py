"""A witness by other hands, `aics-witness`: it wants Python 3.12 or newer, and gets an environment of its own."""

import fcntl
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

PACKAGE = "aics-witness==0.1.0"
INSTALL_SECONDS = 180
PATIENCE_SECONDS = 30
ASK = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 12))"


class NoForeignWitness(Exception):
    """It cannot be had here; the message says why."""


def pythons() -> Iterator[str]:
    """Every Python that may be new enough, wherever people put theirs."""
    yield sys.executable
    yield from filter(None, (shutil.which(f"python3.{minor}") for minor in (14, 13, 12)))
    for folder in (".pyenv/versions", ".local/share/uv/python"):
        yield from map(str, sorted(Path.home().glob(f"{folder}/*/bin/python3")))


def is_new_enough(python: str) -> bool:
    """Whether it runs, and is."""
    try:
        return subprocess.run([python, "-c", ASK], capture_output=True, timeout=20, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def environment_of(cache: Path) -> Path:
    """The environment, made once and kept, by one test session at a time. Raises NoForeignWitness."""
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _made(cache)


def _made(cache: Path) -> Path:
    ready = cache / "ready"
    if ready.exists() and ready.read_text() == PACKAGE:
        return cache / "venv"
    python = next(filter(is_new_enough, pythons()), None)
    if python is None:
        raise NoForeignWitness(f"{PACKAGE} needs Python 3.12 or newer, and none was found")
    try:
        subprocess.run(
            [python, "-m", "venv", "--clear", str(cache / "venv")], check=True, capture_output=True, timeout=60
        )
        install = [str(cache / "venv/bin/python"), "-m", "pip", "install", "--quiet", "--retries", "1", PACKAGE]
        subprocess.run(install, check=True, capture_output=True, timeout=INSTALL_SECONDS)
    except subprocess.CalledProcessError as error:
        raise NoForeignWitness(f"{PACKAGE} cannot be installed: {error.stderr.decode().strip()[-300:]}") from None
    except subprocess.TimeoutExpired:
        raise NoForeignWitness(f"{PACKAGE} was not installed within {INSTALL_SECONDS} s") from None
    ready.write_text(PACKAGE)
    return cache / "venv"


class Foreign:
    """`aics-witness serve`, which knows some logs."""

    def __init__(self, environment: Path, directory: Path, *log_keys: str) -> None:
        self._program = environment / "bin" / "aics-witness"
        self._config = directory / "witness.json"
        self.vkey = self._run("init", "--name", "aics.example/w1")
        for vkey in log_keys:
            self._run("add-log", "--origin", vkey.partition("+")[0], "--vkey", vkey)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.url = f"http://{address}"
        self._log = directory / "foreign.log"
        with self._log.open("wb") as log:
            words = [str(self._program), "serve", "--config", str(self._config), "--listen", address]
            self._process = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT)
        self._wait()

    def evidence(self) -> str:
        """What it has kept, in JSON."""
        return self._run("evidence")

    def stop(self) -> None:
        """Ask it to stop."""
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(PATIENCE_SECONDS)

    def _run(self, command: str, *words: str) -> str:
        said = subprocess.run(
            [str(self._program), command, "--config", str(self._config), *words],
            check=True,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            env={**os.environ, "WITNESS_SEED_HEX": ""},
        )
        return said.stdout.strip()

    def _wait(self) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.url}/healthz").status_code == httpx.codes.OK:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
        raise AssertionError(self._log.read_text())
