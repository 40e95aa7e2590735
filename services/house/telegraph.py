"""Requests over HTTP/1.1 as fast as one process can send them: prepared bytes on connections that stay open.

A bench measures the service and not its client; a full client costs more than the service does.

    python -m services.house.telegraph PORT SECONDS < requests    one JSON text a line, one line a connection

Each line is `{"head": …, "body": …}`; `{key}` in the head becomes fresh at every request. Prints a JSON object.
"""

import asyncio
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

END_OF_HEAD = b"\r\n\r\n"
LENGTH = b"content-length:"


class Line(asyncio.Protocol):
    """One connection, on which the next request goes out as soon as the answer is in."""

    def __init__(self, requests: Iterator[bytes], deadline: float) -> None:
        self.answered = 0
        self.failed = 0
        self.slowest: list[float] = []
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._requests = requests
        self._deadline = deadline
        self._buffer = b""
        self._sent_at = 0.0
        self._transport: asyncio.WriteTransport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        """Take an answer, whole or in pieces."""
        self._buffer = self._buffer + data if self._buffer else data
        head_end = self._buffer.find(END_OF_HEAD)
        if head_end < 0:
            return
        length = length_of(self._buffer[:head_end])
        if len(self._buffer) < head_end + len(END_OF_HEAD) + length:
            return
        self.slowest.append(time.perf_counter() - self._sent_at)
        self.answered += 1
        if self._buffer[9:10] != b"2":
            self.failed += 1
            print(self._buffer[:500].decode(errors="replace"), file=sys.stderr)
        self._buffer = b""
        self._send()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        if not self.done.done():
            self.failed += 1
            self.done.set_exception(exc or ConnectionError("the service hung up"))

    def _send(self) -> None:
        assert self._transport
        self._sent_at = time.perf_counter()
        if self._sent_at < self._deadline:
            self._transport.write(next(self._requests))
        elif not self.done.done():
            self.done.set_result(None)
            self._transport.close()


def length_of(head: bytes) -> int:
    """How long an answer's body is."""
    found = head.lower().find(LENGTH)
    if found < 0:
        return 0  # 204 has none
    start = found + len(LENGTH)
    end = head.find(b"\r\n", start)
    return int(head[start : end if end > 0 else None])


def fresh(head: str, body: str, *, prefix: str) -> Iterator[bytes]:
    """The same request without end, each under a key of its own."""
    before, key, after = head.partition("{key}")
    text = body.encode()
    number = 0
    while True:
        number += 1
        named = f"{prefix}-{number}" if key else ""
        yield f"{before}{named}{after}".encode() + END_OF_HEAD + text


async def run(port: int, seconds: float, requests: list[dict[str, str]]) -> dict[str, Any]:
    """Send on every connection for so many seconds."""
    loop = asyncio.get_running_loop()
    start = time.perf_counter()
    prefix = f"{time.time_ns():x}"
    lines = []
    for number, request in enumerate(requests):
        prepared = fresh(request["head"], request["body"], prefix=f"{prefix}-{number}")
        line = Line(prepared, start + seconds)
        await loop.create_connection(lambda line=line: line, "127.0.0.1", port)  # type: ignore[misc]
        lines.append(line)
    await asyncio.gather(*(line.done for line in lines))
    took = time.perf_counter() - start
    waits = sorted(wait for line in lines for wait in line.slowest)
    return {
        "requests_per_second": sum(line.answered for line in lines) / took,
        "failed": sum(line.failed for line in lines),
        "p99_seconds": waits[int(len(waits) * 0.99)],
    }


if __name__ == "__main__":
    told = [json.loads(line) for line in sys.stdin]
    print(json.dumps(asyncio.run(run(int(sys.argv[1]), float(sys.argv[2]), told))))
