"""Evolve: what each event makes true. No event is refused here: it has happened."""

from typing import assert_never

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
    Line,
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
from schemas.words import Carried
from services.table.game.state import (
    CARDS_PER_DECK,
    Betting,
    Between,
    Closed,
    Committed,
    Dealing,
    Frozen,
    Idle,
    Reversed,
    Settled,
    ShoeInPlay,
    Shuffled,
    Stakes,
    Table,
)


class ImpossibleError(AssertionError):
    """An event that cannot follow what went before: the log, or this program, is wrong."""


def evolve(table: Table | None, event: TableEvent) -> Table:
    """Apply one event and give the table, changed in place. Raises ImpossibleError when it cannot have happened."""
    if table is None:
        if isinstance(event, TableOpened):
            return _opened(event)
        if isinstance(event, ShoeCommitted):
            return _chapter(event)
        raise ImpossibleError(f"a table cannot begin with {type(event).__name__}")
    match event:
        case (
            BetPlaced() | BetWithdrawn() | BetsClosed() | CardDealt() | RoundOpened() | LinesSettled() | RoundSettled()
        ):
            _coup(table, event)
        case RoundVoided() | SettlementReversed() | CutCardReached() | DecisionMade():
            _turn(table, event)
        case (
            ShoeCommitted()
            | ChipsCarried()
            | EntropyContributed()
            | ShoeShuffled()
            | CardsBurned()
            | ShoeFrozen()
            | ShoeClosed()
            | ShoeVoided()
        ):
            _shoe_goes_on(table, event)
        case _:
            _floor(table, event)
    return table


def _coup(
    table: Table,
    event: BetPlaced | BetWithdrawn | BetsClosed | CardDealt | RoundOpened | LinesSettled | RoundSettled,
) -> None:
    """Apply what happens in every coup."""
    match table.phase, event:
        case Betting() as phase, BetPlaced():
            table.stacks[event.patron] = table.stack(event.patron) - event.amount
            phase.stakes.place(event.patron, event.bet, event.amount)
        case Dealing() as phase, CardDealt():
            (phase.player if event.hand == "player" else phase.banker).append(event.card)
            phase.shoe.position += 1
            phase.shoe.dealt += 1
        case Between() as phase, RoundOpened():
            _open_round(table, phase.shoe, event)
        case Betting() as phase, BetsClosed():
            table.phase = Dealing(phase.shoe, phase.round, phase.stakes)
        case Betting() as phase, BetWithdrawn():
            table.stacks[event.patron] = table.stack(event.patron) + phase.stakes.withdraw(event.patron, event.bet)
        case (Dealing() | Reversed()) as phase, LinesSettled():
            phase.lines.extend(event.lines)
        case (Dealing() | Reversed()) as phase, RoundSettled():
            _settle(table, phase, (*phase.lines, *event.lines))
        case phase, _:
            raise ImpossibleError(f"{type(event).__name__} cannot happen at a table that is {type(phase).__name__}")


def _turn(table: Table, event: RoundVoided | SettlementReversed | CutCardReached | DecisionMade) -> None:
    """Apply what turns a coup from its usual course."""
    match event:
        case RoundVoided():
            _void(table, event)
        case SettlementReversed():
            _reverse(table)
        case CutCardReached():
            _reach_cut(table)
        case DecisionMade():
            raise ImpossibleError("no choice is free in a house-banked game")
        case _:
            assert_never(event)


def _shoe_goes_on(
    table: Table,
    event: ShoeCommitted
    | ChipsCarried
    | EntropyContributed
    | ShoeShuffled
    | CardsBurned
    | ShoeFrozen
    | ShoeClosed
    | ShoeVoided,
) -> None:
    """Apply what happens to a shoe between its coups."""
    match event:
        case ShoeCommitted():
            table.shoes = event.shoe
            table.phase = Committed(new_shoe(event))
            _carry(table, event.carried)
        case ChipsCarried():
            _carry(table, event.carried)
        case EntropyContributed():
            _shoe(table).contributions.append((event.source, bytes.fromhex(event.value)))
        case ShoeShuffled():
            shoe = _shoe(table)
            shoe.root = event.root
            table.phase = Between(shoe) if table.rules.procedure.burn == "none" else Shuffled(shoe)
        case CardsBurned():
            shoe = _shoe(table)
            shoe.position += event.count
            shoe.burned += event.count
            table.phase = Between(shoe)
        case ShoeFrozen():
            _freeze(table)
        case ShoeClosed() | ShoeVoided():
            table.phase = Idle()
        case _:
            assert_never(event)


