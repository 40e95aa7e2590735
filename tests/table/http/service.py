"""A table service that runs, and those who talk to it."""

import asyncio
import itertools
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import asyncpg
import httpx

from services.table import keys
from services.table.migrate import migrate
from tests.databases import Database, complete

PATIENCE_SECONDS = 30
OPERATOR, AUDITOR, DASHBOARD = (f"shoelog_{role}_test" for role in ("operator", "auditor", "dashboard"))
_numbers = itertools.count(1)


class Service:
    """One process on one database; its log in a file."""

    def __init__(self, database: Database, directory: Path, *, name: str = "table", **more: str) -> None:
        """`more` is told beside what every service is."""
        self.database = database
        self._more = more
        self.directory = directory
        self.log = directory / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.url = ""
        self._desks: list[Desk] = []

    @property
    def environment(self) -> Mapping[str, str]:
        """All that it is told."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("SHOELOG_")},
            "SHOELOG_TABLE_DATABASE_URL": self.database.url("shoelog_table"),
            "SHOELOG_TABLE_PORT": "0",
            "SHOELOG_LOG_ORIGIN": "shoelog.test/log/1",
            "SHOELOG_LOG_KEY_FILE": str(self.directory / "log.key"),
            "SHOELOG_SEED_KEY_FILE": str(self.directory / "seed.key"),
            **self._more,
        }

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """The process that runs."""
        assert self._process is not None, "it was started"
        return self._process

    def start(self) -> "Service":
        """Start it, and wait until it listens."""
        begun = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.table.http.serving"],
                env=dict(self.environment),
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=Path(__file__).parents[3],
            )
        told = self.wait_for("listening", begun)
        self.url = f"http://{told['host']}:{told['port']}"
        return self

    def wait_for(self, event: str, begun: int = 0) -> dict[str, Any]:
        """Wait until the log, from a place on, tells something."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            for line in self.log.read_bytes()[begun:].splitlines():
                if line.startswith(b"{") and line.endswith(b"}") and (told := json.loads(line))["event"] == event:
                    return dict(told)
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError(f"{event} was never told:\n{self.log.read_text()[-3000:]}")

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()
        self.leave()

    def stop(self) -> int:
        """Ask it to stop, and give its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=PATIENCE_SECONDS)
        self.leave()
        return status

    def leave(self) -> None:
        """Close whatever was opened to it."""
        while self._desks:
            self._desks.pop().http.close()

    def client(self, key: str = OPERATOR) -> "Desk":
        """Give somebody who talks to it."""
        self._desks.append(Desk(self.url, key))
        return self._desks[-1]


class Desk:
    """Somebody with a key, who sends commands and looks."""

    def __init__(self, url: str, key: str = OPERATOR) -> None:
        self.http = httpx.Client(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE_SECONDS)

    def post(self, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Send a command under a new key, unless one is given."""
        return self.http.post(f"/v1{path}", **sent(body), headers={"Idempotency-Key": new_key(), **dashed(headers)})

    def tell(self, path: str, body: Any = None, **headers: str) -> Any:
        """Send a command that is to be done, and give its answer."""
        answer = self.post(path, body, **headers)
        assert answer.is_success, answer.text
        return answer.json()

    def get(self, path: str) -> httpx.Response:
        """Look."""
        return self.http.get(f"/v1{path}")

    def ask(self, path: str) -> Any:
        """Look at what is there."""
        answer = self.get(path)
        assert answer.is_success, answer.text
        return answer.json()


def sent(body: Any) -> dict[str, Any]:
    """Say how a body is sent: raw bytes as JSON that may be none, nothing as nothing."""
    if body is None:
        return {}
    if isinstance(body, bytes):
        return {"content": body}
    return {"json": body}


def dashed(headers: Mapping[str, str]) -> dict[str, str]:
    """Write the names of headers as headers are."""
    return {name.replace("_", "-"): value for name, value in headers.items()}


def new_key() -> str:
    """Give an idempotency key that was never used."""
    return f"test-{os.getpid()}-{secrets.token_hex(4)}-{next(_numbers)}"


def new_name(kind: str) -> str:
    """Give a name that nobody has yet."""
    return f"{kind}-{next(_numbers)}"


def opening(table: str, **more: Any) -> dict[str, Any]:
    """Say how a table is opened."""
    return {
        "table": table,
        "name": f"Table {table}",
        "currency": "EUR",
        "rules": "punto-banco",
        "float": [[100000, 20], [2500, 40]],
        "counted_by": "staff:cashier",
        "verified_by": "staff:pit-boss",
        **more,
    }


def open_table(desk: Desk, *, patrons: int = 2, chips: int = 1_000_000, **more: Any) -> str:
    """Open a table where each of the patrons p1, p2 … has chips before him, and give its path."""
    table = new_name("t")
    desk.tell("/tables", opening(table, **more))
    for number in range(1, patrons + 1):
        desk.tell(f"/tables/{table}/chips/buy", {"patron": f"p{number}", "amount": chips, "means": "cash"})
    return f"/tables/{table}"


def open_round(desk: Desk, **more: Any) -> str:
    """Open a table, start a shoe, open its first round, and give the table's path."""
    at = open_table(desk, **more)
    desk.tell(f"{at}/shoes/start")
    desk.tell(f"{at}/rounds")
    return at


def play_shoe(desk: Desk, at: str, *, bets: Iterator[Any]) -> list[Any]:
    """Play coup after coup until the shoe is over, close it, and give every coup's answer."""
    coups = []
    while (opened := desk.post(f"{at}/rounds")).is_success:
        for bet in next(bets):
            desk.tell(f"{at}/rounds/current/bets", bet)
        coups.append(desk.tell(f"{at}/rounds/current/coup"))
    assert opened.json()["type"] == "urn:shoelog:problem:shoe-over", opened.text
    desk.tell(f"{at}/shoes/current/close")
    return coups


def prepare(database: Database) -> None:
    """Make the journal's tables, and a key for each role."""

    async def made() -> None:
        url = database.url("shoelog_table_migrator")
        connection = await asyncpg.connect(url)
        try:
            await migrate(connection)
        finally:
            await connection.close()
        await keys.add(url, role="operator", name="test", text=OPERATOR)
        await keys.add(url, role="auditor", name="test", text=AUDITOR)
        await keys.add(url, role="dashboard", name="test", text=DASHBOARD)

    complete(made())


def entries_of(desk: Desk, stream: str) -> list[Any]:
    """Read everything on a stream, from the log's pages."""
    found: list[Any] = []
    after = -1
    while True:
        page = desk.get(f"/log/entries?after={after}")
        lines = [json.loads(line) for line in page.text.splitlines()]
        if not lines:
            return found
        found += [line for line in lines if line["stream"] == stream]
        after = int(page.headers["shoelog-next"])


def execute(database: Database, statement: str, *values: Any) -> Any:
    """Do something in the database as one who may cheat."""

    async def done() -> Any:
        connection = await asyncpg.connect(database.superuser)
        try:
            return await connection.fetch(statement, *values)
        finally:
            await connection.close()

    return asyncio.run(done())
