"""Prices: what every bet costs at a table of any game, out of the cards that nobody has seen yet, and who may win.

Where hands choose, they are counted as the tableau has them; what a player's bank is worth depends on the stakes, and
is not told.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final, Literal

from msgspec import UNSET, Struct, UnsetType

from schemas.rules import Rules
from schemas.words import Winner
from services.table.game import banque_odds, odds
from services.table.game.banque_sides import SIDES
from services.table.game.deals import Unseen, by_points, fresh
from services.table.game.odds import WINNERS, BetOdds
from services.table.game.paytable import ratio_text

CHOOSING: Final = ("chemin-de-fer", "banque")
"""The games in which some hands choose."""

Choices = Literal["tableau"]


class Prices(Struct, frozen=True, kw_only=True):
    """The odds of every bet, and of each winner: on either side at two tableaux, else under no name."""

    bets: Mapping[str, BetOdds]
    winners: Mapping[str, Mapping[Winner, Fraction]]
    void: Fraction


def fresh_prices(rules: Rules) -> Prices:
    """Count a fresh shoe."""
    unseen = fresh(rules.procedure.decks)
    return prices(rules, unseen, left=sum(unseen))


def prices(rules: Rules, unseen: Unseen, *, left: int) -> Prices:
    """Count when these cards were not seen yet, of which so many are left in the shoe; others are burned or covered."""
    if rules.game != "banque":
        found = odds.odds_of(rules, unseen, left=left)
        return Prices(bets=found.bets, winners={"": found.winners}, void=found.void)
    points = by_points(unseen)
    return Prices(
        bets=banque_odds.bets(rules, points, left=left),
        winners=banque_odds.winners(points, left=left),
        void=1 - sum(banque_odds.outcomes(points, left).values(), Fraction(0)),
    )


def choices(rules: Rules) -> Choices | UnsetType:
    """Say how free choices were counted, where there are any: as the tableau, which is what the system advises."""
    return "tableau" if rules.game in CHOOSING else UNSET


def forget(*, ladders: bool = True) -> None:
    """Forget what was counted, and, if so wanted, which rung each coup reaches: for whoever measures."""
    odds.forget(ladders=ladders)
    banque_odds.forget()


class WinnersTold(Struct, frozen=True, kw_only=True):
    """How likely each winner is at a tableau, `a/b`."""

    player: str
    banker: str
    tie: str


class OutcomesTold(Struct, frozen=True, kw_only=True):
    """How likely each winner is, `a/b`; at two tableaux on either side; `void` when the coup may run out of cards."""

    player: str | UnsetType = UNSET
    banker: str | UnsetType = UNSET
    tie: str | UnsetType = UNSET
    right: WinnersTold | UnsetType = UNSET
    left: WinnersTold | UnsetType = UNSET
    void: str | UnsetType = UNSET


def outcomes_told(found: Prices) -> OutcomesTold:
    """Write how likely each winner is."""
    void = ratio_text(found.void) if found.void else UNSET
    if "" in found.winners:
        one = winners_told(found.winners[""])
        return OutcomesTold(player=one.player, banker=one.banker, tie=one.tie, void=void)
    right, left = (winners_told(found.winners[side]) for side in SIDES)
    return OutcomesTold(right=right, left=left, void=void)


def winners_told(of: Mapping[Winner, Fraction]) -> WinnersTold:
    """Write how likely each winner is at one tableau."""
    player, banker, tie = (ratio_text(of[winner]) for winner in WINNERS)
    return WinnersTold(player=player, banker=banker, tie=tie)
