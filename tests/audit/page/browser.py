"""A real browser, driven over its own debugging port: opens a page from disk, puts files into it, reads it."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
)
WAIT_SECONDS = 60


def found() -> str | None:
    """Give the path of a Chromium on this machine, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Tab:
    """A tab of the browser, and what it complained of."""

    def __init__(self, wire: ClientConnection) -> None:
        self._wire = wire
        self._numbers = iter(range(1, 1 << 30))
        self.complaints: list[str] = []
        self.requests: list[str] = []

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one command of the protocol and give its answer; what the page did meanwhile is remembered."""
        number = next(self._numbers)
        self._wire.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            told = json.loads(self._wire.recv(timeout=WAIT_SECONDS))
            if told.get("id") == number:
                assert "error" not in told, told
                return dict(told["result"])
            self._remember(told.get("method", ""), told.get("params", {}))

    def _remember(self, method: str, params: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
        if method in ("Runtime.exceptionThrown", "Log.entryAdded"):
            self.complaints.append(json.dumps(params))

    def open(self, page: Path) -> None:
        """Open a page from disk."""
        for domain in ("Page", "Runtime", "Network", "DOM", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Page.navigate", url=page.as_uri())
        self.until("document.readyState === 'complete'")

    def value(self, expression: str) -> Any:
        """Evaluate an expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        """Wait until an expression holds in the page, which looks for itself now and then."""
        look = f"(resolve) => {{ const look = () => ({expression}) ? resolve() : setTimeout(look, 20); look(); }}"
        self.value(f"new Promise({look})")

    def choose(self, selector: str, files: list[Path]) -> None:
        """Put files into a file input."""
        root = self.ask("DOM.getDocument")["root"]["nodeId"]
        node = self.ask("DOM.querySelector", nodeId=root, selector=selector)["nodeId"]
        self.ask("DOM.setFileInputFiles", nodeId=node, files=[str(file) for file in files])


@contextmanager
def tab(program: str, profile: Path) -> Iterator[Tab]:
    """Start a browser with a fresh profile; it ends with the block."""
    arguments = [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
    with subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
        try:
            port = _port(profile / "DevToolsActivePort", browser)
            with connect(_address(port), max_size=None) as wire:
                yield Tab(wire)
        finally:
            browser.terminate()


def _port(told: Path, browser: "subprocess.Popen[bytes]") -> int:
    deadline = time.monotonic() + WAIT_SECONDS
    while not (told.exists() and told.read_text().count("\n")):
        assert browser.poll() is None, "the browser did not start"
        assert time.monotonic() < deadline, "the browser did not say its port"
        time.sleep(0.05)
    return int(told.read_text().split("\n")[0])


def _address(port: int) -> str:
    """Give the address of the first tab."""
    with urlopen(f"http://127.0.0.1:{port}/json/list") as answer:
        tabs = json.load(answer)
    return str(next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page"))
