"""The whole house on one machine: PostgreSQL, the table service and the ledger, opened, watched and closed in order."""

import asyncio
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence

import asyncpg

from services.house import gallery, keys, migrations
from services.house.binaries import NoPostgres
from services.house.postgres import PostgresFailed
from services.house.premises import Occupied, Premises, Spoiled
from services.house.roles import LEDGER_DATABASE, TABLE_DATABASE
from services.house.seat import NoSeat
from services.house.staff import Employee, Unfit, ending

HOST = "127.0.0.1"
TABLE_PORT = 8100
LEDGER_PORT = 8200
WITNESS_PORT = 8300
SECRETS = ("SHOELOG_POSTGRES_URL", "SHOELOG_TABLE_MIGRATOR_URL", "SHOELOG_LEDGER_MIGRATOR_URL", "SHOELOG_KEY")
"""What of the house's own environment the services have no use for: they get it empty."""


class PortTaken(Exception):
    """Somebody else listens where a service should."""


class NotFurnished(Exception):
    """The databases cannot be reached, or made what the house needs."""


class Keyless(Exception):
    """The key that seals seeds is gone, or is none."""


Trouble = (PortTaken, Occupied, NoPostgres, PostgresFailed, NoSeat, NotFurnished, Spoiled, Keyless, Unfit)
"""Why a house may not open; each says what would be right."""


