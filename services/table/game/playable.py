"""Can it be played? Limits of a player's bank under which something that is offered could never be staked.

A complaint says where, why nobody could ever place it, and what would be right.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import UNSET

from schemas.rules import BetLimits, Limits, Rules
from services.table.game.ratios import words

BANK: Final = "bank"
BANCOS: Final = ("banco", "banco-right", "banco-left")
MAIN: Final = ("player", "banker")
# What may be staked against the bank: without any of these no coup is ever played.
STAKED: Final[Mapping[str, tuple[str, ...]]] = {
    "dining-room": MAIN,
    "chemin-de-fer": ("player", "banco"),
    "banque": ("right", "left", "cheval", "banco-right", "banco-left"),
}


def of_what_is_never_staked(rules: Rules, limits: Limits) -> Iterator[str]:
    """Complain about limits that name a bet and let nobody place it, or that leave nothing to stake."""
    if rules.game == "house":
        return
    if not any(bet in limits.bets for bet in STAKED[rules.game]):
        yield f"limits.bets: nothing can be staked against the bank; name one of {words(STAKED[rules.game])}"
        return
    for bet, span in limits.bets.items():
        if bet == BANK:
            continue
        if bet in BANCOS:
            yield from _of_a_banco(limits, bet, span)
        elif rules.game != "dining-room":
            yield from _of_a_stake(rules, limits, bet, span)
        else:
            yield from (_of_a_chip if bet in MAIN else _of_a_side_bet)(rules, limits, bet, span)


def _of_a_chip(rules: Rules, limits: Limits, bet: str, span: BetLimits) -> Iterator[str]:
    """Complain when a chip could never be staked on a main bet of the dining-room."""
    where, unit = f"limits.bets.{bet}", _chip(rules)
    if span.min > unit:
        yield f"{where}.min: {span.min} is above a chip of {unit}, so a chip could never be staked; at most {unit}"
    if span.max < unit:
        yield f"{where}.max: {span.max} is below a chip of {unit}, so none could ever be staked; at least {unit}"
    yield from _of_the_sums(limits, where, unit)


def _of_a_side_bet(rules: Rules, limits: Limits, bet: str, span: BetLimits) -> Iterator[str]:
    """Complain when a side bet of the dining-room could never be staked in whole chips beside a main bet."""
    where, unit, needs = f"limits.bets.{bet}", _chip(rules), rules.bets[bet].needs or ()
    least = -(-span.min // unit) * unit
    if least > span.max:
        yield f"{where}: no number of chips of {unit} is within {span.min} to {span.max}; a multiple of {unit}"
    if not any(need in limits.bets for need in needs):
        yield f"{where}: it needs {words(needs)}, and none of these is offered; offer one, or leave it out"
    yield from _of_the_sums(limits, where, least + unit)


def _chip(rules: Rules) -> int:
    assert rules.stakes, "scrutiny insists on it"
    return rules.stakes.unit or 1


def _of_a_banco(limits: Limits, bet: str, span: BetLimits) -> Iterator[str]:
    """Complain when no bank that may be named could be faced alone."""
    bank = limits.bets[BANK]
    least = max(bank.min, span.min)
    most = min(most for most in (bank.max, span.max, limits.patron, limits.table) if most is not UNSET)
    if least > most:
        yield (
            f"limits.bets.{bet}: a bank is {bank.min} to {bank.max}, and none of these may be faced alone; "
            "limits that one of them is within, those of patron and table too"
        )


def _of_a_stake(rules: Rules, limits: Limits, bet: str, span: BetLimits) -> Iterator[str]:
    """Complain when the least stake is more than may be staked: at banque the bank; elsewhere it is trimmed."""
    where, most = f"limits.bets.{bet}", limits.bets[BANK].max
    if rules.game == "banque" and span.min > most:
        yield f"{where}.min: {span.min} is above the largest bank, {most}, so it could never be staked; at most {most}"
    yield from _of_the_sums(limits, where, span.min)


def _of_the_sums(limits: Limits, where: str, least: int) -> Iterator[str]:
    """Complain when a patron's, or the table's, stakes of a coup could not come to what the least stake takes."""
    for name in ("patron", "table"):
        bound = getattr(limits, name)
        if bound is not UNSET and least > bound:
            yield f"{where}: takes {least} and limits.{name} is {bound}, so it could never be staked; {least} or more"