def _floor(  # noqa: C901 (one branch an event: a table, not a tangle)
    table: Table,
    event: TableOpened
    | TableSuspended
    | TableResumed
    | TableClosed
    | DealerChanged
    | LimitsChanged
    | ChipsFilled
    | ChipsCredited
    | ChipsBought
    | ChipsCashed
    | CommissionCollected
    | CommissionWaived,
) -> None:
    """Apply what may happen at any time: chips, debts, people, and the table itself."""
    match event:
        case ChipsBought():
            table.stacks[event.patron] = table.stack(event.patron) + event.amount
        case ChipsCashed():
            table.stacks[event.patron] = table.stack(event.patron) - event.amount
        case CommissionCollected():
            table.stacks[event.patron] = table.stack(event.patron) - event.amount
            table.owed[event.patron] = table.debt(event.patron) - event.amount
        case CommissionWaived():
            table.owed[event.patron] = table.debt(event.patron) - event.amount
        case TableOpened():
            _open_again(table, event)
        case TableSuspended():
            table.suspended = event.reason
        case TableResumed():
            table.suspended = None
        case TableClosed():
            table.phase = Closed()
        case DealerChanged():
            table.dealer = event.dealer
        case LimitsChanged():
            table.next_limits = event.limits
        case ChipsFilled() | ChipsCredited():
            pass  # the float is the cage's to count
        case _:
            assert_never(event)


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
    table.title, table.currency = event.name, event.currency
    table.rules, table.limits, table.next_limits = event.rules, event.limits, event.limits
    table.phase, table.dealer, table.suspended = Idle(), None, None


def _chapter(event: ShoeCommitted) -> Table:
    """Begin at `shoe-committed`, which carries all that a chapter needs; the table's names stand in its stream's."""
    table = Table(
        name="",
        title="",
        currency=event.currency,
        rules=event.rules,
        limits=event.limits,
        next_limits=event.limits,
        phase=Committed(new_shoe(event)),
        shoes=event.shoe,
    )
    _carry(table, event.carried)
    return table


def _carry(table: Table, carried: tuple[Carried, ...]) -> None:
    """Take over stacks and debts; where they are known already, this says the same again."""
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


def _shoe(table: Table) -> ShoeInPlay:
    """Give the shoe in play."""
    phase = table.phase
    if isinstance(phase, Closed | Idle):
        raise ImpossibleError("there is no shoe on this table")
    return phase.shoe


def _open_round(table: Table, shoe: ShoeInPlay, event: RoundOpened) -> None:
    table.limits = table.next_limits
    shoe.rounds = event.round
    if shoe.coups_left is not None:
        shoe.coups_left -= 1
    table.phase = Betting(shoe, event.round, event.free is True, Stakes())


def _reach_cut(table: Table) -> None:
    """The cut card is out: count the coups that may still be opened."""
    phase = table.phase
    if not isinstance(phase, Dealing):
        raise ImpossibleError("the cut card comes out in a coup only")
    as_first_card = not phase.player and not phase.banker
    one_more = table.rules.procedure.after_cut == "one-more" and not as_first_card
    phase.shoe.coups_left = 1 if one_more else 0


def _settle(table: Table, phase: Dealing | Reversed, lines: tuple[Line, ...]) -> None:
    for line in lines:
        table.stacks[line.patron] = table.stack(line.patron) + line.returned
        if line.marked is not UNSET and line.marked:
            table.owed[line.patron] = table.debt(line.patron) + line.marked
    if isinstance(phase, Reversed):
        undone = phase.undone
        table.phase = Between(phase.shoe, _settled(undone.round, undone.stakes, undone.player, undone.banker, lines))
    else:
        table.phase = Between(phase.shoe, _settled(phase.round, phase.stakes, phase.player, phase.banker, lines))


def _settled(
    number: int,
    stakes: Stakes,
    player: list[str] | tuple[str, ...],
    banker: list[str] | tuple[str, ...],
    lines: tuple[Line, ...],
) -> Settled:
    return Settled(round=number, stakes=stakes, player=tuple(player), banker=tuple(banker), lines=lines)


def _void(table: Table, event: RoundVoided) -> None:
    """Give every stake back; when the rules void the coup for want of cards, the shoe is over."""
    phase = table.phase
    if isinstance(phase, Betting | Dealing):
        stakes = phase.stakes
    elif isinstance(phase, Reversed):
        stakes = phase.undone.stakes
    elif isinstance(phase, Frozen) and phase.stakes is not None:
        stakes = phase.stakes
    else:
        raise ImpossibleError("there is no coup to void")
    for (patron, _), amount in stakes.by_bet.items():
        table.stacks[patron] = table.stack(patron) + amount
    if isinstance(phase, Frozen):
        table.phase = Frozen(phase.shoe, None, None)
        return
    if event.reason == "out-of-cards":
        phase.shoe.coups_left = 0
    table.phase = Between(phase.shoe)


def _reverse(table: Table) -> None:
    phase = table.phase
    if not isinstance(phase, Between) or phase.last is None:
        raise ImpossibleError("there is no settlement to reverse")
    for line in phase.last.lines:
        table.stacks[line.patron] = table.stack(line.patron) - line.returned
        if line.marked is not UNSET:
            table.owed[line.patron] = table.debt(line.patron) - line.marked
    table.phase = Reversed(phase.shoe, phase.last)


def _freeze(table: Table) -> None:
    phase = table.phase
    shoe = _shoe(table)
    if isinstance(phase, Betting | Dealing):
        table.phase = Frozen(shoe, phase.round, phase.stakes)
    elif isinstance(phase, Reversed):
        table.phase = Frozen(shoe, phase.undone.round, phase.undone.stakes)
    else:
        table.phase = Frozen(shoe, None, None)
