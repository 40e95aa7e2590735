"""An evening at a table, drawn at random from every command there is; refused ones change nothing."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import UNSET

from schemas.events import (
    BetPlaced,
    BetWithdrawn,
    ChipsBought,
    ChipsCashed,
    ChipsCredited,
    ChipsFilled,
    CommissionCollected,
    Line,
    LinesSettled,
    RoundOpened,
    RoundSettled,
    SettlementReversed,
    TableEvent,
)
from schemas.rules import Limits, Rules
from services.table.game import floor, play, shoes, wagers
from services.table.game.refusal import RefusedError
from services.table.game.shoe import mix
from services.table.game.state import Betting, Between, Closed, Committed, Dealing, Idle
from tests.table.game.sitting import (
    ANNA,
    BERT,
    BOTH,
    CLOSING,
    DIGEST,
    SEED,
    Sitting,
    derived,
    in_play,
    opening,
    seen,
    stakes_of,
)

Ask = Callable[[], Sequence[TableEvent]]
PATRONS = ("p1", "p2", "p3", "p4")
SLIP: dict[str, Any] = {"amount": 100, "chips": ((100, 1),), "requested_by": ANNA, "issued_by": BERT}


class Evening(Sitting):
    """A sitting in which chance decides what is asked next."""

    def __init__(self, rules: Rules, limits: Limits, seed: int) -> None:
        super().__init__(rules, limits)
        self.chance = random.Random(seed)
        self.refused: list[str] = []
        self.bets = 0
        self.buy(**dict.fromkeys(PATRONS, 5_000))

    def go_on(self, commands: int) -> None:
        """Give as many commands."""
        for _ in range(commands):
            if isinstance(self.table.phase, Idle) and self.chance.random() < 0.2:
                self.leave()
            self.ask(self.chance.choice(self.likely() if self.chance.random() < 0.8 else self.all()))

    def ask(self, command: Ask) -> None:
        """Give one command; whether it is taken or refused, deciding changes nothing."""
        before = seen(self.table)
        try:
            events = command()
        except RefusedError as no:
            self.refused.append(no.code)
            events = []
        assert seen(self.table) == before
        for event in self.do(events):
            self.bets += isinstance(event, BetPlaced | BetWithdrawn)
            self.bets *= not isinstance(event, RoundOpened)

    def likely(self) -> list[Ask]:  # noqa: PLR0911 (one a phase)
        """Give what moves the table on from the phase it is in."""
        if self.table.suspended is not None:
            return [lambda: floor.resume(self.table)]
        match self.table.phase:
            case Idle():
                return [self.next_shoe]
            case Committed():
                return [self.shuffle, self.contribute]
            case Between() as phase:
                end = lambda: shoes.close(self.table, seed=SEED)  # noqa: E731 (one of many commands)
                return [end] if phase.shoe.coups_left == 0 else [*[self.open_round] * 9, self.reverse]
            case Betting():
                return [*[self.bet] * 5, self.bet_all_at_once, self.withdraw, self.coup, self.coup, self.close_bets]
            case Dealing():
                return [lambda: play.deal(self.table, self.cards, whole=self.chance.random() < 0.5)]
            case _:
                return [lambda: shoes.void(self.table, seed=SEED, reason="marked-card", approved_by=BOTH)]

    def all(self) -> list[Ask]:
        """Give all commands."""
        return [
            self.next_shoe,
            self.contribute,
            self.shuffle,
            self.open_round,
            self.bet,
            self.withdraw,
            self.close_bets,
            self.coup,
            lambda: play.void_round(self.table, reason="misdeal", approved_by=(ANNA,)),
            self.reverse,
            lambda: self.rarely(lambda: shoes.close(self.table, seed=SEED, reason="end-of-day")),
            lambda: self.rarely(lambda: shoes.void(self.table, seed=SEED, reason="marked-card", approved_by=BOTH)),
            lambda: self.rarely(lambda: shoes.freeze(self.table, reason="seed-lost")),
            lambda: floor.buy_chips(self.table, patron=self.patron(), amount=self.amount(), means="cash"),
            lambda: floor.cash_chips(self.table, patron=self.patron(), amount=self.amount(), means="cash"),
            lambda: floor.collect_commission(self.table, patron=self.patron(), amount=self.amount() % 7),
            self.waive,
            lambda: floor.suspend(self.table, reason="break"),
            lambda: floor.resume(self.table),
            lambda: floor.change_dealer(self.table, dealer=self.chance.choice(["dealer:carl", "dealer:dora"])),
            lambda: floor.change_limits(self.table, limits=self.limits()),
            lambda: floor.fill(self.table, ChipsFilled(slip="f-1", received_by=ANNA, **SLIP)),
            lambda: floor.credit(self.table, ChipsCredited(slip="f-2", received_by=ANNA, **SLIP)),
        ]

    def patron(self) -> str:
        """Choose somebody."""
        return self.chance.choice(PATRONS)

    def amount(self) -> int:
        """Choose an amount, not always a good one."""
        return self.chance.choice([0, 1, 100, 500, 500, 600, 1_000, 20_001])

    def wager(self) -> wagers.Wager:
        """Choose a bet."""
        return self.patron(), self.chance.choice([*self.table.rules.bets]), self.amount()

    def rarely(self, command: Ask) -> Sequence[TableEvent]:
        """Give a command that ends much, one time in ten."""
        return command() if self.chance.random() < 0.1 else []

    def next_shoe(self) -> Sequence[TableEvent]:
        """Commit to a shoe."""
        return shoes.commit(self.table, seed_commitment=SEED)

    def contribute(self) -> Sequence[TableEvent]:
        """Add to the shuffle."""
        return shoes.contribute(self.table, source=f"patron:{self.patron()}", value=b"\x07")

    def shuffle(self) -> Sequence[TableEvent]:
        """Derive the cards and shuffle."""
        if isinstance(self.table.phase, Closed | Idle):
            return []
        contributions = in_play(self.table).contributions
        cards = derived(self.table)
        events = shoes.shuffle(self.table, cards, mix=mix(contributions))
        self.cards = cards
        return events

    def open_round(self) -> Sequence[TableEvent]:
        """Open a round, a free one now and then."""
        return play.open_round(self.table, free=self.chance.random() < 0.1)

    def bet(self) -> Sequence[TableEvent]:
        """Place a bet."""
        return wagers.place_bets(self.table, [self.wager()])

    def bet_all_at_once(self) -> Sequence[TableEvent]:
        """Place some bets."""
        return wagers.place_bets(self.table, [self.wager() for _ in range(3)])

    def withdraw(self) -> Sequence[TableEvent]:
        """Take a bet back."""
        patron, bet = self.chance.choice([*stakes_of(self.table).by_bet, self.wager()[:2]])
        return wagers.withdraw_bet(self.table, patron=patron, bet=bet)

    def close_bets(self) -> Sequence[TableEvent]:
        """Close the bets."""
        return play.close_bets(self.table, count=self.bets, digest=DIGEST)

    def coup(self, *_: wagers.Wager) -> list[TableEvent]:
        """Play the coup."""
        return play.play_coup(self.table, self.cards, count=self.bets, digest=DIGEST)

    def reverse(self) -> Sequence[TableEvent]:
        """Undo a settlement, and make it again or void the coup."""
        again = self.chance.random() < 0.5
        return play.reverse_settlement(self.table, reason="misread", approved_by=BOTH, settle_again=again)

    def waive(self) -> Sequence[TableEvent]:
        """Forgo some commission."""
        amount = 1 + self.amount() % 3
        order: dict[str, Any] = {"patron": self.patron(), "amount": amount, "reason": "goodwill"}
        return floor.waive_commission(self.table, approved_by=BOTH, **order)

    def limits(self) -> Limits:
        """Give limits, some tighter."""
        return self.chance.choice([opening(self.table.rules).limits, self.table.limits, self.table.next_limits])

    def leave(self) -> None:
        """Let everybody go, close the table, and open it again."""
        for patron in PATRONS:
            for debt in filter(None, [self.table.debt(patron)]):
                order: dict[str, Any] = {"patron": patron, "amount": debt, "reason": "goodwill"}
                self.do(floor.waive_commission(self.table, approved_by=BOTH, **order))
            for stack in filter(None, [self.table.stack(patron)]):
                self.do(floor.cash_chips(self.table, patron=patron, amount=stack, means="cash"))
        self.do(floor.close_table(self.table, CLOSING))
        self.do(floor.open_table(self.table, opening(self.table.rules, self.table.limits, name="Again")))
        self.buy(**dict.fromkeys(PATRONS[:3], 5_000))


def chips_that_must_be_there(log: Sequence[TableEvent]) -> int:
    """Count from the events alone what patrons have on the table, staked or not."""
    chips = gained = 0
    for event in log:
        match event:
            case ChipsBought():
                chips += event.amount
            case ChipsCashed() | CommissionCollected():
                chips -= event.amount
            case LinesSettled():
                gained += sum(map(gain, event.lines))
            case RoundSettled():
                gained += sum(map(gain, event.lines))
                chips += gained
                undoing, gained = gained, 0
            case SettlementReversed():
                chips -= undoing
            case _:
                pass
    return chips


def gain(line: Line) -> int:
    """Give what a settlement line adds to a patron's chips, or takes from them."""
    return line.won - line.commission if line.won else line.returned - line.stake


def debts_that_must_be_there(log: Sequence[TableEvent]) -> int:
    """Count from the events alone what commission is owed; every line of a reversed settlement counts back."""
    owed = 0
    lines: list[Line] = []
    for event in log:
        match event:
            case RoundOpened():
                lines = []
            case LinesSettled() | RoundSettled():
                lines += event.lines
                owed += sum(marked(line) for line in event.lines)
            case SettlementReversed():
                owed -= sum(map(marked, lines))
                lines = []
            case _ if hasattr(event, "amount") and type(event).__name__.startswith("Commission"):
                owed -= event.amount
            case _:
                pass
    return owed


def marked(line: Line) -> int:
    """Give what a line adds to the debt."""
    return 0 if line.marked is UNSET else line.marked
