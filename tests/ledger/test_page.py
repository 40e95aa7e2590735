"""The ledger's page says what is true."""

from pathlib import Path

from services.ledger import config
from services.ledger.app import build
from services.ledger.book.accounts import CHART

PAGE = Path("services/ledger/README.md").read_text()
URL = "postgresql://nobody@localhost/nowhere"
SETTINGS = {"SHOELOG_LEDGER_DATABASE_URL": URL, "SHOELOG_LEDGER_FEED_URL": URL}


def test_the_page_has_every_account_of_the_chart() -> None:
    rows = [f"| `{line.pattern}` | {line.kind} | {line.side} | {line.meaning} |" for line in CHART]

    assert [row for row in PAGE.splitlines() if row in rows] == rows


def test_the_page_lists_every_route() -> None:
    paths = [
        path for path in build(config.read(SETTINGS)).openapi_schema.to_schema()["paths"] if path.startswith("/v1")
    ]

    listed = [line.split("`")[1].removeprefix("GET ") for line in PAGE.splitlines() if line.startswith("| `GET")]
    assert sorted(listed) == sorted(paths)


def test_the_page_lists_every_variable() -> None:
    for field in config.Config.__struct_fields__:
        assert f"| `SHOELOG_LEDGER_{field.upper()}` |" in PAGE
