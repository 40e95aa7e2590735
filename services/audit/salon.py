"""The salon: a shoe in which players bank, played again beside the log. Part of checks 5 and 6, rules and money.

The table is folded from the log, and what each command wrote is compared with what the same command comes to there:
who may name a bank, stake, pass or choose, what the system does, whose card is next, and every line of a settlement. A
command's entries are kept until its last one, and no more.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import asdict

from schemas.events import (
    AnyEvent,
    BetPlaced,
    BetsClosed,
    BetWithdrawn,
    CardDealt,
    CutCardReached,
    DecisionMade,
    Line,
    LinesSettled,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    ShoeVoided,
)
from schemas.reading import BetSeen, LinesSeen, SeenEvent
from schemas.seats import BetAgreed, BetAsked, BetRefused, CardDrawn, SeatLeft, SeatsSet, SeatTaken, TurnPassed
from services.audit.findings import Page
from services.audit.phases import name_of
from services.table.game import salon
from services.table.game.deeds import BySystem, Choose, Deed, Deeds, Draw, event_of
from services.table.game.evolve import evolve
from services.table.game.refusal import RefusedError
from services.table.game.seats import stood
from services.table.game.state import Frozen, Playing, Reversed, Table

# What folding a log that lies may run into, besides what cannot have happened.
IMPOSSIBLE = (AssertionError, LookupError, ValueError, TypeError, AttributeError, ArithmeticError)
JUDGED = (
    SeatTaken
    | SeatLeft
    | RoundOpened
    | SeatsSet
    | BetPlaced
    | BetWithdrawn
    | TurnPassed
    | BetAsked
    | BetAgreed
    | BetRefused
    | BetsClosed
    | RoundVoided
)
Command = Callable[[], Deeds]


class Written(Struct, frozen=True):
    """An entry of the command at work: its version, its event, and whether the system is said to have done it."""

    version: int
    event: AnyEvent
    is_by_system: bool


class Salon:
    """The table at which the shoe is played again."""

    def __init__(self, rules: Page, money: Page) -> None:
        self._rules = rules
        self._money = money
        self._table: Table | None = None
        self._key: object = None
        self._command: list[Written] = []
        # A bundle's first `seats-set` is taken as stated; a draw for the deal before it waits for it.
        self._are_seats_known = False
        self._drawn: list[Written] = []
        self._is_lost = False

    def take(self, version: int, event: SeenEvent, *, key: object, actor: str) -> None:
        """Take the next entry; what its command wrote before it is judged once another command begins."""
        if key != self._key:
            self.finish()
            self._key = key
        self._command.append(Written(version, plainly(event), actor.startswith("system:")))

    def finish(self) -> None:
        """Judge the command at work."""
        written, self._command = self._command, []
        at = 0
        while at < len(written) and not self._is_lost:
            at += self._follow(written[at:])

    def give_up(self) -> None:
        """Play no further: the rules of the shoe make no sense."""
        self._is_lost = True

    def _follow(self, written: Sequence[Written]) -> int:
        """Judge the next entries of a command, and let them be true; give how many."""
        first = written[0]
        match first.event:
            case CardDealt() | CutCardReached() | DecisionMade():
                self._judge_step(first)
                return self._fold(first)
            case LinesSettled() | RoundSettled():
                return self._settle(written)
            case CardDrawn() if not self._are_seats_known:
                self._drawn.append(first)
                return 1
            case SeatTaken() | SeatLeft() if not self._are_seats_known:
                return 1  # who else sits is not known yet
            case RoundOpened() if not self._are_seats_known:
                self._sit_down(written)
            case RoundVoided() if self._is_voided_by_people(written):
                return self._fold(first)
            case _:
                pass
        return self._compare(written) if isinstance(first.event, JUDGED) else self._fold(first)

    def _sit_down(self, written: Sequence[Written]) -> None:
        """Take the seats, and what the coup starts from, as the bundle's first `seats-set` states them."""
        stated = next((each.event for each in written if isinstance(each.event, SeatsSet)), None)
        if stated is None or self._table is None:
            return
        self._are_seats_known = True
        self._table.seats = {seated.seat: seated.patron for seated in stated.seats}
        for drawn in self._drawn:
            self._fold(drawn)
        if not self._drawn:
            self._table.standing = stood(stated)
        self._drawn = []

    def _is_voided_by_people(self, written: Sequence[Written]) -> bool:
        """Whether a coup is voided by people, or with its shoe, or for want of cards: judged elsewhere."""
        void = written[0].event
        assert isinstance(void, RoundVoided), "it is asked of a void only"
        is_with_its_shoe = any(isinstance(each.event, ShoeVoided) for each in written)
        is_frozen = self._table is not None and isinstance(self._table.phase, Frozen)
        return bool(void.approved_by) or is_with_its_shoe or is_frozen or void.reason == "out-of-cards"

    def _compare(self, written: Sequence[Written]) -> int:
        """Find the command that comes to what was written; let that much be true, and give how much it is."""
        complaint = ""
        for command in self._commands(written):
            try:
                deeds = command()
            except RefusedError as refused:
                complaint = complaint or refused.detail
                continue
            except IMPOSSIBLE as error:
                complaint = complaint or str(error)
                continue
            if agree(deeds, written):
                return sum(self._fold(each) for each in written[: len(deeds)])
            complaint = complaint or difference(deeds, written)
        first = written[0]
        name = name_of(type(first.event))
        self._rules.note(first.version, f"{name}: {complaint}" if complaint else f"{name} has no place here")
        return self._fold(first)

    def _commands(self, written: Sequence[Written]) -> Iterator[Command]:  # noqa: C901, PLR0912 (one case per command)
        """Give what the entries may be, the likeliest first."""
        table = self._table
        if table is None:
            return
        first = written[0]
        match first.event:
            case SeatTaken() as taken:
                yield lambda: list(salon.take_seat(table, seat=taken.seat, patron=taken.patron))
            case SeatLeft() as left:
                yield lambda: list(salon.leave_seat(table, patron=left.patron))
            case RoundOpened():
                yield lambda: salon.open_round(table)
            case TurnPassed() as passed:
                yield lambda: salon.pass_turn(table, patron=passed.patron)
            case BetAsked() as asked:
                yield lambda: salon.ask(table, patron=asked.patron, bet=asked.bet, amount=asked.amount)
            case BetAgreed() | BetRefused() as answered:
                yield lambda: self._answered(table, answered)
            case BetPlaced() as placed:
                yield lambda: salon.place(table, patron=placed.patron, bet=placed.bet, amount=placed.amount)
            case BetWithdrawn() as withdrawn:
                yield from (self._place(table, each.event) for each in written if isinstance(each.event, BetPlaced))
                if first.is_by_system:
                    yield lambda: salon.close_bets(table)
                else:
                    yield lambda: salon.withdraw(table, patron=withdrawn.patron, bet=withdrawn.bet)
            case BetsClosed() | RoundVoided():
                yield lambda: salon.close_bets(table)
            case _:
                pass
        if first.is_by_system:
            yield lambda: salon.silence(table)

    @staticmethod
    def _place(table: Table, placed: BetPlaced) -> Command:
        return lambda: salon.place(table, patron=placed.patron, bet=placed.bet, amount=placed.amount)

    @staticmethod
    def _answered(table: Table, said: BetAgreed | BetRefused) -> Deeds:
        """Answer as the dealer of the coup, who alone may."""
        agrees = isinstance(said, BetAgreed)
        asked = [may for may in salon.mays(table) if may.does == ("agree" if agrees else "refuse")]
        dealer = next((may.patron for may in asked if may.of == said.patron), None)
        return salon.answer(table, patron=dealer or "", of=said.patron, bet=said.bet, agrees=agrees)

    def _judge_step(self, written: Written) -> None:
        """See that a card goes where the next one belongs, and that a choice stands where it is free."""
        table, event = self._table, written.event
        if table is None or not isinstance(table.phase, Playing) or isinstance(event, CutCardReached):
            return
        try:
            step = salon.game_of(table).step(table.phase)
        except IMPOSSIBLE as error:
            self._rules.note(written.version, f"{name_of(type(event))}: {error}")
            return
        assert isinstance(event, CardDealt | DecisionMade), "other entries are no steps"
        wanted = Draw(event.hand) if isinstance(event, CardDealt) else Choose(event.hand)
        if step != wanted:
            deed = f"{event.card} is dealt to" if isinstance(event, CardDealt) else "a choice is made for"
            self._rules.note(written.version, f"{deed} {event.hand}, where {told(step)}")

    def _settle(self, written: Sequence[Written]) -> int:
        """Settle the coup again, and compare every entry of it."""
        table = self._table
        try:
            deeds = [] if table is None else settled_again(table)
        except (RefusedError, *IMPOSSIBLE) as error:
            self._money.note(written[0].version, f"the coup cannot be settled: {error}")
            deeds = []
        if not deeds:
            return self._fold(written[0])
        for deed, each in zip(deeds, written, strict=False):
            self._compare_settled(event_of(deed), each)
        if len(written) < len(deeds):
            missing = ", ".join(name_of(type(event_of(deed))) for deed in deeds[len(written) :])
            self._rules.note(written[-1].version, f"the settlement lacks {missing}")
        return sum(self._fold(each) for each in written[: len(deeds)])

    def _compare_settled(self, due: AnyEvent, written: Written) -> None:
        """Compare an entry of a settlement with the one that is due: lines are money, all else is rules."""
        event, version = written.event, written.version
        if isinstance(due, LinesSettled | RoundSettled) and type(event) is type(due):
            for complaint in line_differences(due.lines, event.lines):
                self._money.note(version, complaint)
            said, true = ({**asdict(each), "lines": ()} for each in (event, due))
            for name in (name for name, value in true.items() if said[name] != value):
                self._rules.note(version, f"{name} is said to be {said[name]}; by the cards it is {true[name]}")
        elif event != due:
            self._rules.note(version, f"{name_of(type(event))} where the settlement goes on with {in_words(due)}")

    def _fold(self, written: Written) -> int:
        """Let an entry be true. When it cannot be, nothing after it is judged here."""
        try:
            self._table = evolve(self._table, written.event)  # type: ignore[arg-type]  # a table's stream holds these
        except IMPOSSIBLE as error:
            self._rules.note(written.version, f"{name_of(type(written.event))} cannot stand here: {error}")
            self._is_lost = True
        return 1


