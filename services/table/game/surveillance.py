"""Surveillance: what a patron who counts cards could have known before each coup, and who staked as if he had.

A coup is in the patron's favour when some bet costs less than nothing, given every card that was seen before its bets
closed. Stakes in and out of such coups are told apart for every patron: counting shows itself there. Where a player
banks, the patron is whoever stakes against the bank; hands that choose are counted as the tableau has them.
"""

from collections.abc import Collection, Iterable, Mapping
from fractions import Fraction

from msgspec import UNSET, Struct, UnsetType, field

from schemas.events import (
    AnyEvent,
    BetPlaced,
    BetsClosed,
    BetWithdrawn,
    CardDealt,
    CardsBurned,
    LimitsChanged,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SettlementReversed,
    ShoeCommitted,
)
from schemas.rules import Rules
from schemas.seats import CardDrawn
from services.table.game.banker import BANK
from services.table.game.deals import unseen_after
from services.table.game.odds import decimal
from services.table.game.paytable import ratio_text
from services.table.game.prices import Choices, choices, prices
from services.table.game.stakes import Stakes
from services.table.game.state import CARDS_PER_DECK


class Favour(Struct, frozen=True, kw_only=True):
    """A bet that was in the patron's favour: its house edge, below 0, to 15 places and exactly."""

    bet: str
    edge: str
    edge_fraction: str


class FavourableCoup(Struct, frozen=True, kw_only=True):
    """A coup with such bets, and what was staked on those, and on all bets, before they closed; the bank is no bet."""

    round: int
    bets: tuple[Favour, ...]
    staked_in_favour: int
    staked: int


class Tally(Struct, kw_only=True):
    """Coups with a stake, and all that was staked in them, in minor units."""

    coups: int = 0
    staked: int = 0

    def add(self, amount: int) -> None:
        """Count a coup's stake."""
        self.coups += 1
        self.staked += amount


class BetWatched(Struct, kw_only=True):
    """A patron's stakes on one bet: when it was in his favour, and when not."""

    in_favour: Tally = field(default_factory=Tally)
    otherwise: Tally = field(default_factory=Tally)


class PatronWatched(Struct, kw_only=True):
    """A patron's stakes in coups in which some bet was in the patron's favour, and in all others; and bet by bet.

    `banked`: what he held against others' bets, in such coups and in all others.
    """

    patron: str
    in_favour: Tally = field(default_factory=Tally)
    otherwise: Tally = field(default_factory=Tally)
    bets: dict[str, BetWatched] = field(default_factory=dict)
    banked: BetWatched | UnsetType = UNSET


class Watched(Struct, frozen=True, kw_only=True):
    """A shoe watched: its settled coups, those in the patron's favour, and every patron who staked or banked.

    `choices`: how free ones are counted, where hands have any.
    """

    table: str
    shoe: int
    rules: str
    choices: Choices | UnsetType = UNSET
    currency: str
    coups: int
    favourable: tuple[FavourableCoup, ...]
    patrons: tuple[PatronWatched, ...]


class CoupWatched(Struct, frozen=True, kw_only=True):
    """A coup whose bets are closed: what each bet on offer cost, the stakes, and whose bank they were against."""

    round: int
    edges: Mapping[str, Fraction]
    stakes: Mapping[tuple[str, str], int]
    banks: Mapping[str, int]

    @property
    def favours(self) -> dict[str, Fraction]:
        """Give the bets that were in the patron's favour."""
        return {bet: edge for bet, edge in self.edges.items() if edge < 0}


