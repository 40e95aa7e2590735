"""A tape: entries written one after another as the table service writes them, for the ledger to read."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from msgspec import Struct

from schemas import entry
from schemas.accounts import AccountOpened, FundsDeposited, FundsFromTable, FundsToTable
from schemas.entry import Entry
from schemas.events import (
    AnyEvent,
    BetPlaced,
    BetsClosed,
    ChipsBought,
    ChipsCashed,
    ChipsFilled,
    Line,
    RoundOpened,
    RoundSettled,
    ShoeCommitted,
    TableOpened,
)
from schemas.rules import Bet, BetLimits, Limits, Procedure, Rounding, Rules
from schemas.words import Carried, Means

RULES = Rules(
    name="tape",
    version=1,
    game="house",
    procedure=Procedure(decks=8, burn="none", cut=14, after_cut="finish"),
    winnings=Rounding(mode="floor", unit=1),
    bets={"player": Bet(ladder=({"winner": "player", "pays": "1/1"},))},
)
LIMITS = Limits(bets={"player": BetLimits(min=1, max=1_000_000)})


class Row(Struct, frozen=True):
    """One row of the log's feed."""

    position: int
    stream: str
    version: int
    line: bytes
    leaf: bytes


class Tape:
    """Writes entries with their links; a command is one number, and all that is written within it carries it."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.rows: list[Row] = []
        self._tips: dict[str, tuple[int, str]] = {}
        self._command = 0

    def write(self, stream: str, event: AnyEvent, *, same_command: bool = False) -> Entry:
        """Write one entry."""
        self._command += not same_command
        position = len(self.rows)
        version, prev = self._tips.get(stream, (0, entry.NO_PREV))
        made = Entry(
            id=sha256(str(position).encode()).hexdigest()[:32],
            stream=stream,
            version=version + 1,
            at=f"2026-11-30T{position // 3600 % 24:02}:{position // 60 % 60:02}:{position % 60:02}.000000Z",
            actor="dealer:anna",
            command=f"c{self._command}",
            schema=1,
            prev=prev,
            event=event,
        )
        line = entry.encode(made)
        leaf = entry.leaf(line)
        self._tips[stream] = (made.version, leaf.hex())
        self.entries.append(made)
        self.rows.append(Row(position, stream, made.version, line, leaf))
        return made

    def at(self, table: str, *events: AnyEvent) -> None:
        """Write a command of one table."""
        for number, event in enumerate(events):
            self.write(f"table/{table}", event, same_command=number > 0)

    def open(self, table: str = "b1", *, currency: str = "USD", tray: int = 100_000) -> None:
        """Open a table whose tray holds chips of 100."""
        self.at(table, opened(table, currency=currency, tray=tray))

    def buy(self, patron: str, amount: int, *, table: str = "b1", means: Means = "cash") -> None:
        """Bring chips to a table."""
        self.at(table, ChipsBought(patron=patron, amount=amount, means=means))

    def fill(self, amount: int, *, table: str = "b1") -> None:
        """Bring a chip of this worth from the cage to the tray."""
        people = {"requested_by": "dealer:anna", "issued_by": "cage:carl", "received_by": "pit:bert"}
        self.at(table, ChipsFilled(slip=f"s-{len(self.rows)}", amount=amount, chips=((amount, 1),), **people))

    def shoe(self, number: int, *carried: tuple[str, int, int], table: str = "b1", currency: str = "USD") -> None:
        """Commit a shoe."""
        self.at(table, committed(number, *carried, currency=currency))

    def coup(self, number: int, *lines: Line, table: str = "b1") -> None:
        """Play a coup: its stakes are those of its lines."""
        self.stakes(number, *((line.patron, line.bet, line.stake) for line in lines), table=table)
        self.at(table, settled(number, *lines))

    def stakes(self, number: int, *stakes: tuple[str, str, int], table: str = "b1") -> None:
        """Open a round, take bets, and close them."""
        self.at(table, RoundOpened(shoe=1, round=number))
        for patron, bet, amount in stakes:
            self.at(table, BetPlaced(round=number, patron=patron, bet=bet, amount=amount))
        self.at(table, BetsClosed(round=number, count=len(stakes), digest="0" * 64))

    def fund(self, patron: str, amount: int, *, currency: str = "USD") -> None:
        """Open an account and pay into it."""
        self.write(f"patron/{patron}", AccountOpened(currency=currency))
        self.write(f"patron/{patron}", FundsDeposited(amount=amount, means="cash", balance=amount))

    def to_table(self, patron: str, amount: int, *, balance: int, table: str = "b1") -> None:
        """Move money from an account to a table: one command, two streams."""
        self.write(f"patron/{patron}", FundsToTable(table=table, amount=amount, balance=balance))
        self.write(f"table/{table}", ChipsBought(patron=patron, amount=amount, means="account"), same_command=True)

    def from_table(self, patron: str, amount: int, *, balance: int, table: str = "b1") -> None:
        """Move money from a table to an account."""
        self.write(f"table/{table}", ChipsCashed(patron=patron, amount=amount, means="account"))
        self.write(f"patron/{patron}", FundsFromTable(table=table, amount=amount, balance=balance), same_command=True)


def opened(table: str, *, currency: str = "USD", tray: int = 100_000) -> TableOpened:
    """The opening of a table."""
    return TableOpened(
        table=table,
        name="Baccarat",
        currency=currency,
        rules=RULES,
        limits=LIMITS,
        float=((100, tray // 100),) if tray else (),
        counted_by="dealer:anna",
        verified_by="pit:bert",
    )


def committed(number: int, *carried: tuple[str, int, int], currency: str = "USD") -> ShoeCommitted:
    """A shoe that carries these stacks and debts."""
    return ShoeCommitted(
        shoe=number,
        decks=8,
        source="scanned",
        currency=currency,
        rules=RULES,
        limits=LIMITS,
        carried=tuple(Carried(patron=patron, chips=chips, owed=owed) for patron, chips, owed in carried),
    )


def settled(number: int, *lines: Line) -> RoundSettled:
    """A settlement of these lines."""
    return RoundSettled(round=number, player=8, banker=9, winner="banker", lines=lines)


def won(patron: str, bet: str, stake: int, **extra: Any) -> Line:
    """A line that wins even money; `won`, `commission` and `marked` can be said."""
    figures = {"won": stake, "commission": 0, **extra}
    returned = stake + figures["won"] - figures["commission"]
    return Line(patron=patron, bet=bet, stake=stake, returned=returned, **figures)


def lost(patron: str, bet: str, stake: int, **extra: Any) -> Line:
    """A line that loses."""
    return Line(patron=patron, bet=bet, stake=stake, won=0, commission=0, returned=0, **extra)


def pushed(patron: str, bet: str, stake: int, **extra: Any) -> Line:
    """A line whose stake goes back."""
    return Line(patron=patron, bet=bet, stake=stake, won=0, commission=0, returned=stake, **extra)


def after(rows: list[Row], position: int, limit: int) -> Iterator[Row]:
    """What the feed gives after a position."""
    return (row for row in rows[position + 1 : position + 1 + limit])
