"""Cards: how one is written, what it counts, and its code in a shoe."""

from collections.abc import Iterable

Card = str

RANKS = "A23456789TJQK"
SUITS = "cdhs"

CARDS: tuple[Card, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""The 52 cards, each at its code: suit * 13 + rank."""

CODES: dict[Card, int] = {card: code for code, card in enumerate(CARDS)}

POINTS: dict[Card, int] = {card: 0 if card[0] in "TJQK" else RANKS.index(card[0]) + 1 for card in CARDS}
"""Ace 1, two to nine their pips, ten and faces 0."""


def card_of(code: int) -> Card:
    """The card with this code, 0 to 51."""
    if not 0 <= code < len(CARDS):
        raise ValueError(f"{code} is not the code of a card: codes run from 0 to 51")
    return CARDS[code]


def code_of(card: Card) -> int:
    """The code of a card as it is written, such as `As` or `Td`."""
    try:
        return CODES[card]
    except KeyError:
        raise ValueError(
            f"{card!r} is not a card: write a rank of {RANKS} and a suit of {SUITS}, such as As or Td"
        ) from None


def points(card: Card) -> int:
    """What a card counts towards a total."""
    return POINTS[card]


def burn_value(card: Card) -> int:
    """How many more cards a first burn card asks for: ten and faces 10."""
    return POINTS[card] or 10


def total(cards: Iterable[Card]) -> int:
    """The total of a hand: the last digit of the sum."""
    return sum(POINTS[card] for card in cards) % 10
