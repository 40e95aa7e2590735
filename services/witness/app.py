"""The witness, put together: its directory taken up, or made for a new key, and the door before it."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import structlog
from litestar import Litestar
from litestar.di import Provide
from prometheus_client import Gauge

from schemas import keyfile
from schemas.note import COSIGNATURE, Signer, parse_vkey
from services.door import entrance, logs
from services.door import serve as door
from services.door.entrance import Sign
from services.door.environment import ConfigError
from services.door.keys import KeyRing
from services.door.metrics import Metrics
from services.witness import config, http, memory
from services.witness.config import Config
from services.witness.evidence import Evidence
from services.witness.memory import LostMemoryError
from services.witness.witness import Witness

SIGN = Sign(
    title="Shoelog witness",
    version="1",
    description="Cosigns checkpoints of logs that only grow (C2SP tlog-witness), and keeps evidence of the others.",
)
_log = structlog.get_logger()


def serve(environment: Mapping[str, str]) -> None:
    """Serve as the environment says, until SIGTERM or SIGINT. Raises ConfigError and other ValueErrors."""
    settings = config.read(environment)
    if not settings.logs:
        raise ConfigError("the witness knows no log: name its key (--log, SHOELOG_WITNESS_LOG_KEYS) or a policy file")
    logs.set_up("witness", settings.log_level)
    door.serve(build(settings), host=settings.host, port=settings.port)


def init(environment: Mapping[str, str], *, has_never_cosigned: bool = False) -> str:
    """Make key and memory, and give the vkey; what is there already stays. Raises ValueErrors that say what to do.

    A key without its memory is refused, unless it is new too: it `has_never_cosigned`.
    """
    settings = config.read(environment)
    key_file, kept = _key_file(settings), _memory_file(settings)
    settings.directory.mkdir(parents=True, exist_ok=True)
    if kept.exists():
        return _signer(settings).verifier.vkey
    if key_file.exists() and not has_never_cosigned:
        raise LostMemoryError(
            f"{key_file} is there, and what it has cosigned is not: bring {kept} back; or retire the key, and begin in"
            " another directory under another name. Only for a key that has never cosigned: --has-never-cosigned"
        )
    if not settings.name:
        raise ConfigError("a new witness needs a name, for ever: --name regulator.example/witness-1")
    if not key_file.exists():
        keyfile.create(key_file)
    vkey = keyfile.load(key_file, settings.name, algorithm=COSIGNATURE).verifier.vkey
    memory.create(kept, vkey)
    return vkey


def vkey(environment: Mapping[str, str]) -> str:
    """Give the vkey of the witness that is there. Raises ValueErrors, OSError."""
    return _signer(config.read(environment)).verifier.vkey


def document() -> dict[str, Any]:
    """Give the OpenAPI document; nothing is opened for it."""
    return build(Config()).openapi_schema.to_schema()


def build(settings: Config) -> Litestar:
    """Build the application; the directory is taken up when it starts."""
    counts, at_work = Metrics(), _AtWork()

    @asynccontextmanager
    async def open_up(_: Litestar) -> AsyncIterator[None]:
        signer = _signer(settings)
        held = memory.take(_memory_file(settings), signer.verifier.vkey)
        at_work.witness = Witness(signer, held, Evidence(settings.directory / "evidence"), settings.logs)
        _log.info("witness", vkey=signer.verifier.vkey, logs=[key.name for key in settings.logs])
        try:
            yield
        finally:
            held.close()

    evidence = Gauge("shoelog_witness_evidence", "Cases of evidence that are kept.", registry=counts.registry)
    evidence.set_function(lambda: len(at_work.witness.evidence.summaries))
    return entrance.build(
        SIGN,
        http.ROUTES,
        ring=KeyRing(_no_keys),
        readiness=_nothing_missing,
        counts=counts,
        lifespan=[open_up],
        dependencies={"witness": Provide(lambda: at_work.witness, sync_to_thread=False)},
        exception_handlers=http.REFUSALS,
        takes_json=False,
    )


class _AtWork:
    """Whoever works behind the door while it is open."""

    witness: Witness


def _signer(settings: Config) -> Signer:
    """Read the key; it is called as its memory says. Raises ConfigError, LostMemoryError, KeyFileError, OSError."""
    name = parse_vkey(memory.owner(_memory_file(settings))).name
    if settings.name not in ("", name):
        raise ConfigError(f"the witness in {settings.directory} is called {name}, not {settings.name}")
    return keyfile.load(_key_file(settings), name, algorithm=COSIGNATURE)


def _key_file(settings: Config) -> Path:
    return settings.directory / "witness.key"


def _memory_file(settings: Config) -> Path:
    return settings.directory / "memory.json"


async def _no_keys() -> Sequence[Any]:
    return ()


async def _nothing_missing() -> Sequence[str]:
    return ()
