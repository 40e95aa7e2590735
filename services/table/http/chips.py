"""Chips and marked commission at a table: the float's slips, what patrons buy and cash, what they owe."""

from schemas.events import ChipsCredited, ChipsFilled
from services.table import answers
from services.table.croupier import About
from services.table.done import Done, StackDone
from services.table.game import floor
from services.table.http.asked import Owed, Purchase, Slip, Waiver
from services.table.http.route import Asked, Deed, command


@command("/tables/{table}/fills", takes=Slip, tells=Done)
def fill_float(asked: Asked[Slip]) -> Deed:
    """Bring chips from the cage to the table's float."""
    said = asked.body
    filling = ChipsFilled(
        slip=said.slip,
        amount=said.amount,
        chips=said.chips,
        requested_by=said.requested_by,
        issued_by=said.issued_by,
        received_by=said.received_by,
    )
    return Deed(About(table=asked.table), lambda at: floor.fill(at.table.here, filling), answers.done)


@command("/tables/{table}/credits", takes=Slip, tells=Done)
def credit_float(asked: Asked[Slip]) -> Deed:
    """Take chips from the table's float to the cage."""
    said = asked.body
    crediting = ChipsCredited(
        slip=said.slip,
        amount=said.amount,
        chips=said.chips,
        requested_by=said.requested_by,
        issued_by=said.issued_by,
        received_by=said.received_by,
    )
    return Deed(About(table=asked.table), lambda at: floor.credit(at.table.here, crediting), answers.done)


@command("/tables/{table}/chips/buy", takes=Purchase, tells=StackDone)
def buy_chips(asked: Asked[Purchase]) -> Deed:
    """Put chips before a patron."""
    said = asked.body
    return Deed(
        About(table=asked.table),
        lambda at: floor.buy_chips(at.table.here, patron=said.patron, amount=said.amount, means=said.means),
        answers.stack_done,
    )


@command("/tables/{table}/chips/cash", takes=Purchase, tells=StackDone)
def cash_chips(asked: Asked[Purchase]) -> Deed:
    """Let a patron take chips away; what he owes must stay covered."""
    said = asked.body
    return Deed(
        About(table=asked.table),
        lambda at: floor.cash_chips(at.table.here, patron=said.patron, amount=said.amount, means=said.means),
        answers.stack_done,
    )


@command("/tables/{table}/commission/collect", takes=Owed, tells=StackDone)
def collect_commission(asked: Asked[Owed]) -> Deed:
    """Take marked commission from a patron's stack."""
    said = asked.body
    return Deed(
        About(table=asked.table),
        lambda at: floor.collect_commission(at.table.here, patron=said.patron, amount=said.amount),
        answers.stack_done,
    )


@command("/tables/{table}/commission/waive", takes=Waiver, tells=StackDone)
def waive_commission(asked: Asked[Waiver]) -> Deed:
    """Forgo marked commission, by the word of two people."""
    said = asked.body
    return Deed(
        About(table=asked.table),
        lambda at: floor.waive_commission(
            at.table.here, patron=said.patron, amount=said.amount, reason=said.reason, approved_by=said.approved_by
        ),
        answers.stack_done,
    )


ROUTES = (fill_float, credit_float, buy_chips, cash_chips, collect_commission, waive_commission)
