"""The ledger service, put together: a cashier who writes the books, and a door for those who read them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import Any

import asyncpg
from litestar import Litestar
from litestar.di import Provide
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from services.door import entrance, logs
from services.door import serve as doorman
from services.door.entrance import Sign
from services.door.keys import Caller, KeyRing
from services.door.metrics import Metrics
from services.ledger import books, config, http
from services.ledger import rebuild as shadow
from services.ledger.cashier import Cashier, Progress
from services.ledger.clerk import Clerk
from services.ledger.config import Config
from services.ledger.rebuild import Rebuilt

SIGN = Sign(
    title="Shoelog ledger",
    version="1",
    description="The books of the house, projected from the log: balances, statements, commission, figures.",
)
_READERS = 8
_STOP_SECONDS = 20


def serve(environment: Mapping[str, str]) -> None:
    """Serve as the environment says, until SIGTERM or SIGINT. Raises ConfigError."""
    settings = config.read(environment)
    logs.set_up("ledger", settings.log_level)
    doorman.serve(build(settings), host=settings.host, port=settings.port)


def document() -> dict[str, Any]:
    """Give the OpenAPI document; nothing is connected for it."""
    return build(Config(database_url="", feed_url="")).openapi_schema.to_schema()


async def migrate(url: str) -> None:
    """Make the books' tables, or bring them up to date; `url` is the migrator's."""
    connection = await asyncpg.connect(url)
    try:
        await books.migrate(connection)
    finally:
        await connection.close()


async def rebuild(*, feed_url: str, migrator_url: str, accept_differences: bool = False) -> Rebuilt:
    """Build the books again from the log, prove them equal, and switch them in."""
    return await shadow.rebuild(feed_url=feed_url, migrator_url=migrator_url, accept_differences=accept_differences)


def build(settings: Config) -> Litestar:
    """Build the application; nothing is connected before it starts."""
    cashier = Cashier(feed_url=settings.feed_url, books_url=settings.database_url)
    reader = Reader(settings.database_url)
    counts = Metrics()
    counts.registry.register(_Counts(cashier.progress))

    async def keys() -> Iterable[tuple[bytes, Caller]]:
        return await reader.clerk.keys()

    async def readiness() -> Sequence[str]:
        return await _missing(cashier.progress, reader.clerk)

    return entrance.build(
        SIGN,
        http.ROUTES,
        ring=KeyRing(keys),
        readiness=readiness,
        counts=counts,
        lifespan=[reader.open, lambda _: _at_work(cashier)],
        dependencies={
            "books": Provide(lambda: reader.clerk, sync_to_thread=False),
            "progress": Provide(lambda: cashier.progress, sync_to_thread=False),
        },
    )


class Reader:
    """The connections of those who read; made when the service starts, in its own loop."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.clerk: Clerk

    @contextlib.asynccontextmanager
    async def open(self, _: Litestar) -> AsyncIterator[None]:
        """Keep a pool while the service runs. A database that is away now may come later."""
        settings = {"search_path": books.SCHEMA, "application_name": "shoelog-ledger"}
        async with asyncpg.create_pool(
            self._url, min_size=0, max_size=_READERS, timeout=5, command_timeout=30, server_settings=settings
        ) as pool:
            self.clerk = Clerk(pool)
            yield


@contextlib.asynccontextmanager
async def _at_work(cashier: Cashier) -> AsyncIterator[None]:
    """Let the cashier work while the service runs, and finish the batch in hand when it stops."""
    work = asyncio.create_task(cashier.follow())
    try:
        yield
    finally:
        cashier.stop()
        await asyncio.wait([work], timeout=_STOP_SECONDS)
        work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await work


async def _missing(progress: Progress, clerk: Clerk) -> list[str]:
    """Tell what is missing before the books can be read and are followed."""
    missing = [] if progress.state == "following" else [f"the cashier is {progress.state}: {progress.reason}"]
    try:
        await clerk.answers()
    except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError) as error:
        missing.append(f"the books do not answer: {type(error).__name__}")
    return missing


class _Counts(Collector):
    """The cashier's progress, as Prometheus reads it."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def collect(self) -> Iterator[Metric]:
        """Give every count as it stands."""
        told: dict[str, tuple[str, Any]] = {
            "entries": ("Entries of the log posted.", self._progress.entries),
            "postings": ("Postings written.", self._progress.postings),
            "batches": ("Transactions that posted a batch.", self._progress.batches),
            "outruns": ("Batches that another cashier had posted.", self._progress.outruns),
            "posting_seconds": ("Time taken to post.", self._progress.seconds),
        }
        for name, (meaning, value) in told.items():
            yield CounterMetricFamily(f"shoelog_ledger_{name}", meaning, value=value)
        behind = max(self._progress.log_size - 1 - self._progress.position, 0)
        yield GaugeMetricFamily("shoelog_ledger_position", "Last entry posted.", value=self._progress.position)
        yield GaugeMetricFamily("shoelog_ledger_behind", "Entries of the log not yet posted.", value=behind)
        state = GaugeMetricFamily("shoelog_ledger_state", "1 for what the cashier is doing.", labels=["state"])
        for word in ("starting", "following", "waiting", "stopped"):
            state.add_metric([word], float(word == self._progress.state))
        yield state
