"""The hands of chemin de fer: which one the next card goes to, and where the choice is free. Pure."""

from schemas.rules import Play, Rules
from schemas.words import Choice
from services.table.game.cards import POINTS, total
from services.table.game.deeds import Choose, Draw, Step
from services.table.game.state import Hands
from services.table.game.tableau import LARGEST_HAND, NATURALS, banker_draws, player_draws

PLAYERS_CHOICE = 5
# In mode `free` Banker chooses on these; 0-2 draws, 7 stands.
BANKERS_CHOICE = (3, 4, 5, 6)


def next_step(rules: Rules, hands: Hands) -> Step:
    """Give what comes next: a card for a hand, a choice, or nothing when the coup is complete."""
    player, banker = hands.player, hands.banker
    if len(banker) < 2:  # noqa: PLR2004 - two cards each, in turn
        return Draw("player" if len(player) == len(banker) else "banker")
    player_two, banker_two = total(player[:2]), total(banker[:2])
    if player_two in NATURALS or banker_two in NATURALS or len(banker) == LARGEST_HAND:
        return None
    if len(player) < LARGEST_HAND and (step := _step("player", hands, player_may(rules, player_two))):
        return step
    third = POINTS[player[2]] if len(player) == LARGEST_HAND else None
    return _step("banker", hands, banker_may(rules, banker_two, third))


def _step(hand: str, hands: Hands, may: str) -> Step:
    """Give the step of a hand that may `draw`, `stand` or has its `choice`; None when it stands."""
    if may == "choice":
        if hand not in hands.choices:
            return Choose(hand)
        may = hands.choices[hand]
    return Draw(hand) if may == "draw" else None


def player_may(rules: Rules, player_two: int) -> str:
    """Say whether Player draws, stands, or has the choice on a total of 0 to 7."""
    if _play(rules).mode != "tableau" and player_two == PLAYERS_CHOICE:
        return "choice"
    return "draw" if player_draws(player_two) else "stand"


def banker_may(rules: Rules, banker_two: int, third: int | None) -> str:
    """Say whether Banker draws, stands, or has the choice, against Player's third card; None when Player stood."""
    play = _play(rules)
    cell = f"{banker_two}-{'stand' if third is None else third}"
    is_named = play.mode == "options" and cell in (play.cells or ())
    if is_named or (play.mode == "free" and banker_two in BANKERS_CHOICE):
        return "choice"
    return "draw" if banker_draws(banker_two, third) else "stand"


def advice(hand: str, hands: Hands) -> Choice:
    """Say what the tableau would do where the choice is free: what the system does for who is silent."""
    if hand == "player":
        return "draw" if player_draws(total(hands.player)) else "stand"
    third = POINTS[hands.player[2]] if len(hands.player) == LARGEST_HAND else None
    return "draw" if banker_draws(total(hands.banker), third) else "stand"


def _play(rules: Rules) -> Play:
    assert rules.play, "scrutiny insists on it"
    return rules.play
