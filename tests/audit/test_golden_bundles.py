"""Every bundle that was ever released verifies for ever."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUNDLES = ROOT / "schemas/golden/bundles"
RELEASED = sorted(path.relative_to(BUNDLES).as_posix() for path in BUNDLES.rglob("*.zip"))
# Never edited: a bundle that must be replaced was not released.
DIGESTS = {
    "berlin-shoe-1.zip": "d445ae96ca59362abf9f5943173f06cc854866e144ffb0f8f37954b09d2e5b0e",
    "ez-shoe-1.zip": "86dfd96f8bf713937100b7e40261f40b19302d040e647e85b31e58817f683ac3",
    "mini-shoe-1.zip": "92b726fbdef602710a63c521eb66df23affbaaf04ce7420e0b86c18c80541a3d",
    "punto-banco-9-shoe-1.zip": "d2de9ff502f7d1641d6a2ef7335f73301fb386eba3d3be417010913abbc3e6db",
    "punto-banco-shoe-1.zip": "2ed3f9937eaabaed9e8de364cac576ba2b6ff9a4915b5c120affc9d9d5665383",
    "real-cards/scanned-shoe-1.zip": "d737328b8ca118eb1bb9a529539ec9c172eec0f73d8d27e923f5890baa67d313",
    "salon/banque-shoe-1.zip": "bf342aca0e69bc45ec36de268dd872b50594ba052e8ff2c242b12a882b303b97",
    "salon/chemin-de-fer-shoe-1.zip": "5c7716b606ac031502024fe5b18e8c92ceada25aac82e6351fad6f2af10241a9",
    "salon/dining-room-shoe-1.zip": "2fd447995ab1b8f6ae14b6845ea85d9022897241b9bd1ecadb72d1a97d4c5c18",
    "simplified-shoe-1.zip": "2959d4610e692f9e6c494b38237e0bcb12a8e69ddd04ce19e42c36650ff604b4",
    "super-6-shoe-1.zip": "e1f8bb14f116902d7176b8a68c378f847152684ce1523358b98b8fb159b053e2",
}
CHECKS = ("bytes", "chain", "log", "shoe", "rules", "money")


def test_no_released_bundle_is_missing_or_changed() -> None:
    assert {name: hashlib.sha256((BUNDLES / name).read_bytes()).hexdigest() for name in RELEASED} == DIGESTS


@pytest.mark.parametrize("name", RELEASED)
def test_a_released_bundle_passes_every_check(name: str) -> None:
    path = BUNDLES / name
    key = (path.parent / "log.vkey").read_text().strip()
    verified = subprocess.run(
        [sys.executable, "-m", "services.house.cli", "verify", "--json", "--log-key", key, str(path)],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )

    [report] = json.loads(verified.stdout)
    assert verified.returncode == 0
    assert {each["check"]: each["result"] for each in report["checks"] if each["check"] in CHECKS} == dict.fromkeys(
        CHECKS, "passed"
    )
