"""Which phase a table is in, in words, and the refusal when it is another than a command needs."""

from typing import TypeVar

from services.table.game.refusal import RefusedError
from services.table.game.state import (
    Between,
    Betting,
    Closed,
    Committed,
    Dealing,
    Frozen,
    Idle,
    Phase,
    Reversed,
    Shuffled,
    Table,
)

WORDS: dict[type[Phase], str] = {
    Closed: "closed",
    Idle: "open, without a shoe",
    Committed: "waiting for the shuffle",
    Shuffled: "waiting for the burn",
    Between: "between coups",
    Betting: "taking bets",
    Dealing: "dealing",
    Reversed: "settling a coup again",
    Frozen: "frozen",
}

P = TypeVar("P", bound=Phase)


def word(phase: Phase) -> str:
    """Give a phase in one word, as the API shows it: `closed`, `idle`, `committed`, `between`, `betting` …"""
    return type(phase).__name__.lower()


def be(table: Table, *phases: type[P], to: str) -> P:
    """Give the table's phase when it is one of those; else refuse."""
    if isinstance(table.phase, phases):
        return table.phase
    right = " or ".join(WORDS[phase] for phase in phases)
    raise RefusedError(
        "wrong-phase",
        f"to {to}, the table must be {right}; it is {WORDS[type(table.phase)]}",
        where="phase",
        right=right,
    )


def play_on(table: Table) -> None:
    """Refuse play at a suspended table."""
    if table.suspended is not None:
        raise RefusedError(
            "table-suspended", f"the table is suspended: {table.suspended}", where="phase", right="resume it first"
        )
