"""Scrutiny: does a rule set make sense, and do its limits? A complaint says where, what, and what would be right."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from msgspec import UNSET

from schemas.rules import Bet, BetLimits, Commission, Limits, Rules, Rung, encode
from services.table.game.bank import round_to
from services.table.game.bank_scrutiny import of_the_bank_limits, of_the_game
from services.table.game.paytable import ratio
from services.table.game.playable import of_what_is_never_staked
from services.table.game.ratios import LARGEST_AMOUNT, of_the_ratio, words
from services.table.game.state import CARDS_PER_DECK, MAX_STACK

# The longest coup, and the one that may follow the cut card, are six cards each.
FEWEST_BEFORE_THE_CUT: Final = 12
# By whether a coup has two tableaux: the longest has six cards, or nine.
FEWEST_BEHIND_THE_CUT: Final = {False: 6, True: 9}
DEAREST_ROUNDED_UP: Final = Fraction(1, 2)
# Of the 65,535 bytes of an entry, 200 patrons' chips and debts take 25,400 at most, and the rest of it 3,000.
LARGEST_RULES_BYTES: Final = 36_000

WINNERS = ("player", "banker", "tie")
TOTALS = tuple(range(10))
PAIR = ("none", "mixed", "suited")

FACTS: Final[dict[str, tuple[str | int, ...]]] = {
    "winner": WINNERS,
    "player": TOTALS,
    "banker": TOTALS,
    "player_cards": (2, 3),
    "banker_cards": (2, 3),
    "cards": (4, 5, 6),
    "margin": TOTALS,
    "natural": ("none", "player", "banker", "both"),
    "player_pair": PAIR,
    "banker_pair": PAIR,
    "pairs": ("none", "one", "two", "alike"),
    "right_winner": WINNERS,
    "left_winner": WINNERS,
}
"""Every fact that a rung may name, with its values."""

BANK: Final = "bank"
AT_TWO_TABLEAUX: Final = ("right_winner", "left_winner")


class RulesError(ValueError):
    """A rule set or its limits do not make sense; `complaints` says all that is wrong."""

    def __init__(self, *complaints: str) -> None:
        super().__init__("; ".join(complaints))
        self.complaints = complaints


def insist(rules: Rules, limits: Limits | None = None) -> None:
    """Raise RulesError with every complaint about a rule set and its limits, if there is any."""
    complaints = check(rules)
    if not complaints and limits is not None:
        complaints = check_limits(rules, limits)
    if complaints:
        raise RulesError(*complaints)


def check(rules: Rules) -> list[str]:
    """List what is wrong with a rule set; nothing when it can be played and settled."""
    return [*of_the_game(rules), *of_the_procedure(rules), *of_the_commission(rules), *of_the_bets(rules)]


def check_limits(rules: Rules, limits: Limits) -> list[str]:
    """List what is wrong with limits under a sound rule set."""
    complaints = list(of_the_bank_limits(rules, limits))
    for name, span in limits.bets.items():
        where = f"limits.bets.{name}"
        if name == BANK and rules.game != "house":
            complaints += of_the_span(where, span)
        elif name not in rules.bets:
            complaints.append(f"{where}: {rules.name} has no such bet; it has {words(rules.bets)}")
        elif span.min > span.max:
            complaints += of_the_span(where, span)
        elif span.max > (most := largest_stake(rules.bets[name])):
            complaints.append(f"{where}.max: a win at {span.max} could not be written down; at most {most}")
    return complaints or [
        *of_what_is_never_staked(rules, limits),
        *of_the_best_coup(rules, limits),
        *of_the_bytes(rules, limits),
    ]


def of_the_span(where: str, span: BetLimits) -> Iterator[str]:
    """Complain about limits of which the lower is above the upper, or about a bank that could not be paid out."""
    if span.min > span.max:
        yield f"{where}: min {span.min} is above max {span.max}; a smaller min, or a larger max"
    if span.max > MAX_STACK:
        yield f"{where}.max: more than the largest stack, {MAX_STACK}"


def of_the_best_coup(rules: Rules, limits: Limits) -> Iterator[str]:
    """Complain when all that a patron may win at once, added to the largest stack, could not be written down."""
    returns = sum(span.max + best_win(rules, name, span.max) for name, span in limits.bets.items() if name != BANK)
    if returns > (most := LARGEST_AMOUNT - MAX_STACK):
        yield f"limits.bets: the best win of every bet at its max returns {returns} in all; at most {most}"


def of_the_bytes(rules: Rules, limits: Limits) -> Iterator[str]:
    """Complain about rules that would not fit, with 200 patrons' chips, into the entry that begins a shoe."""
    size = len(encode(rules)) + len(encode(limits))
    if size > LARGEST_RULES_BYTES:
        yield f"rules and limits: {size} bytes as they are logged; at most {LARGEST_RULES_BYTES}"


def of_the_procedure(rules: Rules) -> Iterator[str]:
    """Complain about a cut card that lies where none can."""
    least = FEWEST_BEHIND_THE_CUT[at_two_tableaux(rules)]
    most = rules.procedure.decks * CARDS_PER_DECK - FEWEST_BEFORE_THE_CUT
    if rules.procedure.cut > most:
        yield f"procedure.cut: {rules.procedure.cut} is too deep; {least} to {most} with {rules.procedure.decks} decks"
    if rules.procedure.cut < least:
        yield f"procedure.cut: {rules.procedure.cut} may not last for the longest coup; {least} to {most}"


def at_two_tableaux(rules: Rules) -> bool:
    """Whether two hands play against the bank."""
    return rules.game == "banque"


