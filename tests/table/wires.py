"""A wire between a service and PostgreSQL that can be cut between a request and its answer."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit


class Wire:
    """Passes bytes on in both directions; the connection on which a marked request goes out loses its answer."""

    def __init__(self) -> None:
        self.mark: bytes | None = None
        self.cuts = 0

    @contextlib.asynccontextmanager
    async def laid_to(self, url: str) -> AsyncIterator[str]:
        """Lay the wire to a server; gives the URL of its near end."""
        parts = urlsplit(url)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        far = (query["host"], query["port"]) if "host" in query else (parts.hostname or "", str(parts.port or 5432))
        with tempfile.TemporaryDirectory() as directory:
            near = {"host": directory, "port": "5432"}
            server = await asyncio.start_unix_server(
                lambda reader, writer: self._join(reader, writer, far), Path(directory) / ".s.PGSQL.5432"
            )
            login = parts.netloc.rpartition("@")[0]
            async with server:
                yield urlunsplit(parts._replace(netloc=f"{login}@", query=urlencode(near)))

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, far: tuple[str, str]) -> None:
        host, port = far
        if host.startswith("/"):
            far_reader, far_writer = await asyncio.open_unix_connection(f"{host}/.s.PGSQL.{port}")
        else:
            far_reader, far_writer = await asyncio.open_connection(host, int(port))
        lost = asyncio.Event()
        try:
            await asyncio.gather(self._carry_out(reader, far_writer, lost), self._carry_back(far_reader, writer, lost))
        finally:
            for end in (writer, far_writer):
                end.close()

    async def _carry_out(self, near: asyncio.StreamReader, far: asyncio.StreamWriter, lost: asyncio.Event) -> None:
        while data := await near.read(65_536):
            if self.mark is not None and self.mark in data:
                self.mark, self.cuts = None, self.cuts + 1
                lost.set()
            far.write(data)
        far.close()

    async def _carry_back(self, far: asyncio.StreamReader, near: asyncio.StreamWriter, lost: asyncio.Event) -> None:
        while data := await far.read(65_536):
            if lost.is_set():
                break  # the server has done its work; nobody hears of it
            near.write(data)
        near.close()
