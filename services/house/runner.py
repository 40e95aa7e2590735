"""A runner carries requests to a service; when the line breaks, the same request goes again under the same key."""

import asyncio
import secrets
import time
from typing import Any, Self

import httpx

PATIENCE_SECONDS = 60.0
FIRST_WAIT_SECONDS = 0.05
LONGEST_WAIT_SECONDS = 1.0
AWAY = frozenset({502, 503, 504})


class Refused(Exception):
    """The service said no, for good: `code` is the problem's, such as `stack-too-small`."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        super().__init__(f"{status}: {problem.get('detail') or problem.get('title')}")
        self.status = status
        self.code = str(problem.get("type", "")).rpartition(":")[2]


class Runner:
    """Somebody with an API key and patience: commands are idempotent, so asking again does nothing twice."""

    def __init__(
        self, url: str, key: str, *, connections: int = 32, patience_seconds: float = PATIENCE_SECONDS
    ) -> None:
        self._client = httpx.AsyncClient(
            base_url=url,
            headers={"Authorization": f"Bearer {key}"},
            limits=httpx.Limits(max_connections=connections, max_keepalive_connections=connections),
            timeout=30,
            trust_env=False,
        )
        self._patience_seconds = patience_seconds

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

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
        deadline = time.monotonic() + self._patience_seconds
        wait_seconds = FIRST_WAIT_SECONDS
        while True:
            try:
                answer = await self._client.request(method, path, **request)
                if answer.status_code not in AWAY or time.monotonic() > deadline:
                    return checked(answer)
            except httpx.TransportError:
                if time.monotonic() > deadline:
                    raise
            await asyncio.sleep(wait_seconds)
            wait_seconds = min(2 * wait_seconds, LONGEST_WAIT_SECONDS)


def checked(answer: httpx.Response) -> httpx.Response:
    """The answer, unless it is a no."""
    if answer.is_success:
        return answer
    try:
        problem = answer.json()
    except ValueError:
        problem = {"detail": answer.text[:200]}
    raise Refused(answer.status_code, problem if isinstance(problem, dict) else {})
