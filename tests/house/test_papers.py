"""The page of every route and every variable, and the OpenAPI documents, say what is served and read."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from services.house import papers
from services.house.cli import main
from services.ledger import config as ledger_config
from services.table import config as table_config
from services.witness import config as witness_config
from tests.style.checkout import ROOT

PAPERS = list(papers.papers())


class Asked(dict[str, str]):
    """An empty environment that remembers what was looked for in it."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def get(self, key: str, default: Any = None) -> Any:
        """Give nothing."""
        self.names.add(key)
        return default


def variables_of(command: click.Command) -> Iterator[str]:
    """What a command, and those below it, read from the environment."""
    for parameter in command.params:
        names = parameter.envvar or []
        yield from [names] if isinstance(names, str) else names
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            yield from variables_of(below) if below else ()


@pytest.mark.parametrize(("place", "text"), PAPERS, ids=[str(place) for place, _ in PAPERS])
def test_every_paper_is_current(place: Path, text: str) -> None:
    assert (ROOT / place).read_text() == text, "python -m services.house.papers writes it anew"


def test_the_page_lists_every_route_of_all_services() -> None:
    page = (ROOT / papers.PAGE).read_text()

    for document in papers.documents().values():
        for method, path, _ in papers.routes(document):
            assert f"| `{method}` | `{path}` |" in page


def test_the_page_lists_every_environment_variable_and_no_other() -> None:
    page = (ROOT / papers.PAGE).read_text()
    asked = Asked()
    for read in (table_config.read, ledger_config.read):
        with pytest.raises(ValueError, match="SHOELOG_"):
            read(asked)
    witness_config.read(asked)

    listed = set(re.findall(r"^\| `(SHOELOG_\w+)` \|", page, re.MULTILINE))

    assert listed == {*asked.names, *variables_of(main), "SHOELOG_TEST_POSTGRES_URL"}
