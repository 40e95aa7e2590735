"""A signer's service that runs: a process of its own, as at the signer's."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from schemas.note import Signer
from services.signer.desk import Desk

NAME = "paris.example/shuffle"
PATIENCE_SECONDS = 30


class SignerService:
    """One process at one desk; its log in a file."""

    def __init__(self, directory: Path) -> None:
        self.desk = Desk(directory / "signer")
        self.vkey = self.desk.set_up(NAME)
        self.access_key = self.desk.admit("casino")
        self.log = directory / "signer.log"
        self.url = ""
        self._port = 0
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def signer(self) -> Signer:
        """The key, as only the signer has it."""
        return self.desk.signer()

    def start(self) -> "SignerService":
        """Start it, where it was before if it was there, and wait until it listens."""
        begun = self.log.stat().st_size if self.log.exists() else 0
        others = {name: value for name, value in os.environ.items() if not name.startswith("SHOELOG_")}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "services.house.cli", "signer", "serve"],
                env={
                    **others,
                    "SHOELOG_SIGNER_DATA": str(self.desk.directory),
                    "SHOELOG_SIGNER_PORT": str(self._port),
                },
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=Path(__file__).parents[2],
            )
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            for line in self.log.read_bytes()[begun:].splitlines():
                if line.startswith(b"{") and line.endswith(b"}") and (told := json.loads(line))["event"] == "listening":
                    self._port = told["port"]
                    self.url = f"http://{told['host']}:{self._port}"
                    return self
            time.sleep(0.02)
        raise AssertionError(f"the signer never listened:\n{self.log.read_text()[-3000:]}")

    def stop(self) -> None:
        """End it, if it runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            assert self._process.wait(PATIENCE_SECONDS) == 0
