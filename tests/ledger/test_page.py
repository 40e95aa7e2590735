"""The ledger's page says what is true."""

from pathlib import Path

from services.ledger.book.accounts import CHART

PAGE = Path("services/ledger/README.md").read_text()


def test_the_page_has_every_account_of_the_chart() -> None:
    rows = [f"| `{line.pattern}` | {line.kind} | {line.side} | {line.meaning} |" for line in CHART]

    assert [row for row in PAGE.splitlines() if row in rows] == rows
