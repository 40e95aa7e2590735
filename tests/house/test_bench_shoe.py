"""The bench's shoe is a shoe like any other, only larger."""

from pathlib import Path

from schemas.bundle import open_bundle
from services.audit.log import Trust
from services.audit.verdict import judge
from services.house.bench_shoe import signer, write_shoe


def test_the_benchs_shoe_passes_every_check(tmp_path: Path) -> None:
    path = tmp_path / "b1-shoe-1.zip"

    entries = write_shoe(path, bets=1_000)

    assert judge(path, Trust(log_key=signer().verifier)).exit_code == 0
    assert open_bundle(path).manifest.entries == entries > 1_000
