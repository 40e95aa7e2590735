"""The floor: what is decided at a table outside its coups: opening it, chips, debts, limits, people. Pure.

Each function takes the table as it is and gives the events of one command, or refuses; none of them changes the table.
"""

from itertools import pairwise

from schemas.events import (
    ChipsBought,
    ChipsCashed,
    ChipsCredited,
    ChipsFilled,
    CommissionCollected,
    CommissionWaived,
    DealerChanged,
    LimitsChanged,
    TableClosed,
    TableOpened,
    TableResumed,
    TableSuspended,
)
from schemas.rules import Limits
from schemas.words import Chips, Means
from services.table.game.phases import be
from services.table.game.refusal import RefusedError
from services.table.game.scrutiny import RulesError, insist
from services.table.game.state import Closed, Idle, Table

MAX_STACK = 10**15
TWO_PEOPLE = 2


def open_table(table: Table | None, opening: TableOpened) -> list[TableOpened]:
    """Open a table as described, for the first time or again."""
    if table is not None:
        be(table, Closed, to="be opened")
    try:
        insist(opening.rules, opening.limits)
    except RulesError as error:
        raise RefusedError("rules-unsound", str(error), where="rules", right="a rule set whose parts agree") from error
    _count_chips(opening.float)
    _two_people(opening.counted_by, opening.verified_by, where="verified_by")
    return [opening]


def close_table(table: Table, closing: TableClosed) -> list[TableClosed]:
    """Close a table that has no shoe, no stack and no debt left."""
    be(table, Idle, to="be closed")
    for patron, chips in table.stacks.items():
        if chips:
            raise RefusedError(
                "stack-too-small",
                f"patron {patron} still has {chips} on the table",
                where="stacks",
                right="every patron cashes his chips first",
            )
    for patron, owed in table.owed.items():
        if owed:
            raise RefusedError(
                "owing",
                f"patron {patron} still owes {owed} of commission",
                where="owed",
                right="collect it, or let two people waive it",
            )
    _count_chips(closing.float)
    _two_people(closing.counted_by, closing.verified_by, where="verified_by")
    return [closing]


def suspend(table: Table, *, reason: str) -> list[TableSuspended]:
    """Pause play: no coup is opened, no bet taken, no card dealt until it is resumed."""
    _be_open(table, to="be suspended")
    if table.suspended is not None:
        raise RefusedError("table-suspended", "the table is suspended already", right="resume it first")
    return [TableSuspended(reason=reason)]


def resume(table: Table) -> list[TableResumed]:
    """Let play go on."""
    if table.suspended is None:
        raise RefusedError("wrong-phase", "the table is not suspended", right="a table that was suspended")
    return [TableResumed()]


def change_dealer(table: Table, *, dealer: str) -> list[DealerChanged]:
    """Let another dealer take the table."""
    _be_open(table, to="change its dealer")
    return [DealerChanged(dealer=dealer)]


def change_limits(table: Table, *, limits: Limits) -> list[LimitsChanged]:
    """Set new limits, complete, from the next coup on."""
    _be_open(table, to="change its limits")
    try:
        insist(table.rules, limits)
    except RulesError as error:
        raise RefusedError("rules-unsound", str(error), where="limits", right="limits that fit the rules") from error
    return [LimitsChanged(limits=limits)]


def fill(table: Table, filling: ChipsFilled) -> list[ChipsFilled]:
    """Bring chips from the cage to the float."""
    _be_open(table, to="be filled")
    _agree(filling)
    return [filling]


def credit(table: Table, crediting: ChipsCredited) -> list[ChipsCredited]:
    """Take chips from the float to the cage."""
    _be_open(table, to="be credited")
    _agree(crediting)
    return [crediting]


def buy_chips(table: Table, *, patron: str, amount: int, means: Means) -> list[ChipsBought]:
    """Put chips before a patron."""
    _be_open(table, to="sell chips")
    if table.stack(patron) + amount > MAX_STACK:
        raise RefusedError(
            "amount-too-large",
            f"a stack holds at most {MAX_STACK}",
            where="amount",
            right=f"at most {MAX_STACK - table.stack(patron)}",
        )
    return [ChipsBought(patron=patron, amount=amount, means=means)]


def cash_chips(table: Table, *, patron: str, amount: int, means: Means) -> list[ChipsCashed]:
    """Let a patron take chips away; what he owes must stay covered."""
    _have(table, patron, amount)
    debt = table.debt(patron)
    if table.stack(patron) - amount < debt:
        raise RefusedError(
            "owing",
            f"patron {patron} owes {debt} of commission",
            where="amount",
            right=f"collect it first, or cash at most {max(0, table.stack(patron) - debt)}",
        )
    return [ChipsCashed(patron=patron, amount=amount, means=means)]


def collect_commission(table: Table, *, patron: str, amount: int) -> list[CommissionCollected]:
    """Take marked commission from a patron's stack."""
    _owe(table, patron, amount)
    _have(table, patron, amount)
    return [CommissionCollected(patron=patron, amount=amount)]


def waive_commission(
    table: Table, *, patron: str, amount: int, reason: str, approved_by: tuple[str, ...]
) -> list[CommissionWaived]:
    """Forgo marked commission, by the word of two people."""
    _owe(table, patron, amount)
    if len(set(approved_by)) < TWO_PEOPLE:
        raise RefusedError(
            "approval-missing", "commission is waived by two people", where="approved_by", right="two different actors"
        )
    return [CommissionWaived(patron=patron, amount=amount, reason=reason, approved_by=approved_by)]


def _be_open(table: Table, *, to: str) -> None:
    if isinstance(table.phase, Closed):
        raise RefusedError("wrong-phase", f"a closed table cannot {to}", right="open the table first")


def _have(table: Table, patron: str, amount: int) -> None:
    if amount > (stack := table.stack(patron)):
        raise RefusedError(
            "stack-too-small",
            f"patron {patron} has {stack} on this table, not {amount}",
            where="amount",
            right=f"at most {stack}",
        )


def _owe(table: Table, patron: str, amount: int) -> None:
    if amount > (debt := table.debt(patron)):
        raise RefusedError(
            "not-owed", f"patron {patron} owes {debt}, not {amount}", where="amount", right=f"at most {debt}"
        )


def _agree(slip: ChipsFilled | ChipsCredited) -> None:
    """Check that a slip's amount is the value of its chips."""
    if slip.amount != (value := _count_chips(slip.chips)):
        raise RefusedError(
            "float", f"the chips of slip {slip.slip} are worth {value}", where="amount", right=str(value)
        )


def _count_chips(chips: Chips) -> int:
    """Give the value of a tray, whose denominations must fall from the largest."""
    denominations = [denomination for denomination, _ in chips]
    if any(above <= below for above, below in pairwise(denominations)):
        raise RefusedError(
            "float",
            "denominations stand from the largest down, each once",
            where="chips",
            right="[[100000,20],[2500,40]]",
        )
    return sum(denomination * count for denomination, count in chips)


def _two_people(first: str, second: str, *, where: str) -> None:
    if first == second:
        raise RefusedError(
            "approval-missing", "one counts and another verifies", where=where, right=f"somebody else than {first}"
        )
