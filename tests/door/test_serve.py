"""A service is told to stop while clients hang on to it."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import IO, Any

import httpx
import pytest


@pytest.fixture
def service() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "tests.door.endless"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


def logged(lines: IO[str], event: str) -> dict[str, Any]:
    """Read the log up to an event."""
    return next(told for told in map(json.loads, lines) if told["event"] == event)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_service_stops_cleanly_while_a_client_hangs_on_a_stream(
    service: subprocess.Popen[str], number: signal.Signals
) -> None:
    assert service.stdout is not None
    at = logged(service.stdout, "listening")
    base = f"http://{at['host']}:{at['port']}"

    with httpx.stream("GET", f"{base}/stream", timeout=20) as stream:
        lines = (line for line in stream.iter_lines() if line)
        assert next(lines) == "data: open"
        service.send_signal(number)
        assert list(lines) == ["data: closing"]

    logged(service.stdout, "stopped")
    assert service.wait(timeout=20) == 0


def test_logs_are_one_json_object_a_line_without_query_or_body(service: subprocess.Popen[str]) -> None:
    assert service.stdout is not None
    at = logged(service.stdout, "listening")
    httpx.get(f"http://{at['host']}:{at['port']}/livez?key=secret", headers={"Authorization": "Bearer secret"})

    told = logged(service.stdout, "request")
    assert (told["service"], told["route"], told["status"], told["level"]) == ("endless", "/livez", 200, "info")
    assert "secret" not in json.dumps(told)
