"""Contradictions: rungs never reached, bets that nobody can place, an order that is a matter of taste, too few cards.

Every coup that a shoe can bring is a bit, every fact a pattern of bits, so that what two rungs share is one `&`.
A sentence begins with its place in the rule set, and says what would be right.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations, product
from typing import Final

from msgspec import UNSET
from msgspec.structs import asdict

from schemas.rules import Bet, Limits, Rules, Rung
from services.table.game.deals import deals
from services.table.game.paytable import is_of_one_tableau
from services.table.game.ratios import words
from services.table.game.scrutiny import BANK, FEWEST_BEHIND_THE_CUT, at_two_tableaux
from services.table.game.tableau import Facts, Sides, Winner

MOST_NAMED: Final = 4


class Coups:
    """Every coup that a fresh shoe can bring: a bit each."""

    def __init__(self, coups: Sequence[Facts | Sides], decks: int) -> None:
        self._coups = coups
        self.decks = decks
        self.all = (1 << len(self._coups)) - 1
        self._with: dict[tuple[str, str | int], int] = {}
        for number, facts in enumerate(self._coups):
            for fact in asdict(facts).items():
                self._with[fact] = self._with.get(fact, 0) | 1 << number

    def with_fact(self, fact: str, asked: str | int | list[int | str]) -> int:
        """Give the coups that have a fact, with any of the values asked for."""
        found = 0
        for value in asked if isinstance(asked, list) else [asked]:
            found |= self._with.get((fact, value), 0)
        return found

    def of_rung(self, rung: Rung) -> int:
        """Give the coups that a rung asks for."""
        found = self.all
        for fact, asked in rung.items():
            if fact != "pays":
                found &= self.with_fact(fact, asked)
        return found

    def one_of(self, coups: int, facts: Iterable[str]) -> str:
        """Tell these facts of one of these coups."""
        coup = self._coups[(coups & -coups).bit_length() - 1]
        return ", ".join(f"{fact} {getattr(coup, fact)}" for fact in facts)


@lru_cache(maxsize=12)
def coups_of(decks: int) -> Coups:
    """Give every coup of so many decks."""
    return Coups(tuple(deals(decks)), decks)


@lru_cache(maxsize=12)
def sides_of(decks: int) -> Coups:
    """Give every coup at two tableaux, by who wins at each: even one deck brings them all."""
    winners: tuple[Winner, ...] = ("player", "banker", "tie")
    return Coups([Sides(right_winner=right, left_winner=left) for right, left in product(winners, repeat=2)], decks)


def coups_for(bet: Bet, rules: Rules) -> Coups:
    """Give the coups that a bet may be asked about."""
    return (coups_of if is_of_one_tableau(bet) else sides_of)(rules.procedure.decks)


def contradictions(rules: Rules) -> list[str]:
    """List what no table is opened with, sound as it is: rungs that no coup reaches, bets that nobody can place."""
    return [
        *of_the_names(rules),
        *of_the_circles(rules),
        *(
            complaint
            for name, bet in rules.bets.items()
            for complaint in of_the_ladder(f"bets.{name}.ladder", bet.ladder, coups_for(bet, rules))
        ),
    ]


def warnings(rules: Rules, limits: Limits | None = None) -> list[str]:
    """List what can be played, and is hardly meant."""
    return [
        *of_the_cut(rules),
        *(
            warning
            for name, bet in rules.bets.items()
            for warning in of_the_order(
                f"bets.{name}.ladder", bet.ladder, coups_for(bet, rules), is_alike_told=is_of_one_tableau(bet)
            )
        ),
        *((*of_the_bounds(limits), *of_the_offer(rules, limits)) if limits is not None else ()),
    ]


def of_the_names(rules: Rules) -> Iterator[str]:
    """Complain about a bet against the house that is called as a player's bank: the books would take it for one."""
    if rules.game == "house" and BANK in rules.bets:
        yield f"bets.{BANK}: the bank is a player's, and here the house banks; another name"


def placeable(rules: Rules, offered: Iterable[str]) -> set[str]:
    """Give those of the bets offered that somebody can place, one after another, each with what it needs."""
    found: set[str] = set()
    waiting = {name: rules.bets[name].needs for name in offered if name in rules.bets}
    while able := {name for name, needs in waiting.items() if needs is UNSET or found.intersection(needs)} - found:
        found |= able
    return found


def of_the_circles(rules: Rules) -> Iterator[str]:
    """Complain about bets of which each is to be placed after another, so that none is ever the first."""
    able = placeable(rules, rules.bets)
    for name, bet in rules.bets.items():
        if name not in able:
            asked = words(() if bet.needs is UNSET else bet.needs)
            right = f"name one that stands by itself: {words(sorted(able))}" if able else "leave it out"
            yield f"bets.{name}.needs: nobody could place it, for {asked} cannot stand before it; {right}"


