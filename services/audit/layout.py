"""The layout of one coup: the stakes that lie on it within what limits, and the cards of both hands.

Rules and money both read it; only the rules write on it.
"""

import math
from collections.abc import Iterator

from msgspec import UNSET

from schemas.rules import Limits, Rules

Key = tuple[str, str]
"""A patron and a bet."""


class Layout:
    """What lies on the table since the last `round-opened`."""

    __slots__ = (
        "_apart",
        "_most_apart",
        "_most_patron",
        "_most_table",
        "_needs",
        "_patrons",
        "_rules",
        "_spans",
        "_table",
        "banker",
        "player",
        "stakes",
    )

    def __init__(self, rules: Rules, limits: Limits) -> None:
        self._rules = rules
        self.clear(limits)

    def clear(self, limits: Limits) -> None:
        """Begin a coup under the limits in force."""
        self.stakes: dict[Key, int] = {}
        self.player: list[str] = []
        self.banker: list[str] = []
        self._patrons: dict[str, int] = {}
        self._table = self._apart = 0
        self._most_patron = math.inf if limits.patron is UNSET else limits.patron
        self._most_table = math.inf if limits.table is UNSET else limits.table
        self._most_apart = math.inf if limits.differential is UNSET else limits.differential
        bets = self._rules.bets
        self._spans = {name: (span.min, span.max) for name, span in limits.bets.items() if name in bets}
        self._needs = {name: bet.needs for name, bet in bets.items() if bet.needs is not UNSET}

    def place(self, patron: str, bet: str, amount: int) -> list[str]:
        """Add to a bet; say which limits it leaves behind."""
        stakes, patrons, key = self.stakes, self._patrons, (patron, bet)
        stake = stakes[key] = stakes.get(key, 0) + amount
        of_patron = patrons[patron] = patrons.get(patron, 0) + amount
        self._table += amount
        if bet == "player":
            self._apart += amount
        elif bet == "banker":
            self._apart -= amount
        span = self._spans.get(bet)
        if (
            span is not None
            and span[0] <= stake <= span[1]
            and of_patron <= self._most_patron
            and self._table <= self._most_table
            and -self._most_apart <= self._apart <= self._most_apart
            and bet not in self._needs
        ):
            return []
        return list(self._complaints(patron, bet, stake, of_patron))

    def withdraw(self, patron: str, bet: str) -> list[str]:
        """Take back the whole of a bet; say which limits that leaves behind."""
        amount = self.stakes.pop((patron, bet), None)
        if amount is None:
            return [f"patron {patron} has nothing on {bet} to take back"]
        self._patrons[patron] -= amount
        self._table -= amount
        if bet in ("player", "banker"):
            self._apart += -amount if bet == "player" else amount
        return [*self._too_far_apart(bet), *self._left_in_need(patron, bet)]

    def _complaints(self, patron: str, bet: str, stake: int, of_patron: int) -> Iterator[str]:
        span = self._spans.get(bet)
        if bet not in self._rules.bets:
            yield f"the rules have no bet {bet}"
        elif span is None:
            yield f"{bet} is not offered: the limits do not name it"
        elif not span[0] <= stake <= span[1]:
            yield f"patron {patron} has {stake} on {bet}, where {span[0]} to {span[1]} are allowed"
        if of_patron > self._most_patron:
            yield f"patron {patron} has {of_patron} on the table, where {self._most_patron} are allowed"
        if self._table > self._most_table:
            yield f"{self._table} lie on the table, where {self._most_table} are allowed"
        yield from self._too_far_apart(bet)
        if self._lacks_needs(patron, bet):
            yield f"patron {patron} has staked on none of the bets that {bet} needs"

    def _too_far_apart(self, bet: str) -> Iterator[str]:
        if bet in ("player", "banker") and abs(self._apart) > self._most_apart:
            yield f"player and banker lie {abs(self._apart)} apart, where {self._most_apart} are allowed"

    def _lacks_needs(self, patron: str, bet: str) -> bool:
        return bet in self._needs and not any((patron, needed) in self.stakes for needed in self._needs[bet])

    def _left_in_need(self, patron: str, bet: str) -> Iterator[str]:
        for depending, needs in self._needs.items():
            if bet in needs and (patron, depending) in self.stakes and self._lacks_needs(patron, depending):
                yield f"patron {patron} keeps {depending} without any of the bets that it needs"
