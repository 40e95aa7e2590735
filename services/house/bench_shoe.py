"""A big shoe for the bench: as many bets as asked for, spread over all of its coups, sealed, settled and signed."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from schemas.bundle import Manifest
from schemas.events import ShoeClosed, TableEvent, TableOpened
from schemas.note import Signer
from schemas.rules import BetLimits, Limits
from schemas.words import Actor
from services.house.scribe import Scribe, bind, seal

if TYPE_CHECKING:
    from services.table.game.state import Table
    from services.table.game.wagers import Wager

STACK = 10**12
COUPS = 80  # of a shoe of eight decks, give or take
SEED = bytes(range(32))
ORIGIN = "bench.example/log/1"


def signer() -> Signer:
    """Give the key of the bench's log."""
    return Signer(ORIGIN, bytes(range(32)))


def write_shoe(path: Path, *, bets: int, table: str = "b1") -> int:
    """Write a bundle of one shoe with about so many bets; give the number of its entries."""
    scribe = _Shift(table, bets // COUPS).play()
    facts = scribe.facts
    first = next(n for n, fact in enumerate(facts) if type(fact.event).__name__ == "ShoeCommitted")
    lines = list(seal(facts, stream=f"table/{table}"))
    manifest = Manifest(
        table=table,
        shoe=1,
        origin=ORIGIN,
        first_version=first + 1,
        last_version=len(lines),
        entries=len(lines) - first,
        complete=isinstance(facts[-1].event, ShoeClosed),
    )
    bind(path, lines[first:], others=(lines[:first], ()), signer=signer(), manifest=manifest)
    return len(lines) - first


class _Shift:
    """One shoe's play at a busy table."""

    def __init__(self, table: str, bets_a_coup: int) -> None:
        self._name = table
        self._bets_a_coup = bets_a_coup
        self._patrons = [f"p{number:04}" for number in range(max(10, bets_a_coup // 3))]
        self._scribe = Scribe()
        self._table: Table | None = None
        self._random = random.Random(1)

    def play(self) -> Scribe:
        """Play the shoe from the table's opening to the reveal."""
        from services.table.game.play import open_round, play_coup
        from services.table.game.shoe import derive, mix, seed_commitment
        from services.table.game.shoes import close, commit, shuffle
        from services.table.game.state import Between
        from services.table.game.wagers import place_bets

        self._open()
        shoe_id = f"{self._name}/1"
        self._do(commit(self._at(), seed_commitment=seed_commitment(shoe_id, SEED)))
        mixed = mix([])
        cards = derive(seed=SEED, shoe_id=shoe_id, decks=8, mix=mixed)
        self._do(shuffle(self._at(), cards, mix=mixed))
        while isinstance(phase := self._at().phase, Between) and phase.shoe.coups_left != 0:
            self._do(open_round(self._at()))
            wagers = list(self._wagers())
            for patron, bet, amount in wagers:
                self._do(place_bets(self._at(), [(patron, bet, amount)]), actor=f"patron:{patron}")
            self._do(play_coup(self._at(), cards, count=len(wagers), digest="0" * 64))
        self._do(close(self._at(), seed=SEED))
        return self._scribe

    def _at(self) -> "Table":
        assert self._table is not None
        return self._table

    def _do(self, events: Sequence[TableEvent], *, actor: Actor = "dealer:anna") -> None:
        from services.table.game.evolve import evolve

        for event in events:
            self._table = evolve(self._table, event)
        self._scribe.take_down(events, actor=actor)

    def _open(self) -> None:
        """Open the table with limits that a crowd does not meet, and put chips before everybody."""
        from services.table.game.floor import buy_chips, open_table
        from services.table.game.rules import builtin

        book = builtin("punto-banco")
        spans = {bet: BetLimits(min=100, max=10**9) for bet in book.rules.bets}
        opened = TableOpened(
            table=self._name,
            name="Bench",
            currency="EUR",
            rules=book.rules,
            limits=replace(Limits(bets=spans), patron=10**10, table=10**14, differential=10**13),
            float=((10**6, 100),),
            counted_by="cashier:ben",
            verified_by="inspector:eva",
        )
        self._do(open_table(None, opened))
        for patron in self._patrons:
            self._do(buy_chips(self._at(), patron=patron, amount=STACK, means="cash"))

    def _wagers(self) -> "Iterator[Wager]":
        names = ("player", "banker", "player", "banker", "tie", "player-pair", "banker-pair")
        for _ in range(self._bets_a_coup):
            yield self._random.choice(self._patrons), self._random.choice(names), self._random.randrange(2, 2000) * 50
