"""A line of a card-by-card live table: Player 1, Banker 1, Player 2, Banker 2, Player's third card, Banker's third.

`C.7,C.8,H.11,D.7,,C.7`: suit and rank, 1 ace to 10, 11 jack, 12 queen, 13 king. An empty field: no card.
`7c,8c,Jh,7d,,7c` says the same.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from services.table.game.cards import CODES, RANKS, Card, total
from services.table.game.reader import in_order
from services.table.game.rulings import banker_ruling, natural_rulings, player_ruling
from services.table.game.tableau import LARGEST_HAND, NATURALS, Coup, next_hand

FIELDS = ("Player 1", "Banker 1", "Player 2", "Banker 2", "Player's third", "Banker's third")
FIRST_CARDS = 4
HOW = "a suit of C D H S, a dot and a rank of 1 to 13, such as C.7 or H.11; or a card such as 7c or Jh"


class CoupRead(Struct, frozen=True, kw_only=True):
    """A line that is a coup: its cards in the order they fell."""

    line: int
    coup: Coup

    @property
    def cards(self) -> tuple[Card, ...]:
        """The cards in the order dealt."""
        return in_order(self.coup.player, self.coup.banker)


class BadLine(Struct, frozen=True, kw_only=True):
    """A line that no dealer can have dealt: its first field that is wrong, from 1, and what would be right there."""

    line: int
    field: int
    found: str
    what: str
    right: str

    def __str__(self) -> str:
        """Say it in a line."""
        name = f" ({FIELDS[self.field - 1]})" if self.field <= len(FIELDS) else ""
        return f"line {self.line}, field {self.field}{name}: {self.what}; right: {self.right}"


def read(texts: Iterable[str], *, decks: int | None = None) -> Iterator[CoupRead | BadLine]:
    """Read lines, each checked by the tableau; empty ones, and those that begin with #, say nothing.

    `decks`: all of them are of one shoe, in which a card occurs no more often than that.
    """
    seen: Counter[Card] = Counter()
    for number, text in enumerate(texts, 1):
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        read_line = read_coup(number, text)
        if decks is not None and isinstance(read_line, CoupRead):
            read_line = _counted(read_line, seen, decks)
        yield read_line


def read_coup(number: int, text: str) -> CoupRead | BadLine:
    """Read one line."""
    fields = [field.strip() for field in text.strip().split(",")]
    cards: list[Card | None] = []
    for place, field in enumerate(fields[: len(FIELDS)], 1):
        card = card_of(field)
        if card is None and (field or place <= FIRST_CARDS):
            what = f"{field[:20]!r} is no card" if field else "a card is missing"
            return BadLine(line=number, field=place, found=field[:20], what=what, right=HOW)
        cards.append(card)
    if len(fields) != len(FIELDS):
        place = min(len(fields), len(FIELDS)) + 1
        found = fields[len(FIELDS)][:20] if len(fields) > len(FIELDS) else ""
        what = f"{len(fields)} fields"
        return BadLine(line=number, field=place, found=found, what=what, right="six, an empty one for no card")
    return _coup(number, cards)


def card_of(field: str) -> Card | None:
    """Read a card in either way of writing; None when it is none."""
    if field in CODES:
        return field
    suit, dot, rank = field.partition(".")
    if not (dot and suit in ("C", "D", "H", "S") and rank.isascii() and rank.isdecimal() and rank[0] != "0"):
        return None
    return f"{RANKS[int(rank) - 1]}{suit.lower()}" if len(rank) <= 2 and int(rank) <= len(RANKS) else None  # noqa: PLR2004


def _coup(number: int, cards: list[Card | None]) -> CoupRead | BadLine:
    """Hold the third cards against the tableau."""
    player, banker = [card for card in cards[:4:2] if card], [card for card in cards[1:4:2] if card]
    for place, name, hand in ((5, "player", player), (6, "banker", banker)):
        card = cards[place - 1]
        is_due = next_hand(player, banker) == name
        if is_due and card is None:
            return BadLine(
                line=number,
                field=place,
                found="",
                what="a card is missing",
                right=f"a card: {why(player, banker, name)}",
            )
        if card is not None and not is_due:
            what = f"{card} is one too many"
            return BadLine(
                line=number, field=place, found=card, what=what, right=f"nothing: {why(player, banker, name)}"
            )
        if card is not None:
            hand.append(card)
    return CoupRead(line=number, coup=Coup(player=tuple(player), banker=tuple(banker)))


def why(player: list[Card], banker: list[Card], hand: str) -> str:
    """Say which rule gives a hand a third card, or none."""
    player_two, banker_two = total(player[:2]), total(banker[:2])
    if player_two in NATURALS or banker_two in NATURALS:
        return "; ".join(natural_rulings(player_two, banker_two))
    if hand == "player":
        return player_ruling(player_two)
    return banker_ruling(banker_two, total(player[2:]) if len(player) == LARGEST_HAND else None)


def _counted(read_line: CoupRead, seen: Counter[Card], decks: int) -> CoupRead | BadLine:
    """See that no card comes out more often than the decks hold it."""
    thirds = (None, *read_line.coup.banker[2:]) if len(read_line.coup.player) < LARGEST_HAND else read_line.cards[4:]
    fields = (*read_line.cards[:FIRST_CARDS], *thirds)
    for place, card in enumerate(fields, 1):
        if card is None:
            continue
        seen[card] += 1
        if seen[card] > decks:
            what = f"{card} comes out {seen[card]} times of {decks} decks"
            return BadLine(line=read_line.line, field=place, found=card, what=what, right="a card that is left")
    return read_line
