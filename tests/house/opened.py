"""A house opened as a real process, for tests: how it is started, asked, watched and stopped."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests.style.checkout import ROOT

PATIENCE_SECONDS = 60.0


class Opened(NamedTuple):
    """A house that said that it is open."""

    process: subprocess.Popen[str]
    table: str
    ledger: str
    keys: dict[str, str]
    said: str


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "services.house.cli", *words]


def start(data: Path, *words: str, **environment: str) -> Opened:
    """Open a house at two free ports, and wait until it says that it is open."""
    process = subprocess.Popen(
        command("up", "--data", str(data), "--port", "0", *words),
        cwd=ROOT,
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = ""
    assert process.stdout
    for line in process.stdout:
        said += line
        if "Ctrl-C" in line:
            break
    else:
        raise AssertionError(f"{said}{process.communicate()[1]}")
    table, ledger = re.findall(r"http://127\.0\.0\.1:\d+", said)[:2]
    return Opened(process, table, ledger, dict(re.findall(r"^  (\w+) +(shoelog_\S+)$", said, re.MULTILINE)), said)


def stop(opened: Opened) -> str:
    """Its last words."""
    opened.process.send_signal(signal.SIGTERM)
    _, said = opened.process.communicate(timeout=PATIENCE_SECONDS)
    assert opened.process.returncode == 0, said
    return said


def ask(url: str, key: str = "", body: Any = None) -> Any:
    headers = {"Authorization": f"Bearer {key}"}
    data = None
    if body is not None:
        headers |= {"Content-Type": "application/json", "Idempotency-Key": os.urandom(16).hex()}
        data = json.dumps(body).encode()
    request = urllib.request.Request(url, data, headers)  # noqa: S310 - our own house
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
        return json.load(answer)


def eventually(is_true: Callable[[], bool], what: str) -> None:
    """Look again until it is true."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_true():
        assert time.monotonic() < deadline, f"never saw: {what}"
        time.sleep(0.02)


def answers(url: str, key: str) -> bool:
    try:
        ask(url, key)
    except OSError:
        return False
    return True


def children(pid: int) -> dict[int, str]:
    """The processes of a house, each with its command line; not those who keep their logbooks."""
    everybody = ["ps", "-e", "-ww", "-o", "pid=,ppid=,args="]
    listed = subprocess.run(everybody, capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 2) for line in listed.splitlines()]
    return {int(row[0]): row[2] for row in rows if len(row) > 2 and int(row[1]) == pid and "logbook.py" not in row[2]}


def child(house: int, words: str) -> int:
    """The one process of the house whose command line has these words."""
    [found] = [pid for pid, line in children(house).items() if words in line]
    return found


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def open_table(opened: Opened) -> None:
    people = {"counted_by": "staff:anna", "verified_by": "staff:ben"}
    table = {"table": "b1", "name": "One", "currency": "EUR", "rules": "mini", "float": [[100, 10]], **people}
    ask(f"{opened.table}/v1/tables", opened.keys["operator"], table)
