"""Odds: what a bet of a rule set costs its patron, exactly, out of a fresh shoe or the cards that nobody has seen yet.

Everything comes from the rule set: each rung of a ladder is counted, so a new bet needs a ladder and nothing else.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Final

import msgspec
from msgspec import UNSET, Struct

from schemas.rules import Bet, Rules
from services.table.game.bank import LOSS
from services.table.game.deals import (
    ANYHOW,
    CARDS_IN_A_DEAL,
    NO_PAIR,
    Counted,
    Pairs,
    Unseen,
    count,
    facts_at,
    fresh,
)
from services.table.game.endings import Ending
from services.table.game.paytable import NO_RATE, is_of_one_tableau, ladder_of, ratio, ratio_text
from services.table.game.tableau import Facts, Winner

PAIR_FACTS: Final = frozenset({"player_pair", "banker_pair", "pairs"})
WINNERS: Final[tuple[Winner, ...]] = ("player", "banker", "tie")
PLACES: Final = 15
PUSH: Final = Fraction(0)


class BetOdds(Struct, frozen=True, kw_only=True):
    """A bet of one unit: what the house gains by it on average, and how far it strays.

    Its steps are one for each rung and then the loss: what the patron gains, commission off, and how likely that is.
    """

    edge: Fraction
    variance: Fraction
    steps: tuple[tuple[Fraction, Fraction], ...]


class Odds(Struct, frozen=True, kw_only=True):
    """The odds of every bet of a rule set, and of each winner; a coup is void when it runs out of cards."""

    bets: dict[str, BetOdds]
    winners: dict[Winner, Fraction]
    void: Fraction


def fresh_odds(rules: Rules, decks: int | None = None) -> Odds:
    """Give the odds out of a fresh shoe: of as many decks as the rules say, or of another number."""
    unseen = fresh(decks or rules.procedure.decks)
    return odds_of(rules, unseen, left=sum(unseen))


def odds_of(rules: Rules, unseen: Unseen, *, left: int) -> Odds:
    """Give the odds when these cards were not seen yet, of which so many are left in the shoe; others are burned."""
    return _odds(msgspec.json.encode(rules), unseen, min(left, CARDS_IN_A_DEAL))


def edge(rules: Rules, bet: str) -> Fraction:
    """Give the share of its stake that a bet loses on average in a fresh shoe of these rules; it gains if below 0."""
    return fresh_odds(rules).bets[bet].edge


@lru_cache(maxsize=64)
def _odds(rules: bytes, unseen: Unseen, left: int) -> Odds:
    rungs = rungs_of(rules)
    is_short = min(left, sum(unseen)) < CARDS_IN_A_DEAL  # some coups are void, whatever they begin with
    counted = count(
        unseen, left=left, with_both=any(bet.has_pairs and (bet.has_ends or is_short) for bet in rungs.values())
    )
    winners = dict.fromkeys(WINNERS, 0)
    for ending, ways in counted.ends.items():
        winners[facts_at(ending).winner] += ways
    return Odds(
        bets={name: bet_odds(bet, counted) for name, bet in rungs.items()},
        winners={winner: Fraction(ways, counted.total) for winner, ways in winners.items()},
        void=Fraction(counted.void, counted.total),
    )


def forget(*, ladders: bool = True) -> None:
    """Forget what was counted, and, if so wanted, which rung each coup reaches: for whoever measures."""
    _odds.cache_clear()
    if ladders:
        rungs_of.cache_clear()


def bet_odds(bet: "Rungs", counted: Counted) -> BetOdds:
    """Give the odds of one bet."""
    steps = tuple(
        (gain, Fraction(ways, counted.total)) for gain, ways in zip(bet.gains, bet.ways(counted), strict=True)
    )
    return odds_of_steps(steps)


def odds_of_steps(steps: tuple[tuple[Fraction, Fraction], ...]) -> BetOdds:
    """Give the odds of a bet from what each of its steps gains, and how likely it is."""
    mean = sum((gain * chance for gain, chance in steps), PUSH)
    square = sum((gain * gain * chance for gain, chance in steps), PUSH)
    return BetOdds(edge=-mean, variance=square - mean * mean, steps=steps)


class Rungs:
    """The rungs of one bet, each with what it gains; the last is the loss. Which is reached is looked up once."""

    def __init__(self, bet: Bet) -> None:
        kept = 1 - (NO_RATE if bet.commission is UNSET else ratio(bet.commission))
        self._ladder = ladder_of(bet)
        self.gains = (*(odds * kept for _, odds in self._ladder), LOSS)
        named = {fact for rung in bet.ladder for fact in rung} - {"pays"}
        self.has_pairs = bool(named & PAIR_FACTS)
        self.has_ends = bool(named - PAIR_FACTS)
        self._reached: dict[Pairs, dict[Ending, int]] = {}

    def ways(self, counted: Counted) -> list[int]:
        """Count the deals that reach each rung."""
        if not self.has_pairs:
            return self._ways({NO_PAIR: counted.ends})
        return self._ways(counted.both or {pairs: {ANYHOW: ways} for pairs, ways in counted.pairs.items()})

    def _ways(self, counted: Mapping[Pairs, Mapping[Ending, int]]) -> list[int]:
        found = [0] * len(self.gains)
        for pairs, ends in counted.items():
            reached = self._reached.setdefault(pairs, {})
            for ending, ways in ends.items():
                if ending not in reached:
                    reached[ending] = self.rung(facts_at(ending, pairs))
                found[reached[ending]] += ways
        return found

    def rung(self, facts: Facts) -> int:
        """Give the first rung all of whose tests hold."""
        for number, (tests, _) in enumerate(self._ladder):
            if all(getattr(facts, fact) in values for fact, values in tests):
                return number
        return len(self._ladder)


@lru_cache(maxsize=64)
def rungs_of(rules: bytes) -> dict[str, Rungs]:
    """Give the rungs of every bet at one tableau of a rule set, as it is logged."""
    bets = msgspec.json.decode(rules, type=Rules).bets
    return {name: Rungs(bet) for name, bet in bets.items() if is_of_one_tableau(bet)}


class Step(Struct, frozen=True, kw_only=True):
    """A way for a bet to end: what it gains a unit staked, commission off, and how likely that is, both `a/b`."""

    odds: str
    probability: str


class BetTold(Struct, frozen=True, kw_only=True):
    """A bet's house edge and standard deviation a unit staked, to 15 places, and the edge exactly, `a/b`."""

    edge: str
    edge_fraction: str
    sd: str
    steps: tuple[Step, ...]


def bet_told(bet: BetOdds) -> BetTold:
    """Write a bet's odds."""
    return BetTold(
        edge=decimal(bet.edge),
        edge_fraction=ratio_text(bet.edge),
        sd=decimal_root(bet.variance),
        steps=tuple(Step(odds=ratio_text(gain), probability=ratio_text(chance)) for gain, chance in bet.steps),
    )


def decimal(value: Fraction, places: int = PLACES) -> str:
    """Write a number to so many places, a half rounded to the even one."""
    return shifted(round(value * 10**places), places)


def decimal_root(value: Fraction, places: int = PLACES) -> str:
    """Write the square root of a number to so many places, out of whole numbers alone."""
    over, under = value.numerator * 100**places, value.denominator
    root = isqrt(over // under)
    # Beyond root + 1/2, squared and times 4; exactly there, the even one.
    beyond = 4 * over - (2 * root + 1) ** 2 * under
    return shifted(root + (beyond > 0 or (beyond == 0 and root % 2 == 1)), places)


def shifted(number: int, places: int) -> str:
    """Put the decimal point before the last places."""
    digits = str(abs(number)).zfill(places + 1)
    return f"{'-' if number < 0 else ''}{digits[:-places]}.{digits[-places:]}"
