"""Logs: one JSON object a line on standard output. No bodies, no queries, no secrets."""

import logging
import sys
from typing import Any

import msgspec
import structlog

_BEFORE: tuple[Any, ...] = (
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    structlog.processors.format_exc_info,
)
_encoder = msgspec.json.Encoder(enc_hook=str)


def set_up(service: str, level: str = "info") -> None:
    """Send the logs of this process, and of the libraries in it, to standard output; `level` is a word."""

    def name_service(_: Any, __: str, event: Any) -> Any:
        return {"service": service, **event}

    threshold = logging.getLevelNamesMapping()[level.upper()]
    structlog.configure(
        processors=[*_BEFORE, name_service, lambda _, __, event: _encoder.encode(event)],
        wrapper_class=structlog.make_filtering_bound_logger(threshold),
        logger_factory=structlog.BytesLoggerFactory(sys.stdout.buffer),
        cache_logger_on_first_use=True,
    )
    _take_in_libraries(name_service, threshold)


def _take_in_libraries(name_service: Any, threshold: int) -> None:
    """Write what libraries log in the same form, from warnings up."""
    lines = logging.StreamHandler(sys.stdout)
    lines.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*_BEFORE, structlog.stdlib.add_logger_name],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                name_service,
                lambda _, __, event: _encoder.encode(event).decode(),
            ],
        )
    )
    logging.basicConfig(handlers=[lines], level=max(threshold, logging.WARNING), force=True)
    logging.captureWarnings(capture=True)
