"""Check 5, the rules: phases in order, bets within limits, cards as the tableau and the procedure demand."""

from collections.abc import Sequence
from hashlib import sha256
from operator import attrgetter
from typing import ClassVar, get_args

from msgspec import UNSET

from schemas.events import (
    AnyEvent,
    BetPlaced,
    BetsClosed,
    BetWithdrawn,
    CardDealt,
    CardsBurned,
    ChipsCarried,
    CommissionWaived,
    CutCardReached,
    LimitsChanged,
    LinesSettled,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SettlementReversed,
    ShoeCommitted,
    ShoeVoided,
)
from schemas.reading import SeenEvent
from schemas.rules import Limits
from schemas.seats import CardDrawn
from services.audit.commands import Commands
from services.audit.findings import Page
from services.audit.layout import Layout
from services.audit.phases import ANYWHERE, BETTING, BETWEEN, ORDER, Order, Phases, name_of
from services.audit.procedure import ShoeProcedure
from services.audit.watchers import BetRow, Kind, Watcher, kind_of
from services.table.game.bank_scrutiny import of_the_bank_limits
from services.table.game.banker import BANK
from services.table.game.cards import total
from services.table.game.scrutiny import check as scrutinize
from services.table.game.tableau import next_hand

_event, _round = attrgetter("event"), attrgetter("round")
NO_ROUND = 0
LEAF_BYTES = 32
FEWEST_CARDS = 2
TWO_PEOPLE = 2


