"""The table service, assembled: journal, vault, croupier and notary behind the door."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import structlog
from litestar import Litestar, post
from litestar.handlers import HTTPRouteHandler

from schemas import keyfile
from schemas.checkpoint import Checkpoint
from schemas.note import Signer, Verifier
from services.door import entrance, logs
from services.door import serve as door
from services.door.keys import KeyRing, may
from services.door.metrics import Metrics
from services.table import keys, seal, seeds, trust
from services.table.clock import Clock
from services.table.command import UnavailableError
from services.table.config import Config, migrator_url, read
from services.table.croupier import Croupier
from services.table.gauges import Gauges
from services.table.hold import Hold
from services.table.http import (
    chips,
    documented,
    gate,
    log,
    patrons,
    receipts,
    refusals,
    roads,
    rounds,
    salon,
    shoes,
    tables,
    volumes,
)
from services.table.journal import Journal
from services.table.migrate import OWNER
from services.table.notary import Notary
from services.table.outsiders import Outsiders
from services.table.pit import Pit
from services.table.register import FileRegister
from services.table.shelf import MismatchError
from services.table.succession import Ceremony, Succeeded, Succession, remember
from services.table.vault import Vault
from services.table.wall import Wall
from services.table.witnesses import Witnesses

POOL_CONNECTIONS = 12
STATEMENT_SECONDS = 30  # a database that hangs is a database that is away
ROUTES = (
    *tables.ROUTES,
    *chips.ROUTES,
    *shoes.ROUTES,
    *rounds.ROUTES,
    *salon.ROUTES,
    *roads.ROUTES,
    *patrons.ROUTES,
    *log.ROUTES,
    *volumes.ROUTES,
    *receipts.ROUTES,
)
_log = structlog.get_logger("service")
SIGN = entrance.Sign(
    title="Shoelog table service",
    version="1.0",
    description="Baccarat tables whose every round can be replayed and proved. Amounts are minor units of a currency.",
)


def create_app(config: Config, *, with_empty_post: bool = False) -> Litestar:
    """Make the application. `with_empty_post` adds POST /v1/empty, which does nothing, to measure others against."""
    pit, counts = Pit(), Metrics()
    gauges = Gauges(counts.registry, pit)
    app = entrance.build(
        SIGN,
        [*gate.served(pit, ROUTES), *([_empty_post()] if with_empty_post else [])],
        ring=KeyRing(lambda: keys.load(pit.pool)),
        readiness=lambda: _missing(pit),
        counts=counts,
        lifespan=[_staffed(config, pit)],
        exception_handlers=refusals.told(gauges),
    )
    pit.closing = app.state.closing
    document = app.openapi_schema
    document.components.schemas = {**(document.components.schemas or {}), **documented.schemas(ROUTES)}
    return app


def serve(environment: Mapping[str, str], *, with_empty_post: bool = False) -> None:
    """Serve as the environment says, until SIGTERM or SIGINT, in the main thread.

    Raises ConfigError, and NotStartedError when the journal is not what was signed.
    """
    config = read(environment)
    trust.of(_signer(config).verifier, config.policy)
    if config.seed_key_file.exists() and not config.seed_key:
        seal.load_key(config.seed_key_file)  # told now, in a line, and not by a lifespan that fails
    logs.set_up("table", config.log_level)
    door.serve(create_app(config, with_empty_post=with_empty_post), host=config.host, port=config.port)


def log_key(environment: Mapping[str, str]) -> Verifier:
    """Give the key of the log that the environment names, made if this is its first day. Raises ConfigError."""
    return _signer(read(environment)).verifier


async def succeed_log(environment: Mapping[str, str], succession: Succession) -> Succeeded:
    """Open the log that the environment names as the successor of the one whose entries were lost.

    Raises ConfigError, SuccessionError, MismatchError, KeyGoneError.
    """
    config, url = read(environment), migrator_url(environment)
    register = FileRegister(config.register_file)

    async def as_owner(connection: Any) -> None:
        await connection.execute(f"set role {OWNER}")

    async with asyncpg.create_pool(url, min_size=1, max_size=4, setup=as_owner) as pool:
        vault = Vault(await seeds.key(pool, config.seed_key_file, config.seed_key))
        return await Ceremony(pool, register, _signer(config), vault).hold(succession)


async def remember_log(environment: Mapping[str, str]) -> Checkpoint:
    """Write the database's last checkpoint into the register. Raises ConfigError, SuccessionError, MismatchError."""
    config = read(environment)
    async with asyncpg.create_pool(config.database_url, min_size=1, max_size=2) as pool:
        return await remember(pool, FileRegister(config.register_file), _signer(config))