def plainly(event: SeenEvent) -> AnyEvent:
    """Give an event in its own clothes, however it was read."""
    if isinstance(event, BetSeen):
        return BetPlaced(round=event.round, patron=event.patron, bet=event.bet, amount=event.amount)
    if isinstance(event, LinesSeen):
        return LinesSettled(round=event.round, lines=tuple(Line(**asdict(line)) for line in event.lines))
    return event


def settled_again(table: Table) -> Deeds:
    """Settle the coup on the table, or once more the one whose settlement was reversed."""
    match table.phase:
        case Playing() as phase:
            game = salon.game_of(table)
            if game.step(phase) is not None:
                raise ValueError("its hands are not complete")
            return game.settlement(phase.round, phase.banked, phase.hands, phase.stakes)
        case Reversed() as phase:
            return salon.settle_again(table, phase.undone)
        case _:
            return []


def agree(deeds: Sequence[Deed], written: Sequence[Written]) -> bool:
    """Tell whether a command comes to what was written, each entry by whom it should be."""
    return len(deeds) <= len(written) and all(map(is_it, deeds, written))


def is_it(deed: Deed, written: Written) -> bool:
    """Tell whether an entry is what a command comes to; the count and digest of `bets-closed` are judged elsewhere."""
    event = event_of(deed)
    if isinstance(deed, BySystem) and not written.is_by_system:
        return False
    if isinstance(event, BetsClosed):
        return isinstance(written.event, BetsClosed)
    return event == written.event