class Watch:
    """Follows the events of one shoe, from `shoe-committed` on."""

    def __init__(self, table: str) -> None:
        self._table = table
        self._committed: ShoeCommitted | None = None
        self._seen: list[str] = []
        self._left = 0
        self._offered: Collection[str] = ()
        self._offered_next: Collection[str] = ()
        self._round = 0
        self._stakes = Stakes()
        self._closed: CoupWatched | None = None
        self._settled: dict[int, CoupWatched] = {}

    def hear(self, events: Iterable[AnyEvent]) -> None:
        """Take in what happened next. A coup that is void, or undone, does not count."""
        for event in events:
            match event:
                case BetPlaced():
                    self._stakes.place(event.patron, event.bet, event.amount)
                case BetWithdrawn():
                    self._stakes.withdraw(event.patron, event.bet)
                case CardDealt() | CardDrawn():
                    self._see(event.card, 1)
                case CardsBurned():
                    self._see(event.card, event.count)
                case ShoeCommitted():
                    self._committed, self._left = event, event.decks * CARDS_PER_DECK
                    self._offered_next = event.limits.bets
                case LimitsChanged():
                    self._offered_next = event.limits.bets
                case _:
                    self._turn(event)

    def _turn(self, event: AnyEvent) -> None:
        """Take in how far a coup is."""
        match event:
            case RoundOpened():
                self._round, self._stakes, self._closed = event.round, Stakes(), None
                self._offered = self._offered_next
            case BetsClosed():
                self._closed = self._judged()
            case RoundSettled() if self._closed is not None:
                self._settled[event.round] = self._closed
            case RoundVoided() | SettlementReversed():
                self._settled.pop(event.round, None)
            case _:
                pass

    def _see(self, card: str, taken: int) -> None:
        self._seen.append(card)
        self._left -= taken

    def _judged(self) -> CoupWatched:
        """Judge the coup whose bets close now."""
        found = prices(self._rules, unseen_after(self._shoe.decks, self._seen), left=self._left)
        stakes = self._stakes.by_bet.items()
        return CoupWatched(
            round=self._round,
            edges={bet: odds.edge for bet, odds in found.bets.items() if bet in self._offered},
            stakes={(patron, bet): amount for (patron, bet), amount in stakes if bet != BANK},
            banks={patron: amount for (patron, bet), amount in stakes if bet == BANK},
        )

    @property
    def _shoe(self) -> ShoeCommitted:
        assert self._committed is not None, "a shoe begins by being committed to"
        return self._committed

    @property
    def _rules(self) -> Rules:
        return self._shoe.rules

    def told(self) -> Watched:
        """Tell what was seen."""
        coups = list(self._settled.values())
        return Watched(
            table=self._table,
            shoe=self._shoe.shoe,
            rules=self._rules.name,
            choices=choices(self._rules),
            currency=self._shoe.currency,
            coups=len(coups),
            favourable=tuple(favourable(coup) for coup in coups if coup.favours),
            patrons=tuple(patrons(coups)),
        )


def favourable(coup: CoupWatched) -> FavourableCoup:
    """Tell a coup in the patron's favour."""
    favours = coup.favours
    return FavourableCoup(
        round=coup.round,
        bets=tuple(
            Favour(bet=bet, edge=decimal(edge), edge_fraction=ratio_text(edge)) for bet, edge in favours.items()
        ),
        staked_in_favour=sum(amount for (_, bet), amount in coup.stakes.items() if bet in favours),
        staked=sum(coup.stakes.values()),
    )


def patrons(coups: Iterable[CoupWatched]) -> list[PatronWatched]:
    """Tell every patron's stakes and banks, in and out of coups in the patron's favour."""
    found: dict[str, PatronWatched] = {}
    for coup in coups:
        favours = coup.favours
        for patron, amount in coup.banks.items():
            banked = found.setdefault(patron, PatronWatched(patron=patron)).banked or BetWatched()
            (banked.in_favour if favours else banked.otherwise).add(amount)
            found[patron].banked = banked
        staked: dict[str, int] = {}
        for (patron, bet), amount in coup.stakes.items():
            staked[patron] = staked.get(patron, 0) + amount
            watched = found.setdefault(patron, PatronWatched(patron=patron))
            one = watched.bets.setdefault(bet, BetWatched())
            (one.in_favour if bet in favours else one.otherwise).add(amount)
        for patron, amount in staked.items():
            (found[patron].in_favour if favours else found[patron].otherwise).add(amount)
    return sorted(found.values(), key=lambda watched: watched.patron)
