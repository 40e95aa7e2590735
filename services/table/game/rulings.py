"""Rulings: which rule drew a card or stood, as a dealer would say it."""

from collections.abc import Sequence

from services.table.game.cards import POINTS, Card, total
from services.table.game.tableau import LARGEST_HAND, NATURALS, banker_draws, player_draws


def rulings(player: Sequence[Card], banker: Sequence[Card]) -> tuple[str, ...]:
    """Say what the rules demanded once each hand of a complete coup had two cards, in the order it was done."""
    player_two, banker_two = total(player[:2]), total(banker[:2])
    if player_two in NATURALS or banker_two in NATURALS:
        return natural_rulings(player_two, banker_two)
    third = POINTS[player[2]] if len(player) == LARGEST_HAND else None
    return player_ruling(player_two), banker_ruling(banker_two, third)


def natural_rulings(player_two: int, banker_two: int) -> tuple[str, ...]:
    """Say which hands end the coup with a natural."""
    hands = (("Player", player_two), ("Banker", banker_two))
    return tuple(f"{hand} has a natural {points}: no more cards" for hand, points in hands if points in NATURALS)


def player_ruling(player_two: int) -> str:
    """Say what Player does on a two-card total of 0 to 7."""
    return f"Player {'draws' if player_draws(player_two) else 'stands'} on {player_two}"


def banker_ruling(banker_two: int, third: int | None) -> str:
    """Say what Banker does on a two-card total of 0 to 7 against the value of Player's third card, if there is one."""
    deed = "draws" if banker_draws(banker_two, third) else "stands"
    if third is None:
        return f"Banker {deed} on {banker_two}, Player having stood"
    return f"Banker {deed} on {banker_two} against {'an' if third == 8 else 'a'} {third}"  # noqa: PLR2004 - an eight
