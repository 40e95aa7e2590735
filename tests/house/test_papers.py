"""The page of every route and every variable, and the OpenAPI documents, say what is served and read."""

import re
from pathlib import Path

import pytest

from services.house import papers
from services.house.cli import main
from services.ledger import config as ledger_config
from services.signer import config as signer_config
from services.table import config as table_config
from services.witness import config as witness_config
from tests.house.variables import Asked, variables_of
from tests.style.checkout import ROOT

PAPERS = list(papers.papers())


@pytest.mark.parametrize(("place", "text"), PAPERS, ids=[str(place) for place, _ in PAPERS])
def test_every_paper_is_current(place: Path, text: str) -> None:
    assert (ROOT / place).read_text() == text, "python -m services.house.papers writes it anew"


def test_the_page_lists_every_route_of_all_services() -> None:
    page = (ROOT / papers.PAGE).read_text()

    routes = [route for document in papers.documents().values() for route in papers.routes(document)]

    assert {path for _, path, _ in routes} >= {"/v1/tables", "/v1/trial-balance", "/v1/sign"}
    assert [path for method, path, _ in routes if f"| `{method}` | `{path}` |" not in page] == []


def test_the_page_lists_every_environment_variable_and_no_other() -> None:
    page = (ROOT / papers.PAGE).read_text()
    asked = Asked({})
    for read in (table_config.read, ledger_config.read, signer_config.read):
        with pytest.raises(ValueError, match="SHOELOG_"):
            read(asked)
    witness_config.read(asked)

    listed = set(re.findall(r"^\| `(SHOELOG_\w+)` \|", page, re.MULTILINE))

    assert listed == {*asked.names, *variables_of(main), "SHOELOG_TEST_POSTGRES_URL", "SHOELOG_REQUIRE_GO"}
