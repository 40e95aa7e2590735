"""What the witness's tests ask for: a witness at work in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.note import COSIGNATURE, Signer
from services.witness import memory
from services.witness.evidence import Evidence
from services.witness.witness import Witness
from tests.witness.paper_log import LOG

WITNESS = Signer("regulator.example/w1", b"w" * 32, algorithm=COSIGNATURE)


@pytest.fixture
def witness(tmp_path: Path) -> Iterator[Witness]:
    """A witness that knows one log, and has cosigned nothing."""
    memory.create(tmp_path / "memory.json", WITNESS.verifier.vkey)
    held = memory.take(tmp_path / "memory.json", WITNESS.verifier.vkey)
    yield Witness(WITNESS, held, Evidence(tmp_path / "evidence"), [LOG.verifier])
    held.close()
