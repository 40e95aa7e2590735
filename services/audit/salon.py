"""The salon: a shoe in which players bank, played again beside the log. Part of check 5, rules.

The table is folded from the log, and what each command wrote is compared with what the same command comes to there:
who may name a bank, stake, pass or choose, what the system does, whose card is next, and what a settlement leaves to
the next coup. What its lines pay is the money's to say. A command's entries are kept until its last one, and no more.
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
    CardsBurned,
    ChipsBought,
    ChipsCashed,
    CutCardReached,
    DecisionMade,
    Line,
    LinesSettled,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    ShoeClosed,
    ShoeFrozen,
)
from schemas.reading import BetSeen, LinesSeen, SeenEvent
from schemas.rules import Rules
from schemas.seats import (
    BankBroken,
    BetAgreed,
    BetAsked,
    BetRefused,
    CardDrawn,
    SeatLeft,
    SeatsSet,
    SeatTaken,
    TurnPassed,
)
from services.audit.findings import Page
from services.audit.money import HIGH_ENOUGH, Bottomless
from services.audit.phases import name_of
from services.table.game import dining, dining_game, floor, salon
from services.table.game.deeds import BySystem, Choose, Deed, Deeds, Draw, event_of
from services.table.game.evolve import evolve
from services.table.game.refusal import RefusedError
from services.table.game.seats import stood
from services.table.game.state import Between, Closed, Committed, Idle, Playing, Reversed, Shuffled, Staking, Table

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
    | BankBroken
    | ChipsBought
    | ChipsCashed
)
Command = Callable[[], Deeds]


class Written(Struct, frozen=True):
    """An entry of the command at work: its version, its event, and whether the system is said to have done it."""

    version: int
    event: AnyEvent
    is_by_system: bool


class Salon:
    """The table at which the shoe is played again, as far as the first entry that is not as the rules make it."""

    def __init__(self, rules: Page) -> None:
        self._rules = rules
        self._table: Table | None = None
        self._key: object = None
        self._command: list[Written] = []
        # A bundle's first `seats-set` is taken as stated; a draw for the deal before it waits for it.
        self._are_seats_known = False
        self._drawn: list[Written] = []
        # Who was heard to sit down there before it, or to leave.
        self._heard: dict[int, str | None] = {}
        # Of a round alone it is not known what anybody has before him.
        self._is_round_alone = False
        self._is_lost = False

    def take(self, version: int, event: SeenEvent, *, key: object, actor: str) -> None:
        """Take the next entry; what its command wrote before it is judged once another command begins."""
        if key != self._key:
            self.finish()
            self._key = key
        self._command.append(Written(version, plainly(event), actor.startswith("system:")))

    def take_up(self, *, round_before: int) -> None:
        """Go on within a shoe, of which only what is in force was shown."""
        self.finish()
        self._is_round_alone = True
        if self._table is None or isinstance(self._table.phase, Closed | Idle):
            self.give_up()
            return
        shoe = self._table.phase.shoe
        shoe.rounds = round_before
        self._table.stacks = Bottomless()
        self._table.phase = Between(shoe)

    def finish(self) -> None:
        """Judge the command at work."""
        written, self._command = self._command, []
        at = 0
        while at < len(written) and not self._is_lost:
            at += self._follow(written[at:])

    def give_up(self) -> None:
        """Follow the play no further."""
        self._is_lost = True

    def _lose(self, version: int, what: str) -> int:
        """Say where the play leaves the rules. It is followed no further, so that one lie is not told as many."""
        self._rules.note(version, what)
        self.give_up()
        return 1

    def _follow(self, written: Sequence[Written]) -> int:
        """Judge the next entries of a command, and let them be true; give how many."""
        first = written[0]
        if self._is_round_alone:
            self._meet(first.event)
        if self._table is not None:
            make_ready(self._table, first.event)
        match first.event:
            case CardDealt() | CutCardReached() | DecisionMade():
                self._judge_step(first)
                return self._fold(first)
            case LinesSettled() | RoundSettled():
                return self._settle(written)
            case ShoeFrozen():
                self.give_up()  # people decide, and what they do is no play
                return 1
            case CardDrawn() if not self._are_seats_known:
                self._drawn.append(first)
                return 1
            case CardDrawn():
                return self._lose(first.version, "card-drawn: a game is on")
            case ShoeClosed() if (why := self._misjudged(first.event)) is not None:
                return self._lose(first.version, f"shoe-closed: {why}")
            case SeatTaken() | SeatLeft() if not self._are_seats_known:
                if self._drawn:
                    self._drawn.append(first)
                self._heard[first.event.seat] = first.event.patron if isinstance(first.event, SeatTaken) else None
                return 1
            case ChipsBought() | ChipsCashed() if not self._are_seats_known:
                return self._fold(first)  # what he may not cash is not known yet
            case RoundOpened() if not self._are_seats_known:
                self._sit_down(written)
            case RoundVoided() if self._is_voided_elsewhere(first):
                return self._fold(first)
            case BetPlaced() if self._is_placed_again(first):
                return self._fold(first)
            case _:
                pass
        return self._compare(written) if isinstance(first.event, JUDGED) else self._fold(first)

    def _misjudged(self, event: ShoeClosed) -> str | None:
        """Say so when a shoe is ended as if its game were over."""
        if self._table is None or not self._are_seats_known:
            return None
        try:
            dining_game.insist_on_the_end(self._table, event.reason)
        except RefusedError as refused:
            return refused.detail
        return None

    def _meet(self, event: AnyEvent) -> None:
        """Let whoever is named be somebody with chips before him."""
        patron = getattr(event, "patron", None)
        if self._table is not None and patron is not None:
            self._table.stacks.setdefault(patron, HIGH_ENOUGH)

    def _sit_down(self, written: Sequence[Written]) -> None:
        """Take the seats, and what the coup starts from, as the bundle's first `seats-set` states them."""
        stated = next((each for each in written if isinstance(each.event, SeatsSet)), None)
        table = self._table
        if stated is None or table is None or not isinstance(stated.event, SeatsSet):
            return
        event = stated.event
        if complaint := stated_complaint(event, table.rules, is_first_of_shoe=not self._is_round_alone):
            self._lose(stated.version, f"seats-set: {complaint}")
            return
        self._are_seats_known = True
        stated_seats = {seated.seat: seated.patron for seated in event.seats}
        # Who has left his seat since a draw was among those who drew.
        gone = [each.event for each in self._drawn if isinstance(each.event, SeatLeft)]
        table.seats = stated_seats | {left.seat: left.patron for left in gone}
        if odd := next((seat for seat, patron in self._heard.items() if stated_seats.get(seat) != patron), None):
            self._lose(stated.version, f"seats-set: seat {odd} is not as it was taken, or left")
            return
        for drawn in self._drawn:
            self._fold(drawn)
        if not self._drawn:
            table.standing = stood(event)
        self._drawn = []

    def _is_voided_elsewhere(self, written: Written) -> bool:
        """Whether a coup is voided by people, or for want of cards, as is judged elsewhere: by whom, and whether."""
        void, table = written.event, self._table
        assert isinstance(void, RoundVoided), "it is asked of a void only"
        if void.approved_by or not written.is_by_system:
            return True
        if table is None or not isinstance(table.phase, Playing) or void.reason != "out-of-cards":
            return False
        try:
            return isinstance(salon.game_of(table).step(table.phase), Draw)
        except IMPOSSIBLE:
            return False

    def _is_placed_again(self, written: Written) -> bool:
        """Whether a tie's stakes are placed again in a round alone, which does not show what they were."""
        phase = None if self._table is None else self._table.phase
        is_tied = isinstance(phase, Staking) and phase.banked.terms.before.tied
        return self._is_round_alone and is_tied and written.is_by_system

    def _compare(self, written: Sequence[Written]) -> int:
        """Find the command that comes to what was written; let that much be true, and give how much it is."""
        if self._is_lost:
            return 1
        best, complaint = 0, ""
        for command in self._commands(written):
            try:
                deeds = command()
            except RefusedError as refused:
                complaint = complaint or refused.detail
                continue
            except IMPOSSIBLE as error:
                complaint = complaint or str(error)
                continue
            agreed = agreeing(deeds, written)
            if agreed == len(deeds):
                return sum(self._fold(each) for each in written[: len(deeds)])
            if agreed >= best:
                best, complaint = agreed, difference(deeds, written)
        departed = written[min(best, len(written) - 1)]
        name = name_of(type(departed.event))
        return self._lose(departed.version, f"{name}: {complaint or 'it has no place here'}")

    def _commands(self, written: Sequence[Written]) -> Iterator[Command]:  # noqa: C901 (one case per command)
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
            case ChipsCashed() as cashed:
                yield lambda: keep_the_bank(table, cashed)
            case RoundOpened():
                yield lambda: opened(table)
            case TurnPassed() as passed:
                yield lambda: salon.pass_turn(table, patron=passed.patron)
            case ChipsBought() as bought:
                yield lambda: buy(table, bought)
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
        if table is None:
            return
        game = salon.game_of(table)
        if isinstance(event, CutCardReached) and isinstance(table.phase, Between) and game is not dining:
            self._lose(written.version, "cut-card-reached: no card is to come")
        if not isinstance(table.phase, Playing) or isinstance(event, CutCardReached):
            return
        try:
            step = game.step(table.phase)
        except IMPOSSIBLE as error:
            self._lose(written.version, f"{name_of(type(event))}: {error}")
            return
        assert isinstance(event, CardDealt | DecisionMade), "other entries are no steps"
        wanted = Draw(event.hand) if isinstance(event, CardDealt) else Choose(event.hand)
        if step != wanted:
            deed = f"{event.card} is dealt to" if isinstance(event, CardDealt) else "a choice is made for"
            self._lose(written.version, f"{deed} {event.hand}, where {told(step)}")
        elif isinstance(event, DecisionMade) and written.is_by_system:
            advised = game.advice(event.hand, table.phase.hands)
            if event.choice != advised:
                self._lose(written.version, f"the system decides to {event.choice}; as the tableau it would {advised}")

    def _settle(self, written: Sequence[Written]) -> int:
        """Settle the coup again, and compare every entry of it but for what its lines pay: that is the money's."""
        try:
            deeds = [] if self._table is None else settled_again(self._table)
        except (RefusedError, *IMPOSSIBLE) as error:
            return self._lose(written[0].version, f"the coup cannot be settled: {error}")
        if not deeds:
            return self._lose(written[0].version, "no coup is to be settled here")
        for deed, each in zip(deeds, written, strict=False):
            due = event_of(deed)
            is_by_whom = each.is_by_system or not isinstance(deed, BySystem)
            if not is_by_whom or without_amounts(due) != without_amounts(each.event):
                return self._lose(each.version, f"{in_words(each.event)}, where it is to be {in_words(due)}")
        if len(written) < len(deeds):
            missing = ", ".join(name_of(type(event_of(deed))) for deed in deeds[len(written) :])
            return self._lose(written[-1].version, f"the settlement lacks {missing}")
        return sum(self._fold(each) for each in written[: len(deeds)])

    def _fold(self, written: Written) -> int:
        """Let an entry be true. When it cannot be, nothing after it is judged here."""
        if self._is_lost:
            return 1
        try:
            self._table = evolve(self._table, written.event)  # type: ignore[arg-type]  # a table's stream holds these
        except IMPOSSIBLE as error:
            self._lose(written.version, f"{name_of(type(written.event))} cannot stand here: {error}")
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
            deeds = game.settlement(phase.round, phase.banked, phase.hands, phase.stakes)
        case Reversed() as phase:
            deeds = salon.settle_again(table, phase.undone)
        case _:
            return []
    return [*deeds, *dining_game.eliminated(table, deeds)]


