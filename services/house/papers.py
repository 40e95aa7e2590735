"""Papers made from what the services say of themselves: an OpenAPI document each, and the page of every route.

python -m services.house.papers     writes them anew; a test fails when they are not current
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGE = Path("docs") / "reference.md"
METHODS = ("get", "post", "put", "patch", "delete")
DOCUMENTS = "/schema"  # where a service shows what this is made of
NOT_LISTED = ("/livez", "/readyz")  # of all services alike: told in words

Document = dict[str, Any]


def documents() -> dict[str, Document]:
    """The OpenAPI document of each service, by its name."""
    from services.ledger import app as ledger
    from services.signer import app as signer
    from services.table import app as table
    from services.witness import app as witness

    rooms = {"table": table, "ledger": ledger, "signer": signer, "witness": witness}
    return {name: without_itself(room.document()) for name, room in rooms.items()}


def without_itself(document: Document) -> Document:
    """The document without the routes that serve it."""
    paths = {path: item for path, item in document["paths"].items() if not path.startswith(DOCUMENTS)}
    return {**document, "paths": paths}


def papers() -> Iterator[tuple[Path, str]]:
    """Every paper: its place from the root, and its text."""
    found = documents()
    for name, document in found.items():
        yield (
            Path("schemas") / "json" / f"{name}.openapi.json",
            json.dumps(document, indent=2, ensure_ascii=False) + "\n",
        )
    yield PAGE, renewed((ROOT / PAGE).read_text(), found)


def renewed(page: str, found: dict[str, Document]) -> str:
    """The page with the routes of all services as they are."""
    for name, document in found.items():
        begin, end = f"<!-- routes: {name} -->", f"<!-- end: {name} -->"
        before, _, rest = page.partition(begin)
        _, _, after = rest.partition(end)
        page = f"{before}{begin}\n\n{table_of(document)}\n\n{end}{after}"
    return page


def table_of(document: Document) -> str:
    """The routes as a table."""
    rows = [f"| `{method}` | `{path}` | {said} |" for method, path, said in routes(document)]
    return "\n".join(["| | route | |", "|---|---|---|", *rows])


def routes(document: Document) -> Iterator[tuple[str, str, str]]:
    """Method, path and purpose of every route."""
    for path, operations in document["paths"].items():
        for method in METHODS:
            if method in operations and not path.startswith(NOT_LISTED):
                operation = operations[method]
                said = re.sub(r"\s+", " ", operation.get("description") or operation["summary"])
                yield method.upper(), path, f"{said} No key." if operation.get("security") == [{}] else said


if __name__ == "__main__":
    for place, text in papers():
        (ROOT / place).write_text(text)
