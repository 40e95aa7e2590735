"""The signer, assembled: a key and a daybook behind the door."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from litestar import Litestar
from litestar.di import Provide

from schemas.note import Signer
from services.door import entrance, logs
from services.door import serve as doorman
from services.door.entrance import Sign
from services.door.keys import Caller, KeyRing
from services.door.metrics import Metrics
from services.signer import config, http
from services.signer.daybook import Daybook
from services.signer.desk import Desk

SIGN = Sign(
    title="Shoelog signer",
    version="1",
    description="Signs the last ingredient of a shuffle: one mix for each shoe, and nothing else.",
)


def serve(environment: Mapping[str, str]) -> None:
    """Serve as the environment says, until SIGTERM or SIGINT. Raises ValueError with what is wrong, OSError."""
    settings = config.read(environment)
    desk = Desk(Path(settings.data))
    logs.set_up("signer", settings.log_level)
    with Daybook(desk.daybook, desk.signer()) as daybook:
        doorman.serve(build(desk, daybook, desk.signer()), host=settings.host, port=settings.port)


def document() -> dict[str, Any]:
    """Give the OpenAPI document; nothing is opened for it."""
    return build(Desk(Path()), None, Signer("nobody", bytes(32))).openapi_schema.to_schema()


def build(desk: Desk, daybook: Daybook | None, signer: Signer) -> Litestar:
    """Build the application."""

    async def callers() -> Iterable[tuple[bytes, Caller]]:
        return desk.callers().items()

    async def readiness() -> Sequence[str]:
        return [daybook.trouble] if daybook is not None and daybook.trouble else []

    return entrance.build(
        SIGN,
        http.ROUTES,
        ring=KeyRing(callers),
        readiness=readiness,
        counts=Metrics(),
        dependencies={
            "daybook": Provide(lambda: daybook, sync_to_thread=False),
            "verifier": Provide(lambda: signer.verifier, sync_to_thread=False),
        },
    )
