"""Check 6, the money: every settlement line recomputed, and every stack and debt followed from what was carried."""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import UNSET

from schemas.events import (
    BetPlaced,
    BetWithdrawn,
    ChipsBought,
    ChipsCarried,
    ChipsCashed,
    ChipsCredited,
    ChipsFilled,
    CommissionCollected,
    CommissionWaived,
    LinesSettled,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SettlementReversed,
    ShoeCommitted,
)
from schemas.reading import LinesSeen
from schemas.rules import Rules
from services.audit.findings import Page
from services.audit.layout import Layout
from services.audit.settlement import Settlement
from services.audit.watchers import BetRow, Kind, SeenLine, Watcher
from services.table.game.paytable import PayTable
from services.table.game.scrutiny import of_the_bets

HIGH_ENOUGH = 1 << 62
# Each goes over all that lies on the layout, and a hostile log could ask for it with every line.
MOST_ENDINGS = 100


class Bottomless(dict[str, int]):
    """Stacks of which nobody knows how high they are: high enough."""

    def __missing__(self, _: str) -> int:
        """Give more than anything may cost."""
        return HIGH_ENOUGH

    def get(self, key: str, default: Any = None) -> Any:  # noqa: ARG002  # it is never missing
        """Give what lies there."""
        return self[key]


class SettledElsewhere:
    """Settlements in which a player banks: their lines are judged where the coup is played again."""

    is_in_order = True

    def begin(self) -> None:
        """Settle nothing."""

    def check(self, version: int, lines: Sequence[SeenLine]) -> None:
        """Judge nothing."""

    def finish(self, version: int) -> None:
        """Judge nothing."""


