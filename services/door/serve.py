"""Run a service: until SIGTERM or SIGINT, and then cleanly, even while clients hang on to streams that have no end."""

import contextlib
import gc
import signal
import socket
from types import FrameType

import structlog
import uvicorn
from litestar import Litestar

_GRACE_SECONDS = 30
# Young objects looked through at a time. A request makes some hundred and leaves no circles, so that looking every 700
# objects, as Python does, costs a tenth of its time, and a look at everything holds all requests for milliseconds.
_OBJECTS_PER_COLLECTION = 50_000
_log = structlog.get_logger()


class NotStartedError(ValueError):
    """The service did not start: the message, or its log, says why."""


class Server(uvicorn.Server):
    """uvicorn, which tells the service that it is to stop before it waits for the last answers."""

    def __init__(self, app: Litestar, *, host: str, port: int) -> None:
        """Port 0 takes a free one; the log says which."""
        super().__init__(
            uvicorn.Config(
                app,
                host=host,
                port=port,
                lifespan="on",
                ws="none",  # nothing here is a web socket: who asks for one is answered as by HTTP
                log_config=None,
                access_log=False,
                server_header=False,
                timeout_graceful_shutdown=_GRACE_SECONDS,
            )
        )
        self._app = app

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say where."""
        await super().startup(sockets)
        for server in self.servers if self.started else ():
            for bound in server.sockets:
                host, port = bound.getsockname()[:2]
                _log.info("listening", host=host, port=port)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Tell the streams to end, then stop."""
        self._app.state.closing.announce()
        super().handle_exit(sig, frame)


def serve(app: Litestar, *, host: str, port: int) -> None:
    """Serve until told to stop by SIGTERM or SIGINT, and return. To be called in the main thread.

    Raises NotStartedError, with what the application put into `state.refusal` if it did.
    """
    # uvicorn raises the signal anew when it is done; that must not end the process before its caller does.
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    server = Server(app, host=host, port=port)
    _collect_seldom()
    try:
        server.run()
    except SystemExit:
        if server.started:
            raise
    finally:
        for number, handler in before.items():
            with contextlib.suppress(TypeError):
                signal.signal(number, handler)
    if not server.started:
        raise NotStartedError(getattr(app.state, "refusal", None) or "the service did not start: its log says why")
    _log.info("stopped")


def _collect_seldom() -> None:
    """Set aside what was made until now, which stays, and look for garbage in circles less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_PER_COLLECTION, 20, 100)
