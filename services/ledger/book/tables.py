"""A table's events as postings: chips bought and cashed, stakes in escrow, settlements, commission, the tray."""

from collections.abc import Sequence
from typing import TypeVar, assert_never

from msgspec import Struct

from schemas.accounts import AccountOpened, FundsDeposited, FundsFromTable, FundsToTable, FundsWithdrawn, LogSucceeded
from schemas.events import (
    AnyEvent,
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
from schemas.words import Carried, Chips
from services.ledger.book import accounts
from services.ledger.book.slip import Disagreement, Slip

K = TypeVar("K")

BANK = "bank"  # a player's, whose line takes what others lose and pays what they win


class Coup(Struct, kw_only=True):
    """What the books remember of a table beside its balances; kept with them, so that they can be taken up again.

    `settled` are the lines of the last settlement, while it can still be reversed. `carried` is the list of stacks that
    a new shoe brings, while its end has not been read.
    """

    currency: str
    is_open: bool = False
    shoe: int = 0
    round: int = 0
    is_betting: bool = False
    settled: list[Line] | None = None
    carried: list[Carried] | None = None


class Table(Struct, kw_only=True):
    """A table as the books know it; `stacks`, `debts`, `stakes` and `tray` are balances of its accounts."""

    name: str
    coup: Coup
    stacks: dict[str, int] = {}
    debts: dict[str, int] = {}
    stakes: dict[tuple[str, str], int] = {}
    tray: int = 0

    def slip(self) -> Slip:
        """Take an empty slip."""
        return Slip(self.coup.currency, self.name, self.coup.shoe)


def worth(chips: Chips) -> int:
    """Give the value of a tray, in minor units."""
    return sum(denomination * count for denomination, count in chips)


def open_table(table: Table | None, event: TableOpened) -> Table:
    """Make ready for a table that opens, or opens again."""
    if table is None:
        return Table(name=event.table, coup=Coup(currency=event.currency))
    if table.coup.is_open:
        raise Disagreement(f"table {table.name} opens, but it is open already")
    if event.currency != table.coup.currency:
        if table.debts:
            raise Disagreement(f"table {table.name} opens in {event.currency} with {table.coup.currency} owed")
        table.coup.currency = event.currency
    return table


def write(table: Table, event: AnyEvent) -> Slip:  # noqa: C901, PLR0912, PLR0915 (one case per event)
    """Write the slip of a table's event and bring the table up to date. Raises Disagreement."""
    _check_carried_is_whole(table, event)
    slip = table.slip()
    match event:
        case CardDealt() | BetsClosed() | DecisionMade() | CardsBurned() | CutCardReached():
            pass
        case SeatTaken() | SeatLeft() | SeatsSet() | CardDrawn() | TurnPassed():
            pass
        case BetAsked() | BetAgreed() | BetRefused() | BankBroken():
            pass  # what is asked moves no chips, and what a broken bank paid stands in its lines
        case BetPlaced():
            _stake(slip, table, event)
        case BetWithdrawn():
            _withdraw(slip, table, event)
        case RoundOpened():
            _open_round(table, event)
        case LinesSettled() | RoundSettled():
            _settle(slip, table, event)
        case RoundVoided():
            _void(slip, table, event)
        case SettlementReversed():
            _reverse(slip, table, event)
        case ChipsBought():
            _buy(slip, table, event)
        case ChipsCashed():
            _cash(slip, table, event)
        case CommissionCollected():
            _collect(slip, table, event)
        case CommissionWaived():
            _waive(slip, table, event)
        case TableOpened():
            _fill(slip, table, worth(event.float))
            table.coup.is_open = True
        case ChipsFilled():
            _fill(slip, table, event.amount)
        case ChipsCredited():
            _fill(slip, table, -event.amount)
        case TableClosed():
            _close(slip, table, worth(event.float))
        case ShoeCommitted() | ChipsCarried():
            _carry(table, event)
            slip.shoe = table.coup.shoe
        case ShoeClosed() | ShoeVoided():
            _end_shoe(table)
        case TableSuspended() | TableResumed() | DealerChanged() | LimitsChanged():
            pass
        case EntropyContributed() | ShoeShuffled() | ShoeFrozen():
            pass
        case AccountOpened() | FundsDeposited() | FundsWithdrawn() | FundsToTable() | FundsFromTable() | LogSucceeded():
            raise Disagreement(f"{type(event).__name__} does not happen at a table")
        case _:
            assert_never(event)
    return slip


def _change(amounts: dict[K, int], key: K, amount: int, what: str) -> None:
    """Change what a patron has; nothing below zero, and nothing kept at zero."""
    after = amounts.get(key, 0) + amount
    if after < 0:
        raise Disagreement(f"{what} of {key}: {amount} from {after - amount} leaves less than nothing")
    if after:
        amounts[key] = after
    else:
        amounts.pop(key, None)


def _chips_in(slip: Slip, table: Table, amount: int) -> None:
    """Move chips from patrons' hands into the tray, or with a negative amount out of it."""
    table.tray += amount
    slip.move(amount, debit=accounts.tray(table.name), credit=accounts.chips_out(table.name))


def _fill(slip: Slip, table: Table, amount: int) -> None:
    """Bring chips from the cage to the tray, or with a negative amount back."""
    table.tray += amount
    slip.move(amount, debit=accounts.tray(table.name), credit=accounts.CAGE_CHIPS)


def _close(slip: Slip, table: Table, counted: int) -> None:
    """Give the counted tray back to the cage; what should have been in it and was not is a difference."""
    if table.stacks or table.stakes:
        raise Disagreement(f"table {table.name} closes with patrons' chips on it")
    slip.move(table.tray - counted, debit=accounts.float_difference(table.name), credit=accounts.tray(table.name))
    table.tray = counted
    _fill(slip, table, -counted)
    table.coup.is_open = False


def _buy(slip: Slip, table: Table, event: ChipsBought) -> None:
    """Take money and hand out chips."""
    _change(table.stacks, event.patron, event.amount, "stack")
    slip.move(event.amount, debit=accounts.cage(event.means), credit=accounts.stack(event.patron, table.name))
    _chips_in(slip, table, -event.amount)


def _cash(slip: Slip, table: Table, event: ChipsCashed) -> None:
    """Take chips and hand out money."""
    _change(table.stacks, event.patron, -event.amount, "stack")
    slip.move(event.amount, debit=accounts.stack(event.patron, table.name), credit=accounts.cage(event.means))
    _chips_in(slip, table, event.amount)


def _open_round(table: Table, event: RoundOpened) -> None:
    if table.coup.is_betting:
        raise Disagreement(f"round {event.round} opens before round {table.coup.round} has ended")
    table.coup.round = event.round
    table.coup.is_betting = True
    table.coup.settled = None


def _check_round(table: Table, number: int) -> None:
    """Hold an event of a coup against the coup that is open."""
    if not table.coup.is_betting or number != table.coup.round:
        raise Disagreement(f"round {number} is not open at table {table.name}")


def _stake(slip: Slip, table: Table, event: BetPlaced) -> None:
    """Move a stake from the stack into escrow."""
    _check_round(table, event.round)
    _change(table.stacks, event.patron, -event.amount, "stack")
    _change(table.stakes, (event.patron, event.bet), event.amount, "stake")
    slip.move(
        event.amount,
        debit=accounts.stack(event.patron, table.name),
        credit=accounts.escrow(event.patron, table.name, event.bet),
    )


def _return_stake(slip: Slip, table: Table, patron: str, bet: str) -> None:
    """Move the whole of a bet back from escrow to the stack."""
    stake = table.stakes.pop((patron, bet), 0)
    if not stake:
        raise Disagreement(f"{patron} has no stake on {bet} at table {table.name}")
    _change(table.stacks, patron, stake, "stack")
    slip.move(stake, debit=accounts.escrow(patron, table.name, bet), credit=accounts.stack(patron, table.name))


def _withdraw(slip: Slip, table: Table, event: BetWithdrawn) -> None:
    _check_round(table, event.round)
    _return_stake(slip, table, event.patron, event.bet)


def _void(slip: Slip, table: Table, event: RoundVoided) -> None:
    """Return every stake."""
    _check_round(table, event.round)
    for patron, bet in tuple(table.stakes):
        _return_stake(slip, table, patron, bet)
    table.coup.is_betting = False
    slip.voided = 1


def _settle(slip: Slip, table: Table, event: LinesSettled | RoundSettled) -> None:
    """Settle lines; with the last of them the coup is over, and no stake may be left in escrow."""
    _check_round(table, event.round)
    for line in event.lines:
        if line.bet != BANK:
            _check_line(line)
        _write_line(slip, table, line, 1)
    table.coup.settled = [*(table.coup.settled or ()), *event.lines]
    if isinstance(event, RoundSettled):
        _check_bank(table.coup.settled)
        if table.stakes:
            raise Disagreement(f"round {event.round} at table {table.name} leaves stakes unsettled")
        table.coup.is_betting = False
        slip.rounds = 1


def _reverse(slip: Slip, table: Table, event: SettlementReversed) -> None:
    """Undo a settlement, line by line; its stakes lie in escrow again."""
    coup = table.coup
    if coup.is_betting or coup.settled is None or event.round != coup.round:
        raise Disagreement(f"round {event.round} at table {table.name} has no settlement to reverse")
    for line in coup.settled:
        _write_line(slip, table, line, -1)
    coup.settled = None
    coup.is_betting = True
    slip.rounds = -1


def _check_line(line: Line) -> None:
    """Hold what a line returns against its own figures."""
    is_paid = line.won > 0 or line.commission > 0 or line.returned > 0
    due = line.stake + line.won - line.commission if is_paid else 0
    if line.returned != due or line.commission > line.won:
        raise Disagreement(f"the line of {line.patron} on {line.bet} returns {line.returned}, not {due}")


def _check_bank(lines: Sequence[Line]) -> None:
    """Hold a player's bank against the lines beside it: all stakes go back to the patrons, but for the levy."""
    if any(line.bet == BANK for line in lines):
        kept = sum(line.stake - line.returned - line.commission for line in lines)
        if kept:
            raise Disagreement(f"a player banks, and {kept} of the stakes neither return nor go to the house")


def _write_line(slip: Slip, table: Table, line: Line, sign: int) -> None:
    """Release a stake from escrow and pay what returns; with `sign` -1 the same backwards."""
    name, marked = table.name, line.marked or 0
    stake, returned = sign * line.stake, sign * line.returned
    held = table.stakes.get((line.patron, line.bet), 0)
    if sign > 0 and held != line.stake:
        raise Disagreement(f"{line.patron} staked {held} on {line.bet}, not {line.stake}")
    _change(table.stakes, (line.patron, line.bet), -stake, "stake")
    _change(table.stacks, line.patron, returned, "stack")
    _change(table.debts, line.patron, sign * marked, "debt")
    win, commission = accounts.win(name), accounts.commission(name)
    slip.move(stake, debit=accounts.escrow(line.patron, name, line.bet), credit=win)
    slip.move(returned, debit=win, credit=accounts.stack(line.patron, name))
    slip.move(sign * line.commission, debit=win, credit=commission)
    slip.move(sign * marked, debit=accounts.owed(line.patron, name), credit=accounts.commission_owed(name))
    _chips_in(slip, table, stake - returned)
    slip.of(line.patron).count(line, sign)


def _collect(slip: Slip, table: Table, event: CommissionCollected) -> None:
    """Take marked commission from the stack: now it is income."""
    name, patron, amount = table.name, event.patron, event.amount
    _change(table.debts, patron, -amount, "debt")
    _change(table.stacks, patron, -amount, "stack")
    slip.move(amount, debit=accounts.stack(patron, name), credit=accounts.owed(patron, name))
    slip.move(amount, debit=accounts.commission_owed(name), credit=accounts.commission(name))
    _chips_in(slip, table, amount)
    slip.of(patron).collected += amount


def _waive(slip: Slip, table: Table, event: CommissionWaived) -> None:
    """Forgo marked commission: it never becomes income."""
    _change(table.debts, event.patron, -event.amount, "debt")
    owed, commission_owed = accounts.owed(event.patron, table.name), accounts.commission_owed(table.name)
    slip.move(event.amount, debit=commission_owed, credit=owed)
    slip.of(event.patron).waived += event.amount


def _carry(table: Table, event: ShoeCommitted | ChipsCarried) -> None:
    """Read what a new shoe carries forward; nothing is posted, but it must be what the books say."""
    coup = table.coup
    if isinstance(event, ShoeCommitted):
        if event.currency != coup.currency or coup.is_betting:
            raise Disagreement(f"shoe {event.shoe} at table {table.name} begins in a round or in another currency")
        coup.shoe, coup.round, coup.settled, coup.carried = event.shoe, 0, None, []
    coup.carried = [*(coup.carried or ()), *event.carried]
    if len(coup.carried) >= len(table.stacks.keys() | table.debts.keys()):
        _check_carried(table, coup.carried)
        coup.carried = None


def _check_carried(table: Table, carried: list[Carried]) -> None:
    """Hold what is carried against the balances, patron by patron."""
    told = {row.patron: (row.chips, row.owed) for row in carried}
    known = {
        patron: (table.stacks.get(patron, 0), table.debts.get(patron, 0))
        for patron in table.stacks.keys() | table.debts.keys()
    }
    if told != known or len(told) != len(carried):
        wrong = sorted(patron for patron in told.keys() | known.keys() if told.get(patron) != known.get(patron))
        raise Disagreement(
            f"shoe {table.coup.shoe} at table {table.name} carries other stacks than the books: "
            + ", ".join(f"{patron} {told.get(patron)} for {known.get(patron)}" for patron in wrong[:5])
        )


def _check_carried_is_whole(table: Table, event: AnyEvent) -> None:
    """Refuse to go on while a list of carried stacks has not come to the books' end."""
    if table.coup.carried is None:
        if isinstance(event, ChipsCarried):
            raise Disagreement(f"table {table.name} carries more stacks than the books know")
    elif not isinstance(event, ChipsCarried):
        _check_carried(table, table.coup.carried)


def _end_shoe(table: Table) -> None:
    """End a shoe; a settlement can no longer be reversed."""
    if table.coup.is_betting:
        raise Disagreement(f"a shoe ends at table {table.name} in round {table.coup.round}")
    table.coup.settled = None
