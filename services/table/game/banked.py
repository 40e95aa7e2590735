"""Banked: what each event makes true at a table where a player banks. No event is refused here: it has happened."""

from collections.abc import Sequence
from typing import TypeVar, assert_never

from msgspec.structs import replace

from schemas.events import (
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
    SettlementReversed,
)
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
from schemas.words import Event
from services.table.game import banque_coup, chemin_coup, dining_coup
from services.table.game.dining_game import LAST_PLAYER, NO_DEALER
from services.table.game.impossible import ImpossibleError, Said
from services.table.game.seats import FEWEST_SEATED, Standing, Terms, stood
from services.table.game.stakes import Stakes
from services.table.game.state import (
    Banked,
    Between,
    Closed,
    Drawing,
    Frozen,
    Idle,
    Phase,
    Playing,
    Reversed,
    Seating,
    Settled,
    Stage,
    Staking,
    Table,
    open_coup,
)

BankedEvent = (
    Said
    | SeatTaken
    | SeatLeft
    | CardDrawn
    | RoundOpened
    | SeatsSet
    | BetsClosed
    | CutCardReached
    | CardDealt
    | DecisionMade
    | LinesSettled
    | RoundSettled
    | BankBroken
    | RoundVoided
    | SettlementReversed
)
"""What a bank that is a player's makes different."""

Expected = TypeVar("Expected", bound=Phase)


def evolve(table: Table, event: BankedEvent) -> None:  # noqa: C901, PLR0912 (a table, not a tangle)
    """Apply one event to the table, in place. Raises ImpossibleError when it cannot have happened."""
    match event:
        case BetPlaced() | BetWithdrawn() | TurnPassed() | BetAsked() | BetAgreed() | BetRefused():
            _say(table, _in(table, Staking, event), event)
        case CardDealt():
            _deal(_in(table, Playing, event), event)
        case DecisionMade():
            _in(table, Playing, event).hands.choices[event.hand] = event.choice
        case RoundOpened():
            _open_round(table, _between(table, event), event)
        case SeatsSet():
            _seat(table, _in(table, Seating, event), event)
        case BetsClosed():
            phase = _in(table, Staking, event)
            table.phase = Playing(phase.shoe, phase.round, phase.stakes, phase.banked)
        case CutCardReached():
            _reach_cut(table, event)
        case LinesSettled():
            _being_settled(table, event).lines.extend(event.lines)
        case RoundSettled():
            _settle(table, _being_settled(table, event), event)
        case BankBroken():
            _in(table, Between, event)  # its lines are short already
        case RoundVoided():
            _void(table, event)
        case SettlementReversed():
            _reverse(table, _in(table, Between, event))
        case SeatTaken():
            _sit(table, event)
        case SeatLeft():
            _leave(table, event)
        case CardDrawn():
            _draw(table, event)
        case _:
            assert_never(event)


def begin(terms: Terms) -> Stage:
    """Give the stage in which a coup of the table's game begins."""
    match terms.rules.game:
        case "chemin-de-fer":
            return chemin_coup.begin(terms)
        case "banque":
            return banque_coup.begin(terms)
        case "dining-room":
            return dining_coup.begin(terms)
        case "house":
            raise ImpossibleError("the house banks; nobody is asked")


def next_stage(terms: Terms, stage: Stage, event: Said, stakes: Stakes) -> Stage:
    """Give the stage after something was said; `stakes` are all that lie on the table with it."""
    if isinstance(stage, banque_coup.BanqueStage):
        return banque_coup.evolve(terms, stage, event, stakes)
    if isinstance(stage, dining_coup.DiningStage):
        return dining_coup.evolve(terms, stage, event, stakes)
    return chemin_coup.evolve(terms, stage, event, stakes)


def supposed(table: Table) -> Table:
    """Give a table at which stakes may be tried without this one."""
    phase = table.phase
    if isinstance(phase, Staking):
        phase = replace(phase, shoe=replace(phase.shoe), stakes=phase.stakes.copy())
    return replace(table, stacks=dict(table.stacks), phase=phase)


def left_by(banked: Banked, event: RoundSettled, lines: Sequence[Line]) -> Standing:
    """Give what a settled coup leaves to the next."""
    terms, stage = banked.terms, banked.stage
    if isinstance(stage, banque_coup.BanqueStage):
        return banque_coup.settled(terms, stage, event, lines)
    if isinstance(stage, dining_coup.DiningStage):
        return dining_coup.settled(terms, stage, event, lines)
    return chemin_coup.settled(terms, stage, event, lines)


