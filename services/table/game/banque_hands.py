"""The hands of baccarat banque: which one the next card goes to, and where the choice is free. Pure."""

from collections.abc import Collection
from typing import Final

from schemas.words import Choice
from services.table.game.banque_sides import SIDES, Side
from services.table.game.cards import total
from services.table.game.deeds import Choose, Draw, Step
from services.table.game.state import Hands
from services.table.game.tableau import LARGEST_HAND, NATURALS, banker_draws, player_draws

ORDER: Final = (*SIDES, "banker")
# A side draws below, stands above, and chooses on this.
SIDES_CHOICE: Final = 5


def next_step(hands: Hands, played: Collection[Side]) -> Step:
    """Give what comes next: a card for a hand, a choice, or nothing when the coup is complete.

    A side that nobody plays, not being in `played`, does as the tableau: it draws on its 5.
    """
    if len(hands.banker) < 2:  # noqa: PLR2004 - right, left, banker, twice; `min` gives the first of equals
        return Draw(min(ORDER, key=lambda hand: len(hands.of(hand))))
    naturals = [side for side in SIDES if total(hands.of(side)[:2]) in NATURALS]
    if total(hands.banker[:2]) in NATURALS or len(naturals) == len(SIDES):
        return None
    for side in SIDES:
        if side not in naturals and (step := _of_a_side(side, hands, is_played=side in played)):
            return step
    return _chosen("banker", hands)


def _of_a_side(side: Side, hands: Hands, *, is_played: bool) -> Step:
    """Give the step of a side that is no natural; None when it has drawn, or stands."""
    hand = hands.of(side)
    if len(hand) == LARGEST_HAND:
        return None
    if total(hand) == SIDES_CHOICE and is_played:
        return _chosen(side, hands)
    return Draw(side) if player_draws(total(hand)) else None


def _chosen(hand: str, hands: Hands) -> Step:
    """Give the step of a hand that may do as it likes: the choice, then its card when it is to have one."""
    if hand not in hands.choices:
        return Choose(hand)
    return Draw(hand) if hands.choices[hand] == "draw" and len(hands.of(hand)) < LARGEST_HAND else None


def advice(hand: str, hands: Hands) -> Choice:
    """Say what the system decides for who is silent: a side draws on 5; the banker does as after a stand."""
    held = total(hands.of(hand)[:2])
    draws = banker_draws(held, None) if hand == "banker" else player_draws(held)
    return "draw" if draws else "stand"
