"""Evidence of misbehaviour: two checkpoints that one log signed, and that do not go together, each case in a file.

Only a `fork` speaks for itself: two trees of one size, both signed. The others ask for an answer: the log can clear
itself by a proof that one of the two checkpoints grew out of the other, and anybody may have sent it an old checkpoint,
or a proof that is none.
"""

import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec
import structlog
from msgspec import Struct

from schemas import durable
from schemas.note import parse as parse_note
from services.witness.memory import checkpoint_of

Kind = Literal["fork", "rollback", "unproved"]
CASES_PER_LOG = 1000  # of a kind; the first are those that matter
_log = structlog.get_logger()


class Case(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One case. `cosigned` is the note that the witness had cosigned, `shown` the one that it was shown afterwards.

    `fork`: one size, two roots. `rollback`: smaller than what was cosigned, and never cosigned itself. `unproved`:
    larger, and the proof that came with it, in `request`, does not hold.
    """

    kind: Kind
    origin: str
    at: str
    cosigned_size: int
    shown_size: int
    cosigned: str
    shown: str
    request: str


class Summary(Struct, frozen=True, kw_only=True):
    """What a list says of a case; the whole is at `/evidence/<name>`."""

    name: str
    kind: Kind
    origin: str
    at: str
    cosigned_size: int
    shown_size: int


class Evidence:
    """The folder of all cases. A case that comes again is kept once."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._summaries = {path.stem: _summary(path.stem, _read(path)) for path in sorted(folder.glob("*.json"))}

    @property
    def summaries(self) -> Sequence[Summary]:
        """All cases, in the order in which they were seen."""
        return sorted(self._summaries.values(), key=lambda each: (each.at, each.name))

    def count(self, origin: str, kind: Kind) -> int:
        """Count the cases of a kind against a log."""
        return sum(each.origin == origin and each.kind == kind for each in self._summaries.values())

    def case(self, name: str) -> Case | None:
        """Give a whole case; None when there is none of this name."""
        return _read(self._folder / f"{name}.json") if name in self._summaries else None

    def keep(self, kind: Kind, *, cosigned: bytes, shown: bytes, request: bytes) -> None:
        """Keep a case, and say so in the log. Raises OSError."""
        held, claimed = checkpoint_of(cosigned), checkpoint_of(shown)
        texts = b"\n".join((parse_note(cosigned).text, parse_note(shown).text))
        name = f"{kind}-{sha256(texts).hexdigest()[:16]}"
        if name in self._summaries:
            return
        case = Case(
            kind=kind,
            origin=held.origin,
            at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            cosigned_size=held.size,
            shown_size=claimed.size,
            cosigned=cosigned.decode(),
            shown=shown.decode(),
            request=request.decode(),
        )
        told = {"kind": kind, "origin": case.origin, "cosigned_size": held.size, "shown_size": claimed.size}
        if self.count(case.origin, kind) >= CASES_PER_LOG:
            _log.error("evidence not kept: there is too much of it", **told)
            return
        durable.put(self._folder / f"{name}.json", _written(case))
        self._summaries[name] = _summary(name, case)
        _log.error("evidence of misbehaviour", name=name, **told)


def _summary(name: str, case: Case) -> Summary:
    return Summary(
        name=name,
        kind=case.kind,
        origin=case.origin,
        at=case.at,
        cosigned_size=case.cosigned_size,
        shown_size=case.shown_size,
    )


def _read(path: Path) -> Case:
    return msgspec.json.decode(path.read_bytes(), type=Case)


def _written(case: Case) -> bytes:
    return msgspec.json.format(msgspec.json.encode(case), indent=1) + b"\n"
