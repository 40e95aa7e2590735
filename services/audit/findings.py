"""What an auditor says of a bundle: seven checks, each with its result and its findings, in the form of `--json`."""

from typing import Literal

from msgspec import Struct

from services.table.game.grade import Grade

CheckName = Literal["bytes", "chain", "log", "shoe", "rules", "money", "ledger"]
Result = Literal["passed", "failed", "not-checked"]

CHECKS: tuple[CheckName, ...] = ("bytes", "chain", "log", "shoe", "rules", "money", "ledger")
NO_LEDGER = "no ledger's statement was given"
# A file of a million wrong lines must not fill the memory: beyond these, findings are counted only.
LISTED_FINDINGS = 10_000
MOST_LETTERS = 400


class Finding(Struct, frozen=True, kw_only=True):
    """What is wrong, and the version of the entry it is about; 0 when it is about no single entry."""

    version: int
    what: str


class Check(Struct, frozen=True, kw_only=True):
    """One check: a check that was not made carries one finding, the reason."""

    check: CheckName
    result: Result
    findings: tuple[Finding, ...]


class Report(Struct, frozen=True, kw_only=True):
    """All that is said of one file. `table` and `shoe` are null when it could not be read, `entropy` without a seed."""

    file: str
    table: str | None
    shoe: int | None
    complete: bool
    entropy: Grade | None
    checks: tuple[Check, ...]


class Page:
    """The page of one check while it is being made."""

    __slots__ = ("_left_out", "_not_checked", "check", "findings")

    def __init__(self, check: CheckName) -> None:
        self.check: CheckName = check
        self.findings: list[Finding] = []
        self._left_out = 0
        self._not_checked: str | None = None

    def note(self, version: int, what: str) -> None:
        """Write down a finding: the check has failed."""
        if len(self.findings) < LISTED_FINDINGS:
            self.findings.append(Finding(version=version, what=what[:MOST_LETTERS]))
        else:
            self._left_out += 1

    def leave(self, why: str) -> None:
        """Say that the check could not be made to its end; it counts as failed all the same when something failed."""
        if self._not_checked is None:
            self._not_checked = why[:MOST_LETTERS]

    @property
    def is_left(self) -> bool:
        """Whether the check could not be made to its end."""
        return self._not_checked is not None

    def close(self) -> Check:
        """Give the check as it stands in the report."""
        findings = list(self.findings)
        if self._left_out:
            findings.append(Finding(version=0, what=f"{self._left_out} more findings, not listed"))
        if findings:
            return Check(check=self.check, result="failed", findings=tuple(findings))
        if self._not_checked is not None:
            return not_made(self.check, self._not_checked)
        return Check(check=self.check, result="passed", findings=())


def not_made(check: CheckName, why: str) -> Check:
    """Give a check that was not made, with the reason."""
    return Check(check=check, result="not-checked", findings=(Finding(version=0, what=why),))
