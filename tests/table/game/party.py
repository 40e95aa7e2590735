"""A party: a table where a player banks, played by chance from what each may do, with what a test needs to look at."""

from collections.abc import Sequence
from random import Random
from typing import Any

from schemas.events import RoundSettled, TableEvent
from schemas.rules import Limits, Rules
from services.table.game import floor, play, salon, shoes
from services.table.game.deeds import Deed, Deeds, May, event_of
from services.table.game.rules import builtin
from services.table.game.shoe import mix
from services.table.game.state import Between, Idle, Playing, Staking
from tests.table.game.sitting import ANNA, SEED, Sitting, derived

PATRONS = ("p1", "p2", "p3", "p4", "p5", "p6", "p7")


class Party(Sitting):
    """A sitting whose commands are the salon's."""

    def __init__(self, rules: Rules, limits: Limits | None = None) -> None:
        super().__init__(rules, limits or builtin(rules.game).limits)

    def does(self, deeds: Sequence[Deed]) -> list[TableEvent]:
        """Let what a command comes to happen."""
        return self.do([event_of(deed) for deed in deeds])

    def sit(self, **seats: int) -> "Party":
        """Let patrons take their seats."""
        for patron, seat in seats.items():
            self.do(salon.take_seat(self.table, seat=seat, patron=patron))
        return self

    def opened(self) -> list[TableEvent]:
        """Open a round."""
        return self.does(salon.open_round(self.table))

    def bet(self, patron: str, bet: str, amount: int) -> list[TableEvent]:
        """Place a bet, the bank too."""
        return self.does(salon.place(self.table, patron=patron, bet=bet, amount=amount))

    def no(self, *patrons: str) -> "Party":
        """Let patrons pass, one after the other."""
        for patron in patrons:
            self.does(salon.pass_turn(self.table, patron=patron))
        return self

    def closed_bets(self) -> list[TableEvent]:
        """Close the bets."""
        return self.does(salon.close_bets(self.table))

    def dealt(self) -> list[TableEvent]:
        """Deal until somebody chooses, or to the end."""
        return self.does(salon.deal(self.table, self.cards))

    def played(self) -> RoundSettled:
        """Close the bets and deal; whoever has a choice does as the tableau."""
        events = self.closed_bets() + self.dealt()
        while isinstance(self.table.phase, Playing):
            events += self.does(salon.silence(self.table))
            if isinstance(self.table.phase, Playing):
                events += self.dealt()
        last = events[-1]
        assert isinstance(last, RoundSettled)
        return last

    def asked(self) -> list[str]:
        """Name who may pass now."""
        return [str(may.patron) for may in salon.mays(self.table) if may.does == "pass"]

    def may(self, patron: str | None = None) -> list[str]:
        """Write what a patron may do, or the dealer."""
        return [
            " ".join(str(part) for part in (may.does, may.least, may.most) if part)
            for may in salon.mays(self.table)
            if (may.patron or None) == patron
        ]


def by_chance(party: Party, chance: Random, commands: int) -> None:
    """Play on: each command is one that `mays` lists, or something else that may happen at a table."""
    for _ in range(commands):
        party.does(next_command(party, chance))


def next_command(party: Party, chance: Random) -> Deeds:
    """Choose what happens next. There is always something: that is part of what is tested."""
    table = party.table
    if isinstance(table.phase, Idle):
        return _between_shoes(party, chance)
    if isinstance(table.phase, Between):
        if table.phase.shoe.coups_left == 0:
            return [*shoes.close(table, seed=SEED)]
        if chance.random() < 0.3 or len(table.seats) < 2:
            return _around_the_table(party, chance)
    elif chance.random() < 0.02:
        return [*play.void_round(table, reason="misdeal", approved_by=(ANNA,))]
    elif chance.random() < 0.1 and party.asked():
        return salon.silence(table)
    mays = salon.mays(table)
    assert mays, f"nobody may do anything: {table.phase}"
    return command_of(party, chance.choice(mays), chance)


def command_of(party: Party, may: May, chance: Random) -> Deeds:  # noqa: C901, PLR0911 (one return for each deed)
    """Do what somebody may."""
    table, patron = party.table, may.patron or ""
    least, most = may.least or 0, may.most or 0
    amount = chance.choice([least, most, chance.randrange(least, most + 1, may.by or 1)])
    match may.does:
        case "bank" | "banco" | "stake":
            return salon.place(table, patron=patron, bet=may.bet or "", amount=amount)
        case "pass":
            return salon.pass_turn(table, patron=patron)
        case "withdraw":
            return salon.withdraw(table, patron=patron, bet=may.bet or "")
        case "ask":
            return salon.ask(table, patron=patron, bet=may.bet or "", amount=amount)
        case "agree" | "refuse":
            agrees = may.does == "agree"
            return salon.answer(table, patron=patron, of=may.of or "", bet=may.bet or "", agrees=agrees)
        case "decide":
            choice: Any = chance.choice(may.choices or ())
            return salon.decide(table, patron=patron, hand=may.hand or "", choice=choice)
        case "draw":
            return salon.draw(table, party.cards)
        case "open":
            return salon.open_round(table)
        case "close":
            return salon.close_bets(table)
        case "deal":
            return salon.deal(table, party.cards, whole=chance.random() < 0.8)
        case "read":
            raise AssertionError("the next card is its reader's to tell")


def _between_shoes(party: Party, chance: Random) -> Deeds:
    table = party.table
    if chance.random() < 0.3:
        return _around_the_table(party, chance)
    party.do(shoes.commit(table, seed_commitment=SEED))
    party.cards = derived(party.table)
    return [*shoes.shuffle(party.table, party.cards, mix=mix([]))]


def _around_the_table(party: Party, chance: Random) -> Deeds:
    """Let somebody sit down or stand up, buy or cash chips."""
    table, patron = party.table, chance.choice(PATRONS)
    free = [seat for seat in range(1, (table.rules.seats or 0) + 1) if seat not in table.seats]
    may_cash = table.stack(patron) - floor.held_back(table, patron)
    match chance.choice(["sit", "sit", "leave", "buy", "buy", "cash"]):
        case "sit" if patron not in table.seats.values() and free:
            return [*salon.take_seat(table, seat=chance.choice(free), patron=patron)]
        case "leave" if patron in table.seats.values():
            return [*salon.leave_seat(table, patron=patron)]
        case "cash" if may_cash:
            return [*floor.cash_chips(table, patron=patron, amount=chance.randint(1, may_cash), means="cash")]
        case _:
            return [*floor.buy_chips(table, patron=patron, amount=chance.randint(500, 50_000), means="cash")]


def in_coup(party: Party) -> bool:
    """Whether a coup is open."""
    return isinstance(party.table.phase, Staking | Playing)
