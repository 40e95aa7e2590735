"""The messenger to one witness: shows it a checkpoint (C2SP tlog-witness), and brings its cosignature back.

The witness is a stranger. It may be away, slow, or lie: what it says is bounded in time and size, its signature is
verified, and the sizes that it claims are claims.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import httpx

from schemas import submission
from schemas.note import NoteError, taken_up
from schemas.policy import Witness
from schemas.submission import Submission, UnreadableSubmissionError

VISIT_SECONDS = 5.0
TRIES = 3
LONGEST_ANSWER_BYTES = 1 << 16

# Proves that the tree of one size is the beginning of the tree of another.
ProveBeginning = Callable[[int, int], Awaitable[Sequence[bytes]]]


class UnhelpfulError(Exception):
    """The witness gave no cosignature: it is away, slow, or says no, or nothing that can be understood."""


class DisputeError(Exception):
    """The witness has cosigned a tree of this log that did not grow into this one, or so it says."""


class AheadError(Exception):
    """The witness has cosigned a larger tree than the one that it was shown, or so it says."""

    def __init__(self, size: int) -> None:
        super().__init__(f"it has cosigned {size} entries of this log")
        self.size = size


class Messenger:
    """Goes to one witness, again and again; remembers how far it has cosigned."""

    def __init__(self, witness: Witness, http: httpx.AsyncClient, prove: ProveBeginning) -> None:
        assert witness.url is not None, "nobody goes to a witness without an address"
        self._key = witness.key
        self._address = witness.url.rstrip("/") + submission.ROUTE
        self._http = http
        self._prove = prove
        self._cosigned_size = 0

    async def fetch(self, note: bytes, size: int) -> bytes:
        """Give the witness's line under a checkpoint of this size. Raises UnhelpfulError, DisputeError, AheadError."""
        for _ in range(TRIES):
            old_size = self._cosigned_size
            if old_size > size:
                self._cosigned_size = 0  # it may have said anything: ask anew next time
                raise AheadError(old_size)
            proof = tuple(await self._prove(old_size, size))
            status, body = await self._submit(Submission(old_size=old_size, proof=proof, checkpoint=note))
            if status == httpx.codes.OK:
                line = self._line(note, body)
                self._cosigned_size = size
                return line
            self._cosigned_size = _conflict(status, body, old_size=old_size)
        raise UnhelpfulError(f"it names another size each time, the last {self._cosigned_size}")

    def _line(self, note: bytes, body: bytes) -> bytes:
        try:
            return taken_up(note, body, self._key).removeprefix(note)
        except NoteError as error:
            raise UnhelpfulError(f"its answer is no cosignature: {error}") from None

    async def _submit(self, shown: Submission) -> tuple[int, bytes]:
        """Hand a submission over, and give the answer's status and body."""
        body = b""
        try:
            async with (
                asyncio.timeout(VISIT_SECONDS),
                self._http.stream("POST", self._address, content=submission.encode(shown)) as answer,
            ):
                async for piece in answer.aiter_bytes():
                    body += piece
                    if len(body) > LONGEST_ANSWER_BYTES:
                        raise UnhelpfulError("its answer has no end")
                return answer.status_code, body
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as error:
            raise UnhelpfulError(str(error) or type(error).__name__) from None


def _conflict(status: int, body: bytes, *, old_size: int) -> int:
    """Give the size that the witness has, when that is all that it objects to."""
    if status == httpx.codes.UNPROCESSABLE_ENTITY:
        raise DisputeError(f"it does not find its own {old_size} entries at the beginning of this log")
    if status != httpx.codes.CONFLICT:
        raise UnhelpfulError(f"it answers {status}: {body[:200].decode(errors='replace')}")
    try:
        size = submission.parse_size(body)
    except UnreadableSubmissionError as error:
        raise UnhelpfulError(f"it answers 409: {error}") from None
    if size == old_size:
        raise DisputeError(f"it has cosigned another tree of {size} entries")
    return size
