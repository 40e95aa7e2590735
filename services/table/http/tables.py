"""Tables: opened, shown, paused, staffed, limited, closed; and the rule sets that they may be opened with."""

from schemas.events import TableClosed, TableOpened
from services.table import answers, views
from services.table.croupier import About
from services.table.done import Done, TableDone
from services.table.game import floor, rules
from services.table.http.asked import Closing, Dealer, NewLimits, Nothing, TableOpening, Why
from services.table.http.lost import found
from services.table.http.route import Asked, Deed, Place, command, view
from services.table.pit import Pit
from services.table.told import RulesList, RulesView, TableList, TableView


@view("/rules", tells=RulesList)
async def list_rules(_: Pit, __: Place) -> RulesList:
    """List the rule sets of the house."""
    return RulesList(rules=tuple(rules.names()), editions=rules.editions())


@view("/rules/{name}", tells=RulesView, query=("version",))
async def show_rules(_: Pit, place: Place) -> RulesView:
    """Show a rule set of the house, in force or in a version it had, and the limits it suggests."""
    known = rules.edition(place.name, place.version)
    book = rules.builtin(found(known, "rule set", right="one of those that GET /v1/rules lists"))
    return RulesView(rules=book.rules, limits=book.limits)


@command("/tables", takes=TableOpening, tells=TableDone, status=201)
def open_table(asked: Asked[TableOpening]) -> Deed:
    """Open a table with a counted float, for the first time or again; its shoe numbers go on."""
    said = asked.body

    def opening() -> TableOpened:
        book = rules.choose(said.rules, said.limits)
        return TableOpened(
            table=said.table,
            name=said.name,
            currency=said.currency,
            rules=book.rules,
            limits=book.limits,
            float=said.float,
            counted_by=said.counted_by,
            verified_by=said.verified_by,
        )

    return Deed(
        About(table=said.table, may_be_new=True),
        lambda at: floor.open_table(at.table.table, opening()),
        answers.table_done,
    )


@view("/tables", tells=TableList)
async def list_tables(pit: Pit, _: Place) -> TableList:
    """List every table that was ever opened."""
    ends = await pit.journal.ends()
    lines = [await pit.croupier.view_at(end, lambda at: views.table_line(at.table)) for end in ends]
    return TableList(tables=tuple(lines))


@view("/tables/{table}", tells=TableView)
async def show_table(pit: Pit, place: Place) -> TableView:
    """Show a table: its phase, shoe, coup, stacks, debts, rules and limits."""
    return await pit.croupier.view(About(table=place.table), lambda at: views.table_view(at.table))


@command("/tables/{table}/close", takes=Closing, tells=Done)
def close_table(asked: Asked[Closing]) -> Deed:
    """Close a table that has no shoe, no stack and no debt left."""
    said = asked.body
    closing = TableClosed(float=said.float, counted_by=said.counted_by, verified_by=said.verified_by)
    return Deed(About(table=asked.table), lambda at: floor.close_table(at.table.here, closing), answers.done)


@command("/tables/{table}/suspend", takes=Why, tells=Done)
def suspend_table(asked: Asked[Why]) -> Deed:
    """Pause play: no round is opened, no bet taken, no card dealt until it is resumed."""
    return Deed(
        About(table=asked.table), lambda at: floor.suspend(at.table.here, reason=asked.body.reason), answers.done
    )


@command("/tables/{table}/resume", tells=Done)
def resume_table(asked: Asked[Nothing]) -> Deed:
    """Let play go on."""
    return Deed(About(table=asked.table), lambda at: floor.resume(at.table.here), answers.done)


@command("/tables/{table}/dealer", takes=Dealer, tells=Done)
def change_dealer(asked: Asked[Dealer]) -> Deed:
    """Let another dealer take the table."""
    return Deed(
        About(table=asked.table), lambda at: floor.change_dealer(at.table.here, dealer=asked.body.dealer), answers.done
    )


@command("/tables/{table}/limits", takes=NewLimits, tells=Done)
def change_limits(asked: Asked[NewLimits]) -> Deed:
    """Set new limits, complete, from the next round on."""
    return Deed(
        About(table=asked.table), lambda at: floor.change_limits(at.table.here, limits=asked.body.limits), answers.done
    )


ROUTES = (
    list_rules,
    show_rules,
    open_table,
    list_tables,
    show_table,
    close_table,
    suspend_table,
    resume_table,
    change_dealer,
    change_limits,
)
