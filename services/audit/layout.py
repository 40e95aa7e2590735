"""The layout of one coup: the stakes that lie on it within what limits, and the cards of both hands.

Rules and money both read it; only the rules write on it.
"""

import math
from collections.abc import Iterator, Sequence

from msgspec import UNSET

from schemas.rules import Limits, Rules
from services.audit.watchers import BetRow

Key = tuple[str, str]
"""A patron and a bet."""

NOT_OFFERED = (1, 0)


class Layout:
    """What lies on the table since the last `round-opened`."""

    __slots__ = (
        "_apart",
        "_limits",
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
        self._limits = limits
        self.stakes: dict[Key, int] = {}
        self.player: list[str] = []
        self.banker: list[str] = []
        self._patrons: dict[str, int] = {}
        self._table = self._apart = 0
        self._most_patron = math.inf if limits.patron is UNSET else limits.patron
        self._most_table = math.inf if limits.table is UNSET else limits.table
        self._most_apart = math.inf if limits.differential is UNSET else limits.differential
        bets = self._rules.bets
        self._needs = {name: bet.needs for name, bet in bets.items() if bet.needs is not UNSET}
        # What a bet without needs may be; every other bet gets a closer look.
        self._spans = {
            name: (span.min, span.max) for name, span in limits.bets.items() if name in bets and name not in self._needs
        }

    def place(self, rows: Sequence[BetRow]) -> list[tuple[int, str]]:
        """Add a run of bets; say at which versions which limits are left behind."""
        stakes, patrons, spans, table, apart = self.stakes, self._patrons, self._spans, self._table, self._apart
        most_patron, most_table, most_apart = self._most_patron, self._most_table, self._most_apart
        complaints: list[tuple[int, str]] = []
        for row in rows:
            event = row.event
            patron, bet, amount = event.patron, event.bet, event.amount
            key = patron, bet
            stake = stakes[key] = stakes.get(key, 0) + amount
            of_patron = patrons[patron] = patrons.get(patron, 0) + amount
            table += amount
            if bet == "player":
                apart += amount
            elif bet == "banker":
                apart -= amount
            low, high = spans.get(bet, NOT_OFFERED)
            if (
                low <= stake <= high
                and of_patron <= most_patron
                and table <= most_table
                and -most_apart <= apart <= most_apart
            ):
                continue
            self._table, self._apart = table, apart
            complaints += [(row.version, what) for what in self._complaints(patron, bet)]
        self._table, self._apart = table, apart
        return complaints

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

    def has_staked(self, patron: str) -> bool:
        """Whether a patron has anything on the layout."""
        return bool(self._patrons.get(patron))

    def _complaints(self, patron: str, bet: str) -> Iterator[str]:
        """Say what limits a bet just placed leaves behind."""
        span, stake, of_patron = self._limits.bets.get(bet), self.stakes[patron, bet], self._patrons[patron]
        if bet not in self._rules.bets:
            yield f"the rules have no bet {bet}"
        elif span is None:
            yield f"{bet} is not offered: the limits do not name it"
        elif not span.min <= stake <= span.max:
            yield f"patron {patron} has {stake} on {bet}, where {span.min} to {span.max} are allowed"
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
