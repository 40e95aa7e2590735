"""Stakes: what lies on the table in a coup, by patron and bet."""

from msgspec import Struct, field
from msgspec.structs import replace

from schemas.events import BetPlaced, BetWithdrawn
from schemas.words import Event


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

    def follow(self, event: Event) -> None:
        """Let a bet be placed or withdrawn; anything else moves no chips."""
        match event:
            case BetPlaced():
                self.place(event.patron, event.bet, event.amount)
            case BetWithdrawn():
                self.withdraw(event.patron, event.bet)
            case _:
                pass

    def copy(self) -> "Stakes":
        """Give stakes that may change without these."""
        return replace(self, by_bet=dict(self.by_bet), by_patron=dict(self.by_patron))

    @property
    def all(self) -> list[tuple[str, str, int]]:
        """Every bet: patron, bet, and the whole stake on it, in the order first placed."""
        return [(patron, bet, amount) for (patron, bet), amount in self.by_bet.items()]

    def _add(self, patron: str, bet: str, amount: int) -> None:
        self.by_patron[patron] = self.by_patron.get(patron, 0) + amount
        self.table += amount
        if bet == "player":
            self.player += amount
        elif bet == "banker":
            self.banker += amount
