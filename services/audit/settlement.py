"""One coup's settlement: each line against the stake that lies on the layout and what the rules pay for it."""

from collections.abc import Callable, Sequence

from msgspec import UNSET

from schemas.reading import LineSeen
from services.audit.findings import Page
from services.audit.layout import Key, Layout
from services.audit.payouts import Due, Payout, payouts
from services.audit.watchers import SeenLine
from services.table.game.paytable import PayTable
from services.table.game.tableau import facts_of, next_hand


class Settlement:
    """The lines expected, in the order first placed; wrong lines fail the money, wrong order fails the rules too."""

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
        self._dues: dict[str, Callable[[int], Due]] = {}
        self._next = 0
        # From the first line out of place on: what has been settled, to find each line by its name instead.
        self._settled: set[Key] | None = None
        self._disorder_at = 0
        self._is_strange = False

    @property
    def paid(self) -> dict[str, int]:
        """What was paid beside the lines that are kept: nothing."""
        return {}

    @property
    def is_in_order(self) -> bool:
        """Whether every line so far is that of the next stake."""
        return self._settled is None

    def check(self, version: int, lines: Sequence[SeenLine]) -> None:
        """Check the next lines of a settlement."""
        if self._expected is None:
            self._expected = list(self._layout.stakes.items())
            self._payouts = self._find_payouts(version)
            self._dues = {bet: payout.due for bet, payout in self._payouts.items()}
        if self._settled is None and self._are_the_next(lines):
            self._next += len(lines)
            return
        for line in lines:
            found = self._find_stake(version, line)
            if found is not None and not self._is_right(line, found):
                self._complain(version, line, found)

    def _are_the_next(self, lines: Sequence[SeenLine]) -> bool:
        """Tell whether lines, as they are read at speed, are those due next; if not, each gets a closer look."""
        assert self._expected is not None
        dues, here = self._dues, self._expected[self._next : self._next + len(lines)]
        try:
            due = [LineSeen(patron, bet, stake, *dues[bet](stake)) for (patron, bet), stake in here]
        except KeyError:  # a bet that the rules do not have
            return False
        return due == list(lines)

    def _is_right(self, line: SeenLine, stake: int) -> bool:
        payout = self._payouts.get(line.bet)
        return (
            payout is not None
            and line.stake == stake
            and (line.won, line.commission, line.returned, line.marked) == payout.due(stake)
        )

    def _find_payouts(self, version: int) -> dict[str, Payout]:
        player, banker = self._layout.player, self._layout.banker
        if next_hand(player, banker) is not None:
            self._page.note(version, "a coup is settled whose hands are not complete, so nothing can be due")
        elif self._table is not None:
            return payouts(self._table, facts_of(player, banker))
        return {}

    def _find_stake(self, version: int, line: SeenLine) -> int | None:
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
            self._is_strange = True
            return None
        self._settled.add(key)
        stake = self._layout.stakes.get(key)
        if stake is None:
            self._page.note(version, f"{line.patron}'s {line.bet} is settled, and was not staked")
            self._is_strange = True
        return stake

    def _complain(self, version: int, line: SeenLine, stake: int) -> None:
        """Say what is wrong with a line: its stake, or what is made of the stake that it names."""
        name = f"{line.patron}'s {line.bet}"
        if line.stake != stake:
            self._page.note(version, f"{name} is settled at a stake of {line.stake}, not {stake}")
        payout = self._payouts.get(line.bet)
        if payout is None:
            if self._payouts:
                self._page.note(version, f"{name} is settled, a bet that the rules do not have")
            return
        said = zip(("won", "commission", "returned", "marked"), _amounts(line), payout.due(line.stake), strict=True)
        wrong = [f"{what} {_word(is_)} where {_word(be)} is due" for what, is_, be in said if is_ != be]
        if wrong:
            self._page.note(version, f"{name} of {line.stake}: {', '.join(wrong)}")

    def finish(self, version: int) -> None:
        """See that no stake is left, and that the lines stood in order."""
        assert self._expected is not None
        settled = self._settled
        if settled is None:
            missing = self._expected[self._next :]
        else:
            missing = [(key, stake) for key, stake in self._expected if key not in settled]
            if not missing and not self._is_strange:
                for page in (self._rules_page, self._page):
                    page.note(self._disorder_at, "the lines do not stand in the order the bets were placed")
        for (patron, bet), stake in missing:
            self._page.note(version, f"{patron}'s {bet} of {stake} is not settled")


def _amounts(line: SeenLine) -> tuple[object, ...]:
    return line.won, line.commission, line.returned, line.marked


def _word(amount: object) -> str:
    return "nothing" if amount is UNSET else str(amount)
