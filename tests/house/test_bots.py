"""`shoelog bots`, and `shoelog feed --url`, at a house that is not there: said in a line, at once."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from services.house import bots, runner
from services.house.cli import main

KEY = "shoelog_operator_test"


@pytest.fixture
def nowhere() -> Iterator[str]:
    """An address where nobody listens, and nobody else will."""
    with socket.socket() as kept:
        kept.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{kept.getsockname()[1]}"


@pytest.fixture
def silence() -> Iterator[str]:
    """An address where whoever listens never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as kept:
        yield f"http://127.0.0.1:{kept.getsockname()[1]}"


def asked(url: str, words: tuple[str, ...]) -> Result:
    return CliRunner().invoke(main, [*words, "--url", url, "--key", KEY])


@pytest.fixture(params=["bots", "feed"])
def words(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, ...]:
    if request.param == "bots":
        return ("bots",)
    (tmp_path / "coups.txt").write_text("C.7,C.8,H.11,D.7,,C.7\n")
    return ("feed", str(tmp_path / "coups.txt"), "--table", "b1")


def test_a_house_that_is_not_there_is_said_so_in_a_line(nowhere: str, words: tuple[str, ...]) -> None:
    said = asked(nowhere, words)

    assert said.exit_code == 1
    assert said.stderr.startswith(f"Error: no house can be reached at {nowhere}: ")
    assert len(said.stderr.splitlines()) == 1


def test_a_house_that_never_answers_is_not_waited_for(
    silence: str, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "GREETING_SECONDS", 0.2)

    said = asked(silence, words)

    assert (said.exit_code, said.stderr) == (
        1,
        f"Error: no house can be reached at {silence}: it does not answer in time\n",
    )


@pytest.mark.parametrize("url", ["nonsense", "ftp://127.0.0.1", "http://", "http://[::1", "http://127.0.0.1:99999"])
def test_what_is_no_address_is_wrong_usage(url: str, words: tuple[str, ...]) -> None:
    said = asked(url, words)

    assert said.exit_code == 64
    assert "is not an address" in said.stderr


def test_a_house_that_goes_away_is_waited_for_a_time_that_is_told() -> None:
    assert runner.GREETING_SECONDS < 5
    assert bots.PATIENCE_SECONDS <= 600
