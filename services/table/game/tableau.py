"""The tableau: which hand takes another card, and why; and what a complete coup comes to."""

from collections.abc import Iterable, Sequence
from typing import Literal

from msgspec import Struct

from services.table.game.cards import POINTS, Card, code_of, total

Hand = Literal["player", "banker"]
Winner = Literal["player", "banker", "tie"]

NATURALS = (8, 9)
LARGEST_HAND = 3

# D draws, S stands. One row for each total of two cards that is not a natural.
PLAYER = "DDDDDDSS"

# Banker, when Player stood; and when Player drew: a column for the value of Player's third card.
BANKER_ALONE = "DDDDDDSS"
BANKER = (
    # 0123456789
    "DDDDDDDDDD",  # 0
    "DDDDDDDDDD",  # 1
    "DDDDDDDDDD",  # 2
    "DDDDDDDDSD",  # 3
    "SSDDDDDDSS",  # 4
    "SSSSDDDDSS",  # 5
    "SSSSSSDDSS",  # 6
    "SSSSSSSSSS",  # 7
)


class IllegalCoup(ValueError):
    """These cards, in this order, are not a coup that a dealer could have dealt."""


class Facts(Struct, frozen=True, kw_only=True):
    """Everything that a rung may ask about a coup at one tableau."""

    winner: Winner
    player: int
    banker: int
    player_cards: int
    banker_cards: int
    cards: int
    margin: int
    natural: Literal["none", "player", "banker", "both"]
    player_pair: Literal["none", "mixed", "suited"]
    banker_pair: Literal["none", "mixed", "suited"]
    pairs: Literal["none", "one", "two", "alike"]


class Sides(Struct, frozen=True, kw_only=True):
    """What a rung may ask about a coup at two tableaux: who won on either side, `player` when it beat the bank."""

    right_winner: Winner
    left_winner: Winner


class Coup(Struct, frozen=True, kw_only=True):
    """Two complete hands, each in the order its cards fell."""

    player: tuple[Card, ...]
    banker: tuple[Card, ...]

    @property
    def facts(self) -> Facts:
        """What the coup comes to."""
        return facts_of(self.player, self.banker)


def player_draws(player_total: int) -> bool:
    """Whether Player takes a third card on a total of 0 to 7."""
    return PLAYER[player_total] == "D"


def banker_draws(banker_total: int, third: int | None) -> bool:
    """Whether Banker takes a third card on a total of 0 to 7, given the value of Player's; None when Player stood."""
    row = BANKER_ALONE if third is None else BANKER[banker_total]
    return row[banker_total if third is None else third] == "D"


def next_hand(player: Sequence[Card], banker: Sequence[Card]) -> Hand | None:
    """The hand that the next card goes to; None when the coup is complete."""
    if len(banker) < 2:  # noqa: PLR2004 - two cards each, in turn
        return "player" if len(player) == len(banker) else "banker"
    if len(banker) == LARGEST_HAND:
        return None
    player_two, banker_two = total(player[:2]), total(banker)
    if player_two in NATURALS or banker_two in NATURALS:
        return None
    if player_draws(player_two) and len(player) < LARGEST_HAND:
        return "player"
    third = POINTS[player[2]] if len(player) == LARGEST_HAND else None
    return "banker" if banker_draws(banker_two, third) else None


def deal(cards: Iterable[Card]) -> Coup:
    """Lay out a whole coup from its cards in the order dealt; IllegalCoup says what is wrong with them."""
    hands: dict[Hand, list[Card]] = {"player": [], "banker": []}
    for card in cards:
        try:
            code_of(card)
        except ValueError as unknown:
            raise IllegalCoup(str(unknown)) from None
        hand = next_hand(hands["player"], hands["banker"])
        if hand is None:
            raise IllegalCoup(f"one card too many: the coup was complete before {card}")
        hands[hand].append(card)
    missing = next_hand(hands["player"], hands["banker"])
    if missing is not None:
        raise IllegalCoup(f"one card is missing: {missing.title()} is to have card {len(hands[missing]) + 1}")
    return Coup(player=tuple(hands["player"]), banker=tuple(hands["banker"]))


def facts_of(player: Sequence[Card], banker: Sequence[Card]) -> Facts:
    """The facts of two complete hands."""
    player_pair, banker_pair = pair_of(player), pair_of(banker)
    return facts_told(
        player=total(player),
        banker=total(banker),
        player_cards=len(player),
        banker_cards=len(banker),
        player_pair=player_pair,
        banker_pair=banker_pair,
        alike=player[0][0] == banker[0][0],
    )


def facts_told(  # noqa: PLR0913 - the fewest numbers that tell the rest
    *,
    player: int,
    banker: int,
    player_cards: int,
    banker_cards: int,
    player_pair: Literal["none", "mixed", "suited"],
    banker_pair: Literal["none", "mixed", "suited"],
    alike: bool,
) -> Facts:
    """The facts that follow from totals, numbers of cards and pairs; `alike` when two pairs would be of one rank."""
    return Facts(
        winner="player" if player > banker else "banker" if banker > player else "tie",
        player=player,
        banker=banker,
        player_cards=player_cards,
        banker_cards=banker_cards,
        cards=player_cards + banker_cards,
        margin=abs(player - banker),
        natural=natural_of(is_natural(player, player_cards), is_natural(banker, banker_cards)),
        player_pair=player_pair,
        banker_pair=banker_pair,
        pairs=pairs_of(player_pair != "none", banker_pair != "none", alike=alike),
    )


def is_natural(hand_total: int, cards: int) -> bool:
    """Whether a hand is a two-card 8 or 9."""
    return cards < LARGEST_HAND and hand_total in NATURALS


def natural_of(player: bool, banker: bool) -> Literal["none", "player", "banker", "both"]:  # noqa: FBT001 - one each
    """Which hands are naturals."""
    if player:
        return "both" if banker else "player"
    return "banker" if banker else "none"


def pair_of(hand: Sequence[Card]) -> Literal["none", "mixed", "suited"]:
    """Whether a hand's first two cards have one rank, and one suit too."""
    if hand[0][0] != hand[1][0]:
        return "none"
    return "suited" if hand[0][1] == hand[1][1] else "mixed"


def pairs_of(player: bool, banker: bool, *, alike: bool) -> Literal["none", "one", "two", "alike"]:  # noqa: FBT001
    """How many hands began with a pair, and whether both pairs are of one rank."""
    if player and banker:
        return "alike" if alike else "two"
    return "one" if player or banker else "none"
