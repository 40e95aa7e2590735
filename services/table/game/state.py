"""What is true at a table: who has which chips, and the one phase it is in.

A `Table` is owned by whoever folds the log: `evolve` changes it in place, and nothing else does. When a batch fails,
the croupier drops it and reads the chapter again.
"""

from msgspec import Struct, field

from schemas.events import Line
from schemas.rules import Limits, Rules
from schemas.words import Actor, Card, Choice
from services.table.game.banque_coup import BanqueStage
from services.table.game.chemin_coup import CheminStage
from services.table.game.dining_coup import DiningStage
from services.table.game.seats import Standing, Terms
from services.table.game.stakes import Stakes

CARDS_PER_DECK = 52
# What a patron may have before him and still buy or bet: far below 2^53-1, so that what he may win can be written too.
MAX_STACK = 10**15


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
    # How often each card has left it face up; those of a player-banked coup are counted when it is over.
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


Stage = CheminStage | BanqueStage | DiningStage
"""How far a player-banked coup has come until its last call: who is asked what."""


class Hands(Struct, kw_only=True):
    """The hands of a player-banked coup, and what was chosen where the choice was free."""

    player: list[Card] = field(default_factory=list)
    right: list[Card] = field(default_factory=list)
    left: list[Card] = field(default_factory=list)
    banker: list[Card] = field(default_factory=list)
    choices: dict[str, Choice] = field(default_factory=dict)

    def of(self, hand: str) -> list[Card]:
        """Give a hand by its name."""
        hands = {"player": self.player, "right": self.right, "left": self.left, "banker": self.banker}
        return hands[hand]

    def copy(self) -> "Hands":
        """Give hands that may grow without these."""
        return Hands(
            player=[*self.player],
            right=[*self.right],
            left=[*self.left],
            banker=[*self.banker],
            choices=dict(self.choices),
        )

    @property
    def cards(self) -> tuple[Card, ...]:
        """All their cards."""
        return (*self.player, *self.right, *self.left, *self.banker)

    @property
    def dealt(self) -> int:
        """How many cards have been dealt."""
        return len(self.cards)


class Banked(Struct, frozen=True):
    """What a coup with a player's bank is played on: its terms, and what was said before its last call."""

    terms: Terms
    stage: Stage


class Settled(Struct, kw_only=True):
    """The last coup, as long as it can still be reversed; `banked` when a player banked it."""

    round: int
    stakes: Stakes
    player: tuple[Card, ...]
    banker: tuple[Card, ...]
    lines: tuple[Line, ...]
    right: tuple[Card, ...] = ()
    left: tuple[Card, ...] = ()
    banked: Banked | None = None
    # Who lost his seat with his last chip: he sits again if the settlement is undone.
    eliminated: dict[int, str] = field(default_factory=dict)


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


class Drawing(Struct, frozen=True):
    """Cards are drawn for the first deal."""

    shoe: ShoeInPlay
    drawn: tuple[tuple[int, Card], ...]


class Seating(Struct, frozen=True):
    """A player-banked coup is opened, and its seats are stated next, in the same command."""

    shoe: ShoeInPlay
    round: int


class Staking(Struct, frozen=True):
    """A player's bank is named and stakes are made against it; `banked.stage` says who is asked what."""

    shoe: ShoeInPlay
    round: int
    stakes: Stakes
    banked: Banked


class Playing(Struct, frozen=True):
    """A player-banked coup's last call is over: cards fall, and choices are made."""

    shoe: ShoeInPlay
    round: int
    stakes: Stakes
    banked: Banked
    hands: Hands = field(default_factory=Hands)
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
    banked: Banked | None = None


Phase = (
    Closed
    | Idle
    | Committed
    | Shuffled
    | Between
    | Betting
    | Dealing
    | Drawing
    | Seating
    | Staking
    | Playing
    | Reversed
    | Frozen
)


class OpenCoup(Struct, frozen=True):
    """A coup that has neither been settled nor voided, in whatever phase; `banked` when a player banks it."""

    round: int
    stakes: Stakes
    banked: Banked | None = None


def open_coup(phase: Phase) -> OpenCoup | None:
    """Give the coup whose stakes are in escrow, if there is one."""
    match phase:
        case Betting() | Dealing():
            return OpenCoup(phase.round, phase.stakes)
        case Staking() | Playing():
            return OpenCoup(phase.round, phase.stakes, phase.banked)
        case Reversed():
            return OpenCoup(phase.undone.round, phase.undone.stakes, phase.undone.banked)
        case Frozen() if phase.round is not None and phase.stakes is not None:
            return OpenCoup(phase.round, phase.stakes, phase.banked)
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
    # Where a player banks: who sits where, and what the last coup left to the next.
    seats: dict[int, str] = field(default_factory=dict)
    standing: Standing = Standing()
    dealer: Actor | None = None
    suspended: str | None = None

    def stack(self, patron: str) -> int:
        """Give the chips that a patron has before him, stakes not counted."""
        return self.stacks.get(patron, 0)

    def debt(self, patron: str) -> int:
        """Give the marked commission that a patron owes."""
        return self.owed.get(patron, 0)
