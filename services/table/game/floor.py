"""The floor: what is decided at a table outside its coups: opening it, chips, debts, limits, people. Pure.

Each function takes the table as it is and gives the events of one command, or refuses; none of them changes the table.
"""

from collections import Counter
from collections.abc import Sequence
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
from schemas.rules import Limits, Rules
from schemas.words import Chips, Means
from services.table.game.amount import at_most
from services.table.game.approval import TWO_PEOPLE, approved, two_people
from services.table.game.banked import bank_stands, highest_bid
from services.table.game.contradictions import contradictions
from services.table.game.dining_game import no_draw_on, no_game_on
from services.table.game.lines import pointed
from services.table.game.phases import be
from services.table.game.refusal import RefusedError
from services.table.game.scrutiny import check, check_limits, most_chips
from services.table.game.state import MAX_STACK, Closed, Idle, Playing, Staking, Table, open_coup

# A tray has fewer denominations than this; a longer list would not fit into one entry of the log.
MOST_DENOMINATIONS = 64
MAX_FLOAT = 2**53 - 1
MAX_TRAY = 10**15  # what a table is opened with, or a slip moves: as much as the largest stack


def open_table(table: Table | None, opening: TableOpened) -> list[TableOpened]:
    """Open a table as described, for the first time or again."""
    if table is not None:
        be(table, Closed, to="be opened")
    _sound(opening.rules, opening.limits)
    _complain(contradictions(opening.rules), where="rules")
    _count_chips(opening.float, where="float", most=MAX_TRAY)
    two_people(opening.counted_by, opening.verified_by, where="verified_by")
    return [opening]


