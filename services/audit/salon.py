"""The salon: a shoe in which players bank, played again beside the log. Part of check 5, rules.

The table is folded from the log, and what each command wrote is compared with what the same command comes to there:
who may name a bank, stake, pass or choose, what the system does, whose card is next, and what a settlement leaves to
the next coup. What its lines pay is the money's to say. A command's entries are kept until its last one, and no more.
"""

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import asdict

from schemas.events import (
    AnyEvent,
    BetPlaced,
    BetsClosed,
    BetWithdrawn,
    CardDealt,
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
from services.audit.likeness import Written, agreeing, difference, in_words, told, without_amounts
from services.audit.money import HIGH_ENOUGH, Bottomless
from services.audit.phases import name_of
from services.audit.sitting import buy, drawn, keep_the_bank, make_ready, opened, settled_again, stated_complaint
from services.table.game import dining, dining_game, salon
from services.table.game.deeds import BySystem, Choose, Deeds, Draw, event_of
from services.table.game.evolve import evolve
from services.table.game.refusal import RefusedError
from services.table.game.seats import stood
from services.table.game.state import Between, Closed, Idle, Playing, Staking, Table

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


class Salon:
    """The table at which the shoe is played again, as far as the first entry that is not as the rules make it."""

    def __init__(self, rules: Page, table: Table | None = None) -> None:
        """`table` is as the shoe before has left it, if it was followed."""
        self._rules = rules
        self._table = table
        self._key: object = None
        self._command: list[Written] = []
        # A bundle's first `seats-set` is taken as stated; a draw for the deal before it waits for it.
        self._are_seats_known = table is not None
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

    @property
    def table(self) -> Table | None:
        """The table as it was left; None when it could not be followed so far."""
        return self._table if self._are_seats_known and not self._is_lost else None

    def _follow(self, written: Sequence[Written]) -> int:
        """Judge the next entries of a command, and let them be true; give how many."""
        first = written[0]
        if self._table is not None:
            make_ready(self._table, first.event)
            if self._is_round_alone:
                self._meet(first.event)
        if not self._are_seats_known:
            if self._hear(first):
                return 1
            if isinstance(first.event, RoundOpened):
                self._sit_down(written)
        if isinstance(first.event, LinesSettled | RoundSettled):
            return self._settle(written)
        if isinstance(first.event, JUDGED) and not self._is_judged_elsewhere(first):
            return self._compare(written)
        if complaint := self._complaint(first):
            return self._lose(first.version, f"{name_of(type(first.event))}: {complaint}")
        return self._fold(first)

    def _hear(self, written: Written) -> bool:
        """Keep what is said of seats before it is known who sits; tell whether it was that."""
        event = written.event
        if isinstance(event, SeatTaken | SeatLeft):
            self._heard[event.seat] = event.patron if isinstance(event, SeatTaken) else None
        if isinstance(event, CardDrawn) or (isinstance(event, SeatTaken | SeatLeft) and self._drawn):
            self._drawn.append(written)
        return isinstance(event, SeatTaken | SeatLeft | CardDrawn)

    def _is_judged_elsewhere(self, written: Written) -> bool:
        """Whether an entry is one of which not the table says whether it may stand."""
        match written.event:
            case ChipsBought() | ChipsCashed():
                return not self._are_seats_known
            case RoundVoided():
                return self._is_voided_elsewhere(written)
            case BetPlaced():
                return self._is_placed_again(written)
            case _:
                return False

    def _complaint(self, written: Written) -> str | None:
        """Say what is wrong with an entry that is no command of a player's, nor a settlement."""
        table, event = self._table, written.event
        if table is None:
            return None
        match event:
            case CardDealt() | DecisionMade():
                return self._misstep(table, event, is_by_system=written.is_by_system)
            case CutCardReached() if isinstance(table.phase, Between) and salon.game_of(table) is not dining:
                return "no card is to come"
            case CardDrawn():
                return drawn(table, event)
            case ShoeClosed():
                return self._misjudged(event)
            case ShoeFrozen():
                self.give_up()  # people decide, and what they do is no play
            case _:
                pass
        return None

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
        for heard in self._drawn:
            self._fold(heard)
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

    def _commands(self, written: Sequence[Written]) -> Iterator[Command]:
        """Give what the entries may be, the likeliest first."""
        table = self._table
        if table is None:
            return
        first = written[0]
        yield from self._said(table, first.event)
        if isinstance(first.event, BetWithdrawn):
            yield from (self._place(table, each.event) for each in written if isinstance(each.event, BetPlaced))
            if not first.is_by_system:
                withdrawn = first.event
                yield lambda: salon.withdraw(table, patron=withdrawn.patron, bet=withdrawn.bet)
        if isinstance(first.event, BetsClosed | RoundVoided) or first.is_by_system:
            yield lambda: salon.close_bets(table)
        if first.is_by_system:
            yield lambda: salon.silence(table)

    def _said(self, table: Table, event: AnyEvent) -> Iterator[Command]:
        """Give what a command is that begins with this."""
        match event:
            case SeatTaken():
                yield lambda: list(salon.take_seat(table, seat=event.seat, patron=event.patron))
            case SeatLeft():
                yield lambda: list(salon.leave_seat(table, patron=event.patron))
            case ChipsBought():
                yield lambda: buy(table, event)
            case ChipsCashed():
                yield lambda: keep_the_bank(table, event)
            case RoundOpened():
                yield lambda: opened(table)
            case TurnPassed():
                yield lambda: salon.pass_turn(table, patron=event.patron)
            case BetAsked():
                yield lambda: salon.ask(table, patron=event.patron, bet=event.bet, amount=event.amount)
            case BetAgreed() | BetRefused():
                yield lambda: self._answered(table, event)
            case BetPlaced():
                yield self._place(table, event)
            case _:
                pass

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

    @staticmethod
    def _misstep(table: Table, event: CardDealt | DecisionMade, *, is_by_system: bool) -> str | None:
        """Say so when a card does not go where the next one belongs, or a choice stands where none is free."""
        if not isinstance(table.phase, Playing):
            return None
        game = salon.game_of(table)
        try:
            step = game.step(table.phase)
        except IMPOSSIBLE as error:
            return str(error)
        if step != (Draw(event.hand) if isinstance(event, CardDealt) else Choose(event.hand)):
            deed = f"{event.card} is dealt to" if isinstance(event, CardDealt) else "a choice is made for"
            return f"{deed} {event.hand}, where {told(step)}"
        if isinstance(event, DecisionMade) and is_by_system:
            advised = game.advice(event.hand, table.phase.hands)
            return None if event.choice == advised else f"the system decides to {event.choice}, not to {advised}"
        return None

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
