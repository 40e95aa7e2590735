"""The pay table: what each bet of a rule set is paid once the facts of a coup are known."""

from fractions import Fraction
from functools import lru_cache

import msgspec
from msgspec import UNSET

from schemas.rules import Bet, Rules
from services.table.game.tableau import Facts, Sides

Tests = tuple[tuple[str, frozenset[int | str]], ...]
Ladder = tuple[tuple[Tests, Fraction], ...]

NO_RATE = Fraction(0)


def ratio(text: str) -> Fraction:
    """Read a ratio `a/b`; ValueError when it is none."""
    over, slash, under = text.partition("/")
    if not slash or not (over.isdecimal() and under.isdecimal()) or not int(under):
        raise ValueError(f"{text!r} is not a ratio a/b with b above 0")
    return Fraction(int(over), int(under))


def ratio_text(value: Fraction) -> str:
    """Write a ratio as the log does: `19/20`, `0/1`, `-1/1`."""
    return f"{value.numerator}/{value.denominator}"


class PayTable:
    """The ladders of a rule set, made ready to be asked; `rates` of commission, `marks` when it is collected later.

    Each answer is kept: facts come from a few thousand cells, however many bets are settled.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.rates = {
            name: NO_RATE if bet.commission is UNSET else ratio(bet.commission) for name, bet in rules.bets.items()
        }
        self.marks = rules.commission is not UNSET and rules.commission.collect == "marked"
        self._ladders = {name: ladder_of(bet) for name, bet in rules.bets.items()}
        self._paid: dict[Facts | Sides, dict[str, Fraction | None]] = {}

    def pays(self, bet: str, facts: Facts | Sides) -> Fraction | None:
        """Give the odds a bet is paid, 0 for a push, None when the stake is lost; KeyError for an unknown bet."""
        return self.paid(facts)[bet]

    def paid(self, facts: Facts | Sides) -> dict[str, Fraction | None]:
        """Give the odds paid to every bet, in the order of the rules."""
        answer = self._paid.get(facts)
        if answer is None:
            answer = {name: first_match(ladder, facts) for name, ladder in self._ladders.items()}
            self._paid[facts] = answer
        return answer


def paytable(rules: Rules) -> PayTable:
    """Give the pay table of a sound rule set; the same rules share one."""
    return _printed(msgspec.json.encode(rules))


@lru_cache(maxsize=64)
def _printed(rules: bytes) -> PayTable:
    return PayTable(msgspec.json.decode(rules, type=Rules))


def ladder_of(bet: Bet) -> Ladder:
    """Make a bet's ladder ready: what each rung tests, and the odds it pays."""
    return tuple((tests_of(rung), ratio(str(rung["pays"]))) for rung in bet.ladder)


def is_of_one_tableau(bet: Bet) -> bool:
    """Whether a bet asks for nothing but what is told of a coup at one tableau."""
    return all(fact in Facts.__struct_fields__ for rung in bet.ladder for fact in rung if fact != "pays")


def tests_of(rung: dict[str, int | str | list[int | str]]) -> Tests:
    """Give each fact that a rung names, with the values that will do."""
    return tuple(
        (fact, frozenset(asked if isinstance(asked, list) else (asked,)))
        for fact, asked in rung.items()
        if fact != "pays"
    )


def first_match(ladder: Ladder, facts: Facts | Sides) -> Fraction | None:
    """Give the odds of the first rung all of whose tests hold."""
    for tests, odds in ladder:
        if all(getattr(facts, fact) in values for fact, values in tests):
            return odds
    return None