async def look_at_seeds(environment: Mapping[str, str]) -> str | None:
    """Say which open shoes the seed keys of the environment do not open. Raises ConfigError, KeyGoneError."""
    config = read(environment)
    async with asyncpg.create_pool(config.database_url, min_size=1, max_size=1) as pool:
        known = await seeds.key(pool, config.seed_key_file, config.seed_key)
        shoes = await seeds.unreadable(pool, known)
    return seeds.warning(_where_keys_are(config), shoes) if shoes else None


def document() -> dict[str, Any]:
    """Give the OpenAPI document; nothing is connected for it."""
    nowhere = Config(database_url="", log_key_file=Path(), seed_key_file=Path())
    return create_app(nowhere).openapi_schema.to_schema()


def _staffed(config: Config, pit: Pit) -> Callable[[Litestar], AbstractAsyncContextManager[None]]:
    """Make what opens the pit when the service starts, and closes it, its queue drained, when it stops."""

    @asynccontextmanager
    async def staffed(app: Litestar) -> AsyncIterator[None]:
        signer = _signer(config)
        outsiders = Outsiders(signer_url=config.signer_url, signer_key=config.signer_key, beacon_url=config.beacon_url)
        policy = trust.of(signer.verifier, config.policy)
        # No floor: asyncpg would restore it behind our back, also while the service stops.
        async with asyncpg.create_pool(
            config.database_url, min_size=0, max_size=POOL_CONNECTIONS, command_timeout=STATEMENT_SECONDS
        ) as pool:
            pit.pool = pool
            pit.journal = Journal(pool)
            pit.croupier = Croupier(pit.journal, Vault(await _seed_key(config, pool, app)), outsiders)
            pit.notary = Notary(pool, signer, FileRegister(config.register_file))
            pit.witnesses = Witnesses(pool, pit.notary, policy)
            pit.wall = Wall(pit.journal, pit.croupier, pit.closing)
            clock = Clock(pit.croupier, pit.journal)
            pit.hold = Hold(pit.croupier, pit.journal, pit.notary, pit.witnesses) if config.is_strict else None
            try:
                await pit.notary.ready()
                await pit.witnesses.open()
                clock.start()
                yield
            except MismatchError as error:
                app.state.refusal = str(error)
                raise
            finally:
                await clock.close()
                await pit.wall.close()
                await pit.journal.close()
                await pit.witnesses.close()
                await pit.notary.close()
                await outsiders.close()

    return staffed


async def _seed_key(config: Config, pool: asyncpg.Pool, app: Litestar) -> seal.SeedKey:
    """Take the keys that seal seeds from the environment, else from their file; say what they do not open."""
    try:
        known = await seeds.key(pool, config.seed_key_file, config.seed_key)
    except (ValueError, OSError) as error:
        app.state.refusal = str(error)
        raise
    if shoes := await seeds.unreadable(pool, known):
        _log.error("seeds sealed with another key", shoes=shoes, what=seeds.warning(_where_keys_are(config), shoes))
    return known


def _where_keys_are(config: Config) -> str:
    return "SHOELOG_SEED_KEY" if config.seed_key else str(config.seed_key_file)


def _signer(config: Config) -> Signer:
    """Read the log's key, made at the first start."""
    if not config.log_key_file.exists():
        keyfile.create(config.log_key_file)
    return keyfile.load(config.log_key_file, config.origin)


async def _missing(pit: Pit) -> Sequence[str]:
    """Say what is missing to serve."""
    missing = [why for why in (pit.notary.refusal, pit.notary.trouble) if why is not None]
    try:
        await pit.journal.size()
    except UnavailableError:
        missing.append("the database does not answer")
    return missing


def _empty_post() -> HTTPRouteHandler:
    @post("/v1/empty", guards=[may("operator")], include_in_schema=False, status_code=204)
    async def empty() -> None:
        pass

    return empty
