"""Which phase a table is in, in words, and the refusal when it is another than a command needs."""

from typing import Any, TypeVar

from services.table.game.refusal import RefusedError
from services.table.game.state import (
    Betting,
    Between,
    Closed,
    Committed,
    Dealing,
    Drawing,
    Frozen,
    Idle,
    Phase,
    Playing,
    Reversed,
    Seating,
    Shuffled,
    Staking,
    Table,
)

WORDS: dict[type[Any], str] = {
    Closed: "closed",
    Idle: "open, without a shoe",
    Committed: "waiting for the shuffle",
    Shuffled: "waiting for the burn",
    Between: "between coups",
    Betting: "taking bets",
    Dealing: "dealing",
    Drawing: "drawing for the first deal",
    Seating: "opening a round",
    Staking: "taking the bank and the stakes",
    Playing: "playing the hands",
    Reversed: "settling a coup again",
    Frozen: "frozen",
}

Wanted = TypeVar("Wanted", bound=Phase)


def word(phase: Phase) -> str:
    """Give a phase in one word, as the API shows it: `closed`, `idle`, `committed`, `between`, `betting`, and so on."""
    return type(phase).__name__.lower()


def be(table: Table, wanted: type[Wanted], *, to: str) -> Wanted:
    """Give the table's phase when it is the one wanted; else refuse."""
    if isinstance(table.phase, wanted):
        return table.phase
    raise out_of_phase(table, wanted, to=to)


def out_of_phase(table: Table, *wanted: type[Any], to: str) -> RefusedError:
    """Say that the table is in none of the phases wanted."""
    right = " or ".join(WORDS[phase] for phase in wanted)
    return RefusedError(
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


def open_coup(table: Table) -> int | None:
    """Give the number of the coup that is open, if one is."""
    phase = table.phase
    if isinstance(phase, Betting | Dealing | Seating | Staking | Playing | Frozen):
        return phase.round
    return phase.undone.round if isinstance(phase, Reversed) else None
