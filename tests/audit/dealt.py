"""Shoes dealt on paper: every rule set, chance deciding what happens, sealed into lines that a verifier takes."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from schemas.bundle import Manifest
from schemas.events import ShoeClosed, ShoeCommitted, ShoeVoided, TableClosed, TableEvent
from schemas.note import Signer
from schemas.rules import Limits, Rules
from services.house.scribe import Scribe, bind, seal
from services.table.game import shoes
from services.table.game.shoe import final_message, mix, seed_commitment
from services.table.game.state import Committed
from tests.table.game.evening import Evening
from tests.table.game.sitting import SEED, in_play

LOG = Signer("casino.example/log/1", bytes(range(32)))
REGULATOR = Signer("regulator.example/shoes", bytes(range(32, 64)))
TABLE = "b1"
FEWEST_LINES = 12


class Chapter(Struct, frozen=True, kw_only=True):
    """One shoe's lines, and the lines of the table before them."""

    shoe: int
    lines: tuple[bytes, ...]
    before: tuple[bytes, ...]
    is_complete: bool

    @property
    def manifest(self) -> Manifest:
        """What an honest bundle of this chapter says of itself."""
        return Manifest(
            table=TABLE,
            shoe=self.shoe,
            origin=LOG.verifier.name,
            first_version=len(self.before) + 1,
            last_version=len(self.before) + len(self.lines),
            entries=len(self.lines),
            complete=self.is_complete,
        )

    def bind(self, path: Path) -> Path:
        """Write the honest bundle."""
        bind(path, self.lines, signer=LOG, manifest=self.manifest, before=self.before)
        return path


class Dealt(Evening):
    """An evening whose shoes are genuine, from the commitment to the reveal."""

    def __init__(self, rules: Rules, limits: Limits, seed: int, *, is_signed: bool = False) -> None:
        self.commands: list[Sequence[TableEvent]] = []
        self.is_signed = is_signed
        super().__init__(rules, limits, seed)

    def do(self, events: Sequence[TableEvent]) -> list[TableEvent]:
        """Let a command's events happen, and remember that they belong together."""
        self.commands.append(events)
        return super().do(events)

    def next_shoe(self) -> Sequence[TableEvent]:
        """Commit to the seed in earnest."""
        number = 1 + sum(isinstance(event, ShoeCommitted) for event in self.log)
        final = f"signer:{REGULATOR.verifier.vkey}" if self.is_signed else "none"
        return shoes.commit(self.table, seed_commitment=seed_commitment(f"{TABLE}/{number}", SEED), final_source=final)

    def shuffle(self) -> Sequence[TableEvent]:
        """Shuffle; where a signer is named and has not spoken yet, let the signer speak first."""
        if not self.is_signed or not isinstance(self.table.phase, Committed):
            return super().shuffle()
        shoe = in_play(self.table)
        source = f"signer:{REGULATOR.verifier.name}"
        if shoe.contributions and shoe.contributions[-1][0] == source:
            return super().shuffle()
        name = f"{TABLE}/{shoe.number}"
        message = final_message(name, seed_commitment(name, SEED), mix(shoe.contributions))
        return shoes.contribute(self.table, source=source, value=REGULATOR.sign_bytes(message))

    def chapters(self) -> Iterator[Chapter]:
        """Give every shoe so far as sealed lines, the last one open perhaps."""
        scribe = Scribe()
        for events in ([self.log[0]], *self.commands):
            scribe.take_down(events)
        lines = tuple(seal(scribe.facts, stream=f"table/{TABLE}"))
        begins = [place for place, fact in enumerate(scribe.facts) if isinstance(fact.event, ShoeCommitted)]
        for number, first in enumerate(begins, 1):
            ends = [*begins, len(lines)][number]
            last, is_complete = _end([fact.event for fact in scribe.facts[first:ends]])
            chapter = lines[first : first + last]
            yield Chapter(shoe=number, lines=chapter, before=lines[:first], is_complete=is_complete)


def _end(events: Sequence[TableEvent]) -> tuple[int, bool]:
    """Give how many events belong to the shoe's bundle, and whether it is complete."""
    for place, event in enumerate(events, 1):
        if isinstance(event, ShoeClosed | ShoeVoided):
            return place, True
        if isinstance(event, TableClosed):
            return place - 1, False
    return len(events), False
