"""The page of every route: written from what the services themselves say that they serve.

    python -m services.house.page      writes the routes of docs/reference.md anew; a test fails when they are not current
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "reference.md"
METHODS = ("get", "post", "put", "patch", "delete")
NOT_LISTED = ("/schema/", "/livez", "/readyz")  # told in words above the tables

Document = dict[str, Any]


def documents() -> dict[str, Document]:
    """The OpenAPI document of each service, by its name."""
    from services.ledger import app as ledger
    from services.table import app as table

    return {"table": table.document(), "ledger": ledger.document()}


def routes(document: Document) -> Iterator[tuple[str, str, str]]:
    """Method, path and purpose of every route."""
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations and path != "/schema" and not path.startswith(NOT_LISTED):
                operation = operations[method]
                said = " ".join((operation.get("description") or operation["summary"]).split())
                yield method.upper(), path, f"{said} No key." if operation.get("security") == [{}] else said


def table_of(document: Document) -> str:
    """The routes as a table."""
    rows = [f"| `{method} {path}` | {said} |" for method, path, said in routes(document)]
    return "\n".join(["| route | |", "|---|---|", *rows])


def renewed(page: str, found: dict[str, Document]) -> str:
    """The page with the routes of both services as they are."""
    for name, document in found.items():
        begin, end = f"<!-- routes of {name} -->", f"<!-- end of {name} -->"
        between = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        page = between.sub(lambda _, text=f"{begin}\n\n{table_of(document)}\n\n{end}": text, page)  # type: ignore[misc]
    return page


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text(), documents()))
