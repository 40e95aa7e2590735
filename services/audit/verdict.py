"""The verdict on bundles: a report each, the exit status, and several of them on as many cores as there are."""

import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from schemas.bundle import ENTRIES, UnreadableBundleError, open_bundle
from schemas.folder import UnreadableFolderError
from services.audit import whole
from services.audit.auditor import Auditor, printable
from services.audit.findings import CHECKS, CheckName, Finding, Report, not_made
from services.audit.log import Trust
from services.audit.rounds import RoundAuditor
from services.audit.whole import LogTold

PASSED, FAILED, INCOMPLETE, UNREAD = 0, 1, 2, 3
WORST_FIRST = (FAILED, UNREAD, INCOMPLETE, PASSED)
# Below this, starting a process costs more than it saves.
WORTH_A_PROCESS_BYTES = 1 << 21


class Judgement(Struct, frozen=True, kw_only=True):
    """The report on one file, and what is said beside it to people.

    `seed`: the one revealed, with the version of the entry that did. `unread`: why the file could not be read. `log`:
    what a whole log holds. `made`: the checks that count. `subject`: what was judged, when it is no shoe.
    """

    report: Report
    entropy_reason: str = ""
    shoe_id: str = ""
    seed: tuple[int, str] | None = None
    unread: str = ""
    log: LogTold | None = None
    made: tuple[CheckName, ...] = CHECKS[:-1]
    subject: str = ""

    @property
    def exit_code(self) -> int:
        """The exit status for this file alone."""
        results = {check.result for check in self.report.checks if check.check in self.made}
        if self.unread:
            return UNREAD
        if "failed" in results:
            return FAILED
        return PASSED if results == {"passed"} and self.report.complete else INCOMPLETE


def judge_path(path: Path, trust: Trust) -> list[Judgement]:
    """Judge a bundle, or each shoe of a whole log and then the log itself."""
    if not path.is_dir():
        return [judge(path, trust)]
    try:
        log, shoes = whole.examine(path, trust)
    except UnreadableFolderError as error:
        return [unread(path, str(error))]
    except MemoryError:
        return [unread(path, "it needs more memory than there is")]
    judged = [
        Judgement(
            report=report,
            entropy_reason=shoe.entropy_reason,
            shoe_id=shoe.shoe_id,
            seed=shoe.seed,
        )
        for report, shoe in shoes
    ]
    return [*judged, Judgement(report=log, log=log.log)]


def judge(path: Path, trust: Trust) -> Judgement:
    """Judge one bundle, whatever it is."""
    try:
        bundle = open_bundle(path)
        auditor = RoundAuditor(bundle, trust) if bundle.is_rounds else Auditor(bundle, trust)
        report = auditor.audit()
    except UnreadableBundleError as error:
        return unread(path, str(error))
    except MemoryError:
        return unread(path, "it needs more memory than there is")
    shoe = auditor.shoe
    subject = f"table {report.table}, shoe {report.shoe}, one round alone" if bundle.is_rounds else ""
    if shoe is None:
        return Judgement(report=report, subject=subject)
    return Judgement(
        report=report,
        entropy_reason=shoe.entropy_reason,
        shoe_id=shoe.shoe_id,
        seed=shoe.seed,
        subject=subject,
    )


def unread(path: Path, why: str) -> Judgement:
    """Give the judgement on a file that could not be read: nothing can be said of it."""
    checks = tuple(not_made(check, f"the file could not be read: {why}") for check in CHECKS)
    report = Report(file=printable(path), table=None, shoe=None, complete=False, entropy=None, checks=checks)
    return Judgement(report=report, unread=why)


def judge_all(paths: Sequence[Path], trust: Trust) -> list[Judgement]:
    """Judge several bundles, or whole logs, in the order given, on as many cores as there are."""
    cores = min(os.cpu_count() or 1, len(paths))
    if cores == 1 or sum(map(_size_bytes, paths)) < WORTH_A_PROCESS_BYTES:
        return compare_seeds([judgement for path in paths for judgement in judge_path(path, trust)])
    # Spawned, not forked: whoever calls this may run threads.
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as pool:
        judged = pool.map(judge_path, paths, [trust] * len(paths))
        return compare_seeds([judgement for of_path in judged for judgement in of_path])


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
        return (path / ENTRIES if path.is_dir() else path).stat().st_size
    except OSError:
        return 0


def worst(codes: Iterable[int]) -> int:
    """Give the exit status for several files."""
    found = set(codes)
    return next(code for code in WORST_FIRST if code in found)
