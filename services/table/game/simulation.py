"""A simulation: whole shoes dealt on paper by the shuffle, tableau and procedure of play, and their coups counted.

A shoe's cards are those of a committed shoe with the same seed; the seals, which nobody looks at here, are left out.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from hashlib import sha256
from itertools import repeat
from math import sqrt
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field

from schemas.ingredient import prefixed
from schemas.rules import Procedure, Rules
from services.table.game.bank import LOSS
from services.table.game.cards import CARDS, POINTS, RANKS
from services.table.game.deals import deals
from services.table.game.paytable import PayTable, paytable
from services.table.game.shoe import generator, mix, request_bytes, shuffled, words
from services.table.game.shoes import burn_count
from services.table.game.tableau import NATURALS, Facts, banker_draws, facts_told, player_draws

NAME: Final = "simulation"  # the table in the ids of these shoes
LARGEST_COUP: Final = 6
WINNERS: Final = ("player", "banker", "tie")

# The tableau, read once: this is the innermost loop of a million coups.
PLAYER: Final = tuple(player_draws(total) for total in range(NATURALS[0]))
BANKER_ALONE: Final = tuple(banker_draws(total, None) for total in range(NATURALS[0]))
BANKER: Final = tuple(tuple(banker_draws(total, third) for third in range(10)) for total in range(NATURALS[0]))
POINTS_OF: Final = tuple(POINTS[card] for card in CARDS)
PAIRS: Final = ("none", "mixed", "suited")

Ending = tuple[int, int, int, int, int, int, bool]
"""Totals and numbers of cards of Player and Banker; which of `PAIRS` each has; whether their first ranks are alike."""


Value = Callable[[Facts], Fraction]


class Tally(Struct, kw_only=True):
    """What so many shoes came to: how often each ending, and how many coups a shoe had."""

    shoes: int = 0
    void: int = 0
    coups_squared: int = 0
    endings: dict[Ending, int] = field(default_factory=dict)

    @property
    def coups(self) -> int:
        """How many coups were not void."""
        return sum(self.endings.values())

    @property
    def cards_per_coup(self) -> Fraction:
        """How many cards a coup took on average."""
        cards = sum((ending[2] + ending[3]) * count for ending, count in self.endings.items())
        return Fraction(cards, self.coups)

    def add(self, other: "Tally") -> None:
        """Count another's shoes too."""
        self.shoes += other.shoes
        self.void += other.void
        self.coups_squared += other.coups_squared
        for ending, count in other.endings.items():
            self.endings[ending] = self.endings.get(ending, 0) + count

    def by_facts(self) -> Mapping[Facts, int]:
        """Count the coups by what a rung may ask of them."""
        return MappingProxyType({facts_at(ending): count for ending, count in self.endings.items()})


class Finding(Struct, frozen=True, kw_only=True):
    """What was counted beside what is exact, and how many standard errors lie between them; `sd` is of one coup."""

    counted: Fraction
    exact: Fraction
    sd: float
    z: float


def play(rules: Rules, seed: str, numbers: Iterable[int]) -> Tally:
    """Play the shoes of these numbers. The same seed and number give the same shoe, whoever plays it."""
    tally = Tally()
    for number in numbers:
        codes = order(seed, number, rules.procedure.decks)
        play_shoe(codes, rules.procedure, tally)
    return tally


def seed_of(seed: str, number: int) -> bytes:
    """Give the seed of one shoe of a simulation."""
    return sha256(b"simulated-shoe/v1\n" + prefixed(seed.encode()) + number.to_bytes(8, "big")).digest()


def order(seed: str, number: int, decks: int) -> list[int]:
    """Give the codes of a shoe's cards, in the order in which they leave it."""
    drbg = generator(seed=seed_of(seed, number), shoe_id=f"{NAME}/{number}", decks=decks, mix=mix(()))
    return shuffled(len(CARDS) * decks, words(drbg, request_bytes(decks)))


