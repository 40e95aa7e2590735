"""Trust policies (C2SP tlog-policy): which logs one believes, and which of their witnesses must have cosigned.

Names of witnesses and groups are octets, not letters: they are kept as UTF-8 with surrogate escapes, which is one to
one. Keys are the same when their public keys are, whatever they are called.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from schemas.checkpoint import Checkpoint, CheckpointError
from schemas.checkpoint import parse as parse_checkpoint
from schemas.note import COSIGNATURE, ED25519, Note, NoteError, Verifier, is_signed, key_of, parse_vkey
from schemas.note import parse as parse_note

NONE = "none"
MAX_BYTES = 1 << 18
_OUTSIDE = re.compile(rb"[^\t\n\x20-\x7e\x80-\xff]")
_SPACE = re.compile(r"[ \t]+")
_THRESHOLD = re.compile(r"[1-9][0-9]{0,5}")


class UnreadablePolicyError(ValueError):
    """Bytes that are no tlog-policy; the message says in which line and why."""


class Log(Struct, frozen=True, kw_only=True):
    """A log whose checkpoints are believed; its key's name is its origin."""

    key: Verifier
    url: str | None = None


class Witness(Struct, frozen=True, kw_only=True):
    """A witness, under the name that it has in this policy alone."""

    name: str
    key: Verifier
    url: str | None = None


class Group(Struct, frozen=True, kw_only=True):
    """Witnesses and earlier groups, of whom at least `threshold` must agree."""

    name: str
    threshold: int
    members: tuple[str, ...]


class Policy(Struct, frozen=True, kw_only=True):
    """Whose checkpoints hold: signed by one of the logs, and cosigned as `quorum` (a name, or `none`) demands."""

    logs: tuple[Log, ...]
    witnesses: tuple[Witness, ...] = ()
    groups: tuple[Group, ...] = ()
    quorum: str = NONE


class Verdict(Struct, frozen=True, kw_only=True):
    """What a policy makes of a note: it holds when there are no findings. `cosigned` names the witnesses in order."""

    checkpoint: Checkpoint | None
    cosigned: tuple[str, ...]
    findings: tuple[str, ...]


def of_log(key: Verifier) -> Policy:
    """Give the policy that asks for this log's signature and no more."""
    return Policy(logs=(Log(key=key),))


def encode(policy: Policy) -> bytes:
    """Write a policy, one item a line. Raises UnreadablePolicyError for one that could not be read again."""
    lines = [
        *(_written("log", log.key.vkey, log.url) for log in policy.logs),
        *(_written("witness", witness.name, witness.key.vkey, witness.url) for witness in policy.witnesses),
        *(_written("group", group.name, str(group.threshold), *group.members) for group in policy.groups),
        _written("quorum", policy.quorum),
    ]
    text = "".join(lines).encode("utf-8", "surrogateescape")
    if parse(text) != policy:
        raise UnreadablePolicyError("a name or an address in the policy has white space in it")
    return text


def _written(*items: str | None) -> str:
    return " ".join(item for item in items if item is not None) + "\n"


def parse(text: bytes) -> Policy:
    """Read a policy. Raises UnreadablePolicyError."""
    if len(text) > MAX_BYTES:
        raise UnreadablePolicyError(f"a policy is at most {MAX_BYTES} bytes long, this one is {len(text)}")
    if _OUTSIDE.search(text):
        raise UnreadablePolicyError("a policy has no control characters but tabs and line feeds")
    draft = _Draft()
    for number, line in enumerate(text.decode("utf-8", "surrogateescape").split("\n"), 1):
        word, *items = _SPACE.split(line.strip(" \t"))
        if not word or word.startswith("#"):
            continue
        try:
            draft.add(word, items)
        except ValueError as error:
            raise UnreadablePolicyError(f"line {number} of the policy: {error}") from None
    if draft.quorum is None:
        raise UnreadablePolicyError("a policy has exactly one quorum line, this one has none")
    keys = [log.key for log in draft.logs] + [witness.key for witness in draft.witnesses]
    if len({(key.name, key.key_id) for key in keys}) != len(keys):
        raise UnreadablePolicyError("two keys of the policy share a name and an id")
    return Policy(
        logs=tuple(draft.logs), witnesses=tuple(draft.witnesses), groups=tuple(draft.groups), quorum=draft.quorum
    )


