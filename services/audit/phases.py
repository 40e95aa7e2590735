"""The order of a shoe and of its coups: which entry may stand in which phase, and which phase it leads to."""

from schemas.events import (
    BetPlaced,
    BetsClosed,
    BetWithdrawn,
    CardDealt,
    CardsBurned,
    ChipsBought,
    ChipsCarried,
    ChipsCashed,
    ChipsCredited,
    ChipsFilled,
    CommissionCollected,
    CommissionWaived,
    CutCardReached,
    DealerChanged,
    EntropyContributed,
    LimitsChanged,
    LinesSettled,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SettlementReversed,
    ShoeClosed,
    ShoeCommitted,
    ShoeFrozen,
    ShoeShuffled,
    ShoeVoided,
    TableResumed,
    TableSuspended,
)
from schemas.reading import SeenEvent
from schemas.words import Event

# The phases in words, as a finding names them.
NOTHING = "before the shoe"
SEALING = "before the shuffle"
BURNING = "before the burn"
BETWEEN = "between coups"
SETTLED = "after a settlement"
BETTING = "while bets are taken"
DEALING = "after the last call"
PAYING = "within a settlement"
REVERSED = "after a reversal"
OVER = "after the shoe's end"

IN_PLAY = (SEALING, BURNING, BETWEEN, SETTLED, BETTING, DEALING, REVERSED)

Order = dict[type[Event], tuple[tuple[str, ...], str | None]]
"""Each entry, the phases it may stand in, and the phase it leads to; None leads nowhere else."""

ORDER: Order = {
    ShoeCommitted: ((NOTHING,), SEALING),
    ChipsCarried: ((SEALING, BURNING, BETWEEN), None),
    EntropyContributed: ((SEALING,), None),
    ShoeShuffled: ((SEALING,), BURNING),
    CardsBurned: ((BURNING,), BETWEEN),
    RoundOpened: ((BETWEEN, SETTLED), BETTING),
    BetPlaced: ((BETTING,), None),
    BetWithdrawn: ((BETTING,), None),
    BetsClosed: ((BETTING,), DEALING),
    CutCardReached: ((DEALING,), None),
    CardDealt: ((DEALING,), DEALING),
    LinesSettled: ((DEALING, PAYING, REVERSED), PAYING),
    RoundSettled: ((DEALING, PAYING, REVERSED), SETTLED),
    RoundVoided: ((BETTING, DEALING, REVERSED), BETWEEN),
    SettlementReversed: ((SETTLED,), REVERSED),
    ShoeFrozen: (IN_PLAY, None),
    ShoeClosed: ((BETWEEN, SETTLED), OVER),
    ShoeVoided: ((SEALING, BURNING, BETWEEN, SETTLED), OVER),
}
ANYWHERE: frozenset[type[Event]] = frozenset(
    (
        TableSuspended,
        TableResumed,
        DealerChanged,
        LimitsChanged,
        ChipsFilled,
        ChipsCredited,
        ChipsBought,
        ChipsCashed,
        CommissionCollected,
        CommissionWaived,
    )
)
AFTER_A_FREEZE: frozenset[type[Event]] = ANYWHERE | {RoundVoided, ShoeVoided}


class Phases:
    """The phase that the entries so far have led to."""

    __slots__ = ("_burns", "_order", "frozen", "phase")

    def __init__(self, order: Order = ORDER) -> None:
        self._order = order
        self.phase = NOTHING
        self.frozen = False
        self._burns = True

    def step(self, kind: type[Event], event: SeenEvent) -> str | None:
        """Go on to the phase that an entry leads to; say what is wrong when it may not stand here."""
        complaint = self._complaint(kind)
        if kind in self._order:
            self._lead(kind)
        if kind is ShoeFrozen:
            self.frozen = True
        if isinstance(event, ShoeCommitted):
            self._burns = event.rules.procedure.burn != "none"
            if event.source == "scanned":
                self._seal()
        return complaint

    def _complaint(self, kind: type[Event]) -> str | None:
        name = name_of(kind)
        if self.phase is OVER:
            return f"{name} stands after the shoe's end"
        if self.frozen and kind not in AFTER_A_FREEZE:
            return f"{name} stands after shoe-frozen, which only round-voided and shoe-voided may follow"
        if kind in ANYWHERE:
            return None
        if kind not in self._order:
            return f"{name} has no place in a house-banked shoe"
        if self.phase not in self._order[kind][0]:
            return f"{name} stands {self.phase}; its place is {' or '.join(self._order[kind][0])}"
        return None

    def _lead(self, kind: type[Event]) -> None:
        """Follow an entry out of place too, so that one lie is not told as many."""
        leads_to = self._order[kind][1]
        if leads_to is None or self.phase is OVER:
            return
        self.phase = leads_to
        if kind is ShoeShuffled:
            self._seal()

    def _seal(self) -> None:
        """Go on from a shoe that is ready: to the burn, or without one to the first coup."""
        self.phase = BURNING if self._burns else BETWEEN


def name_of(kind: type[Event]) -> str:
    """Give an event's name as the log writes it."""
    return str(kind.__struct_config__.tag)
