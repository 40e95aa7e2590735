"""The coups of a bundle, each as the log has it: bets, cards as they fell, and what became of every stake."""

from collections.abc import Iterator
from typing import Any, Final, Literal

from msgspec import UNSET, Struct, UnsetType, field

from schemas.bundle import Bundle
from schemas.entry import Entry
from schemas.events import (
    AnyEvent,
    BetPlaced,
    BetWithdrawn,
    CardDealt,
    CutCardReached,
    DecisionMade,
    EntropyContributed,
    Line,
    LinesSettled,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SettlementReversed,
    ShoeCommitted,
    ShoeShuffled,
)
from schemas.seats import BetAgreed, BetAsked, BetRefused, SeatsSet, TurnPassed
from schemas.words import Seated, Winners
from services.audit.loosely import read_loosely
from services.audit.shoe import NOT_IN_A_ROUND
from services.table.game.entropy import NOBODY
from services.table.game.grade import Entropy, Grade, Ingredients
from services.table.game.rulings import rulings
from services.table.game.tableau import next_hand

FEWEST_CARDS = 2
SAID: Final[dict[type, Any]] = {BetAsked: "asks", BetAgreed: "is agreed with", BetRefused: "is refused"}
NO_CURRENCY = "chips"  # until shoe-committed says which


class Card(Struct, frozen=True, kw_only=True):
    """One card as it fell; `after_cut_card` when the cut card came out just before it."""

    hand: str
    card: str
    position: int | UnsetType = UNSET
    after_cut_card: bool | UnsetType = UNSET


class Bet(Struct, frozen=True, kw_only=True):
    """A bet placed, or taken back, in the order it was done.

    Where players bank, also one that was asked for, agreed to or refused, as `said`; and a turn passed, without a bet.
    """

    patron: str
    bet: str | UnsetType = UNSET
    amount: int | UnsetType = UNSET
    taken_back: bool | UnsetType = UNSET
    said: Literal["passes", "asks", "is agreed with", "is refused"] | UnsetType = UNSET


class Decision(Struct, frozen=True, kw_only=True):
    """A choice that was free; `after` so many cards of the coup."""

    hand: str
    choice: str
    after: int


class Seats(Struct, frozen=True, kw_only=True):
    """Who sits where, and what the coup starts from, as it is stated where players bank."""

    seats: tuple[Seated, ...]
    turn: int | UnsetType = UNSET
    banker: int | UnsetType = UNSET
    standing: int | UnsetType = UNSET
    suivi: int | UnsetType = UNSET
    right: int | UnsetType = UNSET
    left: int | UnsetType = UNSET
    tied: bool | UnsetType = UNSET


class Ending(Struct, frozen=True, kw_only=True):
    """What a coup came to. `undone`: a settlement that was reversed, with the reason."""

    deed: str
    player: int | UnsetType = UNSET
    right: int | UnsetType = UNSET
    left: int | UnsetType = UNSET
    banker: int | UnsetType = UNSET
    winner: str | UnsetType = UNSET
    winners: Winners | UnsetType = UNSET
    reason: str | UnsetType = UNSET
    approved_by: tuple[str, ...] | UnsetType = UNSET
    lines: tuple[Line, ...] = ()


class Coup(Struct, kw_only=True):
    """One coup. Amounts in minor units of `currency`; more than one ending when a settlement was reversed.

    `entropy` is the grade of its shoe's shuffle, absent with real cards.
    """

    table: str
    shoe: int
    round: int
    currency: str
    version: int
    at: str
    free: bool
    entropy: Grade | UnsetType = UNSET
    seats: Seats | UnsetType = UNSET
    bets: list[Bet] = field(default_factory=list)
    cards: list[Card] = field(default_factory=list)
    decisions: list[Decision] | UnsetType = UNSET
    rulings: tuple[str, ...] = ()
    endings: list[Ending] = field(default_factory=list)


def coups(bundle: Bundle) -> Iterator[Coup]:
    """Give the coups of a bundle one after another. Nothing is verified; what cannot be read is passed over."""
    currency, does_tableau = NO_CURRENCY, True
    entropy = shuffle_of(bundle)
    teller: Teller | None = None
    for line in _lines(bundle):
        entry = read_loosely(line)
        if not isinstance(entry, Entry):
            continue
        event = entry.event
        if isinstance(event, ShoeCommitted):
            currency, does_tableau = event.currency, event.rules.game in ("house", "dining-room")
        elif isinstance(event, RoundOpened):
            if teller is not None:
                yield teller.told()
            teller = Teller(entry, event, currency, UNSET if entropy is None else entropy.grade)
            teller.does_tableau = does_tableau
        elif teller is not None:
            teller.tell(event)
    if teller is not None:
        yield teller.told()


