"""An evening at the tables, drawn at random: every money event, in an order that the rules allow."""

import random

from schemas.events import (
    BetPlaced,
    BetsClosed,
    BetWithdrawn,
    ChipsCashed,
    CommissionCollected,
    CommissionWaived,
    Line,
    LinesSettled,
    RoundOpened,
    RoundVoided,
    SettlementReversed,
)
from tests.ledger.tape import Tape, lost, pushed, settled, won

PATRONS = ("anna", "bob", "carl")
BETS = ("player", "banker", "tie")
APPROVED = ("pit:bert", "pit:dora")


class Evening:
    """One table's patrons with their stacks and debts, kept by simple sums and not by the book."""

    def __init__(self, tape: Tape, table: str, chance: random.Random) -> None:
        self.tape, self.table, self.chance = tape, table, chance
        self.is_marking = chance.random() < 0.5
        self.stacks = dict.fromkeys(PATRONS, 0)
        self.debts = dict.fromkeys(PATRONS, 0)
        self.round = 0
        tape.open(table)
        for patron in PATRONS:
            self.buy(patron)
        self.shoe(1)

    def buy(self, patron: str) -> None:
        """Bring chips, for cash."""
        amount = self.chance.randrange(1, 10_000)
        self.stacks[patron] += amount
        self.tape.buy(patron, amount, table=self.table)

    def cash(self, patron: str) -> None:
        """Take chips away."""
        if amount := self.stacks[patron] // 2:
            self.stacks[patron] -= amount
            self.tape.at(self.table, ChipsCashed(patron=patron, amount=amount, means="voucher"))

    def pay(self, patron: str) -> None:
        """Pay some of what is owed; the house forgoes the rest of it."""
        paid = min(self.debts[patron], self.stacks[patron]) // self.chance.choice((1, 2))
        if paid:
            self.tape.at(self.table, CommissionCollected(patron=patron, amount=paid))
        if waived := self.debts[patron] - paid:
            event = CommissionWaived(patron=patron, amount=waived, reason="goodwill", approved_by=APPROVED)
            self.tape.at(self.table, event)
        self.stacks[patron] -= paid
        self.debts[patron] = 0

    def shoe(self, number: int) -> None:
        """Begin a shoe with all that stands on the table."""
        self.round = 0
        carried = [(patron, self.stacks[patron], self.debts[patron]) for patron in sorted(PATRONS)]
        self.tape.shoe(number, *(row for row in carried if row[1] or row[2]), table=self.table)

    def coup(self) -> None:
        """Play a coup: bets, some withdrawn; settled, voided, or settled, reversed and settled again."""
        self.round += 1
        self.tape.at(self.table, RoundOpened(shoe=1, round=self.round))
        stakes = self.bets()
        self.tape.at(self.table, BetsClosed(round=self.round, count=0, digest="0" * 64))
        if self.chance.random() < 0.1:
            self.tape.at(self.table, RoundVoided(round=self.round, reason="out-of-cards", approved_by=()))
            return
        if self.chance.random() < 0.2:
            self.settle(stakes, is_final=False)
            event = SettlementReversed(round=self.round, reason="wrong-card", approved_by=APPROVED)
            self.tape.at(self.table, event)
        self.settle(stakes, is_final=True)

    def bets(self) -> dict[tuple[str, str], int]:
        """Take bets."""
        stakes: dict[tuple[str, str], int] = {}
        left = dict(self.stacks)
        for _ in range(self.chance.randrange(6)):
            patron, bet = self.chance.choice(PATRONS), self.chance.choice(BETS)
            if not left[patron]:
                continue
            amount = self.chance.randrange(1, left[patron] + 1)
            left[patron] -= amount
            stakes[patron, bet] = stakes.get((patron, bet), 0) + amount
            self.tape.at(self.table, BetPlaced(round=self.round, patron=patron, bet=bet, amount=amount))
            if self.chance.random() < 0.2:
                left[patron] += stakes.pop((patron, bet))
                self.tape.at(self.table, BetWithdrawn(round=self.round, patron=patron, bet=bet))
        return stakes

    def settle(self, stakes: dict[tuple[str, str], int], *, is_final: bool) -> None:
        """Settle, in two entries if there are enough lines."""
        lines = [self.line(patron, bet, stake) for (patron, bet), stake in stakes.items()]
        for line in lines if is_final else ():
            self.stacks[line.patron] += line.returned - line.stake
            self.debts[line.patron] += line.marked or 0
        if len(lines) > 2:
            first = LinesSettled(round=self.round, lines=tuple(lines[:2]))
            self.tape.at(self.table, first, settled(self.round, *lines[2:]))
        else:
            self.tape.at(self.table, settled(self.round, *lines))

    def line(self, patron: str, bet: str, stake: int) -> Line:
        """Win, push or lose."""
        due = stake // 20 if bet == "banker" else 0
        marked = {"marked": due if self.is_marking else 0} if self.is_marking else {}
        match self.chance.randrange(3):
            case 0 if self.is_marking:
                return won(patron, bet, stake, marked=due)
            case 0:
                return won(patron, bet, stake, commission=due)
            case 1:
                return pushed(patron, bet, stake, **(dict.fromkeys(marked, 0)))
            case _:
                return lost(patron, bet, stake, **(dict.fromkeys(marked, 0)))


def evening(seed: int, *, coups: int = 30, tables: tuple[str, ...] = ("b1", "b2")) -> Tape:
    """Write the tape of an evening; between coups people come, go, and move money from their accounts."""
    chance, tape = random.Random(seed), Tape()
    tape.fund("anna", 50_000)
    balance = 50_000
    floor = [Evening(tape, table, chance) for table in tables]
    for number in range(coups):
        table, patron = chance.choice(floor), chance.choice(PATRONS)
        table.coup()
        match chance.randrange(8):
            case 0:
                table.buy(patron)
            case 1:
                table.cash(patron)
            case 2:
                table.pay(patron)
            case 3:
                table.shoe(number + 2)
            case 4 if balance >= 100:
                balance -= 100
                tape.to_table("anna", 100, balance=balance, table=table.table)
                table.stacks["anna"] += 100
            case _:
                pass
    return tape
