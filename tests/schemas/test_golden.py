"""The golden entries: one of every event, whose bytes and hashes hold for ever."""

import re
from pathlib import Path
from typing import get_args

import pytest

from schemas import entry
from schemas.events import AnyEvent

GOLDEN = Path(__file__).parents[2] / "schemas" / "golden"
LEAVES = {line[66:]: line[:64] for line in (GOLDEN / "leaves.txt").read_text().splitlines()}
FILES = sorted(path.name for path in GOLDEN.glob("*.json"))


@pytest.mark.parametrize("name", FILES)
def test_a_golden_entry_reads_and_writes_as_the_same_bytes(name: str) -> None:
    line = (GOLDEN / name).read_bytes()

    read = entry.decode(line)

    assert entry.encode(read) == line
    assert re.fullmatch(rf"{read.event.__struct_config__.tag}(-[a-z-]+)?-{read.schema}\.json", name)


@pytest.mark.parametrize("name", FILES)
def test_a_golden_entry_has_the_leaf_hash_recorded_for_it(name: str) -> None:
    assert entry.leaf((GOLDEN / name).read_bytes()).hex() == LEAVES[name]


def test_every_event_has_a_golden_entry_and_every_golden_entry_a_hash() -> None:
    tags = {event.__struct_config__.tag for event in get_args(AnyEvent)}

    assert tags <= {name.rsplit("-", 1)[0] for name in FILES}
    assert sorted(LEAVES) == FILES
