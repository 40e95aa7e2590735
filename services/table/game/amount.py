"""Amounts: an amount of money stands between 1 and a bound, or is refused with both."""

from services.table.game.refusal import Code, RefusedError


def at_most(most: int, amount: int, *, code: Code, detail: str, instead: str) -> None:
    """Refuse an amount below 1, or above `most`; `instead` is what helps when no amount would do."""
    if 1 <= amount <= most:
        return
    right = f"1 to {most}" if most >= 1 else instead
    if amount < 1:
        raise RefusedError("amount-too-small", f"{amount} is no amount", where="amount", right=right)
    raise RefusedError(code, detail, where="amount", right=right)