def agreeing(deeds: Sequence[Deed], written: Sequence[Written]) -> int:
    """Count the entries, from the first on, that are what a command comes to, each by whom it should be."""
    agreed = 0
    for deed, each in zip(deeds, written, strict=False):
        if not is_it(deed, each):
            break
        agreed += 1
    return agreed


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


def without_amounts(event: AnyEvent) -> object:
    """Give an event for comparison: of lines only whose they are, and on which bet."""
    if isinstance(event, LinesSettled | RoundSettled):
        lines = [(line.patron, line.bet) for line in event.lines]
        return type(event), {**asdict(event), "lines": lines}
    return event


def make_ready(table: Table, event: AnyEvent) -> None:
    """Let a scanned shoe, which is never shuffled, be ready for its burn or its first coup."""
    if not isinstance(table.phase, Committed) or table.phase.shoe.source != "scanned":
        return
    if isinstance(event, CardsBurned):
        table.phase = Shuffled(table.phase.shoe)
    elif isinstance(event, RoundOpened | CardDrawn | ShoeClosed):
        table.phase = Between(table.phase.shoe)


def opened(table: Table) -> Deeds:
    """Open a round; whether the shoe has had its last coup is judged elsewhere."""
    if isinstance(table.phase, Between):
        table.phase.shoe.coups_left = None
    return salon.open_round(table)


