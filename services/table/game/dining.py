"""Dining-room baccarat: who may do what until the last call, who plays which hand, and how it is settled. Pure."""

from schemas.words import Choice
from services.table.game.deeds import Deeds, May, Step
from services.table.game.seats import Standing
from services.table.game.stakes import Stakes
from services.table.game.state import Banked, Hands, Playing, Staking, Table


def standing(table: Table) -> Standing:
    """Give what the next coup starts from."""
    return table.standing


def opening(table: Table, number: int, before: Standing) -> Deeds:
    """Give what the system places as a coup is opened."""
    raise NotImplementedError


def mays(table: Table, phase: Staking) -> list[May]:
    """List what each may do before the last call."""
    raise NotImplementedError


def placing(table: Table, phase: Staking, *, patron: str, bet: str, amount: int) -> Deeds:
    """Place a bet that may be placed."""
    raise NotImplementedError


def passing(table: Table, phase: Staking, *, patron: str) -> Deeds:
    """Pass."""
    raise NotImplementedError


def may_close(phase: Staking) -> bool:
    """Whether the dealer may close the bets."""
    raise NotImplementedError


def closing(phase: Staking) -> Deeds:
    """Give what is done just before the bets are closed."""
    raise NotImplementedError


def void_reason(banked: Banked, stakes: Stakes, *, closing: bool) -> str | None:
    """Say why the rules void the coup, if they do."""
    raise NotImplementedError


def silent(table: Table, phase: Staking) -> Deeds:
    """Give what the system does for whoever is asked and silent."""
    raise NotImplementedError


def step(phase: Playing) -> Step:
    """Give what comes next: a card, a choice, or nothing."""
    raise NotImplementedError


def advice(hand: str, hands: Hands) -> Choice:
    """Give what the system decides for who is silent."""
    raise NotImplementedError


def decider(banked: Banked, stakes: Stakes, hand: str) -> str | None:
    """Give who plays a hand."""
    raise NotImplementedError


def settlement(number: int, banked: Banked, hands: Hands, stakes: Stakes) -> Deeds:
    """Settle a complete coup."""
    raise NotImplementedError
