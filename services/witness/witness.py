"""The witness itself: what it cosigns, what it refuses, and what it keeps of what it refused.

It believes a log's signature and a proof that the log's tree only grew, nothing else. Many threads may ask at once.
"""

import threading
import time
from collections.abc import Iterable, Mapping

import structlog

from schemas import submission
from schemas.checkpoint import Checkpoint
from schemas.note import NoteError, Signer, Verifier, cosign, signed_only
from schemas.submission import Submission, UnreadableSubmissionError, mark_of
from schemas.tree import EMPTY_ROOT, verify_consistency
from services.witness.evidence import Evidence, Kind
from services.witness.memory import Cosigned, Memory, checkpoint_of

_log = structlog.get_logger()


class RefusedError(Exception):
    """The witness does not cosign: the status that the protocol has for it, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class ConflictError(RefusedError):
    """Whoever asks thinks that the witness has cosigned another size: `size` is the one that it has."""

    def __init__(self, size: int) -> None:
        super().__init__(409, f"the checkpoint that was cosigned last has size {size}")
        self.size = size


class Witness:
    """One key, its memory, and the keys of the logs that it knows; a key's name is its log's origin."""

    def __init__(self, signer: Signer, memory: Memory, evidence: Evidence, logs: Iterable[Verifier]) -> None:
        self._signer = signer
        self._memory = memory
        self._keys: dict[str, list[Verifier]] = {}
        for key in logs:
            self._keys.setdefault(key.name, []).append(key)
        self._turn = threading.Lock()
        self.evidence = evidence

    @property
    def vkey(self) -> str:
        """The key that its cosignatures are verified with."""
        return self._signer.verifier.vkey

    @property
    def sizes(self) -> Mapping[str, int]:
        """The size at which each log was cosigned last."""
        return {origin: cosigned.checkpoint.size for origin, cosigned in self._memory.logs.items()}

    def latest(self, mark: str) -> bytes | None:
        """Give the newest note that was cosigned of the log with this mark; None when there is none."""
        return next((each.note for origin, each in self._memory.logs.items() if mark_of(origin) == mark), None)

    def add(self, request: bytes) -> bytes:
        """Cosign a checkpoint: give the line to be put under it.

        Raises RefusedError, and OSError when it cannot be remembered, which it must be first.
        """
        asked = _read(request)
        shown = _checkpoint(asked.checkpoint)
        signed = self._signed(shown.origin, asked.checkpoint)
        if asked.old_size > shown.size:
            raise RefusedError(400, f"the old size {asked.old_size} is above the checkpoint's own, {shown.size}")
        with self._turn:
            self._compare(Submission(old_size=asked.old_size, proof=asked.proof, checkpoint=signed), shown)
            note = cosign(signed, self._signer, timestamp=int(time.time()))
            self._memory.keep(shown.origin, note)
        _log.info("cosigned", origin=shown.origin, size=shown.size)
        return note.removeprefix(signed)

    def _signed(self, origin: str, note: bytes) -> bytes:
        """Give the note with the log's own signatures. Raises RefusedError."""
        keys = self._keys.get(origin)
        if keys is None:
            raise RefusedError(404, f"this witness does not know the log {origin}")
        try:
            return signed_only(note, keys)
        except NoteError as error:
            raise RefusedError(403, str(error)) from None

    def _compare(self, asked: Submission, shown: Checkpoint) -> None:
        """Hold a checkpoint against the memory. Raises RefusedError."""
        before = self._memory.logs.get(shown.origin)
        held = Checkpoint(origin=shown.origin, size=0, root=EMPTY_ROOT) if before is None else before.checkpoint
        does_follow = asked.old_size == held.size and verify_consistency(
            old_size=held.size, size=shown.size, old_root=held.root, root=shown.root, proof=asked.proof
        )
        if does_follow:
            return
        if before is not None:
            self._accuse(before, asked, shown)
        if asked.old_size != held.size:
            raise ConflictError(held.size)
        raise RefusedError(422, f"the proof does not lead from the {held.size} entries that were cosigned to this tree")

    def _accuse(self, before: Cosigned, asked: Submission, shown: Checkpoint) -> None:
        """Keep what was shown when it does not go with what was cosigned. The refusal stands, kept or not."""
        found = _misfit(before, asked, shown)
        if found is None:
            return
        kind, note = found
        try:
            self.evidence.keep(kind, cosigned=note, shown=asked.checkpoint, request=submission.encode(asked))
        except OSError as error:
            _log.critical("evidence not kept", kind=kind, origin=shown.origin, error=str(error))


def _misfit(before: Cosigned, asked: Submission, shown: Checkpoint) -> tuple[Kind, bytes] | None:
    """Tell what does not go together, with the note that was cosigned; None when that is nobody's fault."""
    held = before.checkpoint
    for note in map(str.encode, before.notes):
        cosigned = checkpoint_of(note)
        if cosigned.size == shown.size:
            return None if cosigned.root == shown.root else ("fork", note)
    if shown.size < held.size:
        return ("rollback", before.note) if shown.size else None  # an empty log is the beginning of any
    return ("unproved", before.note) if asked.old_size == held.size else None


def _read(request: bytes) -> Submission:
    try:
        return submission.parse(request)
    except UnreadableSubmissionError as error:
        raise RefusedError(400, str(error)) from None


def _checkpoint(note: bytes) -> Checkpoint:
    try:
        return checkpoint_of(note)
    except NoteError as error:
        raise RefusedError(400, str(error)) from None
