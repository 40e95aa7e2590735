"""Free choice: what chemin de fer is worth when both hands choose as well as can be, and how they do. Exact.

Cards are drawn with replacement, as Kemeny and Snell took them ("Game-theoretic solution of baccarat", American
Mathematical Monthly 64, 1957). Player's one choice is how often to draw on 5. Against each such rate Banker's best
answer is found cell by cell; what that is worth is a broken line, and the rate that makes it lowest is at one of its
corners.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Final

from msgspec import Struct

from schemas.rules import Rules
from services.table.game.chemin_hands import PLAYERS_CHOICE, banker_may, player_may

VALUES: Final = tuple(range(10))
# Of thirteen ranks four are worth nothing: ten, jack, queen, king.
WEIGHTS: Final = tuple(Fraction(4 if value == 0 else 1, 13) for value in VALUES)
NO_NATURAL: Final = tuple(range(8))
NEVER, ALWAYS = Fraction(0), Fraction(1)

Line = tuple[Fraction, Fraction]
"""What a deed is worth to Banker, as the rate rises at which Player draws on 5: the worth at 0, and the slope."""


class Cell(Struct, frozen=True, kw_only=True):
    """Banker's total of two cards against Player's third, None when Player stood; what each deed is worth."""

    banker: int
    third: int | None
    draws: Line | None
    stands: Line | None

    @property
    def deeds(self) -> list[Line]:
        """What Banker may do here."""
        return [line for line in (self.draws, self.stands) if line is not None]

    def best(self, rate: Fraction) -> Fraction:
        """Give what the best deed is worth."""
        return max(at(line, rate) for line in self.deeds)


class Solution(Struct, frozen=True, kw_only=True):
    """The game solved: its value to the bank a unit staked, and how often each draws where the choice is free.

    `banker` names the cells where Banker may choose, as a rule set does; a rate between 0 and 1 is a true mixture.
    """

    value: Fraction
    player: Fraction
    banker: dict[str, Fraction]


def solve(rules: Rules) -> Solution:
    """Solve the game whose free choices are those of the rules; where none is, the value is the tableau's."""
    cells = list(cells_of(rules))
    rate = min(rates(rules, cells), key=lambda rate: worth(cells, rate))
    return Solution(value=worth(cells, rate), player=rate, banker=dict(answers(cells, rate)))


def worth(cells: list[Cell], rate: Fraction) -> Fraction:
    """Give what the game is worth to Banker, who answers this rate of Player's as well as can be."""
    return sum((cell.best(rate) for cell in cells), Fraction(0))


def rates(rules: Rules, cells: list[Cell]) -> list[Fraction]:
    """Give the rates at which the least worth may lie: both ends, and wherever Banker's best answer changes."""
    match player_may(rules, PLAYERS_CHOICE):
        case "draw":
            return [ALWAYS]
        case "stand":
            return [NEVER]
        case _:
            return [NEVER, *filter(None, map(even, cells)), ALWAYS]


def even(cell: Cell) -> Fraction | None:
    """Give the rate at which drawing and standing are worth the same, if there is one between never and always."""
    if cell.draws is None or cell.stands is None or cell.draws[1] == cell.stands[1]:
        return None
    rate = (cell.stands[0] - cell.draws[0]) / (cell.draws[1] - cell.stands[1])
    return rate if NEVER < rate < ALWAYS else None


def answers(cells: list[Cell], rate: Fraction) -> Iterator[tuple[str, Fraction]]:
    """Give how often Banker draws in each free cell; where both deeds are as good, so often that Player gains nothing.

    At a corner of the broken line the slope changes its sign: the mixture in that cell makes it nothing.
    """
    undecided = [cell for cell in cells if len(cell.deeds) > 1 and is_even(cell, rate)]
    slope = sum((_best_line(cell, rate)[1] for cell in cells if cell not in undecided), Fraction(0))
    for cell in cells:
        if len(cell.deeds) > 1:
            yield name_of(cell), mixture(cell, slope) if cell in undecided else Fraction(_draws_best(cell, rate))


def is_even(cell: Cell, rate: Fraction) -> bool:
    """Whether drawing and standing are worth the same at this rate."""
    return len({at(line, rate) for line in cell.deeds}) == 1


def mixture(cell: Cell, slope: Fraction) -> Fraction:
    """Give how often to draw, so that the slope of all cells together is nothing."""
    assert cell.draws, "both deeds are free here"
    assert cell.stands, "both deeds are free here"
    rate = (-slope - cell.stands[1]) / (cell.draws[1] - cell.stands[1])
    return min(max(rate, NEVER), ALWAYS)


def cells_of(rules: Rules) -> Iterator[Cell]:
    """Give every cell that Banker may find himself in, with what he may do there."""
    for banker, third in product(NO_NATURAL, (None, *VALUES)):
        may = banker_may(rules, banker, third)
        yield Cell(
            banker=banker,
            third=third,
            draws=None if may == "stand" else worth_of(rules, banker, third, draws=True),
            stands=None if may == "draw" else worth_of(rules, banker, third, draws=False),
        )


def worth_of(rules: Rules, banker: int, third: int | None, *, draws: bool) -> Line:
    """Give what a deed of Banker's is worth in a cell, weighed by how often that cell comes."""
    start = slope = Fraction(0)
    for player in NO_NATURAL:
        weight = two_cards(player) * two_cards(banker) * (ALWAYS if third is None else WEIGHTS[third])
        worth = weight * gain(player if third is None else (player + third) % 10, banker, draws=draws)
        may = player_may(rules, player)
        if may == "choice":
            start, slope = (start + worth, slope - worth) if third is None else (start, slope + worth)
        elif (may == "stand") == (third is None):
            start += worth
    return start, slope


@cache
def gain(player: int, banker: int, *, draws: bool) -> Fraction:
    """Give what Banker gains against Player's final total, a card drawn or none."""
    if not draws:
        return Fraction((banker > player) - (banker < player))
    return sum((WEIGHTS[card] * gain(player, (banker + card) % 10, draws=False) for card in VALUES), Fraction(0))


@cache
def two_cards(total: int) -> Fraction:
    """Give how often two cards come to a total."""
    return sum((WEIGHTS[first] * WEIGHTS[(total - first) % 10] for first in VALUES), Fraction(0))


def at(line: Line, rate: Fraction) -> Fraction:
    """Give a line's height."""
    return line[0] + line[1] * rate


def name_of(cell: Cell) -> str:
    """Name a cell as a rule set does: `3-9`, `6-stand`."""
    return f"{cell.banker}-{'stand' if cell.third is None else cell.third}"


def _best_line(cell: Cell, rate: Fraction) -> Line:
    return max(cell.deeds, key=lambda line: at(line, rate))


def _draws_best(cell: Cell, rate: Fraction) -> bool:
    assert cell.draws, "both deeds are free here"
    assert cell.stands, "both deeds are free here"
    return at(cell.draws, rate) > at(cell.stands, rate)