def play_shoe(codes: list[int], procedure: Procedure, tally: Tally) -> None:
    """Burn, then deal coup after coup until the cut card, or the last card, ends the shoe."""
    endings, coups, left = tally.endings, 0, -1
    for position, end, ending in _coups(codes, burn_count(procedure, CARDS[codes[0]])):
        if end > len(codes):
            tally.void += 1
            break
        coups += 1
        endings[ending] = endings.get(ending, 0) + 1
        left -= 1
        cut_at = len(codes) - procedure.cut
        if position <= cut_at < end:
            left = 1 if procedure.after_cut == "one-more" and position < cut_at else 0
        if not left:
            break
    tally.shoes += 1
    tally.coups_squared += coups * coups


def _coups(codes: list[int], position: int) -> Iterator[tuple[int, int, Ending]]:
    """Deal without an end. A coup whose end lies behind the last card lacks cards, whatever is told of it."""
    points = [POINTS_OF[code] for code in codes]
    points.extend(repeat(0, LARGEST_COUP))
    suited = [*codes, *repeat(0, LARGEST_COUP)]
    ranks = len(RANKS)
    while True:
        player = (points[position] + points[position + 2]) % 10
        banker = (points[position + 1] + points[position + 3]) % 10
        player_cards = banker_cards = 2
        end = position + 4
        if player < NATURALS[0] and banker < NATURALS[0]:
            if PLAYER[player]:
                third = points[end]
                player, player_cards, end = (player + third) % 10, 3, end + 1
                draws = BANKER[banker][third]
            else:
                draws = BANKER_ALONE[banker]
            if draws:
                banker, banker_cards, end = (banker + points[end]) % 10, 3, end + 1
        one, two, three, four = suited[position : position + 4]
        player_pair = (1 + (one == three)) if one % ranks == three % ranks else 0
        banker_pair = (1 + (two == four)) if two % ranks == four % ranks else 0
        alike = player_pair > 0 and banker_pair > 0 and one % ranks == two % ranks
        yield position, end, (player, banker, player_cards, banker_cards, player_pair, banker_pair, alike)
        position = end


def facts_at(ending: Ending) -> Facts:
    """Give the facts of an ending."""
    player, banker, player_cards, banker_cards, player_pair, banker_pair, alike = ending
    return facts_told(
        player=player,
        banker=banker,
        player_cards=player_cards,
        banker_cards=banker_cards,
        player_pair=PAIRS[player_pair],
        banker_pair=PAIRS[banker_pair],
        alike=alike,
    )


def compare(rules: Rules, tally: Tally) -> dict[str, Finding]:
    """Hold what every bet lost a unit staked, on every coup, against its exact edge."""
    table = paytable(rules)
    return {bet: _finding(rules, tally, partial(_lost, table, bet)) for bet in rules.bets}


def compare_winners(rules: Rules, tally: Tally) -> dict[str, Finding]:
    """Hold how often each hand won, and neither, against the exact probabilities."""
    return {winner: _finding(rules, tally, partial(_won, winner)) for winner in WINNERS}


def _lost(table: PayTable, bet: str, facts: Facts) -> Fraction:
    """Give what a bet loses of a unit, commission off what it wins."""
    odds = table.pays(bet, facts)
    return -LOSS if odds is None else -odds * (1 - table.rates[bet])


def _won(winner: str, facts: Facts) -> Fraction:
    return Fraction(facts.winner == winner)


def _finding(rules: Rules, tally: Tally, value: Value) -> Finding:
    """Compare the mean of a value over the coups that were counted with that over all deals of a fresh shoe."""
    counted, exact = _shares(value, tally.by_facts()), _shares(value, deals(rules.procedure.decks))
    found, mean = _mean(counted), _mean(exact)
    variance = _mean({(each - mean) ** 2: count for each, count in exact.items()})
    sd = sqrt(variance)
    return Finding(counted=found, exact=mean, sd=sd, z=float(found - mean) * sqrt(tally.coups) / sd if sd else 0.0)


def _shares(value: Value, weights: Mapping[Facts, int]) -> Counter[Fraction]:
    """Count how often each value comes."""
    shares: Counter[Fraction] = Counter()
    for facts, weight in weights.items():
        shares[value(facts)] += weight
    return shares


def _mean(shares: Mapping[Fraction, int]) -> Fraction:
    return sum((each * count for each, count in shares.items()), Fraction()) / sum(shares.values())
