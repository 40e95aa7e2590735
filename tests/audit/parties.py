"""Parties on tape: shoes in which players bank, played by chance, as their tables would write them."""

from collections.abc import Sequence
from hashlib import sha256
from random import Random

from msgspec import convert, to_builtins
from msgspec.structs import replace

from schemas.events import (
    BetPlaced,
    BetsClosed,
    BetWithdrawn,
    RoundOpened,
    ShoeClosed,
    ShoeCommitted,
    ShoeVoided,
    TableEvent,
    TableOpened,
)
from schemas.rules import Limits, Rules
from services.house.scribe import Fact, Scribe, seal
from services.table.game import dining_game, floor, salon, shoes
from services.table.game.deeds import BySystem, Deed, Deeds, event_of
from services.table.game.shoe import derive, mix, seed_commitment
from services.table.game.state import Between
from tests.audit.dealt import Chapter
from tests.audit.tapes import DEALER, TABLE, Tape
from tests.table.game.party import Party, command_of, next_command
from tests.table.game.sitting import SEED, in_play, limited, ruled

SYSTEM = "system:table"
ENDS = (ShoeClosed, ShoeVoided)
MOST_COMMANDS = 3000


class Recorded(Party):
    """A party whose every command is taken down."""

    def __init__(self, rules: Rules, limits: Limits | None = None, *, name: str = TABLE, seed: bytes = SEED) -> None:
        self.scribe = Scribe()
        self.name = name
        self.seed = seed
        self._bets = 0
        super().__init__(rules, limits)
        opened = self.log[0]
        assert isinstance(opened, TableOpened)
        self.scribe.take_down([replace(opened, table=name)], actor=DEALER)

    def does(self, deeds: Sequence[Deed]) -> list[TableEvent]:
        """Take a command down, each entry by whoever did it."""
        first = len(self.scribe.facts)
        events = [self._counted(event_of(deed)) for deed in deeds]
        self.scribe.take_down(events, actor=DEALER)
        facts: list[Fact] = self.scribe.facts
        for number, deed in enumerate(deeds, first):
            if isinstance(deed, BySystem):
                facts[number] = replace(facts[number], actor=SYSTEM)
        return super().do(events)

    def do(self, events: Sequence[TableEvent]) -> list[TableEvent]:
        """Take a command of the dealer's down."""
        return self.does(list(events))

    def start(self) -> None:
        """Commit to a shoe and shuffle it."""
        number = self.table.shoes + 1
        self.seed = sha256(self.seed).digest()
        shoe_id = f"{self.name}/{number}"
        commitment = seed_commitment(shoe_id, self.seed)
        self.do(shoes.commit(self.table, seed_commitment=commitment))
        shoe = in_play(self.table)
        self.cards = derive(seed=self.seed, shoe_id=shoe_id, decks=shoe.cards // 52, mix=mix([]))
        self.do(shoes.shuffle(self.table, self.cards, mix=mix([])))

    def tape(self) -> Tape:
        """Give the tape of the table, its first shoe's."""
        return Tape(self.scribe.facts)

    def sealed(self) -> Chapter:
        """Give the last shoe's lines as sealed."""
        facts = self.scribe.facts
        lines = tuple(seal(facts, stream=f"table/{self.name}"))
        first = max(place for place, fact in enumerate(facts) if isinstance(fact.event, ShoeCommitted))
        ends = (first + place for place, fact in enumerate(facts[first:], 1) if isinstance(fact.event, ENDS))
        last = next(ends, len(facts))
        is_complete = isinstance(facts[last - 1].event, ENDS)
        number = self.table.shoes
        return Chapter(
            shoe=number, lines=lines[first:last], before=lines[:first], is_complete=is_complete, table=self.name
        )

    def _counted(self, event: TableEvent) -> TableEvent:
        """Count the bets, as whoever seals the entries does."""
        match event:
            case RoundOpened():
                self._bets = 0
            case BetPlaced() | BetWithdrawn():
                self._bets += 1
            case BetsClosed():
                return replace(event, count=self._bets)
            case ShoeClosed() | ShoeVoided():
                return replace(event, seed=self.seed.hex())
            case _:
                pass
        return event


def a_party(  # noqa: PLR0913
    rules: Rules,
    limits: Limits,
    *,
    chance: int,
    seats: Sequence[int] = (1, 2, 3, 4),
    chips: int = 50_000,
    name: str = TABLE,
) -> Recorded:
    """Play a shoe to its end by chance, with some at the table from the start."""
    seed = sha256(f"{rules.name} {name} {chance}".encode()).digest()
    party, dice = Recorded(rules, limits, name=name, seed=seed), Random(chance)
    for number, seat in enumerate(seats, 1):
        party.buy(**{f"p{number}": chips}).sit(**{f"p{number}": seat})
    party.start()
    play_out(party, dice)
    return party


def play_out(party: Recorded, dice: Random) -> None:
    """Play a shoe to its end."""
    is_dining = party.table.rules.game == "dining-room"
    for _ in range(MOST_COMMANDS):
        deeds = dines(party, dice) if is_dining else next_command(party, dice)
        party.does(deeds)
        if isinstance(event_of(deeds[-1]), ENDS):
            break


def more_shoes(party: Recorded, dice: Random, count: int) -> Recorded:
    """Play more shoes; some sit down or leave, buy or cash between them."""
    for _ in range(count):
        for number in range(4):
            patron, seats = f"n{number}{party.table.shoes}", party.table.seats
            free = next((seat for seat in range(1, 9) if seat not in seats), None)
            if dice.random() < 0.5 and len(seats) > 2:
                party.does([*salon.leave_seat(party.table, patron=dice.choice(sorted(seats.values())))])
            elif free is not None and not dining_game.is_on(party.table):
                party.buy(**{patron: 40_000}).sit(**{patron: free})
        if not dining_game.is_on(party.table):
            patron = max(party.table.stacks, key=party.table.stack)
            may = party.table.stack(patron) - floor.held_back(party.table, patron)
            if may:
                party.do(floor.cash_chips(party.table, patron=patron, amount=dice.randint(1, may), means="cash"))
        party.start()
        play_out(party, dice)
    return party


def dines(party: Party, chance: Random) -> Deeds:
    """Choose what happens next in the dining-room, where nobody buys or sits down once a game is on."""
    table = party.table
    if not isinstance(table.phase, Between):
        return next_command(party, chance)
    if table.phase.shoe.coups_left == 0 or dining_game.over(table):
        return [*shoes.close(table, seed=SEED)]
    if chance.random() < 0.06 and table.seats:
        return [*salon.leave_seat(table, patron=chance.choice(sorted(table.seats.values())))]
    if chance.random() < 0.05:
        return [*floor.buy_chips(table, patron="p9", amount=500, means="cash")]
    if not salon.mays(table):
        return [*shoes.close(table, seed=SEED, reason="early")]
    return command_of(party, salon.mays(table)[0], chance)


MODES: tuple[dict[str, object], ...] = (
    {"mode": "tableau"},
    {"mode": "options", "cells": ["3-9", "5-4"]},
    {"mode": "free"},
)
OF_CHEMIN = {"bank": (500, 40_000), "player": (500, 30_000), "banco": (500, 40_000)}
OF_BANQUE = {"bank": (2_000, 40_000), "right": (500, 9_000), "left": (500, 9_000), "cheval": (500, 9_000)}
BANCO = {"banco-right": (2_000, 40_000), "banco-left": (2_000, 40_000)}


def a_chemin(chance: int) -> Recorded:
    """Play chemin de fer, in each mode in turn."""
    changed = ruled("chemin-de-fer", procedure={"decks": 1, "cut": 7})
    rules = convert(to_builtins(changed) | {"play": MODES[chance % 3]}, Rules)
    return a_party(rules, limited(OF_CHEMIN), chance=chance)


def a_banque(chance: int) -> Recorded:
    """Play baccarat banque, with and without banco, and under either levy."""
    levy = ({"rate": "1/20", "on": "gross"}, {"rate": "1/80", "on": "net"})[chance // 2 % 2]
    rules = ruled("banque", procedure={"decks": 1, "cut": 14}, levy=levy)
    limits = limited(OF_BANQUE | (BANCO if chance % 2 else {}))
    return a_party(rules, limits, chance=chance, seats=(1, 3, 7, 10))


def a_dining(chance: int) -> Recorded:
    """Play in the dining-room, for chips of a hundred and few of them, so that banks break and players are out."""
    stakes = {"unit": 100, "start": 3, "absent": ("out", "player", "banker")[chance % 3]}
    bank = {"high": ("king", "ace")[chance % 2], "unable": ("richest", "close")[chance // 2 % 2]}
    rules = ruled("dining-room", procedure={"decks": 1, "cut": 7}, stakes=stakes, bank=bank)
    limits = limited(dict.fromkeys(rules.bets, (100, 5_000)))
    return a_party(rules, limits, chance=chance, chips=1_500)
