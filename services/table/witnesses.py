"""The log's witnesses: each is shown the newest checkpoint, and puts its cosignature under it, while play goes on.

Checkpoints are out as soon as the log has signed them; the witnesses' lines are added as they arrive. All witnesses are
shown the same checkpoint until it has its quorum, or everybody has said what he had to say; then the newest is next.
The first answer of each witness is also a comparison: one that has cosigned more than the log has, or another log,
stops the service. Later, when the log is known to have only grown, it is an alarm.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import Callable

import httpx
import structlog
from msgspec import Struct
from msgspec.structs import replace

from schemas.note import Verifier
from schemas.note import parse as parse_note
from schemas.policy import NONE, Log, Policy, is_met
from schemas.proof import Proof
from services.table import agreement
from services.table.command import UnavailableError
from services.table.database import Pool
from services.table.messenger import VISIT_SECONDS, AheadError, DisputeError, Messenger
from services.table.notary import Notary
from services.table.scribe import SUCCEED, Signed
from services.table.shelf import MismatchError

SHOW_SECONDS = 1.0  # how long whoever asks for a checkpoint waits for its cosignatures
PROVE_SECONDS = 5.0  # how long a bundle does
STRICT_SECONDS = 5.0  # how long the first card of a round is held
FIRST_REST_SECONDS = 0.25
LONGEST_REST_SECONDS = 30.0
KEEP_SECONDS = 1.0
_ROUNDS_REMEMBERED = 8
_REMEDY = (
    f"Entries were lost, or somebody else signs with this log's key. {SUCCEED}. If the witness is wrong, take it out of"
    " the policy file"
)
_log = structlog.get_logger()


class UnwitnessedError(Exception):
    """No quorum has cosigned in time."""


class Gathered(Struct, kw_only=True):
    """A checkpoint, and the lines that were gathered below it, by the witnesses' names in the policy."""

    signed: Signed
    lines: dict[str, bytes]

    @property
    def cosigned(self) -> Signed:
        """The checkpoint with every line."""
        return replace(self.signed, note=self.signed.note + b"".join(self.lines.values()))


class Watch:
    """One witness as it stands with this service."""

    def __init__(self, name: str, messenger: Messenger) -> None:
        self.name = name
        self.messenger = messenger
        self.seen: Signed | None = None  # the checkpoint that it has had its say about
        self.is_busy = False
        self.has_answered = False  # in any way, or not in time
        self.has_agreed = False
        self.failures = 0

    @property
    def rest_seconds(self) -> float:
        """How long to leave it alone after it failed."""
        return min(FIRST_REST_SECONDS * 2.0 ** min(self.failures - 1, 16), LONGEST_REST_SECONDS)


