"""Patrons' accounts over a whole log: every balance, and that what leaves an account comes to a table, and back."""

from typing import Literal

from msgspec import Struct

from schemas.accounts import AccountOpened, FundsDeposited, FundsFromTable, FundsToTable, FundsWithdrawn
from schemas.entry import Entry
from schemas.events import AnyEvent, ChipsBought, ChipsCashed
from services.audit.findings import Page
from services.audit.phases import name_of


class Account(Struct):
    """A patron's account; `balance` is None until it is known, where a log begins within a story."""

    currency: str | None = None
    balance: int | None = None


class Move(Struct, frozen=True, kw_only=True):
    """Money between an account and a table, as one of its two entries tells it."""

    side: Literal["account", "table"]
    direction: Literal["to", "from"]
    patron: str
    table: str
    amount: int
    actor: str
    command: str

    def meets(self, other: "Move") -> bool:
        """Whether the other entry tells the same from its side."""
        return self.side != other.side and (
            (self.direction, self.patron, self.table, self.amount, self.actor, self.command)
            == (other.direction, other.patron, other.table, other.amount, other.actor, other.command)
        )


class Purses:
    """All accounts of a log."""

    def __init__(self, *, rules: Page, money: Page, is_continued: bool) -> None:
        self._rules_page = rules
        self._money_page = money
        self._is_continued = is_continued
        self._accounts: dict[str, Account] = {}
        # The half of a move that waits for its other half, which is the very next entry.
        self._waiting: tuple[int, int, Move] | None = None

    def take(self, patron: str, version: int, event: AnyEvent) -> None:
        """Take the next entry of a patron's stream."""
        account = self._accounts.get(patron)
        match event:
            case AccountOpened():
                if account is not None:
                    self._rules_page.note(version, f"patron {patron}: the account is opened a second time")
                self._accounts[patron] = Account(currency=event.currency, balance=0)
            case FundsDeposited() | FundsFromTable():
                self._change(patron, version, event.amount, event.balance)
            case FundsWithdrawn() | FundsToTable():
                self._change(patron, version, -event.amount, event.balance)
            case _:
                self._rules_page.note(version, f"{name_of(type(event))} stands on the stream of patron {patron}")

    def currency(self, patron: str) -> str | None:
        """Give the currency of an account, if it is known."""
        account = self._accounts.get(patron)
        return None if account is None else account.currency

    def move(self, position: int, version: int, move: Move) -> None:
        """Take one half of a move; the other stands directly beside it."""
        waiting = self._waiting
        if waiting is None or waiting[0] + 1 != position:
            self._miss()
            self._waiting = position, version, move
            return
        self._waiting = None
        if not waiting[2].meets(move):
            self._waiting = waiting
            self._miss()
            self._waiting = position, version, move

    def finish(self) -> None:
        """Say what still waits for its other half."""
        self._miss()

    def _miss(self) -> None:
        if self._waiting is not None:
            _, version, move = self._waiting
            self._waiting = None
            way = f"{move.direction} table {move.table}"
            what = f"patron {move.patron}: {move.amount} {way} on the {move.side}'s stream, and on no other beside it"
            self._money_page.note(version, what)

    def _change(self, patron: str, version: int, amount: int, balance: int) -> None:
        account = self._accounts.get(patron)
        if account is None:
            if not self._is_continued:
                self._rules_page.note(version, f"patron {patron}: money moves before the account is opened")
            account = self._accounts[patron] = Account()
        if account.balance is not None and account.balance + amount != balance:
            due = account.balance + amount
            self._money_page.note(version, f"patron {patron}: the balance is said to be {balance}; it is {due}")
        account.balance = balance


def move_of(entry: Entry) -> Move | None:
    """Give the half of a move that an entry tells, if it does."""
    event = entry.event
    name = entry.stream.partition("/")[2]
    if isinstance(event, FundsToTable | FundsFromTable):
        direction: Literal["to", "from"] = "to" if isinstance(event, FundsToTable) else "from"
        return _move(entry, "account", direction, patron=name, table=event.table, amount=event.amount)
    if isinstance(event, ChipsBought | ChipsCashed) and event.means == "account":
        direction = "to" if isinstance(event, ChipsBought) else "from"
        return _move(entry, "table", direction, patron=event.patron, table=name, amount=event.amount)
    return None


def _move(  # noqa: PLR0913  # what a move is
    entry: Entry,
    side: Literal["account", "table"],
    direction: Literal["to", "from"],
    *,
    patron: str,
    table: str,
    amount: int,
) -> Move:
    return Move(
        side=side,
        direction=direction,
        patron=patron,
        table=table,
        amount=amount,
        actor=entry.actor,
        command=entry.command,
    )
