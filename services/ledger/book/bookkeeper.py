"""The bookkeeper: entries in log order in, slips out; everything a slip leans on is in memory."""

from schemas.accounts import AccountOpened, LogSucceeded
from schemas.entry import Entry
from schemas.events import TableOpened
from services.ledger.book import accounts, patrons, tables
from services.ledger.book.patrons import Patron
from services.ledger.book.slip import Disagreement, Slip
from services.ledger.book.tables import Table


class Bookkeeper:
    """Knows the tables and accounts that have been read or recalled, and what is in the air between two streams.

    After a Disagreement its memory is no longer that of the books: take a new one.
    """

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}
        self.patrons: dict[str, Patron] = {}
        self.clearing: dict[str, int] = {}
        self.command = ""

    def write(self, entry: Entry) -> Slip:
        """Write the slip of the log's next entry."""
        if self.clearing and entry.command != self.command:
            raise Disagreement(f"command {self.command} left {self.clearing} between account and table")
        self.command = entry.command
        slip = self._slip(entry)
        if accounts.CLEARING in slip.amounts:
            self._clear(slip)
        return slip

    def _slip(self, entry: Entry) -> Slip:
        kind, _, name = entry.stream.partition("/")
        match kind:
            case "table":
                return tables.write(self._table(name, entry), entry.event)
            case "patron":
                return patrons.write(self._patron(name, entry), entry.event)
            case _:
                if not isinstance(entry.event, LogSucceeded):
                    raise Disagreement(f"{type(entry.event).__name__} does not happen to the log")
                return Slip("")

    def _table(self, name: str, entry: Entry) -> Table:
        table = self.tables.get(name)
        if isinstance(entry.event, TableOpened):
            if entry.event.table != name:
                raise Disagreement(f"stream {entry.stream} opens table {entry.event.table}")
            table = self.tables[name] = tables.open_table(table, entry.event)
        if table is None:
            raise Disagreement(f"table {name} was never opened")
        return table

    def _patron(self, name: str, entry: Entry) -> Patron:
        patron = self.patrons.get(name)
        if isinstance(entry.event, AccountOpened):
            patron = self.patrons[name] = patrons.open_account(patron, name, entry.event)
        if patron is None:
            raise Disagreement(f"{name} never opened an account")
        return patron

    def _clear(self, slip: Slip) -> None:
        """Keep what one stream has given and the other has not yet taken."""
        left = self.clearing.pop(slip.currency, 0) + slip.amounts[accounts.CLEARING]
        if left:
            self.clearing[slip.currency] = left