class Witnesses:
    """Those of one policy. Made within the running event loop; `open` before use, `close` after."""

    def __init__(self, pool: Pool, notary: Notary, policy: Policy) -> None:
        self.policy = policy
        self._pool = pool
        self._notary = notary
        self._http = httpx.AsyncClient(timeout=VISIT_SECONDS, follow_redirects=False)
        self._watches = [
            Watch(witness.name, Messenger(witness, self._http, notary.prove_beginning))
            for witness in policy.witnesses
            if witness.url is not None
        ]
        self._rounds: OrderedDict[int, Gathered] = OrderedDict()
        self._shown: Signed | None = None
        self._agreed: Signed | None = None
        self._kept: Signed | None = None
        self._changed = asyncio.Event()
        self._hurry = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Begin, and compare the log with what each witness says; those that do not answer are compared when they do.

        Raises MismatchError when one has cosigned more than the log has, or another log.
        """
        latest = await self._notary.ready()
        self._agreed = self._kept = await agreement.read(self._pool, self.policy)
        if self._agreed is not None and self._agreed.size > latest.size:
            raise MismatchError(
                f"the witnesses agreed on {self._agreed.size} entries of this log of {latest.size}. {_REMEDY}"
            )
        work = [self._pace(), self._keep_always(), *map(self._attend, self._watches)]
        self._tasks = [asyncio.get_running_loop().create_task(each) for each in work]
        await self._until(lambda: all(each.has_answered for each in self._watches), patience_seconds=2 * VISIT_SECONDS)
        if self._notary.refusal is not None:
            raise MismatchError(self._notary.refusal)

    async def close(self) -> None:
        """Ask nobody any more."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._keep()
        await self._http.aclose()

    @property
    def standing(self) -> dict[str, bool]:
        """Each witness that is asked, and whether it has cosigned what it was shown last."""
        return {each.name: each.has_agreed and not each.failures for each in self._watches}

    async def show(self) -> Signed:
        """Give the newest checkpoint, with its quorum if it comes soon, else with the lines that it has."""
        return await self._settled(await self._notary.ready(), SHOW_SECONDS)

    async def cosigned(self, signed: Signed, *, patience_seconds: float = STRICT_SECONDS) -> Signed:
        """Give a checkpoint of this size or above that has its quorum. Raises UnwitnessedError, MismatchError."""
        if not is_met(self.policy, [each.name for each in self._watches if not each.failures]):
            self._hurry.set()  # those who rest are needed
            self._hurry = asyncio.Event()
        await self._until(lambda: self._has_agreed(signed) or self._is_refused(), patience_seconds=patience_seconds)
        if self._notary.refusal is not None:
            raise MismatchError(self._notary.refusal)
        if self._agreed is None or not self._has_agreed(signed):
            raise UnwitnessedError(f"the quorum {self.policy.quorum} of the log's witnesses has not cosigned in time")
        return self._agreed

    async def prove(self, position: int) -> Proof:
        """Prove an entry by a checkpoint that has its quorum, if one comes in time; else by the newest as it is.

        Raises as `Notary.prove` does.
        """
        log = await self._notary.log_of(position)
        if log != self._notary.verifier:
            return await self._prove_of_old(position, log)
        signed = self._agreed
        if signed is None or not self._notary.covers(signed, position):
            signed = await self._settled(await self._notary.cover(position), PROVE_SECONDS)
        proof = await self._notary.prove(position, size=signed.size)
        if parse_note(proof.checkpoint).text != parse_note(signed.note).text:
            raise MismatchError(f"the checkpoint of {signed.size} that is kept is not the one that was cosigned")
        return replace(proof, checkpoint=signed.note)

    def policy_of(self, log: Verifier) -> Policy:
        """Give the policy for a log of this journal: an earlier one had, for all we know, the same witnesses."""
        return self.policy if log == self._notary.verifier else replace(self.policy, logs=(Log(key=log),))

    async def _prove_of_old(self, position: int, log: Verifier) -> Proof:
        """Prove an entry of a log that has ended, by its last checkpoint, with its cosignatures if they are kept."""
        proof = await self._notary.prove(position)
        agreed = await agreement.read(self._pool, self.policy_of(log))
        if agreed is None or parse_note(agreed.note).text != parse_note(proof.checkpoint).text:
            return proof
        return replace(proof, checkpoint=agreed.note)

    async def _settled(self, signed: Signed, patience_seconds: float) -> Signed:
        """Wait until a checkpoint of this size or above has its quorum, or everybody has had his say."""
        await self._until(lambda: self._is_settled(signed), patience_seconds=patience_seconds)
        if self._agreed is not None and self._has_agreed(signed):
            return self._agreed
        gathered = self._rounds.get(signed.size)
        return signed if gathered is None else gathered.cosigned

    def _has_agreed(self, signed: Signed) -> bool:
        return self._agreed is not None and self._agreed.size >= signed.size

    def _is_refused(self) -> bool:
        return self._notary.refusal is not None

    def _is_settled(self, signed: Signed) -> bool:
        return self._is_over(signed) or (self.policy.quorum != NONE and self._has_agreed(signed))

    def _is_over(self, signed: Signed) -> bool:
        """Whether everybody who can be asked has had his say about this checkpoint or a later one."""
        return self._shown is not None and self._shown.size >= signed.size and not self._is_anybody_busy()

    def _is_anybody_busy(self) -> bool:
        return any(each.is_busy for each in self._watches)

    async def _pace(self) -> None:
        """Show the newest checkpoint, wait for its quorum or until everybody has had his say, and so on."""
        seen: Signed | None = None
        while True:
            seen = await self._notary.newer(seen)
            self._show(seen)
            await self._until(lambda: self._has_agreed(seen) or not self._is_anybody_busy())  # noqa: B023 - done by then

    def _show(self, signed: Signed) -> None:
        """Put a checkpoint before all witnesses."""
        self._shown = signed
        self._rounds[signed.size] = Gathered(signed=signed, lines={})
        while len(self._rounds) > _ROUNDS_REMEMBERED:
            self._rounds.popitem(last=False)
        for each in self._watches:
            each.is_busy = each.is_busy or not each.failures  # one that rests after a failure keeps nobody waiting
        self._agree(self._rounds[signed.size])
        self._tell()

    def _agree(self, gathered: Gathered) -> None:
        """Take note of a checkpoint that has its quorum, or one more line below it."""
        if is_met(self.policy, gathered.lines) and not self._has_later(gathered.signed):
            self._agreed = gathered.cosigned

    def _has_later(self, signed: Signed) -> bool:
        return self._agreed is not None and self._agreed.size > signed.size

    async def _attend(self, watch: Watch) -> None:
        """Show one witness whatever is put before all of them, and gather its lines."""
        while True:
            await self._until(lambda: watch.seen is not self._shown)
            assert self._shown is not None, "it is another than was seen"
            await self._visit(watch, self._shown)
            watch.has_answered = True
            watch.is_busy = watch.seen is not self._shown and not watch.failures
            self._tell()
            if watch.failures:
                await self._leave_alone(watch)

    async def _visit(self, watch: Watch, signed: Signed) -> None:
        """Show a checkpoint to a witness once. Whatever comes of it is told in the log when it is news."""
        watch.is_busy = True
        try:
            line = await watch.messenger.fetch(signed.note, signed.size)
        except AheadError as ahead:
            await self._compare(watch, signed, ahead)
        except DisputeError as dispute:
            self._hear(watch, signed, dispute)
        except Exception as error:  # noqa: BLE001  # whatever a stranger says, he is asked again
            if not watch.failures:
                _log.warning("witness gives nothing", witness=watch.name, reason=str(error) or type(error).__name__)
            watch.failures += 1
        else:
            self._gather(watch, signed, line)

    def _gather(self, watch: Watch, signed: Signed, line: bytes) -> None:
        if watch.failures or not watch.has_agreed:
            _log.info("witness cosigns", witness=watch.name, size=signed.size)
        watch.seen, watch.failures, watch.has_agreed = signed, 0, True
        if (gathered := self._rounds.get(signed.size)) is not None:
            gathered.lines[watch.name] = line
            self._agree(gathered)

    async def _compare(self, watch: Watch, signed: Signed, ahead: AheadError) -> None:
        """Look whether the log is longer than this service knew: another one on the same database may sign."""
        try:
            is_known = (await self._notary.reread()).size >= ahead.size
        except UnavailableError:
            watch.failures += 1
            return
        if is_known:
            watch.seen, watch.failures = signed, 0
        else:
            self._hear(watch, signed, ahead)

    def _hear(self, watch: Watch, signed: Signed, dispute: AheadError | DisputeError) -> None:
        """Take up what a witness says against the log."""
        watch.failures += 1
        _log.critical("witness disputes the log", witness=watch.name, size=signed.size, reason=str(dispute))
        if not watch.has_agreed:
            self._notary.refuse(f"the witness {watch.name} contradicts this log of {signed.size}: {dispute}. {_REMEDY}")

    async def _leave_alone(self, watch: Watch) -> None:
        """Let a witness rest that failed; less when somebody waits for it."""
        await asyncio.sleep(FIRST_REST_SECONDS)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(watch.rest_seconds - FIRST_REST_SECONDS):
                await self._hurry.wait()

    async def _keep_always(self) -> None:
        """Keep what has its quorum, once in a while: it is proved by until the witnesses are back."""
        while True:
            await self._until(lambda: self._agreed is not self._kept)
            await self._keep()
            await asyncio.sleep(KEEP_SECONDS)

    async def _keep(self) -> None:
        agreed = self._agreed
        if agreed is not None and agreed is not self._kept:
            with contextlib.suppress(UnavailableError):
                await agreement.keep(self._pool, agreed)
                self._kept = agreed

    async def _until(self, is_true: Callable[[], bool], *, patience_seconds: float | None = None) -> None:
        """Wait until something is true, or patience is at its end."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience_seconds):
                while not is_true():
                    await self._changed.wait()

    def _tell(self) -> None:
        """Let whoever waits look again."""
        self._changed.set()
        self._changed = asyncio.Event()
