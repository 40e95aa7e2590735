"""Parties on tape: shoes in which players bank, played by chance, as their tables would write them."""

from collections.abc import Sequence
from random import Random

from msgspec.structs import replace

from schemas.events import BetPlaced, BetsClosed, BetWithdrawn, RoundOpened, ShoeClosed, ShoeCommitted, TableEvent
from schemas.rules import Limits, Rules
from services.house.scribe import Fact, Scribe
from services.table.game import shoes
from services.table.game.deeds import BySystem, Deed, event_of
from services.table.game.shoe import derive, mix, seed_commitment
from tests.audit.tapes import DEALER, TABLE, Tape
from tests.table.game.party import Party, next_command
from tests.table.game.sitting import SEED, in_play

SYSTEM = "system:table"


class Recorded(Party):
    """A party whose every command is taken down."""

    def __init__(self, rules: Rules, limits: Limits | None = None) -> None:
        self.scribe = Scribe()
        self._bets = 0
        super().__init__(rules, limits)

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
        commitment = seed_commitment(f"{TABLE}/{number}", SEED)
        self.do(shoes.commit(self.table, seed_commitment=commitment))
        shoe = in_play(self.table)
        self.cards = derive(seed=SEED, shoe_id=f"{TABLE}/{number}", decks=shoe.cards // 52, mix=mix([]))
        self.do(shoes.shuffle(self.table, self.cards, mix=mix([])))

    def tape(self) -> Tape:
        """Give the tape of the last shoe."""
        facts = self.scribe.facts
        first = max(place for place, fact in enumerate(facts) if isinstance(fact.event, ShoeCommitted))
        return Tape(facts[first:])

    def _counted(self, event: TableEvent) -> TableEvent:
        """Count the bets, as whoever seals the entries does."""
        match event:
            case RoundOpened():
                self._bets = 0
            case BetPlaced() | BetWithdrawn():
                self._bets += 1
            case BetsClosed():
                return replace(event, count=self._bets)
            case _:
                pass
        return event


def a_party(rules: Rules, limits: Limits, *, chance: int, seats: int = 4, most: int = 3000) -> Recorded:
    """Play a shoe to its end by chance, with some at the table from the start."""
    party, dice = Recorded(rules, limits), Random(chance)
    for seat in range(1, seats + 1):
        party.buy(**{f"p{seat}": 50_000}).sit(**{f"p{seat}": seat})
    party.start()
    for _ in range(most):
        deeds = next_command(party, dice)
        party.does(deeds)
        if isinstance(event_of(deeds[-1]), ShoeClosed):
            break
    return party
