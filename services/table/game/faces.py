"""Faces: which cards of a player-banked coup lie face up while it is played, and whose hands somebody plays. Pure.

Where somebody may have a choice, the first two cards of a hand lie face down until the coup is over; an 8 or 9 is shown
at once. Third cards are dealt face up. Only who plays a hand reads it before it is shown, and surveillance.
"""

from msgspec import UNSET

from schemas.words import Card
from services.table.game.cards import total
from services.table.game.salon import game_of
from services.table.game.state import Hands, Playing, Table
from services.table.game.tableau import NATURALS

FACE_DOWN = 2
HANDS = ("player", "right", "left", "banker")


def shown(table: Table, phase: Playing) -> tuple[Hands, dict[str, int]]:
    """Give the cards that everybody sees, and how many of each hand are face down."""
    if table.rules.play is UNSET:
        return phase.hands, {}
    seen, hidden = Hands(), {}
    for hand in HANDS:
        cards = phase.hands.of(hand)
        down = 0 if _is_natural(cards) else min(len(cards), FACE_DOWN)
        seen.of(hand).extend(cards[down:])
        if down:
            hidden[hand] = down
    return seen, hidden


def played_by(table: Table, phase: Playing, patron: str) -> dict[str, tuple[Card, ...]]:
    """Give the hands that a patron plays, with all their cards."""
    game, hands = game_of(table), phase.hands
    return {
        hand: tuple(hands.of(hand))
        for hand in HANDS
        if hands.of(hand) and game.decider(phase.banked, phase.stakes, hand) == patron
    }


def _is_natural(cards: list[Card]) -> bool:
    return len(cards) == FACE_DOWN and total(cards) in NATURALS
