"""The pile of a coup in which a player banks: stakes, hands, seats; and how it is settled. Part of check 6, money."""

from collections.abc import Sequence

from schemas.events import Line
from schemas.rules import Limits, Rules
from services.audit.findings import Page
from services.audit.layout import Layout
from services.audit.watchers import BetRow, SeenLine
from services.table.game.banker import BANK, settle
from services.table.game.broken import MAIN, settle_from_what_is_there
from services.table.game.settlement import winner_of
from services.table.game.tableau import Facts, Sides, facts_of

HAND_SIZES = (2, 3)
AT_ONE, AT_TWO = ("player", "banker"), ("right", "left", "banker")
# More cards than any hand has are not kept.
MOST_KEPT = 4


class Pile(Layout):
    """The stakes of a coup, all within the limits that the salon judges, its hands, and who sits where."""

    __slots__ = ("hands", "seats")

    def __init__(self, rules: Rules, limits: Limits) -> None:
        self.seats: dict[int, str] = {}
        super().__init__(rules, limits)

    def clear(self, limits: Limits) -> None:
        """Begin a coup."""
        super().clear(limits)
        self.hands: dict[str, list[str]] = {"player": [], "right": [], "left": [], "banker": []}

    def deal(self, hand: str, card: str) -> None:
        """Let a card fall."""
        if len(self.hands[hand]) < MOST_KEPT:
            self.hands[hand].append(card)

    def has_staked(self, patron: str) -> bool:
        """Whether a patron has anything on the table."""
        return any(staking == patron for staking, _ in self.stakes)

    def place(self, rows: Sequence[BetRow]) -> list[tuple[int, str]]:
        """Add a run of bets."""
        for row in rows:
            key = row.event.patron, row.event.bet
            self.stakes[key] = self.stakes.get(key, 0) + row.event.amount
        return []

    def withdraw(self, patron: str, bet: str) -> list[str]:
        """Take back the whole of a bet."""
        self.stakes.pop((patron, bet), None)
        return []


class NothingDueError(ValueError):
    """No line can be due; the message says why."""


class BankedSettlement:
    """The lines expected of a coup in which a player banks, the bank's first; `rules` are None when unreadable."""

    is_in_order = False  # what was paid is summed here

    def __init__(self, page: Page, pile: Pile, rules: Rules | None) -> None:
        self._page = page
        self._pile = pile
        self._rules = rules
        self.begin()

    def begin(self) -> None:
        """Forget what was settled: a coup begins, or is to be settled again."""
        self._due: list[Line] | None = None
        self._is_known = self._rules is not None
        self._next = 0
        self.paid: dict[str, int] = {}

    def check(self, version: int, lines: Sequence[SeenLine]) -> None:
        """Check the next lines of a settlement."""
        for line in lines:
            self.paid[line.patron] = self.paid.get(line.patron, 0) + line.returned
        if self._due is None:
            self._due = self._find_due(version)
        if not self._is_known:
            return
        for line, due in zip(lines, self._due[self._next :], strict=False):
            if figures(line) != figures(due):
                self._page.note(version, f"a line says {in_figures(line)}, where {in_figures(due)} is due")
        for line in lines[max(len(self._due) - self._next, 0) :]:
            self._page.note(version, f"{line.patron}'s {line.bet} is settled, and was not staked")
        self._next += len(lines)

    def _find_due(self, version: int) -> list[Line]:
        if self._rules is None:
            return []
        try:
            return list(due_lines(self._rules, self._pile))
        except NothingDueError as error:
            self._page.note(version, f"a coup is settled, and nothing can be due: {error}")
            self._is_known = False
            return []

    def finish(self, version: int) -> None:
        """See that no stake is left."""
        if self._due is None or not self._is_known:
            return
        for line in self._due[self._next :]:
            self._page.note(version, f"{line.patron}'s {line.bet} of {line.stake} is not settled")
        self._next = max(self._next, len(self._due))


def due_lines(rules: Rules, pile: Pile) -> Sequence[Line]:
    """Give every line that is due, the bank's first. Raises NothingDueError."""
    stakes = [(patron, bet, stake) for (patron, bet), stake in pile.stakes.items()]
    if [bet == BANK for _, bet, _ in stakes] != [place == 0 for place in range(max(len(stakes), 1))]:
        raise NothingDueError("nobody banks it first")
    if stranger := next((bet for _, bet, _ in stakes[1:] if bet not in rules.bets), None):
        raise NothingDueError(f"{stranger} is no bet of these rules")
    hands = AT_TWO if rules.game == "banque" else AT_ONE
    if any(len(pile.hands[hand]) not in HAND_SIZES for hand in hands):
        raise NothingDueError("cards are missing")
    if rules.game != "dining-room":
        return settle(rules, facts_in(rules, pile), stakes)
    lines, _ = settle_from_what_is_there(rules, facts_of(*cards(pile)), stakes, dealing(rules, pile, stakes[0][0]))
    return lines


def cards(pile: Pile) -> tuple[list[str], list[str]]:
    """Give both hands at one tableau."""
    return pile.hands["player"], pile.hands["banker"]


def facts_in(rules: Rules, pile: Pile) -> Facts | Sides:
    """Give the facts of a coup, at one tableau or at two."""
    if rules.game != "banque":
        return facts_of(*cards(pile))
    right, left, banker = (pile.hands[hand] for hand in AT_TWO)
    return Sides(right_winner=winner_of(right, banker), left_winner=winner_of(left, banker))


def dealing(rules: Rules, pile: Pile, dealer: str) -> dict[int, str]:
    """Give the seats from which a broken bank is shared out, if it can be known that it covers its main bets."""
    stakes = [(patron, bet, stake) for (patron, bet), stake in pile.stakes.items()]
    bank, *others = settle(rules, facts_of(*cards(pile)), stakes)
    purse = bank.stake + sum(line.stake for line in others if not line.returned)
    if purse < (main := sum(line.won for line in others if line.bet in MAIN)):
        raise NothingDueError("the bank does not cover what was staked on the hands")
    is_broken = purse - main < sum(line.won for line in others if line.bet not in MAIN)
    if is_broken and dealer not in pile.seats.values():
        raise NothingDueError("who banks has no seat")
    return pile.seats


def figures(line: SeenLine) -> tuple[object, ...]:
    """Give all that a line says."""
    return line.patron, line.bet, line.stake, line.won, line.commission, line.returned, line.marked


def in_figures(line: SeenLine) -> str:
    """Write a line for people."""
    return " ".join(str(part) for part in figures(line)[:-1])
