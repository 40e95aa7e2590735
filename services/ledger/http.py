"""The ledger's routes: what the books say, for programs. Every one is a GET; money is in its currency's minor units."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from litestar import Router, get
from litestar.connection import ASGIConnection
from litestar.di import NamedDependency
from litestar.handlers import BaseRouteHandler
from litestar.params import FromQuery, PathParameter, QueryParameter
from litestar.types import ControllerRouterHandler

from services.door import problems
from services.door.problems import Declined
from services.ledger import clerk, pages
from services.ledger.cashier import Progress
from services.ledger.clerk import Clerk
from services.ledger.pages import LARGEST, By

Found = TypeVar("Found")
Name = Annotated[str, PathParameter(pattern=r"^[a-z0-9-]{1,64}$(?!\n)", description="a name of a-z, 0-9 and -")]
Limit = Annotated[int, QueryParameter(ge=1, le=1000, description="how many at most")]
Offset = Annotated[int, QueryParameter(ge=0, le=LARGEST, description="how many to pass over: the last page's `next`")]
After = Annotated[
    int, QueryParameter(ge=-1, le=LARGEST, description="the log position to go on from: the last page's `next`")
]
PATH, END = "^[a-z0-9/-]{0,256}", r"$(?!\n)"
Prefix = Annotated[str, QueryParameter(pattern=PATH + END, description="how an account's path begins")]
AfterAccount = Annotated[
    str, QueryParameter(pattern=PATH + "([|][A-Z]{3})?" + END, description="the account to go on from: the last `next`")
]
Table = Annotated[str, QueryParameter(pattern=r"^[a-z0-9-]{0,64}$(?!\n)", description="only this table")]


def found(page: Found | None, what: str) -> Found:
    """Give a page that the books have. Raises Declined 404."""
    if page is None:
        raise Declined(404, f"the books know no {what}", where="path", would_be_right="a name that the log has seen")
    return page


async def only_what_can_be_asked(connection: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Refuse a query that a route does not know: a misspelt filter would otherwise show everything."""
    known = {name for name, said in handler.parsed_fn_signature.parameters.items() if said.has_default}
    said = [name for name, _ in connection.query_params.multi_items()]
    for name in said:
        if name not in known or said.count(name) > 1:
            raise Declined(
                400,
                f"nothing is asked by {name[:64]}" if name not in known else f"{name} is asked twice",
                where=f"query {name[:64]}",
                would_be_right=" or ".join(sorted(known)) or "no query",
            )


@get("/v1/position", tags=["books"], responses=problems.responses(), sync_to_thread=False)
def position(progress: NamedDependency[Progress]) -> pages.Place:
    """How far the books have come, and how far they are behind the log."""
    behind = max(progress.log_size - 1 - progress.position, 0)
    return pages.Place(
        position=progress.position,
        log_size=progress.log_size,
        behind=behind,
        state=progress.state,
        reason=progress.reason,
    )


@get("/v1/accounts", tags=["books"], responses=problems.responses(), sync_to_thread=False)
def chart_of_accounts() -> pages.Chart:
    """The chart of accounts: what each path means, and on which side it usually stands."""
    return clerk.chart()


@get("/v1/balances", tags=["books"], responses=problems.responses())
async def balances(
    books: NamedDependency[Clerk], prefix: Prefix = "", after: AfterAccount = "", limit: Limit = 100
) -> pages.Balances:
    """Balances of all accounts whose path begins with `prefix`, page by page."""
    return await books.balances(prefix=prefix, after=after, limit=limit)


@get("/v1/trial-balance", tags=["books"], responses=problems.responses())
async def trial_balance(books: NamedDependency[Clerk]) -> pages.TrialBalance:
    """Both sides of the books, currency by currency; they are equal."""
    return await books.trial_balance()


@get("/v1/patrons/{patron:str}/balance", tags=["patrons"], responses=problems.responses(404))
async def patron_balance(books: NamedDependency[Clerk], patron: Name) -> pages.PatronBalance:
    """A patron's account, stacks, stakes and debts."""
    return found(await books.patron(patron), f"patron {patron}")


@get("/v1/patrons/{patron:str}/statement", tags=["patrons"], responses=problems.responses(404))
async def patron_statement(
    books: NamedDependency[Clerk], patron: Name, after: After = -1, limit: Limit = 100
) -> pages.Statement:
    """What moved on a patron's accounts, with the balance before and after; `limit` counts entries of the log."""
    return found(await books.statement(patron=patron, after=after, limit=limit), f"patron {patron}")


@get("/v1/tables/{table:str}/balance", tags=["tables"], responses=problems.responses(404))
async def table_balance(books: NamedDependency[Clerk], table: Name) -> pages.TableBalance:
    """A table's win, commission and float, and what patrons have there."""
    return found(await books.table(table), f"table {table}")


@get("/v1/tables/{table:str}/statement", tags=["tables"], responses=problems.responses(404))
async def table_statement(
    books: NamedDependency[Clerk], table: Name, after: After = -1, limit: Limit = 100
) -> pages.Statement:
    """What moved on all accounts at a table, with the balance before and after; `limit` counts entries of the log."""
    return found(await books.statement(table=table, after=after, limit=limit), f"table {table}")


@get("/v1/commission", tags=["figures"], responses=problems.responses())
async def commission(
    books: NamedDependency[Clerk],
    by: FromQuery[By] = "table",
    table: Table = "",
    offset: Offset = 0,
    limit: Limit = 100,
) -> pages.Commissions:
    """Commission taken, marked, collected, waived and owed, by table, shoe or patron."""
    return await books.commission(by=by, table=table, offset=offset, limit=limit)


@get("/v1/figures", tags=["figures"], responses=problems.responses())
async def figures(
    books: NamedDependency[Clerk],
    by: FromQuery[By] = "table",
    table: Table = "",
    offset: Offset = 0,
    limit: Limit = 100,
) -> pages.FiguresPage:
    """Handle, win, hold, commission and rounds, by table, shoe or patron."""
    return await books.figures(by=by, table=table, offset=offset, limit=limit)


BOOKS = (
    position,
    chart_of_accounts,
    balances,
    trial_balance,
    patron_balance,
    patron_statement,
    table_balance,
    table_statement,
    commission,
    figures,
)
ROUTES: Sequence[ControllerRouterHandler] = (Router("/", route_handlers=BOOKS, guards=[only_what_can_be_asked]),)