def of_the_ladder(where: str, ladder: Sequence[Rung], coups: Coups) -> Iterator[str]:
    """Complain about rungs whose facts never come together, or always come to an earlier rung."""
    before: list[int] = []
    for number, rung in enumerate(ladder):
        wanted = coups.of_rung(rung)
        if not wanted:
            yield f"{where}[{number}]: {never(rung, coups)}; leave it out, or ask for less"
        elif covering := covered_by(wanted, before):
            rungs = [f"{where}[{place}]" for place in covering]
            paid = f"{rungs[0]} pays" if len(rungs) == 1 else f"{together(rungs)} pay"
            yield f"{where}[{number}]: never reached, for {paid} all that it asks for; move it up, or leave it out"
        before.append(wanted)


def never(rung: Rung, coups: Coups) -> str:
    """Say why no coup has what a rung asks for: a fact, or two of them together."""
    asked = {fact: coups.with_fact(fact, values) for fact, values in rung.items() if fact != "pays"}
    decks = f"of {coups.decks} deck{'s' if coups.decks > 1 else ''}"
    for fact, having in asked.items():
        if not having:
            return f"no coup {decks} has {fact} {said(rung[fact])}"
    for (one, having), (other, having_other) in combinations(asked.items(), 2):
        if not having & having_other:
            return f"no coup {decks} has both {one} {said(rung[one])} and {other} {said(rung[other])}"
    return f"no coup {decks} has {', '.join(f'{fact} {said(rung[fact])}' for fact in asked)} together"


def covered_by(wanted: int, before: Sequence[int]) -> list[int]:
    """Give the earlier rung that takes all that is wanted, or those that do together; none when some is left."""
    taking = []
    rest = wanted
    for place, taken in enumerate(before):
        if not wanted & ~taken:
            return [place]
        if rest & taken:
            taking.append(place)
            rest &= ~taken
    return [] if rest else taking


def together(rungs: Sequence[str]) -> str:
    """Name some rungs."""
    return f"{len(rungs)} rungs before it" if len(rungs) > MOST_NAMED else " and ".join(rungs)


def of_the_order(where: str, ladder: Sequence[Rung], coups: Coups, *, is_alike_told: bool) -> Iterator[str]:
    """Warn of two rungs that share coups, neither of them a special case of the other: their order decides.

    It does not where both pay alike; `is_alike_told`: whether that is told too.
    """
    wanted = [coups.of_rung(rung) for rung in ladder]
    for second, mine in enumerate(wanted):
        taken = 0
        for first, earlier in enumerate(wanted[:second]):
            shared = mine & earlier & ~taken
            is_alike = ladder[first]["pays"] == ladder[second]["pays"]
            if shared and mine & ~earlier and earlier & ~mine and (is_alike_told or not is_alike):
                asked = dict.fromkeys([*ladder[first], *ladder[second]])
                example = coups.one_of(shared, [fact for fact in asked if fact != "pays"])
                decides = "though both pay alike" if is_alike else "so their order decides"
                yield (
                    f"{where}[{second}]: shares coups with {where}[{first}], and neither contains the other, "
                    f"{decides}: {example} is paid {ladder[first]['pays']}; ask for facts that keep them apart"
                )
                break
            taken |= earlier


def of_the_cut(rules: Rules) -> Iterator[str]:
    """Warn of a cut card behind which the last coup may find too few cards.

    After `one-more`: the cut card as a coup's second card, the rest of the longest coup, and the longest once more.
    """
    procedure, longest = rules.procedure, FEWEST_BEHIND_THE_CUT[at_two_tableaux(rules)]
    surest = longest - 1 + longest
    if procedure.after_cut == "one-more" and procedure.cut < surest:
        yield (
            f"procedure.cut: {procedure.cut} cards may be too few: the coup in which the cut card comes out takes up "
            f"to {longest - 1} of them, and one more coup up to {longest}, or it is void; {surest} or more, or finish"
        )


def of_the_bounds(limits: Limits) -> Iterator[str]:
    """Warn of a smallest stake that another bound never lets anybody place."""
    for name in ("patron", "table"):
        bound = getattr(limits, name)
        for bet, span in limits.bets.items():
            if bound is not UNSET and span.min > bound:
                yield f"limits.bets.{bet}.min: {span.min} is above limits.{name}, {bound}; nobody could place it"
    both = [limits.bets.get(bet) for bet in ("player", "banker")]
    if limits.differential is not UNSET and not any(both):
        yield "limits.differential: neither player nor banker is offered; leave it out"
    for bet, span in limits.bets.items():
        if bet in ("player", "banker") and limits.differential is not UNSET and span.min > limits.differential:
            yield (
                f"limits.bets.{bet}.min: {span.min} is above limits.differential, {limits.differential}; "
                "the first stake could not be placed"
            )


def of_the_offer(rules: Rules, limits: Limits) -> Iterator[str]:
    """Warn of a bet that is offered without any that it needs."""
    able = placeable(rules, limits.bets)
    for name in limits.bets:
        if name in rules.bets and name not in able and (needs := rules.bets[name].needs) is not UNSET:
            yield f"limits.bets.{name}: nobody could place it, for it needs {' or '.join(needs)}; offer that too"


def said(asked: object) -> str:
    """Write the values that a fact is asked for."""
    return " or ".join(str(value) for value in asked) if isinstance(asked, list) else str(asked)