def buy(table: Table, bought: ChipsBought) -> Deeds:
    """Buy chips, where no game forbids it."""
    dining_game.no_game_on(table, to="buy chips", patron=bought.patron)
    return [bought]


def keep_the_bank(table: Table, cashed: ChipsCashed) -> Deeds:
    """Cash chips, but for a bank that stands; whether there are so many is judged elsewhere."""
    dining_game.no_game_on(table, to="cash chips", patron=cashed.patron)
    held = floor.held_back(table, cashed.patron)
    if held and cashed.amount > table.stack(cashed.patron) - held:
        raise RefusedError("bank-standing", f"{held} stand as his bank", where="amount", right="what does not stand")
    return [cashed]


def stated_complaint(event: SeatsSet, rules: Rules, *, is_first_of_shoe: bool) -> str | None:  # noqa: PLR0911
    """Say what makes no sense in seats as they are stated, and in what the round is said to start from."""
    seats, before = [seated.seat for seated in event.seats], stood(event)
    if seats != sorted(set(seats)):
        return "the seats do not rise"
    if seats[-1] > (rules.seats or 0):
        return f"the table has {rules.seats} seats"
    if len({seated.patron for seated in event.seats}) < len(seats):
        return "a patron has two seats"
    named = (before.turn, before.banker, before.suivi, before.right, before.left)
    if stranger := next((seat for seat in named if seat is not None and seat not in seats), None):
        return f"nobody sits on seat {stranger}, which is named"
    if before.banker is None and (before.standing is not None or before.suivi is not None):
        return "a bank stands without its banker"
    if before.tied and before.turn is None:
        return "a tie without a turn"
    stands = (before.banker, before.standing, before.suivi, before.tied or None)
    if is_first_of_shoe and any(part is not None for part in stands):
        return "no bank stands when a shoe begins"
    return None
