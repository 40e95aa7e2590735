"""Evolve: what each event makes true. No event is refused here: it has happened."""

from typing import TypeVar, assert_never

from msgspec import UNSET

from schemas.events import (
    BetPlaced,
    BetsClosed,
    BetWithdrawn,
    CardDealt,
    CardsBurned,
    ChipsBought,
    ChipsCarried,
    ChipsCashed,
    ChipsCredited,
    ChipsFilled,
    CommissionCollected,
    CommissionWaived,
    CutCardReached,
    DealerChanged,
    DecisionMade,
    EntropyContributed,
    LimitsChanged,
    LinesSettled,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SettlementReversed,
    ShoeClosed,
    ShoeCommitted,
    ShoeFrozen,
    ShoeShuffled,
    ShoeVoided,
    TableClosed,
    TableEvent,
    TableOpened,
    TableResumed,
    TableSuspended,
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
from schemas.words import Carried
from services.table.game import banked
from services.table.game.banked import BankedEvent
from services.table.game.impossible import ImpossibleError
from services.table.game.seats import Standing
from services.table.game.stakes import Stakes
from services.table.game.state import (
    CARDS_PER_DECK,
    Betting,
    Between,
    Closed,
    Committed,
    Dealing,
    Drawing,
    Frozen,
    Idle,
    Phase,
    Reversed,
    Settled,
    ShoeInPlay,
    Shuffled,
    Table,
    open_coup,
)

Expected = TypeVar("Expected", bound=Phase)


def evolve(table: Table | None, event: TableEvent) -> Table:
    """Apply one event and give the table, changed in place. Raises ImpossibleError when it cannot have happened."""
    if table is not None:
        if table.rules.game != "house" and isinstance(event, BankedEvent):
            banked.evolve(table, event)
        else:
            _apply(table, event)
        return table
    if isinstance(event, TableOpened):
        return _opened(event)
    if isinstance(event, ShoeCommitted):
        return _chapter(event)
    raise ImpossibleError(f"a table cannot begin with {type(event).__name__}")


def _apply(table: Table, event: TableEvent) -> None:  # noqa: C901, PLR0912, PLR0915 (a table, not a tangle)
    """Find what an event makes true; the most frequent stand first."""
    match event:
        case BetPlaced():
            stakes = _in(table, Betting, event).stakes
            _move(table, event.patron, -event.amount)
            stakes.place(event.patron, event.bet, event.amount)
        case CardDealt():
            _deal(_in(table, Dealing, event), event)
        case RoundOpened():
            _open_round(table, _in(table, Between, event).shoe, event)
        case BetsClosed():
            phase = _in(table, Betting, event)
            table.phase = Dealing(phase.shoe, phase.round, phase.stakes)
        case LinesSettled():
            _being_settled(table, event).lines.extend(event.lines)
        case RoundSettled():
            _settle(table, _being_settled(table, event), event)
        case BetWithdrawn():
            stakes = _in(table, Betting, event).stakes
            _move(table, event.patron, stakes.withdraw(event.patron, event.bet))
        case RoundVoided():
            _void(table, event)
        case SettlementReversed():
            _reverse(table, _in(table, Between, event))
        case CutCardReached():
            _reach_cut(table, _in(table, Dealing, event))
        case DecisionMade():
            raise ImpossibleError("no choice is free in a house-banked game")
        case SeatTaken() | SeatLeft() | CardDrawn() | SeatsSet() | TurnPassed() | BankBroken():
            raise ImpossibleError(f"{type(event).__name__} cannot happen in a house-banked game")
        case BetAsked() | BetAgreed() | BetRefused():
            raise ImpossibleError("the house is not asked for its consent")
        case ShoeCommitted():
            _in(table, Idle, event)
            _begin_chapter(table, event)
        case ChipsCarried():
            _carry_more(table, event)
        case EntropyContributed():
            _in(table, Committed, event).shoe.contributions.append((event.source, bytes.fromhex(event.value)))
        case ShoeShuffled():
            _shuffle(table, _in(table, Committed, event).shoe, event)
        case CardsBurned():
            _burn(table, _in(table, Shuffled, event).shoe, event)
        case ShoeFrozen():
            _freeze(table, event)
        case ShoeClosed():
            _close_shoe(table, event)
        case ShoeVoided():
            _give_up(table, event)
        case TableOpened():
            _in(table, Closed, event)
            _open_again(table, event)
        case TableClosed():
            _in(table, Idle, event)
            table.phase, table.suspended = Closed(), None
        case _:
            _floor(table, event)


def _floor(  # noqa: C901 (as above)
    table: Table,
    event: TableSuspended
    | TableResumed
    | DealerChanged
    | LimitsChanged
    | ChipsFilled
    | ChipsCredited
    | ChipsBought
    | ChipsCashed
    | CommissionCollected
    | CommissionWaived,
) -> None:
    """Apply what may happen at an open table in any phase: chips, debts, people, limits."""
    if isinstance(table.phase, Closed):
        raise _impossible(table, event)
    match event:
        case ChipsBought():
            _move(table, event.patron, event.amount)
        case ChipsCashed():
            _move(table, event.patron, -event.amount)
        case CommissionCollected():
            _move(table, event.patron, -event.amount)
            _owe(table, event.patron, -event.amount)
        case CommissionWaived():
            _owe(table, event.patron, -event.amount)
        case TableSuspended():
            table.suspended = event.reason
        case TableResumed():
            table.suspended = None
        case DealerChanged():
            table.dealer = event.dealer
        case LimitsChanged():
            table.next_limits = event.limits
        case ChipsFilled() | ChipsCredited():
            pass  # the float is the cage's to count
        case _:
            assert_never(event)


def _impossible(table: Table, event: TableEvent) -> ImpossibleError:
    return ImpossibleError(f"{type(event).__name__} cannot happen at a table that is {type(table.phase).__name__}")


def _in(table: Table, wanted: type[Expected], event: TableEvent) -> Expected:
    """Give the phase, which must be the one in which this event happens."""
    if isinstance(table.phase, wanted):
        return table.phase
    raise _impossible(table, event)


def _move(table: Table, patron: str, amount: int) -> None:
    table.stacks[patron] = table.stacks.get(patron, 0) + amount


def _owe(table: Table, patron: str, amount: int) -> None:
    table.owed[patron] = table.owed.get(patron, 0) + amount


def _opened(event: TableOpened) -> Table:
    return Table(
        name=event.table,
        title=event.name,
        currency=event.currency,
        rules=event.rules,
        limits=event.limits,
        next_limits=event.limits,
        phase=Idle(),
    )


def _open_again(table: Table, event: TableOpened) -> None:
    """Open a closed table anew; its shoe numbers go on."""
    table.name, table.title, table.currency = event.table, event.name, event.currency
    table.rules, table.limits, table.next_limits = event.rules, event.limits, event.limits
    table.phase, table.dealer = Idle(), None
    table.seats, table.standing = {}, Standing()


def _chapter(event: ShoeCommitted) -> Table:
    """Begin at `shoe-committed`; the table's names stand in its stream's `table-opened`."""
    table = Table(
        name="",
        title="",
        currency=event.currency,
        rules=event.rules,
        limits=event.limits,
        next_limits=event.limits,
        phase=Idle(),
    )
    _begin_chapter(table, event)
    return table


def _begin_chapter(table: Table, event: ShoeCommitted) -> None:
    """Take everything from the event, so that who reads this chapter alone knows what all others know."""
    table.currency, table.rules = event.currency, event.rules
    table.limits = table.next_limits = event.limits
    table.shoes = event.shoe
    table.stacks, table.owed = {}, {}
    table.standing = Standing(turn=None if table.rules.game == "banque" else table.standing.turn)
    shoe = new_shoe(event)
    table.phase = _ready(table, shoe) if shoe.is_scanned else Committed(shoe)
    _carry(table, event.carried)


def _ready(table: Table, shoe: ShoeInPlay) -> Shuffled | Between:
    """Go on from a shoe of which the cards lie fast: to the burn, or without one to the first coup."""
    return Between(shoe) if table.rules.procedure.burn == "none" else Shuffled(shoe)


def _carry_more(table: Table, event: ChipsCarried) -> None:
    """Go on with the list of `shoe-committed`, behind which nothing has happened yet."""
    phase = table.phase
    is_new_and_real = isinstance(phase, Shuffled | Between) and phase.shoe.is_scanned and not phase.shoe.rounds
    if not is_new_and_real:
        _in(table, Committed, event)
    _carry(table, event.carried)


def _carry(table: Table, carried: tuple[Carried, ...]) -> None:
    for row in carried:
        table.stacks[row.patron] = row.chips
        table.owed[row.patron] = row.owed


def new_shoe(event: ShoeCommitted) -> ShoeInPlay:
    """Give a shoe as it is when it is committed to."""
    cards = event.decks * CARDS_PER_DECK
    return ShoeInPlay(
        number=event.shoe,
        cards=cards,
        cut_at=cards - event.rules.procedure.cut,
        source=event.source,
        commitment="" if event.seed_commitment is UNSET else event.seed_commitment,
        final_source="none" if event.final_source is UNSET else event.final_source,
    )


def _shuffle(table: Table, shoe: ShoeInPlay, event: ShoeShuffled) -> None:
    shoe.root = event.root
    table.phase = _ready(table, shoe)


def _burn(table: Table, shoe: ShoeInPlay, event: CardsBurned) -> None:
    shoe.position += event.count
    shoe.burned += event.count
    shoe.show(event.card)
    table.phase = Between(shoe)


def _open_round(table: Table, shoe: ShoeInPlay, event: RoundOpened) -> None:
    table.limits = table.next_limits
    shoe.rounds = event.round
    if shoe.coups_left is not None:
        shoe.coups_left -= 1
    table.phase = Betting(shoe, event.round, event.free is True, Stakes())


def _deal(phase: Dealing, event: CardDealt) -> None:
    match event.hand:
        case "player":
            phase.player.append(event.card)
        case "banker":
            phase.banker.append(event.card)
        case _:
            raise ImpossibleError(f"there is no {event.hand} hand at one tableau")
    phase.shoe.position += 1
    phase.shoe.dealt += 1
    phase.shoe.show(event.card)


def _reach_cut(table: Table, phase: Dealing) -> None:
    """The cut card is out: count the coups that may still be opened."""
    as_first_card = not phase.player and not phase.banker
    one_more = table.rules.procedure.after_cut == "one-more" and not as_first_card
    phase.shoe.coups_left = 1 if one_more else 0


def _being_settled(table: Table, event: LinesSettled | RoundSettled) -> Dealing | Reversed:
    if isinstance(table.phase, Dealing | Reversed):
        return table.phase
    raise _impossible(table, event)


def _settle(table: Table, phase: Dealing | Reversed, event: RoundSettled) -> None:
    coup = phase.undone if isinstance(phase, Reversed) else phase
    settled = Settled(
        round=coup.round,
        stakes=coup.stakes,
        player=tuple(coup.player),
        banker=tuple(coup.banker),
        lines=(*phase.lines, *event.lines),
    )
    for line in settled.lines:
        _move(table, line.patron, line.returned)
        if line.marked is not UNSET:
            _owe(table, line.patron, line.marked)
    table.phase = Between(phase.shoe, settled)


def _reverse(table: Table, phase: Between) -> None:
    if phase.last is None:
        raise ImpossibleError("there is no settlement to reverse")
    for line in phase.last.lines:
        _move(table, line.patron, -line.returned)
        if line.marked is not UNSET:
            _owe(table, line.patron, -line.marked)
    table.phase = Reversed(phase.shoe, phase.last)


def _void(table: Table, event: RoundVoided) -> None:
    """Give every stake back. With its last card gone, the shoe is over; a frozen one stays frozen."""
    phase = table.phase
    if isinstance(phase, Closed | Idle) or (coup := open_coup(phase)) is None:
        raise _impossible(table, event)
    for (patron, _), amount in coup.stakes.by_bet.items():
        _move(table, patron, amount)
    if phase.shoe.position == phase.shoe.cards:
        phase.shoe.coups_left = 0
    table.phase = Frozen(phase.shoe, None, None) if isinstance(phase, Frozen) else Between(phase.shoe)


def _freeze(table: Table, event: ShoeFrozen) -> None:
    phase = table.phase
    if isinstance(phase, Closed | Idle | Frozen):
        raise _impossible(table, event)
    coup = open_coup(phase)
    table.phase = Frozen(phase.shoe, coup.round, coup.stakes, coup.banked) if coup else Frozen(phase.shoe, None, None)


def _close_shoe(table: Table, event: ShoeClosed) -> None:
    if not isinstance(table.phase, Between | Drawing):
        raise _impossible(table, event)
    table.phase = Idle()
    banked.end_game(table, event.reason)


def _give_up(table: Table, event: ShoeVoided) -> None:
    phase = table.phase
    if isinstance(phase, Closed | Idle) or open_coup(phase) is not None:
        raise _impossible(table, event)
    table.phase = Idle()
    banked.end_game(table)
