"""Patrons' house accounts: opened, paid into, drawn on, moved to and from a table, shown."""

from services.table import account, answers, cage, views
from services.table.croupier import About
from services.table.done import AccountDone
from services.table.http.asked import Account, Funds, ToTable
from services.table.http.lost import found
from services.table.http.route import Asked, Deed, Place, command, view
from services.table.pit import Pit
from services.table.told import AccountView


@command("/patrons/{patron}/account", takes=Account, tells=AccountDone, status=201)
def open_account(asked: Asked[Account]) -> Deed:
    """Open a patron's account, once."""
    return Deed(
        About(patron=asked.patron),
        lambda at: account.open_account(at.account.account, currency=asked.body.currency),
        answers.account_done,
    )


@command("/patrons/{patron}/deposit", takes=Funds, tells=AccountDone)
def deposit_funds(asked: Asked[Funds]) -> Deed:
    """Take money into an account."""
    said = asked.body
    return Deed(
        About(patron=asked.patron),
        lambda at: account.deposit(at.account.account, amount=said.amount, means=said.means),
        answers.account_done,
    )


@command("/patrons/{patron}/withdraw", takes=Funds, tells=AccountDone)
def withdraw_funds(asked: Asked[Funds]) -> Deed:
    """Give money out of an account, as far as its balance goes."""
    said = asked.body
    return Deed(
        About(patron=asked.patron),
        lambda at: account.withdraw(at.account.account, amount=said.amount, means=said.means),
        answers.account_done,
    )


@command("/patrons/{patron}/to-table", takes=ToTable, tells=AccountDone)
def move_to_table(asked: Asked[ToTable]) -> Deed:
    """Draw on an account and put chips before the patron: both or neither."""
    said = asked.body
    return Deed(
        About(table=said.table, patron=asked.patron), lambda at: cage.to_table(at, amount=said.amount), answers.moved
    )


@command("/patrons/{patron}/from-table", takes=ToTable, tells=AccountDone)
def move_from_table(asked: Asked[ToTable]) -> Deed:
    """Take the patron's chips and pay them into his account: both or neither."""
    said = asked.body
    return Deed(
        About(table=said.table, patron=asked.patron), lambda at: cage.from_table(at, amount=said.amount), answers.moved
    )


@view("/patrons/{patron}", tells=AccountView)
async def show_account(pit: Pit, place: Place) -> AccountView:
    """Show a patron's account."""
    shown = await pit.croupier.view(About(patron=place.patron), lambda at: views.account_view(at.account))
    return found(shown, "account", right="open one by POST /v1/patrons/{patron}/account")


ROUTES = (open_account, deposit_funds, withdraw_funds, move_to_table, move_from_table, show_account)
