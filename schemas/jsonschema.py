"""JSON Schema (2020-12) of events and entries, made from the structs by `python -m schemas.jsonschema`.

The shape only: that keys stand in order, and that there is one way to write an entry, no JSON Schema can say.
"""

from pathlib import Path
from typing import Any

import msgspec

from schemas.entry import Entry
from schemas.events import AnyEvent

FOLDER = Path(__file__).parent / "json"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
DOCUMENTS: dict[str, tuple[str, Any]] = {
    "events.schema.json": ("What can happen: every event, schema 1", AnyEvent),
    "entry.schema.json": ("One line of the log, schema 1", Entry),
}


def document(name: str) -> bytes:
    """Give the text of one schema file."""
    title, shape = DOCUMENTS[name]
    schema = {"$schema": DIALECT, "title": title, **msgspec.json.schema(shape)}
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"


def main() -> None:
    """Write every schema file."""
    FOLDER.mkdir(exist_ok=True)
    for name in DOCUMENTS:
        (FOLDER / name).write_bytes(document(name))


if __name__ == "__main__":
    main()