def _lines(bundle: Bundle) -> Iterator[bytes]:
    """Give the lines of a bundle; of a round's, those of its shoe first."""
    yield from bundle.shoe_text.splitlines()
    yield from bundle.lines()


def shuffle_of(bundle: Bundle) -> Entropy | None:
    """Grade what went into the shuffle, by what the bundle says of it; None when it says nothing, as of real cards."""
    if is_real(bundle):
        return None
    if bundle.is_rounds:
        return Entropy(grade="operator-only", reason=NOT_IN_A_ROUND)
    ingredients: Ingredients | None = None
    for line in bundle.lines():
        entry = read_loosely(line)
        event = entry.event if isinstance(entry, Entry) else None
        if isinstance(event, ShoeCommitted) and event.seed_commitment is not UNSET:
            ingredients = Ingredients(
                shoe_id=f"{bundle.manifest.table}/{event.shoe}",
                commitment=bytes.fromhex(event.seed_commitment),
                final_source=event.final_source or NOBODY,
                signers=(),
            )
        elif isinstance(event, EntropyContributed) and ingredients is not None:
            ingredients.add(event.source, bytes.fromhex(event.value))
        elif isinstance(event, ShoeShuffled | RoundOpened):
            break
    return None if ingredients is None else ingredients.judge()


def is_real(bundle: Bundle) -> bool:
    """Whether the bundle says that its cards are real, and were read by a scanner."""
    for line in _lines(bundle):
        entry = read_loosely(line)
        event = entry.event if isinstance(entry, Entry) else None
        if isinstance(event, ShoeCommitted):
            return event.source == "scanned"
        if isinstance(event, RoundOpened):
            break
    return False


class Teller:
    """Tells one coup, entry by entry."""

    def __init__(self, entry: Entry, opened: RoundOpened, currency: str, entropy: Grade | UnsetType) -> None:
        self._coup = Coup(
            table=entry.stream.removeprefix("table/"),
            shoe=opened.shoe,
            round=opened.round,
            currency=currency,
            version=entry.version,
            at=entry.at,
            free=opened.free is not UNSET,
            entropy=entropy,
        )
        # Whether every card falls as the tableau has it, so that the rules can be said.
        self.does_tableau = True
        self._is_cut_card_out = False
        self._lines: list[Line] = []

    def tell(self, event: AnyEvent) -> None:  # noqa: C901 (one case per kind of entry)
        """Add what an entry says of the coup."""
        coup = self._coup
        match event:
            case BetPlaced():
                coup.bets.append(Bet(patron=event.patron, bet=event.bet, amount=event.amount))
            case BetWithdrawn():
                coup.bets.append(Bet(patron=event.patron, bet=event.bet, taken_back=True))
            case SeatsSet():
                stated = {name: getattr(event, name) for name in Seats.__struct_fields__}
                coup.seats = Seats(**stated)
            case TurnPassed():
                coup.bets.append(Bet(patron=event.patron, said="passes"))
            case BetAsked() | BetAgreed() | BetRefused():
                said = SAID[type(event)]
                coup.bets.append(Bet(patron=event.patron, bet=event.bet, amount=event.amount, said=said))
            case DecisionMade():
                made = [] if coup.decisions is UNSET else coup.decisions
                coup.decisions = [*made, Decision(hand=event.hand, choice=event.choice, after=len(coup.cards))]
            case CutCardReached():
                self._is_cut_card_out = True
            case CardDealt():
                after = True if self._is_cut_card_out else UNSET
                card = Card(hand=event.hand, card=event.card, position=event.position, after_cut_card=after)
                coup.cards.append(card)
                self._is_cut_card_out = False
            case LinesSettled():
                self._lines += event.lines
            case RoundSettled() | RoundVoided() | SettlementReversed():
                self._end(event)
            case _:
                pass

    def _end(self, event: RoundSettled | RoundVoided | SettlementReversed) -> None:
        if isinstance(event, RoundSettled):
            lines = (*self._lines, *event.lines)
            told = {name: getattr(event, name) for name in ("player", "right", "left", "banker", "winner", "winners")}
            ending = Ending(deed="settled", **told, lines=lines)
            self._lines = []
        else:
            deed = "voided" if isinstance(event, RoundVoided) else "reversed"
            ending = Ending(deed=deed, reason=event.reason, approved_by=event.approved_by)
        self._coup.endings.append(ending)

    def told(self) -> Coup:
        """Give the coup, with what the rules demanded when its hands are complete."""
        coup = self._coup
        player, banker = hand_of(coup, "player"), hand_of(coup, "banker")
        is_complete = min(len(player), len(banker)) >= FEWEST_CARDS
        if self.does_tableau and is_complete and next_hand(player, banker) is None:
            coup.rulings = rulings(player, banker)
        return coup


def hand_of(coup: Coup, hand: str) -> list[str]:
    """Give a hand's cards in the order they fell."""
    return [card.card for card in coup.cards if card.hand == hand]
