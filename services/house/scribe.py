"""The scribe: facts sealed into the lines of a log, and a shoe's lines into a bundle, without a table service.

For the bench and for tests. It believes whoever dictates: it numbers, links, computes the digests and signs, and no
more, so that a liar who owns the log can be played with it too.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from schemas.bundle import Manifest, write
from schemas.checkpoint import Checkpoint, sign
from schemas.entry import NO_PREV, Entry, encode, leaf
from schemas.events import AnyEvent, BetPlaced, BetsClosed, BetWithdrawn, RoundOpened
from schemas.note import Signer
from schemas.policy import encode as encode_policy
from schemas.policy import of_log
from schemas.proof import Proof
from schemas.proof import encode as encode_proof
from schemas.tree import inclusion_proof, leaf_nodes, root

OPENING = datetime(2026, 11, 30, 10, tzinfo=UTC)
TICK = timedelta(milliseconds=7)


class Fact(Struct, frozen=True, kw_only=True):
    """An entry as it is dictated: everything but its number and its link."""

    id: str
    at: str
    actor: str
    command: str
    event: AnyEvent


class Scribe:
    """Writes down what happens on one stream; a command is a list of events."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self._commands = 0

    def take_down(self, events: Iterable[AnyEvent], *, actor: str = "dealer:anna") -> None:
        """Write down the events of one command."""
        self._commands += 1
        for event in events:
            number = len(self.facts)
            self.facts.append(
                Fact(
                    id=sha256(b"id %d" % number).hexdigest()[:32],
                    at=(OPENING + number * TICK).isoformat(timespec="microseconds").replace("+00:00", "Z"),
                    actor=actor,
                    command=f"c{self._commands}",
                    event=event,
                )
            )


def seal(facts: Iterable[Fact], *, stream: str, version: int = 1, prev: str = NO_PREV) -> Iterator[bytes]:
    """Give the lines of facts from `version` on; each round's digest is computed anew, whatever the fact says."""
    digest = sha256()
    for fact in facts:
        event = fact.event
        if isinstance(event, RoundOpened):
            digest = sha256()
        if isinstance(event, BetsClosed):
            event = replace(event, digest=digest.hexdigest())
        line = encode(
            Entry(
                id=fact.id,
                stream=stream,
                version=version,
                at=fact.at,
                actor=fact.actor,
                command=fact.command,
                schema=1,
                prev=prev,
                event=event,
            )
        )
        hashed = leaf(line)
        if isinstance(event, BetPlaced | BetWithdrawn):
            digest.update(hashed)
        version, prev = version + 1, hashed.hex()
        yield line


def bind(
    path: Path,
    lines: Sequence[bytes],
    *,
    signer: Signer,
    manifest: Manifest,
    others: tuple[Sequence[bytes], Sequence[bytes]] = ((), ()),
) -> None:
    """Write a bundle of lines that lie in a log, signed by `signer`, with others before and after them."""
    before, after = others
    leaves = [leaf(line) for line in (*before, *lines, *after)]
    last = len(before) + len(lines) - 1
    checkpoint = Checkpoint(origin=signer.verifier.name, size=len(leaves), root=root(leaves))
    proof = Proof(
        index=last,
        hashes=tuple(inclusion_proof(last, len(leaves), leaf_nodes(leaves))),
        checkpoint=sign(checkpoint, signer),
    )
    with path.open("wb") as file:
        write(
            file,
            lines=lines,
            proof=encode_proof(proof),
            policy=encode_policy(of_log(signer.verifier)),
            manifest=manifest,
        )
