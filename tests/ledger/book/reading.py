"""Read a tape into balances, as the tests of the book look at them: on each account's usual side."""

from schemas.entry import Entry
from services.ledger.book.accounts import class_of
from services.ledger.book.bookkeeper import Bookkeeper
from services.ledger.book.slip import Figures, Slip
from tests.ledger.tape import Tape

Balances = dict[tuple[str, str], int]


def slips(tape: Tape, keeper: Bookkeeper | None = None) -> list[tuple[Entry, Slip]]:
    """Write every slip of a tape."""
    keeper = keeper or Bookkeeper()
    return [(entry, keeper.write(entry)) for entry in tape.entries]


def balances(tape: Tape) -> Balances:
    """Sum a tape's postings, debit positive, by account and currency; accounts at zero are left out."""
    sums: Balances = {}
    for _, slip in slips(tape):
        for account, amount in slip.postings():
            sums[account, slip.currency] = sums.get((account, slip.currency), 0) + amount
    return {key: amount for key, amount in sums.items() if amount}


def shown(tape: Tape, currency: str = "USD") -> dict[str, int]:
    """Show the balances of one currency on each account's usual side."""
    return {
        account: class_of(account).shown(amount) for (account, its), amount in balances(tape).items() if its == currency
    }


def figures(tape: Tape) -> dict[tuple[str, int, str], Figures]:
    """Sum a tape's figures by table, shoe and patron."""
    sums: dict[tuple[str, int, str], Figures] = {}
    for _, slip in slips(tape):
        for patron, brought in slip.figures.items():
            sums.setdefault((slip.table, slip.shoe, patron), Figures()).add(brought)
    return sums
