"""The procedure of a shoe: how many cards are burned, where the cut card lies, and which coup is the last."""

from schemas.rules import Procedure
from services.table.game.cards import burn_value

CARDS_PER_DECK = 52


class ShoeProcedure:
    """What has left the shoe, counted without a look at the positions that the log states."""

    __slots__ = ("_cut_at", "_procedure", "consumed", "coups_left", "cut_is_out", "is_known", "size")

    def __init__(self, procedure: Procedure, decks: int) -> None:
        self._procedure = procedure
        self.size = decks * CARDS_PER_DECK
        self._cut_at = self.size - procedure.cut
        self.consumed = 0
        self.cut_is_out = False
        # Coups that may still be opened; None while the cut card is in the shoe.
        self.coups_left: int | None = None
        # Whether it was followed from its first card, or from a position that is known.
        self.is_known = True

    def take_up(self, consumed: int | None) -> None:
        """Go on within a shoe of which so many cards are gone; None: nobody can say, and the cut card is not missed."""
        self.consumed = 0 if consumed is None else consumed
        self.is_known = consumed is not None
        self.cut_is_out = consumed is not None and consumed > self._cut_at

    def burn(self, count: int, first: str) -> str | None:
        """Burn cards; say so when the procedure burns another number."""
        self.consumed += count
        match self._procedure.burn:
            case "none":
                due = 0
            case "one":
                due = 1
            case "first-card":
                due = 1 + burn_value(first)
            case "decks":
                due = self._procedure.decks
        if count == due:
            return None
        return f"{count} cards are burned, where the procedure ({self._procedure.burn}) burns {due}"

    def open_coup(self) -> str | None:
        """Open a coup; say so when the last one is over."""
        if self.coups_left is None:
            return None
        self.coups_left -= 1
        return "a coup is opened after the last one of the shoe" if self.coups_left < 0 else None

    def reach_cut(self, position: int, *, as_first_card: bool) -> list[str]:
        """Let the cut card come out; say what is wrong with its place."""
        complaints = []
        if self.cut_is_out:
            complaints.append("the cut card comes out a second time")
        if position != self._cut_at:
            complaints.append(f"the cut card is said to lie before position {position}; it lies before {self._cut_at}")
        elif self.is_known and self.consumed != self._cut_at:
            complaints.append(f"the cut card comes out after {self.consumed} cards, where {self._cut_at} lie before it")
        self.cut_is_out = True
        one_more = self._procedure.after_cut == "one-more" and not as_first_card
        self.coups_left = 1 if one_more else 0
        return complaints

    def deal(self) -> str | None:
        """Let a card out; say so when the cut card lay before it and did not come out."""
        self.consumed += 1
        if self.is_known and self.consumed > self._cut_at and not self.cut_is_out:
            self.cut_is_out = True
            self.coups_left = 1 if self._procedure.after_cut == "one-more" else 0
            return f"the cut card lay before position {self._cut_at} and did not come out before this card"
        return None

    @property
    def is_empty(self) -> bool:
        """Whether no card is left."""
        return self.consumed >= self.size
