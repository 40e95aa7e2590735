"""How a verdict is told to people: every check, every finding, the grade of the entropy, and what it comes to."""

from collections.abc import Iterator

from services.audit.findings import Check
from services.audit.story import TableTold
from services.audit.verdict import FAILED, INCOMPLETE, PASSED, UNREAD, Judgement

VERDICTS = {
    PASSED: "everything passed",
    FAILED: "something failed",
    INCOMPLETE: "nothing failed, but the evidence is incomplete",
    UNREAD: "could not be read",
}
LISTED = 20


def told(judgement: Judgement) -> str:
    """Tell a judgement to people."""
    report = judgement.report
    if judgement.unread:
        return f"{report.file}: {VERDICTS[UNREAD]}: {judgement.unread}"
    lines = [f"{report.file}: {_headline(judgement)}"]
    for check in report.checks:
        lines += _told_check(check)
    if judgement.entropy_reason:
        lines.append(f"  entropy  {report.entropy or 'no grade'}: {judgement.entropy_reason}")
    if judgement.log is not None:
        for table in judgement.log.tables:
            lines += _told_table(table)
    return "\n".join([*lines, f"  verdict  {VERDICTS[judgement.exit_code]}"])


def _headline(judgement: Judgement) -> str:
    report, log = judgement.report, judgement.log
    if judgement.subject:
        return judgement.subject
    if log is not None:
        return f"the whole log {log.origin or '(of no known origin)'}, {log.size:,} entries"
    return f"table {report.table}, shoe {report.shoe}, {'complete' if report.complete else 'open'}"


def _told_table(table: TableTold) -> Iterator[str]:
    """Tell of a table's shoes; each that was voided is named."""
    grades = ", ".join(f"{count} {grade}" for grade, count in table.entropy.items())
    open_ = f", {len(table.open)} open" if table.open else ""
    yield (
        f"  table {table.table}: {table.closed} shoes closed{open_}, {len(table.voided)} voided"
        f" (void rate {table.void_rate}); entropy: {grades or 'none'}"
    )
    for shoe in table.voided[:LISTED]:
        yield f"           shoe {shoe.shoe} voided: {shoe.reason} (version {shoe.version})"
    if (more := len(table.voided) - LISTED) > 0:
        yield f"           and {more} more: --json lists them"


def _told_check(check: Check) -> list[str]:
    name = f"  {check.check:<7}  "
    if check.result == "passed":
        return [f"{name}passed"]
    if check.result == "not-checked":
        return [f"{name}not checked: {check.findings[0].what}"]
    listed = [f"           {_place(finding.version)}{finding.what}" for finding in check.findings[:LISTED]]
    if (more := len(check.findings) - LISTED) > 0:
        listed.append(f"           and {more} more: --json lists them")
    return [f"{name}FAILED", *listed]


def _place(version: int) -> str:
    return f"version {version}: " if version else ""
