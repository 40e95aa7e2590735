"""A runner carries requests to a service; when the line breaks, the same request goes again under the same key."""

import asyncio
import secrets
import time
from collections.abc import Callable
from typing import Any, Self

import httpx

PATIENCE_SECONDS = 60.0
GREETING_SECONDS = 3.0
NEWS_SECONDS = 1.0  # a line that breaks for less, as when an idle connection is closed, is no news
FIRST_WAIT_SECONDS = 0.05
LONGEST_WAIT_SECONDS = 1.0
AWAY = frozenset({502, 503, 504})


class Refused(Exception):
    """The service said no, for good: `code` is the problem's, such as `stack-too-small`."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(f"{status}: {problem.get('detail') or problem.get('title')}")
        self.status = status
        self.code = str(problem.get("type", "")).rpartition(":")[2]


class Away(Exception):
    """Nobody answers at the service's address, and patience is at its end."""


class Runner:
    """Somebody with an API key and patience: commands are idempotent, so asking again does nothing twice."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        connections: int = 32,
        patience_seconds: float = PATIENCE_SECONDS,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """`tell` hears that the service went away, how long it is waited for, and that it is back."""
        self._client = httpx.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"},
            limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
            timeout=30,
            trust_env=False,
        )
        self._url = url
        self._patience_seconds = patience_seconds
        self._tell = tell
        self._is_away = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def greet(self) -> None:
        """See within a few seconds that a service is there at all. Raises Away."""
        try:
            async with asyncio.timeout(GREETING_SECONDS):
                answer = await self._client.get("/livez")
        except (httpx.TransportError, TimeoutError) as error:
            raise Away(f"no house can be reached at {self._url}: {_reason(error)}") from None
        if answer.status_code in AWAY:
            raise Away(f"no house can be reached at {self._url}: it answers {answer.status_code}")

    async def ask(self, path: str, **query: str | int) -> Any:
        """Read something."""
        return (await self._send("GET", path, params=query)).json()

    async def fetch(self, path: str) -> bytes:
        """Read something as it is."""
        return (await self._send("GET", path)).content

    async def post(self, path: str) -> str:
        """Have something made and read it, where that changes nothing in the log."""
        return (await self._send("POST", path, json={})).text

    async def tell(self, path: str, body: Any = None, *, actor: str | None = None, key: str = "") -> Any:
        """Give a command, once, however often it must be sent; Refused when the answer is no."""
        headers = {"Idempotency-Key": key or secrets.token_hex(16), **({"Shoelog-Actor": actor} if actor else {})}
        return (await self._send("POST", path, json={} if body is None else body, headers=headers)).json()

    async def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Send until it is answered, or patience is at its end. Raises Refused, Away."""
        began = time.monotonic()
        wait_seconds = FIRST_WAIT_SECONDS
        while True:
            try:
                answer = await self._client.request(method, path, **request)
            except httpx.TransportError as error:
                reason, answer = _reason(error), None
            if answer is not None and answer.status_code not in AWAY:
                self._welcome_back()
                return checked(answer)
            waited_seconds = time.monotonic() - began
            if waited_seconds > self._patience_seconds:
                if answer is not None:
                    return checked(answer)
                raise Away(f"{self._url} cannot be reached: {reason}")
            if waited_seconds > NEWS_SECONDS:
                self._miss(f"cannot be reached: {reason}" if answer is None else f"answers {answer.status_code}")
            await asyncio.sleep(wait_seconds)
            wait_seconds = min(2 * wait_seconds, LONGEST_WAIT_SECONDS)

    def _miss(self, why: str) -> None:
        """Tell once that the service is away."""
        if not self._is_away:
            self._is_away = True
            self._tell(f"{self._url} {why}; it is waited for, {self._patience_seconds:.0f} s at most")

    def _welcome_back(self) -> None:
        """Tell that the service which was away is back."""
        if self._is_away:
            self._is_away = False
            self._tell(f"{self._url} is back")


def _reason(error: Exception) -> str:
    """Why nobody was reached, in words."""
    if isinstance(error, TimeoutError | httpx.TimeoutException):
        return "it does not answer in time"
    return str(error) or type(error).__name__


def checked(answer: httpx.Response) -> httpx.Response:
    """The answer, unless it is a no."""
    if answer.is_success:
        return answer
    try:
        problem = answer.json()
    except ValueError:
        problem = {"detail": answer.text[:200]}
    raise Refused(answer.status_code, problem if isinstance(problem, dict) else {})
