"""What can happen away from the tables: to a patron's house account, and to the log itself.

Amounts are minor units. Every entry of an account carries the balance that stands there afterwards.
"""

from typing import Annotated

from msgspec import Meta

from schemas.words import Amount, Currency, Event, Means, Money, Name, Reason


class AccountOpened(Event, frozen=True, kw_only=True, tag="account-opened"):
    """A patron's house account opens, empty."""

    currency: Currency


class FundsDeposited(Event, frozen=True, kw_only=True, tag="funds-deposited"):
    """Money comes into an account; `balance` is what stands there afterwards."""

    amount: Amount
    means: Means
    balance: Money


class FundsWithdrawn(Event, frozen=True, kw_only=True, tag="funds-withdrawn"):
    """Money leaves an account."""

    amount: Amount
    means: Means
    balance: Money


class FundsToTable(Event, frozen=True, kw_only=True, tag="funds-to-table"):
    """Money moves from an account to a stack; the same command logs `chips-bought` on the table's stream."""

    table: Name
    amount: Amount
    balance: Money


class FundsFromTable(Event, frozen=True, kw_only=True, tag="funds-from-table"):
    """Money moves from a stack to an account; the same command logs `chips-cashed` on the table's stream."""

    table: Name
    amount: Amount
    balance: Money


class LogSucceeded(Event, frozen=True, kw_only=True, tag="log-succeeded"):
    """A new log takes over from one that lost entries; `checkpoint` is the old note's full text."""

    origin: Annotated[str, Meta(min_length=1, max_length=255)]
    checkpoint: Annotated[str, Meta(min_length=1, max_length=32768)]
    reason: Reason
