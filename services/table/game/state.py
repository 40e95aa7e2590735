"""What is true at a table: who has which chips, and the one phase it is in.

A `Table` is owned by whoever folds the log: `evolve` changes it in place, and nothing else does. When a batch fails,
the croupier drops it and reads the chapter again.
"""

from msgspec import Struct, field

from schemas.events import Line
from schemas.rules import Limits, Rules
from schemas.words import Actor, Card

CARDS_PER_DECK = 52
# What a patron may have before him and still buy or bet: far below 2^53-1, so that what he may win can be written too.
MAX_STACK = 10**15


class Stakes(Struct, kw_only=True):
    """A coup's stakes: each patron's each bet, in the order first placed, and their sums a patron and at the table."""

    by_bet: dict[tuple[str, str], int] = field(default_factory=dict)
    by_patron: dict[str, int] = field(default_factory=dict)
    table: int = 0
    player: int = 0
    banker: int = 0

    def place(self, patron: str, bet: str, amount: int) -> None:
        """Add to a bet."""
        key = (patron, bet)
        self.by_bet[key] = self.by_bet.get(key, 0) + amount
        self._add(patron, bet, amount)

    def withdraw(self, patron: str, bet: str) -> int:
        """Take back the whole of a bet and give its amount; KeyError when nothing is staked."""
        amount = self.by_bet.pop((patron, bet))
        self._add(patron, bet, -amount)
        return amount

    def on(self, patron: str, bet: str) -> int:
        """Give what a patron has staked on a bet."""
        return self.by_bet.get((patron, bet), 0)

    def of(self, patron: str) -> int:
        """Give all that a patron has staked."""
        return self.by_patron.get(patron, 0)

    def _add(self, patron: str, bet: str, amount: int) -> None:
        self.by_patron[patron] = self.by_patron.get(patron, 0) + amount
        self.table += amount
        if bet == "player":
            self.player += amount
        elif bet == "banker":
            self.banker += amount


class ShoeInPlay(Struct, kw_only=True):
    """A shoe as the table sees it: what has left it, and when it ends. Its cards are not here."""

    number: int
    cards: int
    cut_at: int
    source: str
    commitment: str = ""
    final_source: str = "none"
    contributions: list[tuple[str, bytes]] = field(default_factory=list)
    root: str = ""
    position: int = 0
    dealt: int = 0
    burned: int = 0
    rounds: int = 0
    # Coups that may still be opened; None while the cut card is in the shoe.
    coups_left: int | None = None
    # How often each card has left it face up.
    seen: dict[Card, int] = field(default_factory=dict)

    @property
    def is_scanned(self) -> bool:
        """Whether its cards are real, and told by a reader."""
        return self.source == "scanned"

    @property
    def decks(self) -> int:
        """Give how many decks it was made of."""
        return self.cards // CARDS_PER_DECK

    def show(self, card: Card) -> None:
        """Let a card be seen."""
        self.seen[card] = self.seen.get(card, 0) + 1


class Settled(Struct, kw_only=True):
    """The last coup, as long as it can still be reversed."""

    round: int
    stakes: Stakes
    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    lines: tuple[Line, ...]


class Closed(Struct, frozen=True):
    """The table is closed."""


class Idle(Struct, frozen=True):
    """The table is open, without a shoe."""


class Committed(Struct, frozen=True):
    """A shoe is committed to; ingredients of its shuffle may be added."""

    shoe: ShoeInPlay


class Shuffled(Struct, frozen=True):
    """Every card is sealed, or real; the first are yet to be burned."""

    shoe: ShoeInPlay


class Between(Struct, frozen=True):
    """Between two coups."""

    shoe: ShoeInPlay
    last: Settled | None = None


class Betting(Struct, frozen=True):
    """Bets are taken."""

    shoe: ShoeInPlay
    round: int
    free: bool
    stakes: Stakes


class Dealing(Struct, frozen=True):
    """Bets are closed, cards fall."""

    shoe: ShoeInPlay
    round: int
    stakes: Stakes
    player: list[Card] = field(default_factory=list)
    banker: list[Card] = field(default_factory=list)
    # Lines already logged in `lines-settled`, ahead of `round-settled` in the same command.
    lines: list[Line] = field(default_factory=list)


class Reversed(Struct, frozen=True):
    """The last settlement is undone; its stakes stand again."""

    shoe: ShoeInPlay
    undone: Settled
    lines: list[Line] = field(default_factory=list)


class Frozen(Struct, frozen=True):
    """The shoe could not be resumed as committed; people decide."""

    shoe: ShoeInPlay
    round: int | None
    stakes: Stakes | None


Phase = Closed | Idle | Committed | Shuffled | Between | Betting | Dealing | Reversed | Frozen


class OpenCoup(Struct, frozen=True):
    """A coup that has neither been settled nor voided, in whatever phase."""

    round: int
    stakes: Stakes


def open_coup(phase: Phase) -> OpenCoup | None:
    """Give the coup whose stakes are in escrow, if there is one."""
    match phase:
        case Betting() | Dealing():
            return OpenCoup(phase.round, phase.stakes)
        case Reversed():
            return OpenCoup(phase.undone.round, phase.undone.stakes)
        case Frozen() if phase.round is not None and phase.stakes is not None:
            return OpenCoup(phase.round, phase.stakes)
        case _:
            return None


class Table(Struct, kw_only=True):
    """A table: its rules, the chips on it, and its phase. Amounts in minor units of `currency`.

    `limits` bind the open coup; `next_limits` the coups after it.
    """

    name: str
    title: str
    currency: str
    rules: Rules
    limits: Limits
    next_limits: Limits
    phase: Phase
    stacks: dict[str, int] = field(default_factory=dict)
    owed: dict[str, int] = field(default_factory=dict)
    shoes: int = 0
    dealer: Actor | None = None
    suspended: str | None = None

    def stack(self, patron: str) -> int:
        """Give the chips that a patron has before him, stakes not counted."""
        return self.stacks.get(patron, 0)

    def debt(self, patron: str) -> int:
        """Give the marked commission that a patron owes."""
        return self.owed.get(patron, 0)