class MoneyCheck:
    """What every patron has before him, and owes. It is told of an entry before the rules are: the stakes still lie."""

    def __init__(self, page: Page, rules_page: Page, layout: Layout, rules: Rules) -> None:
        self.page = page
        self._layout = layout
        self._stacks: dict[str, int] = {}
        self._owed: dict[str, int] = {}
        self._carried_last = ""
        self._settled: list[tuple[SeenLine, ...]] = []
        self._is_open = False
        self._endings = 0
        table = None if any(of_the_bets(rules)) else PayTable(rules)
        if table is None:
            page.leave("the rules of the shoe do not make sense, so no settlement can be computed from them")
        is_banked = rules.game != "house"
        self._settlement = SettledElsewhere() if is_banked else Settlement(page, rules_page, layout, table)

    @property
    def standing(self) -> dict[str, tuple[int, int]]:
        """What every patron has before him, and owes; who has and owes nothing is not in it."""
        both = {patron: (chips, self._owed.get(patron, 0)) for patron, chips in self._stacks.items()}
        both |= {patron: (0, owed) for patron, owed in self._owed.items() if patron not in both}
        return {patron: pair for patron, pair in both.items() if any(pair)}

    def watchers(self) -> dict[Kind, Watcher]:
        """Give what looks at each kind of entry."""
        return {
            ShoeCommitted: self._carry,
            ChipsCarried: self._carry,
            ChipsFilled: self._count,
            ChipsCredited: self._count,
            ChipsBought: self._buy,
            ChipsCashed: self._cash,
            BetPlaced: self._stake,  # where players bank, bets come one by one
            RoundOpened: self._open,
            BetWithdrawn: self._withdraw,
            LinesSettled: self._pay,
            RoundSettled: self._settle,
            RoundVoided: self._void,
            SettlementReversed: self._reverse,
            CommissionCollected: self._collect,
            CommissionWaived: self._waive,
        }

    def forget_stacks(self) -> None:
        """Follow stakes and settlements alone: what anybody has before him is not known."""
        self._stacks, self._owed = Bottomless(), Bottomless()

    def _carry(self, version: int, event: ShoeCommitted | ChipsCarried, _: str) -> None:
        for row in event.carried:
            if row.patron <= self._carried_last:
                self.page.note(version, f"carried: patron {row.patron} does not stand in order, or stands twice")
            if not row.chips and not row.owed:
                self.page.note(version, f"carried: patron {row.patron} has a row of zeros")
            self._carried_last = row.patron
            self._stacks[row.patron] = row.chips
            self._owed[row.patron] = row.owed

    def _change(self, version: int, patron: str, amount: int, deed: str) -> None:
        """Change a stack, and say so when it falls below zero."""
        stack = self._stacks[patron] = self._stacks.get(patron, 0) + amount
        if stack < 0 and amount < 0:
            self.page.note(version, f"patron {patron} {deed} {-amount} of a stack of {stack - amount}")

    def place(self, rows: Sequence[BetRow], _: Sequence[str]) -> None:
        """Take a run of bets out of the stacks."""
        stacks = self._stacks
        for row in rows:
            event = row.event
            patron = event.patron
            stack = stacks[patron] = stacks.get(patron, 0) - event.amount
            if stack < 0:
                had = stack + event.amount
                self.page.note(row.version, f"patron {patron} stakes {event.amount} of a stack of {had}")

    def _stake(self, version: int, event: BetPlaced, _: str) -> None:
        self._change(version, event.patron, -event.amount, "stakes")

    def _withdraw(self, version: int, event: BetWithdrawn, _: str) -> None:
        staked = self._layout.stakes.get((event.patron, event.bet), 0)
        self._change(version, event.patron, staked, "takes back")

    def _count(self, version: int, event: ChipsFilled | ChipsCredited, _: str) -> None:
        for what in slip_complaints(event):
            self.page.note(version, what)

    def _buy(self, version: int, event: ChipsBought, _: str) -> None:
        self._change(version, event.patron, event.amount, "buys")

    def _cash(self, version: int, event: ChipsCashed, _: str) -> None:
        self._change(version, event.patron, -event.amount, "cashes")
        owed, has_staked = self._owed.get(event.patron, 0), self._is_open and self._layout.has_staked(event.patron)
        if owed > 0 and not self._stacks[event.patron] and not has_staked:
            self.page.note(version, f"patron {event.patron} leaves with nothing on the table, owing {owed}")

    def _collect(self, version: int, event: CommissionCollected, _: str) -> None:
        self._change(version, event.patron, -event.amount, "pays commission of")
        self._pay_off(version, event.patron, event.amount, "collected")

    def _waive(self, version: int, event: CommissionWaived, _: str) -> None:
        self._pay_off(version, event.patron, event.amount, "waived")

    def _pay_off(self, version: int, patron: str, amount: int, deed: str) -> None:
        owed = self._owed.get(patron, 0)
        self._owed[patron] = owed - amount
        if amount > owed:
            self.page.note(version, f"commission of {amount} is {deed}, where patron {patron} owes {owed}")

    def _open(self, _: int, __: RoundOpened, ___: str) -> None:
        self._settled = []
        self._is_open = True
        self._endings = 0
        self._settlement.begin()

    def _ends_too_often(self) -> bool:
        """Count how often a coup is settled, voided, reversed; beyond what anybody does, it is not followed."""
        self._endings += 1
        if self._endings > MOST_ENDINGS:
            self.page.leave(f"a coup is settled, voided or reversed more than {MOST_ENDINGS} times")
        return self._endings > MOST_ENDINGS

    def _pay(self, version: int, event: LinesSettled | LinesSeen | RoundSettled, _: str) -> None:
        """Check lines, and let the stacks have what the log says that they got."""
        self._settlement.check(version, event.lines)
        if self._settlement.is_in_order:  # else a hostile log could fill the memory with lines that nobody staked
            self._settled.append(event.lines)
        stacks = self._stacks
        for line in event.lines:
            stacks[line.patron] = stacks.get(line.patron, 0) + line.returned
            if line.marked is not UNSET and line.marked:
                self._owed[line.patron] = self._owed.get(line.patron, 0) + line.marked

    def _settle(self, version: int, event: RoundSettled, leaf: str) -> None:
        if self._ends_too_often():
            return
        self._pay(version, event, leaf)
        self._settlement.finish(version)
        self._is_open = False

    def _void(self, _: int, __: RoundVoided, ___: str) -> None:
        if self._ends_too_often():
            return
        for (patron, _bet), amount in self._layout.stakes.items():
            self._stacks[patron] = self._stacks.get(patron, 0) + amount
        self._settled = []
        self._is_open = False

    def _reverse(self, version: int, _: SettlementReversed, __: str) -> None:
        """Take back what was paid, and what was marked."""
        if self._ends_too_often():
            return
        for lines in self._settled:
            for line in lines:
                self._change(version, line.patron, -line.returned, "gives back")
                if line.marked:
                    self._pay_off(version, line.patron, line.marked, "taken back")
        self._settled = []
        self._settlement.begin()


def slip_complaints(slip: ChipsFilled | ChipsCredited) -> Iterator[str]:
    """Say what is wrong with the chips on a slip."""
    counted = sum(denomination * count for denomination, count in slip.chips)
    if slip.amount != counted:
        yield f"the slip {slip.slip} says {slip.amount}; its chips make {counted}"
    denominations = [denomination for denomination, _ in slip.chips]
    if denominations != sorted(set(denominations), reverse=True):
        yield f"the chips on the slip {slip.slip} do not stand from the largest down"
