"""What is counted for Prometheus and logged of every request: by route template, never by path."""

import time
from typing import Any

import structlog
from litestar import Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Message, Receive, Scope, Send
from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from services.door.keys import PUBLIC

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_NO_ROUTE = "unmatched"
_log = structlog.get_logger()


class Metrics:
    """A service's own registry, with the requests in it; the service adds its own counts to `registry`."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "shoelog_http_requests", "Requests answered.", ["method", "route", "status"], registry=self.registry
        )
        self._seconds = Histogram(
            "shoelog_http_request_seconds",
            "Time to answer.",
            ["method", "route"],
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._kept: dict[tuple[str, str, int], tuple[Any, Any]] = {}

    def count(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one answered request."""
        kept = self._kept.get((method, route, status))
        if kept is None:
            kept = self._requests.labels(method, route, str(status)), self._seconds.labels(method, route)
            self._kept[method, route, status] = kept
        kept[0].inc()
        kept[1].observe(seconds)

    def route(self) -> HTTPRouteHandler:
        """Make the route that Prometheus reads."""

        @get("/metrics", opt=PUBLIC, include_in_schema=False, sync_to_thread=False)
        def metrics() -> Response[bytes]:
            return Response(generate_latest(self.registry), media_type=CONTENT_TYPE_LATEST)

        return metrics


def counted(app: ASGIApp, metrics: Metrics) -> ASGIApp:
    """Wrap a whole application, so that what matches no route is counted and logged too."""

    async def turnstile(scope: Scope, receive: Receive, send: Send) -> None:
        began, status = time.perf_counter(), 500

        async def watch(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await app(scope, receive, watch)
        finally:
            _note(metrics, scope, status, time.perf_counter() - began)

    return turnstile


def _note(metrics: Metrics, scope: Any, status: int, seconds: float) -> None:
    """Count and log a request that has been answered."""
    method = scope["method"] if scope["method"] in _METHODS else "other"
    route = scope.get("path_template") or _NO_ROUTE
    metrics.count(method, route, status, seconds)
    user = scope.get("user")
    _log.info(
        "request",
        method=method,
        route=route,
        status=status,
        ms=round(seconds * 1000, 2),
        caller=user.actor if user else "",
    )
