"""The JSON Schema files say what the structs say."""

import json
from pathlib import Path
from typing import get_args

import pytest

from schemas import jsonschema
from schemas.events import AnyEvent

SCHEMAS = Path(__file__).parents[2] / "schemas"


@pytest.mark.parametrize("name", jsonschema.DOCUMENTS)
def test_the_schema_files_are_current(name: str) -> None:
    assert (jsonschema.FOLDER / name).read_bytes() == jsonschema.document(name), "run python -m schemas.jsonschema"


def test_nothing_lies_beside_the_schema_files_but_the_services_own() -> None:
    services = {f"{name}.openapi.json" for name in ("ledger", "signer", "table", "witness")}

    assert {path.name for path in jsonschema.FOLDER.iterdir()} == {*jsonschema.DOCUMENTS, *services}


def test_every_event_is_described_with_its_fields_in_order() -> None:
    described = json.loads(jsonschema.document("events.schema.json"))["$defs"]

    for event in get_args(AnyEvent):
        assert described[event.__name__]["additionalProperties"] is False
        assert list(described[event.__name__]["properties"]) == ["type", *event.__struct_encode_fields__]
