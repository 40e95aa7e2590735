"""`shoelog export`: a bundle is fetched whole or not at all, with the standard library alone."""

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from services.house.cli import main

KEY = "shoelog_auditor_test"
SAMPLE = Path(__file__).parents[1] / "data" / "sample-punto-banco.zip"
SAMPLE_KEY = "sample.example/log/1+2413c431+AY632VItW5OprDifVdjtScfHZpXv0HGBxMmBOZ9KqQ+e"
BUNDLE = b"PK\x03\x04" + bytes(100_000)


class Cage(BaseHTTPRequestHandler):
    """Answers as a table service does: a bundle, or a problem."""

    def do_GET(self) -> None:
        """Serve a shoe, or refuse."""
        if self.headers["Authorization"] != f"Bearer {KEY}":
            self.answer(401, b'{"title":"Unauthorized","detail":"this key opens nothing here"}')
        elif self.path == "/v1/tables/b1/shoes/1/bundle":
            self.answer(200, BUNDLE)
        elif self.path == "/v1/tables/b1/shoes/2/bundle":
            self.answer(200, BUNDLE[:1000], length=len(BUNDLE))
        elif self.path == "/v1/tables/b1/shoes/3/bundle":
            self.answer(200, b"<html>welcome</html>")
        elif self.path == "/v1/tables/b1/shoes/4/bundle":
            self.answer(302, b"", ("Location", "http://127.0.0.1:1/elsewhere"))
        else:
            self.answer(404, b'{"title":"Not Found","detail":"table b1 has no shoe 9"}')

    def answer(self, status: int, body: bytes, *headers: tuple[str, str], length: int | None = None) -> None:
        """Send a whole answer, or claim that it is longer."""
        self.send_response(status)
        for name, value in (*headers, ("Content-Length", str(len(body) if length is None else length))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Cage) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def export(url: str, out: Path, *, shoe: int = 1, key: str = KEY) -> Result:
    words = ["export", "--url", url, "--table", "b1", "--shoe", str(shoe), "--out", str(out)]
    return CliRunner().invoke(main, words, env={"SHOELOG_KEY": key})


def test_a_bundle_is_written_as_it_was_served(url: str, tmp_path: Path) -> None:
    said = export(url, tmp_path / "shoe.zip")

    assert said.exit_code == 0
    assert (tmp_path / "shoe.zip").read_bytes() == BUNDLE
    assert "100,004 bytes" in said.stdout


def test_a_bundle_takes_the_place_of_a_file_and_of_nothing_else(url: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_bytes(b"an older one")

    assert export(url, tmp_path / "file").exit_code == 0
    assert (tmp_path / "file").read_bytes() == BUNDLE
    said = export(url, tmp_path / "pipe")
    assert said.exit_code == 64
    assert "is no file" in said.stderr
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_log_is_not_put_where_a_file_is(url: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"an older one")

    words = ["export", "--url", url, "--log", "--key", KEY, "--out", str(tmp_path / "file")]
    said = CliRunner().invoke(main, words)

    assert said.exit_code == 64
    assert "is a file" in said.stderr
    assert (tmp_path / "file").read_bytes() == b"an older one"


def test_in_a_directory_a_bundle_takes_its_own_name(url: str, tmp_path: Path) -> None:
    export(url, tmp_path)

    assert [path.name for path in tmp_path.iterdir()] == ["b1-shoe-1.zip"]


@pytest.mark.parametrize(
    ("shoe", "key", "reason"),
    [
        (1, "shoelog_auditor_wrong", "answered 401: this key opens nothing here"),
        (2, KEY, "broke off after 1000 bytes"),
        (3, KEY, "answered, but not with a bundle"),
        (4, KEY, "answered 302"),
        (9, KEY, "answered 404: table b1 has no shoe 9"),
    ],
)
def test_what_is_no_whole_bundle_leaves_no_file(url: str, tmp_path: Path, shoe: int, key: str, reason: str) -> None:
    said = export(url, tmp_path / "shoe.zip", shoe=shoe, key=key)

    assert said.exit_code == 1
    assert reason in said.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_service_that_is_not_there_is_told_in_a_line(tmp_path: Path) -> None:
    said = export("http://127.0.0.1:1", tmp_path / "shoe.zip")

    assert said.exit_code == 1
    assert "Connection refused" in said.stderr


def test_a_place_that_cannot_be_written_is_told_in_a_line(url: str, tmp_path: Path) -> None:
    said = export(url, tmp_path / "missing" / "shoe.zip")

    assert said.exit_code == 1
    assert "cannot be written: No such file or directory" in said.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["export", "--help"],
        ["coup", "9h,Ks,Td,7c"],
        ["replay", str(SAMPLE)],
        ["verify", "--log-key", SAMPLE_KEY, str(SAMPLE)],
    ],
    ids=lambda words: words[0],
)
def test_the_base_install_is_enough(words: list[str]) -> None:
    heavy = "{'litestar', 'asyncpg', 'httpx', 'uvicorn', 'structlog', 'prometheus_client'}"
    program = (
        "import sys; sys.argv[0] = 'shoelog'\n"
        "from services.house.cli import main\n"
        "try:\n    main()\nfinally:\n"
        f"    print(sorted({heavy} & set(sys.modules)), file=sys.stderr)\n"
    )
    said = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True)

    assert said.stderr == "[]\n"
