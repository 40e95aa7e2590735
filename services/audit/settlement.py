"""One coup's settlement: each line against the stake that lies on the layout and what the rules pay for it."""

from msgspec import UNSET

from schemas.events import Line
from services.audit.findings import Page
from services.audit.layout import Key, Layout
from services.audit.payouts import Payout, payouts
from services.table.game.paytable import PayTable
from services.table.game.tableau import facts_of, next_hand


class Settlement:
    """The lines expected, in the order first placed; wrong lines fail the money, wrong order fails the rules."""

    def __init__(self, page: Page, rules_page: Page, layout: Layout, table: PayTable | None) -> None:
        self._page = page
        self._rules_page = rules_page
        self._layout = layout
        self._table = table
        self.begin()

    def begin(self) -> None:
        """Forget what was settled: a coup begins, or is to be settled again."""
        self._expected: list[tuple[Key, int]] | None = None
        self._payouts: dict[str, Payout] = {}
        self._next = 0
        # From the first line out of place on: what has been settled, to find each line by its name instead.
        self._settled: set[Key] | None = None
        self._disorder_at = 0

    def check(self, version: int, lines: tuple[Line, ...]) -> None:
        """Check the next lines of a settlement."""
        if self._expected is None:
            self._expected = list(self._layout.stakes.items())
            self._payouts = self._find_payouts(version)
        for line in lines:
            self._check(version, line, self._stake(version, line))

    def _find_payouts(self, version: int) -> dict[str, Payout]:
        player, banker = self._layout.player, self._layout.banker
        if next_hand(player, banker) is not None:
            self._page.note(version, "a coup is settled whose hands are not complete, so nothing can be due")
        elif self._table is not None:
            return payouts(self._table, facts_of(player, banker))
        return {}

    def _stake(self, version: int, line: Line) -> int | None:
        """Find the stake that a line settles: the next in order, or else wherever it lies."""
        assert self._expected is not None
        key = line.patron, line.bet
        if self._settled is None:
            if self._next < len(self._expected) and self._expected[self._next][0] == key:
                self._next += 1
                return self._expected[self._next - 1][1]
            self._settled = {settled for settled, _ in self._expected[: self._next]}
            self._disorder_at = version
        if key in self._settled:
            self._page.note(version, f"{line.patron}'s {line.bet} is settled twice")
            return None
        self._settled.add(key)
        stake = self._layout.stakes.get(key)
        if stake is None:
            self._page.note(version, f"{line.patron}'s {line.bet} is settled, and was not staked")
        return stake

    def _check(self, version: int, line: Line, stake: int | None) -> None:
        if stake is None:
            return
        if line.stake != stake:
            self._page.note(version, f"{line.patron}'s {line.bet} is settled at a stake of {line.stake}, not {stake}")
        payout = self._payouts.get(line.bet)
        if payout is None:
            if self._payouts:
                self._page.note(version, f"{line.patron}'s {line.bet} is settled, a bet that the rules do not have")
            return
        due = payout.due(line.stake)
        if (line.won, line.commission, line.returned, line.marked) != due:
            said = zip(("won", "commission", "returned", "marked"), _amounts(line), due, strict=True)
            wrong = ", ".join(f"{name} {_word(is_)} where {_word(be)} is due" for name, is_, be in said if is_ != be)
            self._page.note(version, f"{line.patron}'s {line.bet} of {line.stake}: {wrong}")

    def finish(self, version: int) -> None:
        """See that no stake is left, and that the lines stood in order."""
        assert self._expected is not None
        settled = self._settled
        if settled is None:
            missing = self._expected[self._next :]
        else:
            missing = [(key, stake) for key, stake in self._expected if key not in settled]
            if not missing and len(settled) == len(self._expected):
                self._rules_page.note(self._disorder_at, "the lines do not stand in the order the bets were placed")
        for (patron, bet), stake in missing:
            self._page.note(version, f"{patron}'s {bet} of {stake} is not settled")


def _amounts(line: Line) -> tuple[object, ...]:
    return line.won, line.commission, line.returned, line.marked


def _word(amount: object) -> str:
    return "nothing" if amount is UNSET else str(amount)