def left_by_a_void(banked: Banked) -> Standing:
    """Give what a void coup leaves to the next."""
    terms, stage = banked.terms, banked.stage
    if isinstance(stage, banque_coup.BanqueStage):
        return banque_coup.voided(terms, stage)
    if isinstance(stage, dining_coup.DiningStage):
        return dining_coup.voided(terms, stage)
    return chemin_coup.voided(terms, stage)


def bank_stands(stage: Stage) -> bool:
    """Whether the standing banker is still to say whether he goes on."""
    return isinstance(stage, banque_coup.Holding | chemin_coup.Keeping)


def highest_bid(banked: Banked, patron: str) -> int:
    """Give what a patron has bid for the bank, while nobody has bid more; 0 when he has not."""
    if isinstance(banked.stage, banque_coup.Bidding) and (bid := banked.stage.highest):
        return bid.amount if banked.terms.patron(bid.seat) == patron else 0
    return 0


def _say(table: Table, phase: Staking, event: Said) -> None:
    """Move the chips that an event moves, then go on to who is asked next."""
    match event:
        case BetPlaced():
            move(table, event.patron, -event.amount)
            phase.stakes.place(event.patron, event.bet, event.amount)
        case BetWithdrawn():
            move(table, event.patron, phase.stakes.withdraw(event.patron, event.bet))
        case _:
            pass
    terms = phase.banked.terms
    stage = next_stage(terms, phase.banked.stage, event, phase.stakes)
    table.phase = replace(phase, banked=Banked(terms, stage))


def _open_round(table: Table, phase: Between | Drawing, event: RoundOpened) -> None:
    shoe = phase.shoe
    table.limits = table.next_limits
    shoe.rounds = event.round
    if shoe.coups_left is not None:
        shoe.coups_left -= 1
    table.phase = Seating(shoe, event.round)


def _seat(table: Table, phase: Seating, event: SeatsSet) -> None:
    """Take who sits, and what stands, as stated."""
    table.seats = {seated.seat: seated.patron for seated in event.seats}
    table.standing = stood(event)
    terms = Terms(rules=table.rules, limits=table.limits, seats=dict(table.seats), before=table.standing)
    table.phase = Staking(phase.shoe, phase.round, Stakes(), Banked(terms, begin(terms)))


def _deal(phase: Playing, event: CardDealt) -> None:
    phase.hands.of(event.hand).append(event.card)
    phase.shoe.position += 1
    phase.shoe.dealt += 1


def _reach_cut(table: Table, event: CutCardReached) -> None:
    """Count the coups that may still be opened, the cut card being out; none when it came in the draw for the deal."""
    phase = table.phase if isinstance(table.phase, Playing) else _between(table, event)
    is_dealing = isinstance(phase, Playing) and phase.hands.dealt > 0
    phase.shoe.coups_left = 1 if is_dealing and table.rules.procedure.after_cut == "one-more" else 0


def _settle(table: Table, phase: Playing | Reversed, event: RoundSettled) -> None:
    settled = phase.undone if isinstance(phase, Reversed) else _laid_out(phase)
    settled = replace(settled, lines=(*phase.lines, *event.lines))
    if settled.banked is None:
        raise ImpossibleError("no player banked the coup that is settled")
    if isinstance(phase, Playing):
        _show(phase)
    for line in settled.lines:
        move(table, line.patron, line.returned)
    _leave_behind(table, settled.banked, left_by(settled.banked, event, settled.lines))
    table.phase = Between(phase.shoe, settled)


def _laid_out(phase: Playing) -> Settled:
    hands = phase.hands
    return Settled(
        round=phase.round,
        stakes=phase.stakes,
        player=tuple(hands.player),
        banker=tuple(hands.banker),
        right=tuple(hands.right),
        left=tuple(hands.left),
        lines=(),
        banked=phase.banked,
    )


def _show(phase: Playing) -> None:
    """Let all see every card of a coup that is over: until then some lie face down."""
    for card in phase.hands.cards:
        phase.shoe.show(card)


