"""How fast and how lean the verifier is, on a shoe of 10^5 bets, against a bare loop of sha256 over the same lines.

Everything is measured in processes of its own, after the interpreter has started and the rooms are imported.

    python -m services.house.bench_verify audit|loop|memory FILE     prints one figure: seconds, seconds, bytes
"""

import resource
import subprocess
import sys
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from statistics import median

from msgspec import Struct

from services.house.staff import ROOT

BETS = 10**5
FEWER_BETS = 10**4
TURNS = 5


class Checked(Struct, frozen=True, kw_only=True):
    """Medians: the time of an audit on one core, of two on two cores at once, and of the bare loop; the memory."""

    entries: int
    one_seconds: float
    two_seconds: float
    loop_seconds: float
    peak_bytes: int
    peak_bytes_of_fewer: int


def compare(directory: Path, *, turns: int = TURNS) -> Checked:
    """Write the shoes, then take turns."""
    from services.house.bench_shoe import write_shoe

    many, fewer = directory / "many.zip", directory / "fewer.zip"
    entries = write_shoe(many, bets=BETS)
    write_shoe(fewer, bets=FEWER_BETS)
    one, two, loop = [], [], []
    for _ in range(turns):
        one.append(measured("audit", [many]))
        loop.append(measured("loop", [many]))
        two.append(measured("audit", [many, many]))
    return Checked(
        entries=entries,
        one_seconds=median(one),
        two_seconds=median(two),
        loop_seconds=median(loop),
        peak_bytes=int(measured("memory", [many])),
        peak_bytes_of_fewer=int(measured("memory", [fewer])),
    )


def measured(what: str, files: Sequence[Path]) -> float:
    """The figure of a process for each file, all at once; the largest."""
    words = [sys.executable, "-m", "services.house.bench_verify", what]
    processes = [subprocess.Popen([*words, path], cwd=ROOT, stdout=subprocess.PIPE, text=True) for path in files]
    said = [process.communicate()[0] for process in processes]
    if any(process.returncode for process in processes):
        raise AssertionError(f"{what} of {files[0]} failed")
    return max(map(float, said))


def audit(path: Path) -> None:
    """What `shoelog verify --log-key` does with a file; the shoe is sound."""
    from services.audit.log import Trust
    from services.audit.verdict import PASSED, judge
    from services.house.bench_shoe import signer

    judgement = judge(path, Trust(policy=None, log_key=signer().verifier, signers=()))
    assert judgement.exit_code == PASSED, judgement


def hashed(lines: Sequence[bytes]) -> None:
    """The bare loop."""
    for line in lines:
        sha256(line).digest()


def main(what: str, path: Path) -> float:
    """One figure."""
    from schemas.bundle import open_bundle

    if what == "loop":
        lines = list(open_bundle(path).lines())
        start = time.perf_counter()
        hashed(lines)
        return time.perf_counter() - start
    from services.audit import log, verdict  # noqa: F401 - imported before the clock starts
    from services.house import bench_shoe  # noqa: F401

    start = time.perf_counter()
    audit(path)
    return peak_bytes() if what == "memory" else time.perf_counter() - start


def peak_bytes() -> float:
    """The most memory that this process had. Not `ru_maxrss` where there is better: it knows the parent's too."""
    if sys.platform == "linux":
        [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM")]
        return 1024.0 * int(line.split()[1])
    return float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


if __name__ == "__main__":
    print(main(sys.argv[1], Path(sys.argv[2])))
