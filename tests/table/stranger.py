"""A witness that does what a test tells it: away, slow, or a liar; with a key of its own, to be honest by."""

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from schemas import note, submission
from schemas.note import COSIGNATURE, Signer


class Answer(NamedTuple):
    """What a witness answers."""

    status: int
    body: bytes = b""
    media_type: str = "text/plain"


Script = Callable[["Stranger", bytes], Answer]


class Stranger:
    """Listens at a port of its own, and answers each submission as its script says; it may be given another one."""

    def __init__(self, script: Script, *, name: str = "stranger.example/w") -> None:
        self.script = script
        self.signer = Signer(name, name.encode().ljust(32, b".")[:32], algorithm=COSIGNATURE)
        self.asked: list[bytes] = []
        self.came = threading.Semaphore(0)  # released whenever somebody asks
        self.may_answer = threading.Event()
        stranger = self

        class Door(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:  # as the library calls it
                body = self.rfile.read(int(self.headers["content-length"]))
                stranger.asked.append(body)
                stranger.came.release()
                answer = stranger.script(stranger, body)
                self.send_response(answer.status)
                self.send_header("content-type", answer.media_type)
                self.send_header("content-length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, *_: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """A client that went away is none."""

        self._server = Quiet(("127.0.0.1", 0), Door)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def vkey(self) -> str:
        """Its key."""
        return self.signer.verifier.vkey

    def leave(self) -> None:
        """Listen no more."""
        self.may_answer.set()
        self._server.shutdown()
        self._server.server_close()


def cosign(stranger: Stranger, body: bytes) -> Answer:
    """Cosign whatever is shown."""
    shown = submission.parse(body).checkpoint
    return Answer(200, note.cosign(shown, stranger.signer, timestamp=1).removeprefix(shown))


def cosign_when_told(stranger: Stranger, body: bytes) -> Answer:
    """Cosign, but not before it may."""
    stranger.may_answer.wait()
    return cosign(stranger, body)


def say(status: int, body: bytes = b"", media_type: str = "text/plain") -> Script:
    """Say the same to everybody."""
    return lambda _, __: Answer(status, body, media_type)


AWAY = say(503)
