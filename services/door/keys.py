"""API keys: made once, kept as hashes, asked for at the door."""

import secrets
import time
from collections.abc import Awaitable, Callable, Iterable
from hashlib import sha256
from typing import Any, Literal, get_args

import structlog
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send
from msgspec import Struct

from services.door.problems import Declined

Role = Literal["operator", "auditor", "dashboard"]
ROLES: tuple[Role, ...] = get_args(Role)
PUBLIC = {"public": True}  # `opt` of a route that asks for no key
_STALE_SECONDS = 30.0
_PATIENCE_SECONDS = 1.0
_log = structlog.get_logger()


class Caller(Struct, frozen=True):
    """Whose key it is."""

    role: Role
    name: str

    @property
    def actor(self) -> str:
        """The caller as entries name him."""
        return f"{self.role}:{self.name}"


Guard = Callable[[ASGIConnection[Any, Any, Any, Any], BaseRouteHandler], Awaitable[None]]
Load = Callable[[], Awaitable[Iterable[tuple[bytes, Caller]]]]


def new_key(role: Role) -> tuple[str, bytes]:
    """Make a key: its text, to be shown once, and the hash that is kept."""
    text = f"shoelog_{role}_{secrets.token_urlsafe(32)}"
    return text, sha256(text.encode()).digest()


class KeyRing:
    """The hashes of all keys, as last loaded; an unknown key makes it load again, once a second at most."""

    def __init__(self, load: Load) -> None:
        """`load` gives hash and caller of every key."""
        self._load = load
        self._callers: dict[bytes, Caller] = {}
        self._loaded_at = float("-inf")

    async def caller(self, text: str) -> Caller | None:
        """Find whose key this is. A database that is away keeps out only keys that were never seen."""
        hashed = sha256(text.encode()).digest()
        age = time.monotonic() - self._loaded_at
        if age > _STALE_SECONDS or (age > _PATIENCE_SECONDS and hashed not in self._callers):
            await self._refresh(is_known=hashed in self._callers)
        return self._callers.get(hashed)

    async def _refresh(self, *, is_known: bool) -> None:
        try:
            self._callers = dict(await self._load())
        except Exception:
            if not is_known:
                raise
            _log.warning("keys not loaded")
        self._loaded_at = time.monotonic()


def key_asked(ring: KeyRing) -> Callable[[ASGIApp], ASGIApp]:
    """Make the middleware that asks for a key at every route but the public ones."""

    def middleware(app: ASGIApp) -> ASGIApp:
        async def ask(scope: Scope, receive: Receive, send: Send) -> None:
            if "public" not in scope["route_handler"].opt:
                scope["user"] = await _caller(ring, scope)
            await app(scope, receive, send)

        return ask

    return middleware


async def _caller(ring: KeyRing, scope: Scope) -> Caller:
    """Read the key that a request shows."""
    shown = next((value for name, value in scope["headers"] if name == b"authorization"), b"")
    scheme, _, text = shown.decode("latin-1").partition(" ")
    caller = await ring.caller(text.strip()) if scheme.lower() == "bearer" else None
    if caller is None:
        why = "this key is not known" if shown else "this route asks for a key"
        raise Declined(
            401,
            why,
            headers={"WWW-Authenticate": "Bearer"},
            where="header Authorization",
            would_be_right="Bearer shoelog_<role>_<key>",
        )
    return caller


def may(*roles: Role) -> Guard:
    """Make the guard of a route that is for these roles. It is a coroutine, since others would be sent to a thread."""

    async def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        if connection.user.role not in roles:
            raise Declined(
                403,
                f"a key of role {connection.user.role} does not open this",
                where="header Authorization",
                would_be_right=f"a key of role {' or '.join(roles)}",
            )

    return guard