def close_table(table: Table, closing: TableClosed) -> list[TableClosed]:
    """Close a table that has no shoe, no stack and no debt left."""
    be(table, Idle, to="be closed")
    for patron, chips in table.stacks.items():
        if chips:
            raise RefusedError(
                "chips-left",
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
    _count_chips(closing.float, where="float")
    two_people(closing.counted_by, closing.verified_by, where="verified_by")
    return [closing]


def suspend(table: Table, *, reason: str) -> list[TableSuspended]:
    """Pause play: no coup is opened, no bet taken, no card dealt until it is resumed."""
    _be_open(table, to="be suspended")
    if table.suspended is not None:
        raise RefusedError(
            "table-suspended", f"the table is suspended: {table.suspended}", where="phase", right="resume it first"
        )
    return [TableSuspended(reason=reason)]


def resume(table: Table) -> list[TableResumed]:
    """Let play go on."""
    _be_open(table, to="be resumed")
    if table.suspended is None:
        raise RefusedError("wrong-phase", "the table is not suspended", where="phase", right="a suspended table")
    return [TableResumed()]


def change_dealer(table: Table, *, dealer: str) -> list[DealerChanged]:
    """Let another dealer take the table."""
    _be_open(table, to="change its dealer")
    return [DealerChanged(dealer=dealer)]


def change_limits(table: Table, *, limits: Limits) -> list[LimitsChanged]:
    """Set new limits, complete, from the next coup on."""
    _be_open(table, to="change its limits")
    _sound(table.rules, limits)
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
    no_game_on(table, to="buy chips", patron=patron)
    no_draw_on(table, to="buy chips", patron=patron)
    stack = table.stack(patron)
    if table.rules.game != "house":
        _have_room(table, amount)
    at_most(
        MAX_STACK - stack,
        amount,
        code="amount-too-large",
        detail=f"a stack of {stack} and {amount} more would be above {MAX_STACK}",
        instead="no more: the stack is as large as it may be",
    )
    return [ChipsBought(patron=patron, amount=amount, means=means)]


def _have_room(table: Table, amount: int) -> None:
    """Refuse more chips than one who wins all of them, at a table where a player banks, could have in the log."""
    coup, most = open_coup(table.phase), most_chips(table.rules)
    there = sum(table.stacks.values()) + (0 if coup is None else coup.stakes.table)
    if amount > most - there:
        detail = f"{there} are at the table, and {amount} more would be above the {most} of which one may win all"
        right = f"1 to {most - there}" if there < most else "no more, until others cash theirs"
        raise RefusedError("amount-too-large", detail, where="amount", right=right)


def cash_chips(table: Table, *, patron: str, amount: int, means: Means) -> list[ChipsCashed]:
    """Let a patron take chips away; what he owes must stay covered."""
    _be_open(table, to="cash chips")
    no_game_on(table, to="cash chips", patron=patron)
    no_draw_on(table, to="cash chips", patron=patron)
    stack, debt = table.stack(patron), table.debt(patron)
    if (bank := held_back(table, patron)) and amount > stack - bank:
        raise RefusedError(
            "bank-standing",
            f"patron {patron} has {stack} on this table, of which {bank} stand as his bank, or are bid for it",
            where="amount",
            right=f"at most {stack - bank}; a bank is passed by leaving its seat",
        )
    at_most(
        stack - debt,
        amount,
        code="stack-too-small" if amount > stack else "owing",
        detail=f"patron {patron} has {stack} on this table{f' and owes {debt} of commission' if debt else ''}",
        instead="collect the commission first" if debt else "buy chips first",
    )
    return [ChipsCashed(patron=patron, amount=amount, means=means)]


def held_back(table: Table, patron: str) -> int:
    """Give what a patron's bank holds of his stack: it stands until he names it anew, passes or leaves.

    So does the highest bid at an auction, until somebody bids above it.
    """
    standing, phase = table.standing, table.phase
    if isinstance(phase, Staking) and (bid := highest_bid(phase.banked, patron)):
        return bid
    if standing.banker is None or table.seats.get(standing.banker) != patron:
        return 0
    is_past = isinstance(phase, Playing) or (isinstance(phase, Staking) and not bank_stands(phase.banked.stage))
    return 0 if is_past else standing.standing or 0


def collect_commission(table: Table, *, patron: str, amount: int) -> list[CommissionCollected]:
    """Take marked commission from a patron's stack."""
    _be_open(table, to="collect commission")
    stack, debt = table.stack(patron), table.debt(patron)
    at_most(
        min(stack, debt),
        amount,
        code="not-owed" if amount > debt else "stack-too-small",
        detail=f"patron {patron} owes {debt} of commission and has {stack} on this table",
        instead="buy chips first" if debt else "nothing is owed",
    )
    return [CommissionCollected(patron=patron, amount=amount)]


def waive_commission(
    table: Table, *, patron: str, amount: int, reason: str, approved_by: tuple[str, ...]
) -> list[CommissionWaived]:
    """Forgo marked commission, by the word of two people."""
    _be_open(table, to="waive commission")
    debt = table.debt(patron)
    at_most(
        debt,
        amount,
        code="not-owed",
        detail=f"patron {patron} owes {debt} of commission, not {amount}",
        instead="nothing is owed",
    )
    names = approved(approved_by, needed=TWO_PEOPLE, to="waive commission")
    return [CommissionWaived(patron=patron, amount=amount, reason=reason, approved_by=names)]


def _sound(rules: Rules, limits: Limits) -> None:
    """Refuse rules that cannot be played, or limits that do not fit them."""
    _complain(check(rules), where="rules")
    _complain(check_limits(rules, limits), where="limits")


def _complain(complaints: Sequence[str], *, where: str) -> None:
    """Refuse if there is any complaint, and point to the place of each."""
    if not complaints:
        return
    told = pointed(complaints, where)
    right = told[0]["what"].rpartition("; ")[2]
    raise RefusedError(
        "rules-unsound", "; ".join(complaints), where=told[0]["pointer"], right=right, values={"complaints": told}
    )


def _be_open(table: Table, *, to: str) -> None:
    if isinstance(table.phase, Closed):
        raise RefusedError("wrong-phase", f"a closed table cannot {to}", where="phase", right="open the table first")


def _agree(slip: ChipsFilled | ChipsCredited) -> None:
    """Check that a slip's amount is the value of its chips."""
    value = _count_chips(slip.chips, where="chips", most=MAX_TRAY)
    if not slip.chips:
        raise RefusedError("float", f"slip {slip.slip} names no chips", where="chips", right="one denomination or more")
    if slip.amount != value:
        raise RefusedError(
            "float", f"the chips of slip {slip.slip} are worth {value}", where="amount", right=str(value)
        )


def _count_chips(chips: Chips, *, where: str, most: int = MAX_FLOAT) -> int:
    """Give the value of a tray, whose denominations must fall from the largest."""
    if len(chips) > MOST_DENOMINATIONS:
        raise RefusedError(
            "float", f"{len(chips)} denominations", where=where, right=f"at most {MOST_DENOMINATIONS} of them"
        )
    if any(above <= below for (above, _), (below, _) in pairwise(chips)):
        raise RefusedError(
            "float", "denominations stand from the largest down, each once", where=where, right=_in_order(chips)
        )
    value = sum(denomination * count for denomination, count in chips)
    if value > most:
        raise RefusedError("float", f"chips worth {value}", where=where, right=f"chips worth at most {most}")
    return value


def _in_order(chips: Chips) -> str:
    """Write a tray as it should have been."""
    counts: Counter[int] = Counter()
    for denomination, count in chips:
        counts[denomination] += count
    return str([list(pair) for pair in sorted(counts.items(), reverse=True)])