class RulesCheck:
    """What the rules expect next, from `shoe-committed` on."""

    layout_of: ClassVar[type[Layout]] = Layout
    order: ClassVar[Order] = ORDER

    def __init__(self, page: Page, commands: Commands, committed: ShoeCommitted) -> None:
        self.page = page
        self.layout = self.layout_of(committed.rules, committed.limits)
        self._commands = commands
        self._phases = Phases(self.order)
        self._procedure = ShoeProcedure(committed.rules.procedure, committed.decks)
        self._shoe = committed.shoe
        self._rules = committed.rules
        self._limits = committed.limits
        self._round = NO_ROUND
        self._free = False
        # The raw leaves of the round's bet entries.
        self._leaves = bytearray()
        # The round whose bets need no closer look: the entry before was a bet in good order.
        self._taking = NO_ROUND
        # The version of a coup's void that still wants its shoe's; 0 for none.
        self._void_by_nobody = 0
        self._last: Kind = ShoeCommitted
        self._last_command = commands.number
        self._does: dict[Kind, Watcher] = {
            ShoeCommitted: self._commit,
            LimitsChanged: self._change_limits,
            CardsBurned: self._burn,
            RoundOpened: self._open,
            BetWithdrawn: self._withdraw,
            BetsClosed: self._close_bets,
            CutCardReached: self._reach_cut,
            CardDealt: self._deal,
            RoundSettled: self._settle,
            RoundVoided: self._void,
            SettlementReversed: self._reverse,
            CommissionWaived: self._waive,
        }

    def watchers(self) -> dict[Kind, Watcher]:
        """Give what looks at each kind of entry."""
        return {kind: self._see for kind in get_args(AnyEvent) if kind is not BetPlaced}

    def take_up(self, *, round_before: int, consumed: int | None) -> None:
        """Go on before a coup in the middle of the shoe, whose beginning was shown in part."""
        self._phases.phase = BETWEEN
        self._round = round_before
        self._procedure.take_up(consumed)

    def place(self, rows: Sequence[BetRow], leaves: Sequence[str]) -> None:
        """Look at a run of bets."""
        if set(map(_round, map(_event, rows))) != {self._taking}:
            for row in rows:
                self._look_closer(row.version, row.event)
        self._leaves += bytes.fromhex("".join(leaves))
        for version, complaint in self.layout.place(rows):
            self.page.note(version, complaint)

    def _see(self, version: int, event: SeenEvent, leaf: str) -> None:
        self._look_closer(version, event)
        does = self._does.get(kind_of(event))
        if does is not None:
            does(version, event, leaf)

    def _look_closer(self, version: int, event: SeenEvent) -> None:
        """See that an entry has its place: in the order, behind its neighbour, of this shoe and round."""
        kind, command = kind_of(event), self._commands.number
        if self._void_by_nobody and kind not in ANYWHERE:
            self._judge_void(is_shoe_void=kind is ShoeVoided)
        if complaint := self._phases.step(kind, event):
            self.page.note(version, complaint)
        if complaint := self._neighbours(kind, same=command == self._last_command):
            self.page.note(version, complaint)
        self._last, self._last_command = kind, command
        shoe, number = getattr(event, "shoe", self._shoe), getattr(event, "round", self._round)
        if shoe != self._shoe:
            self.page.note(version, f"of shoe {shoe}, in the log of shoe {self._shoe}")
        if number != self._round and kind is not RoundOpened:
            self.page.note(version, f"of round {number}, where the last one opened is {self._round or 'none'}")
        if kind is BetPlaced and self._free:
            self.page.note(version, "a bet in a free coup")
        in_order = kind is BetPlaced and self._phases.phase is BETTING and not self._phases.frozen and not self._free
        self._taking = self._round if in_order else NO_ROUND

    def _judge_void(self, *, is_shoe_void: bool) -> None:
        """Say that a coup was voided by nobody's word, unless the shoe was voided with it."""
        if not is_shoe_void:
            self.page.note(self._void_by_nobody, "voided by nobody's word, and no rule voids it")
        self._void_by_nobody = 0

    def finish(self) -> None:
        """Judge what was left open."""
        if self._void_by_nobody:
            self._judge_void(is_shoe_void=False)

    def _neighbours(self, kind: Kind, *, same: bool) -> str | None:
        """Say what is wrong between two entries of which one must directly follow the other, in one command."""
        last, name = self._last, name_of(kind)
        if last is CutCardReached and (kind not in (CardDealt, CardDrawn) or not same):
            return f"{name} follows cut-card-reached, where a card of the same command belongs"
        if last is LinesSettled and (kind not in (LinesSettled, RoundSettled) or not same):
            return f"{name} follows lines-settled, where the rest of the settlement belongs, of the same command"
        if kind is ChipsCarried and (last not in (ShoeCommitted, ChipsCarried) or not same):
            return "chips-carried does not directly go on with the list of shoe-committed, in the same command"
        return None

    def _commit(self, version: int, event: ShoeCommitted, _: str) -> None:
        for complaint in scrutinize(event.rules):
            self.page.note(version, f"the rules do not make sense: {complaint}")
        self._scrutinize_limits(version, event.limits)
        if event.decks != event.rules.procedure.decks:
            self.page.note(version, f"{event.decks} decks, where the procedure has {event.rules.procedure.decks}")

    def _change_limits(self, version: int, event: LimitsChanged, _: str) -> None:
        self._limits = event.limits
        self._scrutinize_limits(version, event.limits)

    def _scrutinize_limits(self, version: int, limits: Limits) -> None:
        for name, span in limits.bets.items():
            if name not in self._rules.bets and (name != BANK or self._rules.game == "house"):
                self.page.note(version, f"the limits name {name}, a bet that the rules do not have")
            if span.min > span.max:
                self.page.note(version, f"the limits of {name} leave nothing between {span.min} and {span.max}")
        for complaint in of_the_bank_limits(self._rules, limits):
            self.page.note(version, complaint)

    def _burn(self, version: int, event: CardsBurned, _: str) -> None:
        if complaint := self._procedure.burn(event.count, event.card):
            self.page.note(version, complaint)

    def _open(self, version: int, event: RoundOpened, _: str) -> None:
        if event.round != self._round + 1:
            self.page.note(version, f"round {event.round} is opened, where {self._round + 1} is next")
        if complaint := self._procedure.open_coup():
            self.page.note(version, complaint)
        self._round, self._free = event.round, event.free is not UNSET
        self._leaves = bytearray()
        self.layout.clear(self._limits)

    def _withdraw(self, version: int, event: BetWithdrawn, leaf: str) -> None:
        self._leaves += bytes.fromhex(leaf)
        for complaint in self.layout.withdraw(event.patron, event.bet):
            self.page.note(version, complaint)

    def _close_bets(self, version: int, event: BetsClosed, _: str) -> None:
        bets = len(self._leaves) // LEAF_BYTES
        if event.count != bets:
            self.page.note(version, f"count is {event.count}; the round has {bets} bet entries")
        if event.digest != sha256(self._leaves).hexdigest():
            self.page.note(version, "the digest is not the hash over the round's bet entries")

    def _reach_cut(self, version: int, event: CutCardReached, _: str) -> None:
        as_first_card = not self.layout.player and not self.layout.banker
        for complaint in self._procedure.reach_cut(event.position, as_first_card=as_first_card):
            self.page.note(version, complaint)

    def _deal(self, version: int, event: CardDealt, _: str) -> None:
        if complaint := self._procedure.deal():
            self.page.note(version, complaint)
        player, banker = self.layout.player, self.layout.banker
        due = next_hand(player, banker)
        if due is None:
            self.page.note(version, f"{event.card} is dealt to {event.hand}, and the coup was complete before it")
            return
        if event.hand != due:
            self.page.note(version, f"{event.card} is dealt to {event.hand}, where the tableau gives it to {due}")
        (player if due == "player" else banker).append(event.card)

    def _settle(self, version: int, event: RoundSettled, _: str) -> None:
        player, banker = self.layout.player, self.layout.banker
        if due := next_hand(player, banker):
            self.page.note(version, f"settled before the coup was complete: {due} was to have a card")
        if len(banker) < FEWEST_CARDS:
            return
        totals = total(player), total(banker)
        for hand, said, true in zip(("player", "banker"), (event.player, event.banker), totals, strict=True):
            if said != true:
                self.page.note(version, f"{hand} is said to have {said}; the cards make {true}")
        winner = "tie" if totals[0] == totals[1] else "player" if totals[0] > totals[1] else "banker"
        if event.winner != winner:
            self.page.note(version, f"{event.winner} is said to win; by the cards it is {winner}")

    def _void(self, version: int, event: RoundVoided, _: str) -> None:
        is_empty = self._procedure.is_empty or not self._procedure.is_known
        ran_out = is_empty and next_hand(self.layout.player, self.layout.banker) is not None
        if event.reason == "out-of-cards" and not ran_out:
            self.page.note(version, "voided for want of cards, and cards were left")
        if event.reason == "out-of-cards":
            self._procedure.coups_left = 0
        by_rule = ran_out or self._phases.frozen or self._commands.actor.startswith("system:")
        self._void_by_nobody = 0 if event.approved_by or by_rule else version

    def _reverse(self, version: int, event: SettlementReversed, _: str) -> None:
        if not event.approved_by:
            self.page.note(version, "a settlement is reversed by nobody's word")

    def _waive(self, version: int, event: CommissionWaived, _: str) -> None:
        if len(set(event.approved_by)) < TWO_PEOPLE:
            self.page.note(version, "commission is waived by fewer than two people")