class _Draft:
    """A policy while its lines are read."""

    def __init__(self) -> None:
        self.logs: list[Log] = []
        self.witnesses: list[Witness] = []
        self.groups: list[Group] = []
        self.quorum: str | None = None
        self.names: set[str] = set()

    def add(self, word: str, items: Sequence[str]) -> None:
        """Take one line in. Raises ValueError."""
        match word, items:
            case "log", [vkey, *url] if len(url) <= 1:
                self.logs.append(
                    Log(key=_key(vkey, ED25519, [log.key for log in self.logs]), url=next(iter(url), None))
                )
            case "witness", [name, vkey, *url] if len(url) <= 1:
                key = _key(vkey, COSIGNATURE, [witness.key for witness in self.witnesses])
                self.witnesses.append(Witness(name=self._new(name), key=key, url=next(iter(url), None)))
            case "group", [name, threshold, *members] if members:
                group = Group(name=name, threshold=_threshold(threshold, len(members)), members=self._known(members))
                self._new(name)
                self.groups.append(group)
            case "quorum", [name]:
                if self.quorum is not None:
                    raise ValueError("a second quorum line")
                self.quorum = name if name == NONE else self._known([name])[0]
            case _:
                raise ValueError(f"not a line of a policy: {word[:32]!r} with {len(items)} items")

    def _new(self, name: str) -> str:
        if name in self.names or name == NONE:
            raise ValueError(f"the name {name[:64]!r} is taken")
        self.names.add(name)
        return name

    def _known(self, names: Sequence[str]) -> tuple[str, ...]:
        for name in names:
            if name not in self.names:
                raise ValueError(f"no witness or group {name[:64]!r} stands above")
        if len(set(names)) != len(names):
            raise ValueError("a member is named twice")
        return tuple(names)


def _key(vkey: str, algorithm: int, others: Sequence[Verifier]) -> Verifier:
    """Read a key of the right kind that is not among the others."""
    key = parse_vkey(vkey)
    if key.algorithm != algorithm:
        raise ValueError(f"a key of type 0x{key.algorithm:02x}, where 0x{algorithm:02x} belongs")
    if any(other.public_key == key.public_key for other in others):
        raise ValueError("a key that stands above already")
    return key


def _threshold(text: str, members: int) -> int:
    if text in ("any", "all"):
        return 1 if text == "any" else members
    if not _THRESHOLD.fullmatch(text) or int(text) > members:
        raise ValueError(f"a group asks for any, all, or 1 to {members} of its members, not {text[:32]!r}")
    return int(text)


def judge(policy: Policy, note: bytes) -> Verdict:
    """Judge a checkpoint's note by a policy: every finding, not the first alone."""
    try:
        parsed = parse_note(note)
    except NoteError as error:
        return Verdict(checkpoint=None, cosigned=(), findings=(str(error),))
    findings = []
    try:
        checkpoint = parse_checkpoint(parsed.text)
    except CheckpointError as error:
        checkpoint = None
        findings.append(str(error))
    signed, forged = _signers(policy, parsed)
    findings += [f"the signature by {key.name} ({key.key_id.hex()}) is not by that key" for key in forged]
    cosigned = tuple(witness.name for witness in policy.witnesses if witness.key in signed)
    if checkpoint is not None:
        findings += _unsigned(policy, checkpoint, signed)
    if not is_met(policy, cosigned):
        findings.append(
            f"the quorum {policy.quorum} is not met: cosigned by {', '.join(cosigned) or 'no known witness'}"
        )
    return Verdict(checkpoint=checkpoint, cosigned=cosigned, findings=tuple(findings))


def _signers(policy: Policy, note: Note) -> tuple[list[Verifier], list[Verifier]]:
    """Give the known keys that signed, and the known keys in whose name somebody else did."""
    known = [log.key for log in policy.logs] + [witness.key for witness in policy.witnesses]
    signed: list[Verifier] = []
    forged: list[Verifier] = []
    for signature in note.signatures:
        key = key_of(signature, known)
        if key is not None:
            (signed if is_signed(note.text, signature, key) else forged).append(key)
    return [key for key in signed if key not in forged], forged


def _unsigned(policy: Policy, checkpoint: Checkpoint, signed: Sequence[Verifier]) -> Iterator[str]:
    """Say so when no log of the policy stands behind the checkpoint."""
    named = [log.key for log in policy.logs if log.key.name == checkpoint.origin]
    if not named:
        yield f"the policy has no log {checkpoint.origin}"
    elif not any(key in signed for key in named):
        yield f"the log {checkpoint.origin} did not sign the checkpoint with a key of the policy"


def is_met(policy: Policy, cosigned: Iterable[str]) -> bool:
    """Tell whether these witnesses, by their names in the policy, make the quorum."""
    agreed = {NONE, *cosigned}
    for group in policy.groups:  # members stand above their group, so one pass is enough
        if sum(member in agreed for member in group.members) >= group.threshold:
            agreed.add(group.name)
    return policy.quorum in agreed
