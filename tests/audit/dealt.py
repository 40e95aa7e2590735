"""Shoes dealt on paper: every rule set, chance deciding what happens, sealed into lines that a verifier takes."""

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from schemas.bundle import Manifest
from schemas.entry import leaf
from schemas.events import AnyEvent, ShoeClosed, ShoeCommitted, ShoeVoided, TableClosed, TableEvent
from schemas.ingredient import final_message
from schemas.note import Signer
from schemas.rules import Limits, Rules
from services.house.scribe import Scribe, bind, seal
from services.table.game import floor, play, shoes, wagers
from services.table.game.shoe import derive, mix, seed_commitment
from services.table.game.state import Closed, Committed, Idle
from tests.table.game.evening import Evening
from tests.table.game.sitting import DIGEST, SEED, in_play

LOG = Signer("casino.example/log/1", bytes(range(32)))
REGULATOR = Signer("regulator.example/shoes", bytes(range(32, 64)))
TABLE = "b1"


class Chapter(Struct, frozen=True, kw_only=True):
    """One shoe's lines, and the lines of the table before them."""

    shoe: int
    lines: tuple[bytes, ...]
    before: tuple[bytes, ...]
    is_complete: bool
    table: str = TABLE

    @property
    def manifest(self) -> Manifest:
        """What an honest bundle of this chapter says of itself."""
        return Manifest(
            table=self.table,
            shoe=self.shoe,
            origin=LOG.verifier.name,
            first_version=len(self.before) + 1,
            last_version=len(self.before) + len(self.lines),
            entries=len(self.lines),
            complete=self.is_complete,
        )

    def bind(self, path: Path) -> Path:
        """Write the honest bundle."""
        bind(path, self.lines, signer=LOG, manifest=self.manifest, others=(self.before, ()))
        return path


class Dealt(Evening):
    """An evening whose shoes are genuine, from the commitment to the reveal."""

    def __init__(self, rules: Rules, limits: Limits, seed: int, *, is_signed: bool = False) -> None:
        self.commands: list[Sequence[TableEvent]] = []
        self.is_signed = is_signed
        self.evening = f"{rules.name} {seed}"
        super().__init__(rules, limits, seed)

    def do(self, events: Sequence[TableEvent]) -> list[TableEvent]:
        """Let a command's events happen, and remember that they belong together; what is revealed is the true seed."""
        revealed = [self._revealed(event) for event in events]
        self.commands.append(revealed)
        return super().do(revealed)

    def _revealed(self, event: TableEvent) -> TableEvent:
        if isinstance(event, ShoeClosed | ShoeVoided):
            return replace(event, seed=self.seed(event.shoe).hex())
        return event

    def seed(self, shoe: int) -> bytes:
        """Give a shoe's own seed."""
        return sha256(f"{self.evening} {shoe}".encode()).digest()

    def next_shoe(self) -> Sequence[TableEvent]:
        """Commit to the seed in earnest."""
        number = 1 + sum(isinstance(event, ShoeCommitted) for event in self.log)
        commitment = seed_commitment(f"{TABLE}/{number}", self.seed(number))
        final = f"signer:{REGULATOR.verifier.vkey}" if self.is_signed else "none"
        return shoes.commit(self.table, seed_commitment=commitment, final_source=final)

    def shuffle(self) -> Sequence[TableEvent]:
        """Shuffle; where a signer is named and has not spoken yet, let the signer speak first."""
        if isinstance(self.table.phase, Closed | Idle):
            return []
        shoe = in_play(self.table)
        name, seed, mixed = f"{TABLE}/{shoe.number}", self.seed(shoe.number), mix(shoe.contributions)
        source = f"signer:{REGULATOR.verifier.name}"
        if self.is_signed and isinstance(self.table.phase, Committed) and source not in dict(shoe.contributions):
            value = REGULATOR.sign_bytes(final_message(name, seed_commitment(name, seed), mixed))
            return shoes.contribute(self.table, source=source, value=value)
        cards = derive(seed=seed, shoe_id=name, decks=shoe.cards // 52, mix=mixed)
        events = shoes.shuffle(self.table, cards, mix=mixed)
        self.cards = cards
        return events

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


class Busy(Dealt):
    """An evening of so many patrons that lists go on in further entries."""

    PATRONS = tuple(f"q{number:03}" for number in range(230))

    def crowd(self, coups: int) -> None:
        """Let everybody buy chips, then play coups in which everybody bets."""
        for patron in self.PATRONS:
            self.do(floor.buy_chips(self.table, patron=patron, amount=5_000, means="cash"))
        self.do(self.next_shoe())
        self.do(self.shuffle())
        for _ in range(coups):
            self.do(play.open_round(self.table))
            for patron in self.PATRONS:
                bet = self.chance.choice(("player", "banker", "tie"))
                self.do(wagers.place_bets(self.table, [(patron, bet, self.chance.choice((500, 600)))]))
            self.do(play.play_coup(self.table, self.cards, count=len(self.PATRONS), digest=DIGEST))
        self.do(shoes.close(self.table, seed=SEED, reason="end-of-day"))


def scanned(chapter: Chapter) -> Chapter:
    """Tell the same shoe as if real cards had been read by a scanner: no seed, no leaves, no salts."""
    entries = [json.loads(line) for line in chapter.lines]
    told = [entry for entry in entries if entry["event"]["type"] not in ("entropy-contributed", "shoe-shuffled")]
    for entry in told:
        event = entry["event"]
        hidden = {"seed_commitment", "final_source", "salt", "seed"}
        if event["type"] in ("card-dealt", "card-drawn"):
            hidden.add("position")
        entry["event"] = {key: value for key, value in event.items() if key not in hidden}
        if event["type"] == "shoe-committed":
            entry["event"]["source"] = "scanned"
    return replace(chapter, lines=linked(told, chapter.before))


def at_once(chapter: Chapter) -> Chapter:
    """Tell the same shoe with bets that follow each other as if they had come as a list, in one command."""
    entries = [json.loads(line) for line in chapter.lines]
    for before, entry in pairwise(entries):
        are_bets = before["event"]["type"] == entry["event"]["type"] == "bet-placed"
        if are_bets and before["actor"] == entry["actor"] and not entry["actor"].startswith("system:"):
            entry["command"] = before["command"]
    return replace(chapter, lines=linked(entries, chapter.before))


def linked(entries: Iterable[dict[str, Any]], before: Sequence[bytes], *, mends: bool = True) -> tuple[bytes, ...]:
    """Number and link entries anew, after the lines before them; `mends`: count and digest the bets anew, too."""
    prev = leaf(before[-1]).hex()
    lines: list[bytes] = []
    leaves: list[bytes] = []
    for version, entry in enumerate(entries, len(before) + 1):
        event = entry["event"]
        if event.get("type") == "round-opened":
            leaves = []
        if event.get("type") == "bets-closed" and mends:
            event |= {"count": len(leaves), "digest": sha256(b"".join(leaves)).hexdigest()}
        written = entry | {"version": version, "prev": prev}
        lines.append(json.dumps(written, ensure_ascii=False, separators=(",", ":")).encode())
        prev = leaf(lines[-1]).hex()
        if event.get("type") in ("bet-placed", "bet-withdrawn"):
            leaves.append(leaf(lines[-1]))
    return tuple(lines)


def _end(events: Sequence[AnyEvent]) -> tuple[int, bool]:
    """Give how many events belong to the shoe's bundle, and whether it is complete."""
    for place, event in enumerate(events, 1):
        if isinstance(event, ShoeClosed | ShoeVoided):
            return place, True
        if isinstance(event, TableClosed):
            return place - 1, False
    return len(events), False
