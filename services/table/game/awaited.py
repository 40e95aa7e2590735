"""Awaited: where a player banks, whether the reader of real cards is waited for, or the dealer may go on. Pure."""

from collections.abc import Callable

from msgspec.structs import replace

from services.table.game.deeds import Choose, Draw, Step
from services.table.game.state import Playing

NextStep = Callable[[Playing], Step]


def awaits_reader(next_step: NextStep, phase: Playing) -> bool:
    """Whether the next card is a real one, or the cards of a whole coup wait for the second reader.

    Not when a choice was the last that happened: no card tells that the coup is whole, or void for want of one.
    """
    if not phase.shoe.is_scanned:
        return False
    if isinstance(next_step(phase), Draw):
        return phase.shoe.position < phase.shoe.cards
    return not _ended_with_a_choice(next_step, phase)


def _ended_with_a_choice(next_step: NextStep, phase: Playing) -> bool:
    """Whether no card has followed the choice that was made last: it was to stand, and nobody has drawn since."""
    hands = phase.hands.copy()
    if not hands.choices:
        return False
    hand, choice = hands.choices.popitem()
    return choice == "stand" and next_step(replace(phase, hands=hands)) == Choose(hand)
