"""Check 3, the log: the last entry is included under a checkpoint that the log signed, and its witnesses too."""

from msgspec import Struct

from schemas.bundle import Bundle
from schemas.checkpoint import Checkpoint
from schemas.checkpoint import parse as parse_checkpoint
from schemas.note import NoteError, Verifier
from schemas.note import parse as parse_note
from schemas.policy import Log, Policy, UnreadablePolicyError, judge
from schemas.policy import parse as parse_policy
from schemas.proof import Proof, UnreadableProofError
from schemas.proof import parse as parse_proof
from schemas.tree import verify_inclusion
from services.audit.findings import Page

NO_KEY = "no key was given: the log holds under the bundle's own policy, which proves nothing to a stranger"


class Trust(Struct, frozen=True, kw_only=True):
    """What the auditor brings: a policy or a log's key got elsewhere, and keys of signers of last ingredients."""

    policy: Policy | None = None
    log_key: Verifier | None = None
    signers: tuple[Verifier, ...] = ()

    @property
    def log_keys(self) -> tuple[Verifier, ...]:
        """The log keys that are believed; none when nothing was given."""
        if self.policy is not None:
            return tuple(log.key for log in self.policy.logs)
        return () if self.log_key is None else (self.log_key,)


class LogCheck:
    """Checkpoints, and what is said to be under them, against the keys given; else against the log's own policy."""

    def __init__(self, page: Page, trust: Trust) -> None:
        self.page = page
        self._trust = trust
        self._policy: Policy | None = None

    def finish_bundle(self, bundle: Bundle, last_leaf: bytes | None) -> tuple[Proof | None, Checkpoint | None]:
        """Check a bundle's proof, once the last entry's leaf is known, and give it with its checkpoint.

        Without that leaf, the entries were not read to their end, all the rest is checked.
        """
        self.believe(bundle.policy_text)
        proof = self.read(bundle.proof_text)
        if proof is None:
            return None, None
        if bundle.checkpoint_text != proof.checkpoint:
            self.page.note(0, "the checkpoint is not byte for byte the one inside the proof")
        checkpoint = self.judge(proof.checkpoint, bundle.manifest.origin)
        if checkpoint is not None and last_leaf is not None:
            self.include(checkpoint, proof, last_leaf)
        return proof, checkpoint

    def believe(self, policy_text: bytes | None, *, no_key: str = NO_KEY) -> None:
        """Settle by which policy to judge: the one given, else the log's own with the key that was given."""
        own = None if policy_text is None else self._own_policy(policy_text)
        trust = self._trust
        if not trust.log_keys:
            self.page.leave(no_key)
        if trust.policy is not None:
            self._policy = trust.policy
        elif trust.log_key is None:
            self._policy = own
        else:
            log = (Log(key=trust.log_key),)
            self._policy = (
                Policy(logs=log)
                if own is None
                else Policy(logs=log, witnesses=own.witnesses, groups=own.groups, quorum=own.quorum)
            )

    def _own_policy(self, text: bytes) -> Policy | None:
        """Read the policy that lies beside, and compare its log with the one given."""
        try:
            own = parse_policy(text)
        except UnreadablePolicyError as error:
            self.page.note(0, f"the bundle's policy cannot be read: {error}")
            return None
        keys = [log.key for log in own.logs]
        if not keys:
            self.page.note(0, "the bundle's policy names no log")
        if given := self._trust.log_keys:
            for key in keys:
                if key not in given:
                    self.page.note(0, f"the bundle's policy names the log key {key.vkey}, which is not the one given")
        return own

    def read(self, text: bytes, *, name: str = "the proof") -> Proof | None:
        """Read a proof."""
        try:
            return parse_proof(text)
        except UnreadableProofError as error:
            self.page.note(0, f"{name} cannot be read: {error}")
            return None

    def judge(self, note: bytes, origin: str | None = None) -> Checkpoint | None:
        """Judge a checkpoint by the policy; `origin` is the log that it is said to be of."""
        if self._policy is None:
            return None
        verdict = judge(self._policy, note)
        for what in verdict.findings:
            self.page.note(0, what)
        if verdict.checkpoint is not None and origin not in (None, verdict.checkpoint.origin):
            self.page.note(0, f"the manifest's origin is {origin}; the checkpoint's is {verdict.checkpoint.origin}")
        return verdict.checkpoint

    def take_its_word(self, note: bytes) -> Checkpoint | None:
        """Read a checkpoint that nobody vouches for."""
        try:
            return parse_checkpoint(parse_note(note).text)
        except NoteError as error:
            self.page.note(0, f"the checkpoint cannot be read: {error}")
            return None

    def include(
        self, checkpoint: Checkpoint, proof: Proof, leaf: bytes, *, what: str = "the last entry", version: int = 0
    ) -> None:
        """See that a leaf is under a checkpoint, where its proof says."""
        if not verify_inclusion(
            index=proof.index, size=checkpoint.size, leaf=leaf, proof=proof.hashes, root=checkpoint.root
        ):
            self.page.note(version, f"{what} is not in the log under this checkpoint, at the place that the proof says")