def of_the_commission(rules: Rules) -> Iterator[str]:
    """Complain unless commission is told exactly when some bet bears it."""
    rated = [name for name, bet in rules.bets.items() if bet.commission is not UNSET]
    if rated and rules.commission is UNSET:
        yield f"commission: missing; say how it is collected and rounded, since {words(rated)} bears it"
    if not rated and rules.commission is not UNSET:
        yield "commission: no bet bears it; leave it out, or give a bet its rate"
    if rules.commission is not UNSET:
        yield from of_the_dear(rules, rules.commission)


def of_the_dear(rules: Rules, commission: Commission) -> Iterator[str]:
    """Complain when rounding could take more commission than was won, so that a win would pay less than nothing.

    Nothing is rounded up to u before half of u is due; at a rate of 1/2 or below, u has been won by then. Nor can it
    happen where all winnings are multiples of u, for rounding never leads past a multiple.
    """
    if commission.mode == "floor" or rules.winnings.unit % commission.unit == 0:
        return
    for name, bet in rules.bets.items():
        if bet.commission is not UNSET and ratio(bet.commission) > DEAREST_ROUNDED_UP:
            yield (
                f"bets.{name}.commission: {bet.commission}, rounded to {commission.unit} by {commission.mode}, "
                f"may take more than was won; at most {DEAREST_ROUNDED_UP}, or rounded by floor"
            )


def of_the_bets(rules: Rules) -> Iterator[str]:
    """Complain about rates, needs and ladders."""
    for name, bet in rules.bets.items():
        yield from of_the_rate(f"bets.{name}.commission", bet)
        yield from of_the_needs(f"bets.{name}.needs", name, bet, rules)
        for number, rung in enumerate(bet.ladder):
            yield from of_the_rung(f"bets.{name}.ladder[{number}]", rung, two=at_two_tableaux(rules))


def of_the_rate(where: str, bet: Bet) -> Iterator[str]:
    """Complain about a rate that is not between nothing and everything."""
    if bet.commission is UNSET:
        return
    yield from of_the_ratio(where, bet.commission)
    if not 0 < ratio(bet.commission) < 1:
        yield f"{where}: {bet.commission} is no rate; above 0 and below 1, or absent"


def of_the_needs(where: str, name: str, bet: Bet, rules: Rules) -> Iterator[str]:
    """Complain about bets leaned on that are not there."""
    if bet.needs is UNSET:
        return
    others = [other for other in rules.bets if other != name]
    for needed in bet.needs:
        if needed not in others:
            right = f"one or more of {words(others)}" if others else "leave it out, for there is no other"
            yield f"{where}: {needed!r} is not another bet of these rules; {right}"
    if len(set(bet.needs)) < len(bet.needs):
        yield f"{where}: names a bet twice; once is enough"


def of_the_rung(where: str, rung: Rung, *, two: bool) -> Iterator[str]:
    """Complain about one rung: what it asks, and what it pays."""
    match rung.get("pays"):
        case str(pays):
            yield from of_the_ratio(f"{where}.pays", pays)
        case None:
            yield f"{where}.pays: missing; odds such as 1/1, or 0/1 for a push"
        case pays:
            yield f"{where}.pays: {pays!r} is not odds; a text such as 1/1, or 0/1 for a push"
    for fact, asked in rung.items():
        if fact != "pays":
            yield from of_the_fact(f"{where}.{fact}", fact, asked, two=two)


def of_the_fact(where: str, fact: str, asked: str | int | list[int | str], *, two: bool) -> Iterator[str]:
    """Complain about a fact that no coup has, or a value it never takes."""
    if fact not in FACTS:
        yield f"{where}: no coup has this fact; it is one of {words(FACTS)}"
        return
    if fact in AT_TWO_TABLEAUX and not two:
        yield f"{where}: is told at two tableaux only; at one, ask for the winner"
    if fact not in AT_TWO_TABLEAUX and two:
        yield f"{where}: is told at one tableau only; at two, ask for {words(AT_TWO_TABLEAUX)}"
    values = asked if isinstance(asked, list) else [asked]
    if not values:
        yield f"{where}: an empty list never holds; name a value, or leave the fact out"
    if len(set(values)) < len(values):
        yield f"{where}: names a value twice; once is enough"
    for value in values:
        if value not in FACTS[fact]:
            yield f"{where}: {value!r} is not a value of this fact; it is one of {words(FACTS[fact])}"


def best_win(rules: Rules, bet: str, stake: int) -> int:
    """Give the most that a stake on a bet of a sound rule set may win."""
    best = max(ratio(str(rung["pays"])) for rung in rules.bets[bet].ladder)
    return round_to(best * stake, rules.winnings.mode, rules.winnings.unit)


def largest_stake(bet: Bet) -> int:
    """Give the largest stake whose best win, stake included, can still be written in an entry."""
    best = max(ratio(str(rung["pays"])) for rung in bet.ladder)
    return int(LARGEST_AMOUNT / (1 + best))


def most_chips(rules: Rules) -> int:
    """Give how many chips may be at a table where a player banks, so that all that a coup may bring can be written.

    They go from one to another, and one may have all of them; what side bets win of a dealer, that he does not have, is
    written too. A win that is not rounded down is at most doubled by it.
    """
    best = max(ratio(str(rung["pays"])) for bet in rules.bets.values() for rung in bet.ladder)
    return int(LARGEST_AMOUNT / max(Fraction(1), best * (1 if rules.winnings.mode == "floor" else 2)))
