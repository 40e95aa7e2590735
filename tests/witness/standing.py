"""A witness that stands somewhere as a process of its own, its log in a file."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx

from schemas.note import Verifier, parse_vkey
from tests.style.checkout import ROOT

PATIENCE_SECONDS = 30


class Standing:
    """`shoelog witness serve` in a directory; at the same port when it starts again."""

    def __init__(self, directory: Path, *options: str, name: str = "regulator.example/w1") -> None:
        self.directory = directory
        self.name = name
        self.log = directory.with_name(f"{directory.name}.log")
        self._options = options
        self._port = "0"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def key(self) -> Verifier:
        """The key that its cosignatures are verified with."""
        return parse_vkey(json.loads((self.directory / "memory.json").read_bytes())["vkey"])

    @property
    def sizes(self) -> dict[str, int]:
        """How far it has cosigned."""
        return dict(httpx.get(f"{self.url}/logs").json()["sizes"])

    @property
    def cases(self) -> list[dict[str, Any]]:
        """Its evidence, each case whole."""
        listed = httpx.get(f"{self.url}/evidence").json()["cases"]
        return [httpx.get(f"{self.url}/evidence/{each['name']}").json() for each in listed]

    def start(self) -> "Standing":
        """Start it, and wait until it listens."""
        process = self.begin()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (told := self.told("listening")):
            assert process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.02)
        self._port = str(told[-1]["port"])
        return self

    def begin(self) -> "subprocess.Popen[bytes]":
        """Start it, and leave it alone."""
        self.log.write_bytes(b"")
        words = ["--data", str(self.directory), "--name", self.name, "--port", self._port, *self._options]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "services.house.cli", "witness", "serve", *words],
                env={name: value for name, value in os.environ.items() if not name.startswith("SHOELOG_")},
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=ROOT,
            )
        return self._process

    def told(self, event: str) -> list[dict[str, Any]]:
        """What it has logged of a kind."""
        lines = [line for line in self.log.read_bytes().splitlines() if line.startswith(b"{") and line.endswith(b"}")]
        return [told for told in map(json.loads, lines) if told["event"] == event]

    def submit(self, request: bytes) -> httpx.Response:
        """Hand it a submission."""
        return httpx.post(f"{self.url}/add-checkpoint", content=request, timeout=PATIENCE_SECONDS)

    def kill(self) -> None:
        """End it as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def stop(self) -> int:
        """Ask it to stop, and give its exit status."""
        assert self._process is not None, "it was started"
        self._process.send_signal(signal.SIGTERM)
        return self._process.wait(timeout=PATIENCE_SECONDS)