class House:
    """One house. `open`, then `tend` a few times a second, then `close`; all in the main thread."""

    def __init__(  # noqa: PLR0913  # a house, said in one call
        self,
        premises: Premises,
        *,
        table_port: int,
        ledger_port: int,
        tell: Callable[[str], None],
        table_options: Sequence[str] = (),
        witness_ports: Sequence[int] = (),
        is_strict: bool = False,
    ) -> None:
        self.premises = premises
        self.table_port = table_port
        self.ledger_port = ledger_port
        self.keys: dict[str, str] = {}
        self._tell = tell
        self._table_options = table_options
        self._witness_ports = witness_ports
        self._is_strict = is_strict
        self._staff: list[Employee] = []

    @property
    def table_url(self) -> str:
        """Where the table service answers."""
        return f"http://{HOST}:{self.table_port}"

    @property
    def ledger_url(self) -> str:
        """Where the ledger answers."""
        return f"http://{HOST}:{self.ledger_port}"

    @property
    def witness_urls(self) -> dict[str, str]:
        """Where the house's own witnesses answer."""
        return {f"witness-{number}": f"http://{HOST}:{port}" for number, port in enumerate(self._witness_ports, 1)}

    def open(self) -> None:
        """PostgreSQL, databases, schemas and keys; then all services, side by side; return when all are ready."""
        self.premises.take()
        for port in (self.table_port, self.ledger_port, *self._witness_ports):
            check_free(port)
        self.premises.enter()
        asyncio.run(self._furnish())
        self._look_at_seeds()
        self._seat_witnesses()
        table = self.hire("table", ["table", "serve", *self._table_options], self._table_environment())
        ledger = self.hire("ledger", ["ledger", "serve"], self._ledger_environment())
        table.wait_until_ready(port=self.table_port)
        ledger.wait_until_ready(port=self.ledger_port)

    def _look_at_seeds(self) -> None:
        """Say now, and not at the next card, that a key is gone which open shoes were sealed with."""
        from services.table import app

        try:
            news = asyncio.run(
                app.look_at_seeds({**os.environ, **self._table_environment(), **self._witnessed(nobody=True)})
            )
        except ValueError as wrong:
            raise Keyless(str(wrong)) from None
        if news is not None:
            self._tell(news)

    def _seat_witnesses(self) -> None:
        """Start the witnesses: the table service asks them before it opens."""
        if not self._witness_ports:
            return
        from services.table import app

        log = app.log_key({**os.environ, **self._table_environment(), **self._witnessed(nobody=True)})
        chairs = gallery.seat(self.premises.directory, log=log, host=HOST, ports=self._witness_ports)
        witnesses = [self.hire(chair.name, ["witness", "serve"], chair.environment) for chair in chairs]
        for witness, chair in zip(witnesses, chairs, strict=True):
            witness.wait_until_ready(port=chair.port)

    def hire(self, name: str, words: list[str], environment: dict[str, str]) -> Employee:
        """Start one more process, to be tended and stopped with the house."""
        environment = {**{name: "" for name in SECRETS if name in os.environ}, **environment}
        employee = Employee(name, words, environment=environment, log=self.premises.directory / f"{name}.log")
        self._staff.append(employee)
        return employee.start()

    def hire_bots(self, patrons: int) -> None:
        """Let patrons play at a table of their own; two or more at another, where one of them banks, too."""
        words = ["bots", "--patrons", str(patrons), "--url", self.table_url]
        self.hire("bots", words, {"SHOELOG_KEY": self.keys["operator"]})
        if patrons > 1:
            salon = [*words, "--table", "salon", "--rules", "chemin-de-fer"]
            self.hire("circle", salon, {"SHOELOG_KEY": self.keys["operator"]})

    def dismiss(self, name: str) -> None:
        """Send one process home early."""
        [employee] = [each for each in self._staff if each.name == name]
        self._staff.remove(employee)
        employee.stop()

    def tend(self) -> None:
        """Start again whoever died; PostgreSQL first, for the others need it."""
        server = self.premises.server
        code = server.poll() if server else None
        if server and code is not None:
            self._tell(f"PostgreSQL ended {ending(code)}; it starts again")
            try:
                server.start()
            except PostgresFailed as failure:
                self._tell(str(failure))
                time.sleep(1)
        elif server:
            server.logbook.tend()
        for employee in self._staff:
            if news := employee.replace():
                self._tell(news)

    def close(self) -> None:
        """Send everybody home: the players, the ledger, the table service, PostgreSQL last. No signal hurries it."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        while self._staff:
            self._staff.pop().stop()
        self.premises.leave()

    async def _furnish(self) -> None:
        """Make what is missing in the databases. Raises Spoiled, NotFurnished."""
        try:
            await self._prepare()
        except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError) as error:
            raise NotFurnished(f"PostgreSQL does not let the house in ({type(error).__name__}): {error}") from error

    async def _prepare(self) -> None:
        await self.premises.prepare()
        await migrations.migrate_journal(self.url("shoelog_table_migrator"))
        await migrations.migrate_books(self.url("shoelog_ledger_migrator"))
        self.keys = self.premises.read_keys()
        if set(self.keys) != set(keys.ROLES):
            self.keys = {role: self.keys.get(role) or keys.new_key(role) for role in keys.ROLES}
            self.premises.write_keys(self.keys)
        await keys.keep(self.url("shoelog_table_migrator"), "table", keys=self.keys)
        await keys.keep(self.url("shoelog_ledger_migrator"), "ledger", keys=self.keys)

    def url(self, role: str) -> str:
        """Where a role finds its service's database."""
        database = TABLE_DATABASE if role.startswith(("shoelog_table", "shoelog_feed")) else LEDGER_DATABASE
        return self.premises.url(role=role, database=database)

    def _table_environment(self) -> dict[str, str]:
        return {
            "SHOELOG_TABLE_DATABASE_URL": self.url("shoelog_table"),
            "SHOELOG_TABLE_HOST": HOST,
            "SHOELOG_TABLE_PORT": str(self.table_port),
            "SHOELOG_LOG_KEY_FILE": str(self.premises.directory / "log.key"),
            "SHOELOG_SEED_KEY_FILE": str(self.premises.directory / "seed.key"),
            **self._witnessed(),
        }

    def _witnessed(self, *, nobody: bool = False) -> dict[str, str]:
        """Whom the log asks, when it is the house's own witnesses; or that there is nobody yet."""
        if nobody:
            return {"SHOELOG_LOG_POLICY_FILE": "", "SHOELOG_LOG_STRICT": ""}
        if not self._witness_ports:
            return {}
        strict = {"SHOELOG_LOG_STRICT": "1"} if self._is_strict else {}
        return {"SHOELOG_LOG_POLICY_FILE": str(self.premises.directory / gallery.POLICY), **strict}

    def _ledger_environment(self) -> dict[str, str]:
        return {
            "SHOELOG_LEDGER_DATABASE_URL": self.url("shoelog_ledger"),
            "SHOELOG_LEDGER_FEED_URL": self.url("shoelog_feed"),
            "SHOELOG_LEDGER_HOST": HOST,
            "SHOELOG_LEDGER_PORT": str(self.ledger_port),
        }


def check_free(port: int) -> None:
    """Refuse a port that somebody listens at. Raises PortTaken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise PortTaken(f"port {port} of {HOST} is taken ({error.strerror}): name another with --port") from None


def choose_ports(port: int | None, *, witnesses: int = 0) -> tuple[int, int, list[int]]:
    """The table service's port, the ledger's, and those of the house's own witnesses."""
    if port == 0:
        table, ledger, *others = free_ports(2 + witnesses)
        return table, ledger, others
    if port is None:
        return TABLE_PORT, LEDGER_PORT, list(range(WITNESS_PORT, WITNESS_PORT + witnesses))
    return port, port + 1, list(range(port + 2, port + 2 + witnesses))


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens at just now."""
    probes = [socket.socket() for _ in range(count)]
    try:
        for probe in probes:
            probe.bind((HOST, 0))
        return [int(probe.getsockname()[1]) for probe in probes]
    finally:
        for probe in probes:
            probe.close()


def stop_on_signal(*, status: int) -> None:
    """Let SIGTERM and SIGHUP do what Ctrl-C does: leave the main thread by an exception, through every `finally`."""

    def leave(*_: object) -> None:
        sys.exit(status)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, leave)
