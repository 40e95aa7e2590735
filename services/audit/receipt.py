"""A receipt: that one entry, known by its bytes or by its hash alone, stands in a log that one believes."""

import stat
from pathlib import Path

from schemas.entry import MAX_BYTES, Entry, UnreadableError, decode
from schemas.entry import leaf as leaf_of
from schemas.note import MAX_BYTES as MAX_NOTE_BYTES
from services.audit.auditor import printable
from services.audit.findings import CHECKS, CheckName, Page, Report, not_made
from services.audit.log import LogCheck, Trust
from services.audit.verdict import Judgement, unread

NO_KEY = "no key was given: the entry is under the checkpoint, and whether the log signed that is not known"
ABOUT_ONE_ENTRY = "a receipt is about one entry"


def judge_receipt(path: Path, trust: Trust, *, entry: Path | None = None, leaf: bytes = b"") -> Judgement:
    """Judge a tlog-proof of one entry: of the bytes in a file, or of those with this leaf hash."""
    try:
        text = _read(path, 2 * MAX_NOTE_BYTES + 1)
        line = b"" if entry is None else _read(entry, MAX_BYTES + 1).removesuffix(b"\n")
    except OSError as error:
        return unread(path, error.strerror or type(error).__name__)
    pages: dict[CheckName, Page] = {check: Page(check) for check in ("bytes", "log")}
    read = None if entry is None else _entry(line, pages["bytes"])
    _check(text, leaf if entry is None else leaf_of(line), trust, pages["log"])
    made: tuple[CheckName, ...] = ("log",) if entry is None else ("bytes", "log")
    return Judgement(
        report=Report(
            file=printable(path),
            table=_table(read),
            shoe=None,
            complete=True,
            entropy=None,
            checks=tuple(pages[c].close() if c in made else not_made(c, ABOUT_ONE_ENTRY) for c in CHECKS),
        ),
        made=made,
        subject="a receipt" if read is None else f"a receipt for {read.stream}, version {read.version}",
    )


def _check(text: bytes, leaf: bytes, trust: Trust, page: Page) -> None:
    """See that the leaf is under a checkpoint of the log. Without a key its own word is all there is."""
    log = LogCheck(page, trust)
    log.believe(None, no_key=NO_KEY)
    proof = log.read(text)
    if proof is None:
        return
    checkpoint = log.judge(proof.checkpoint) if trust.log_keys else log.take_its_word(proof.checkpoint)
    if checkpoint is not None:
        log.include(checkpoint, proof, leaf, what="the entry")


def _entry(line: bytes, page: Page) -> Entry | None:
    try:
        return decode(line)
    except UnreadableError as error:
        if error.unknown_schema:
            page.leave("the entry is of a schema that this verifier does not know")
        else:
            page.note(0, str(error))
        return None


def _table(entry: Entry | None) -> str | None:
    return entry.stream.removeprefix("table/") if entry is not None and entry.stream.startswith("table/") else None


def _read(path: Path, most: int) -> bytes:
    """Read no more than so many bytes of a file, and of nothing else. Raises OSError."""
    if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for ever
        raise OSError(0, "not a file")
    with path.open("rb") as file:
        return file.read(most)
