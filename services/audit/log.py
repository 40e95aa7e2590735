"""Check 3, the log: the last entry is included under a checkpoint that the log signed, and its witnesses too."""

from collections.abc import Iterator

from msgspec import Struct

from schemas.bundle import CHECKPOINT, POLICY, PROOF, Bundle
from schemas.checkpoint import Checkpoint
from schemas.note import Verifier
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
    """The bundle's proof, checkpoint and policy, against the last entry and the keys given."""

    def __init__(self, page: Page, bundle: Bundle, trust: Trust) -> None:
        self.page = page
        self._bundle = bundle
        self._trust = trust

    def finish(self, last_leaf: bytes, origin: str | None) -> None:
        """Check everything, once the last entry's leaf is known; `origin` is the log that the manifest names."""
        bundle = self._bundle
        for name, text in (
            (PROOF, bundle.proof_text),
            (CHECKPOINT, bundle.checkpoint_text),
            (POLICY, bundle.policy_text),
        ):
            if not text:
                self.page.note(0, f"the bundle has no {name}")
        own = self._own_policy() if bundle.policy_text else None
        proof = self._proof() if bundle.proof_text else None
        if proof is not None:
            for what in self._judge(own, proof, last_leaf, origin):
                self.page.note(0, what)
        if not self._trust.log_keys:
            self.page.leave(NO_KEY)

    def _own_policy(self) -> Policy | None:
        """Read the bundle's policy, and compare its log with the one given."""
        try:
            own = parse_policy(self._bundle.policy_text)
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

    def _proof(self) -> Proof | None:
        try:
            proof = parse_proof(self._bundle.proof_text)
        except UnreadableProofError as error:
            self.page.note(0, f"the proof cannot be read: {error}")
            return None
        if self._bundle.checkpoint_text not in (b"", proof.checkpoint):
            self.page.note(0, "the checkpoint is not byte for byte the one inside the proof")
        return proof

    def _judge(self, own: Policy | None, proof: Proof, last_leaf: bytes, origin: str | None) -> Iterator[str]:
        """Judge the proof's checkpoint by what is believed, then the inclusion by the checkpoint."""
        policy = self._believed(own)
        if policy is None:
            return
        verdict = judge(policy, proof.checkpoint)
        yield from verdict.findings
        if verdict.checkpoint is not None:
            if origin not in (None, verdict.checkpoint.origin):
                yield f"the manifest's origin is {origin}; the checkpoint's is {verdict.checkpoint.origin}"
            yield from _included(verdict.checkpoint, proof, last_leaf)

    def _believed(self, own: Policy | None) -> Policy | None:
        """Give the policy to judge by: the one given, or the bundle's own with the log's key that was given."""
        trust = self._trust
        if trust.policy is not None:
            return trust.policy
        if trust.log_key is None:
            return own
        log = (Log(key=trust.log_key),)
        if own is None:
            return Policy(logs=log)
        return Policy(logs=log, witnesses=own.witnesses, groups=own.groups, quorum=own.quorum)


def _included(checkpoint: Checkpoint, proof: Proof, leaf: bytes) -> Iterator[str]:
    if not verify_inclusion(
        index=proof.index, size=checkpoint.size, leaf=leaf, proof=proof.hashes, root=checkpoint.root
    ):
        yield "the last entry is not in the log under this checkpoint, at the place that the proof says"