def _leave_behind(table: Table, banked: Banked, standing: Standing) -> None:
    """Keep what a coup leaves to the next, as far as those it is about still sit where they sat."""
    table.standing = standing
    for seat, patron in banked.terms.seats.items():
        if table.seats.get(seat) != patron:
            table.standing = vacated(table, table.standing, seat)


def vacated(table: Table, standing: Standing, seat: int) -> Standing:
    """Give what stands when a seat is left: its bank is passed, its banco forgone, its side's hand goes outward."""
    if standing.banker == seat:
        standing = replace(standing, banker=None, standing=None, suivi=None, tied=False)
    if standing.suivi == seat:
        standing = replace(standing, suivi=None)
    return banque_coup.vacated(table.rules, standing, table.seats, seat)


def _reverse(table: Table, phase: Between) -> None:
    if phase.last is None:
        raise ImpossibleError("there is no settlement to reverse")
    for line in phase.last.lines:
        move(table, line.patron, -line.returned)
    table.seats |= phase.last.eliminated
    table.phase = Reversed(phase.shoe, replace(phase.last, eliminated={}))


def _void(table: Table, event: RoundVoided) -> None:
    """Give every stake back. With its last card gone, the shoe is over; a frozen one stays frozen."""
    phase = table.phase
    if isinstance(phase, Closed | Idle) or (coup := open_coup(phase)) is None:
        raise impossible(table, event)
    for (patron, _), amount in coup.stakes.by_bet.items():
        move(table, patron, amount)
    if isinstance(phase, Playing):
        _show(phase)
    if coup.banked is not None:
        _leave_behind(table, coup.banked, left_by_a_void(coup.banked))
    if phase.shoe.position == phase.shoe.cards:
        phase.shoe.coups_left = 0
    table.phase = Frozen(phase.shoe, None, None) if isinstance(phase, Frozen) else Between(phase.shoe)


def _being_settled(table: Table, event: LinesSettled | RoundSettled) -> Playing | Reversed:
    if isinstance(table.phase, Playing | Reversed):
        return table.phase
    raise impossible(table, event)


def _sit(table: Table, event: SeatTaken) -> None:
    table.seats[event.seat] = event.patron


def _leave(table: Table, event: SeatLeft) -> None:
    table.seats.pop(event.seat, None)
    table.standing = vacated(table, table.standing, event.seat)
    if event.reason == "eliminated" and isinstance(table.phase, Between) and table.phase.last is not None:
        table.phase.last.eliminated[event.seat] = event.patron
    if isinstance(table.phase, Idle):
        end_game(table)


def end_game(table: Table, reason: str = "") -> None:
    """Let a game of the dining-room be over that has ended with its shoe, or has fewer than two left and no shoe."""
    is_over = reason in (LAST_PLAYER, NO_DEALER) or len(table.seats) < FEWEST_SEATED
    if table.rules.game == "dining-room" and is_over:
        table.standing = Standing()


def _draw(table: Table, event: CardDrawn) -> None:
    """Draw a card for the first deal; when it decides, the turn is known."""
    phase = _between(table, event)
    drawn = (*(phase.drawn if isinstance(phase, Drawing) else ()), (event.seat, event.card))
    phase.shoe.position += 1
    phase.shoe.dealt += 1
    phase.shoe.show(event.card)
    first = dining_coup.first_dealer(table.rules, table.seats, drawn)
    if first is None:
        table.phase = Drawing(phase.shoe, drawn)
    else:
        table.standing = Standing(turn=first)
        table.phase = Between(phase.shoe)


def move(table: Table, patron: str, amount: int) -> None:
    """Add chips to a stack, or take them."""
    table.stacks[patron] = table.stacks.get(patron, 0) + amount


def impossible(table: Table, event: Event) -> ImpossibleError:
    """Say that an event cannot happen in the table's phase."""
    return ImpossibleError(f"{type(event).__name__} cannot happen at a table that is {type(table.phase).__name__}")


def _between(table: Table, event: Event) -> Between | Drawing:
    """Give the phase between coups. Who reads a chapter alone does not know who sits, nor when a draw is complete."""
    if isinstance(table.phase, Between | Drawing):
        return table.phase
    raise impossible(table, event)


def _in(table: Table, wanted: type[Expected], event: Event) -> Expected:
    """Give the phase, which must be the one in which this event happens."""
    if isinstance(table.phase, wanted):
        return table.phase
    raise impossible(table, event)
