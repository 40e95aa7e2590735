"""The verdict on bundles: a report each, the exit status, and several of them on as many cores as there are."""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from schemas.bundle import UnreadableBundleError, open_bundle
from services.audit.auditor import Auditor, printable
from services.audit.findings import CHECKS, Finding, Report, not_made
from services.audit.log import Trust

PASSED, FAILED, INCOMPLETE, UNREAD = 0, 1, 2, 3
WORST_FIRST = (FAILED, UNREAD, INCOMPLETE, PASSED)
# Below this, starting a process costs more than it saves.
WORTH_A_PROCESS_BYTES = 1 << 21


class Judgement(Struct, frozen=True, kw_only=True):
    """The report on one file, and what is said beside it to people.

    `seed`: the one revealed, with the version of the entry that did. `unread`: why the file could not be read.
    """

    report: Report
    entropy_reason: str = ""
    shoe_id: str = ""
    seed: tuple[int, str] | None = None
    unread: str = ""

    @property
    def exit_code(self) -> int:
        """The exit status for this file alone."""
        results = {check.result for check in self.report.checks if check.check != "ledger"}
        if self.unread:
            return UNREAD
        if "failed" in results:
            return FAILED
        return PASSED if results == {"passed"} and self.report.complete else INCOMPLETE


def judge(path: Path, trust: Trust) -> Judgement:
    """Judge one bundle, whatever it is."""
    try:
        auditor = Auditor(open_bundle(path, whole=False), trust)
        report = auditor.audit()
    except UnreadableBundleError as error:
        return _unread(path, str(error))
    except MemoryError:
        return _unread(path, "it needs more memory than there is")
    shoe = auditor.shoe
    if shoe is None or shoe.entropy is None:
        return Judgement(report=report)
    return Judgement(report=report, entropy_reason=shoe.entropy.reason, shoe_id=shoe.shoe_id, seed=shoe.seed)


def _unread(path: Path, why: str) -> Judgement:
    """Give the judgement on a file that could not be read: nothing can be said of it."""
    checks = tuple(not_made(check, f"the file could not be read: {why}") for check in CHECKS)
    report = Report(file=printable(path), table=None, shoe=None, complete=False, entropy=None, checks=checks)
    return Judgement(report=report, unread=why)


def judge_all(paths: Sequence[Path], trust: Trust) -> list[Judgement]:
    """Judge several bundles, in the order given, on as many cores as there are."""
    cores = min(os.cpu_count() or 1, len(paths))
    if cores == 1 or sum(map(_size_bytes, paths)) < WORTH_A_PROCESS_BYTES:
        return compare_seeds([judge(path, trust) for path in paths])
    # Spawned, not forked: whoever calls this may run threads.
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        return compare_seeds(list(pool.map(judge, paths, [trust] * len(paths))))


def compare_seeds(judgements: list[Judgement]) -> list[Judgement]:
    """Fail every shoe whose seed is that of another shoe too: who saw the first knows the second."""
    shoes: dict[str, set[str]] = {}
    for judgement in judgements:
        if judgement.seed is not None:
            shoes.setdefault(judgement.seed[1], set()).add(judgement.shoe_id)
    return [
        _with_finding(judgement, judgement.seed[0], sorted(shoes[judgement.seed[1]] - {judgement.shoe_id}))
        if judgement.seed is not None and len(shoes[judgement.seed[1]]) > 1
        else judgement
        for judgement in judgements
    ]


def _with_finding(judgement: Judgement, version: int, others: list[str]) -> Judgement:
    finding = Finding(version=version, what=f"the seed is also that of shoe {', '.join(others[:10])}")
    checks = tuple(
        replace(check, result="failed", findings=(*(check.findings if check.result == "failed" else ()), finding))
        if check.check == "shoe"
        else check
        for check in judgement.report.checks
    )
    return replace(judgement, report=replace(judgement.report, checks=checks))


def _size_bytes(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def worst(codes: Iterable[int]) -> int:
    """Give the exit status for several files."""
    found = set(codes)
    return next(code for code in WORST_FIRST if code in found)