def difference(deeds: Sequence[Deed], written: Sequence[Written]) -> str:
    """Say where what was written leaves what the rules make of it."""
    for place, deed in enumerate(deeds):
        if place >= len(written):
            return f"the rules go on with {in_words(event_of(deed))}"
        if not is_it(deed, written[place]):
            by = "the system's " if isinstance(deed, BySystem) else ""
            return f"the rules make it {by}{in_words(event_of(deed))}"
    return ""


def in_words(event: AnyEvent) -> str:
    """Write an event for people: its name and what it says."""
    said = ", ".join(f"{name} {value}" for name, value in asdict(event).items() if name != "round" and value)
    return f"{name_of(type(event))} ({said})" if said else name_of(type(event))


def told(step: object) -> str:
    """Say what should come next."""
    match step:
        case Draw(hand):
            return f"{hand} is to have a card"
        case Choose(hand):
            return f"{hand} has a free choice"
        case _:
            return "the coup is complete"


def line_differences(due: Sequence[Line], said: Sequence[Line]) -> Iterator[str]:
    """Say which lines of a settlement are not those that are due."""
    for place, line in enumerate(due):
        if place >= len(said):
            yield f"{line.patron}'s {line.bet} of {line.stake} is not settled"
        elif said[place] != line:
            yield f"a line says {in_figures(said[place])} where {in_figures(line)} is due"
    for line in said[len(due) :]:
        yield f"{line.patron}'s {line.bet} is settled, and was not staked"


def in_figures(line: Line) -> str:
    """Write a line for people."""
    return f"{line.patron} {line.bet} {line.stake} {line.won} {line.commission} {line.returned}"
