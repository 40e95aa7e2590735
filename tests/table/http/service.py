"""A table service that runs, and those who talk to it."""

import asyncio
import itertools
import json
import os
import queue
import re
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, get_args

import asyncpg
import httpx
import msgspec

from services.house import keys
from services.table.app import ROUTES
from services.table.http.route import CommandRoute
from services.table.migrate import migrate
from tests.databases import Database, complete

PATIENCE_SECONDS = 30
ORIGIN = "shoelog.test/log/1"
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
        self._told: queue.Queue[dict[str, Any] | None] = queue.Queue()

    @property
    def environment(self) -> Mapping[str, str]:
        """All that it is told."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("SHOELOG_")},
            "SHOELOG_TABLE_DATABASE_URL": self.database.url("shoelog_table"),
            "SHOELOG_TABLE_PORT": "0",
            "SHOELOG_LOG_ORIGIN": ORIGIN,
            "SHOELOG_LOG_KEY_FILE": str(self.directory / "log.key"),
            "SHOELOG_SEED_KEY_FILE": str(self.directory / "seed.key"),
            **self._more,
        }

    @property
    def is_started(self) -> bool:
        """Whether it was started, and has not ended."""
        return self._process is not None and self._process.poll() is None

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """The process that runs."""
        assert self._process, "it was started"
        return self._process

    def start(self) -> "Service":
        """Start it, and wait until it listens."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.table.http.serving"],
            env=dict(self.environment),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=Path(__file__).parents[3],
        )
        self._told = queue.Queue()
        self._listener = threading.Thread(target=self._listen, args=[self._process.stdout])
        self._listener.start()
        told = self.wait_for("listening")
        self.url = f"http://{told['host']}:{told['port']}"
        return self

    def wait_for(self, event: str) -> dict[str, Any]:
        """Wait until the log tells something."""
        while (told := self._told.get(timeout=PATIENCE_SECONDS)) is not None:
            if told["event"] == event:
                return told
        raise AssertionError(f"{event} was never told:\n{self.log.read_text()[-3000:]}")

    def _listen(self, said: IO[bytes]) -> None:
        """Keep what it says, and pass on what it tells, but not of its requests, until it says no more."""
        with said, self.log.open("ab") as log:
            for line in said:
                log.write(line)
                log.flush()
                if line.startswith(b"{") and b'"event":"request"' not in line:
                    self._told.put(json.loads(line))
        self._told.put(None)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait()
        self._listener.join()
        self.leave()

    def stop(self) -> int:
        """Ask it to stop, and give its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(timeout=PATIENCE_SECONDS)
        self._listener.join()
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
        return as_documented("POST", path, answer)

    def get(self, path: str) -> httpx.Response:
        """Look."""
        return self.http.get(f"/v1{path}")

    def ask(self, path: str) -> Any:
        """Look at what is there."""
        answer = self.get(path)
        assert answer.is_success, answer.text
        return as_documented("GET", path, answer)


def as_documented(method: str, path: str, answer: httpx.Response) -> Any:
    """Give an answer, which must have the shape that its route's document says."""
    for route in ROUTES:
        is_of = method == ("POST" if isinstance(route, CommandRoute) else route.method)
        if is_of and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", route.path), path.partition("?")[0]):
            shape = next(kind for kind in get_args(route.tells) or (route.tells,) if fits(answer, kind))
            assert method == "GET" or answer.json()["position"] >= 0
            assert shape
            return answer.json()
    raise AssertionError(f"{method} {path} is not documented")


def fits(answer: httpx.Response, shape: type) -> bool:
    """Whether an answer has a shape, with nothing missing and nothing more."""
    try:
        msgspec.json.decode(answer.content, type=shape)
    except msgspec.ValidationError:
        return False
    return True


def sent(body: Any) -> dict[str, Any]:
    """Say how a body is sent: raw bytes as JSON that may be none, nothing as nothing."""
    if body is None:
        return {}
    if isinstance(body, bytes):
        return {"content": body}
    return {"json": body}


def dashed(headers: Mapping[str, str]) -> dict[str, str]:
    """Write the names of headers as headers are."""
    return {name.replace("_", "-").title(): value for name, value in headers.items()}


def in_thread(work: Callable[[], httpx.Response]) -> Callable[[], httpx.Response]:
    """Begin to do something; the function given waits for its answer."""
    answers: list[httpx.Response] = []
    thread = threading.Thread(target=lambda: answers.append(work()))
    thread.start()

    def wait() -> httpx.Response:
        thread.join(PATIENCE_SECONDS)
        return answers[0]

    return wait


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
        roles = {"operator": OPERATOR, "auditor": AUDITOR, "dashboard": DASHBOARD}
        await keys.keep(url, "table", keys=roles, name="test")

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
