"""The banker: what a player's bank wins, pays and leaves to the house. Pure.

The bank is a bet, the first of its coup. It takes what the others lose and pays what they win, so that in every coup
the sum of stakes is the sum of what returns and of the levy. `won` of its line is what it took; what it paid is in the
lines of the others.
"""

from collections.abc import Iterable, Sequence

from msgspec import UNSET

from schemas.events import Line
from schemas.rules import Levy, Rules
from services.table.game.bank import Stake, line, round_to
from services.table.game.paytable import paytable, ratio
from services.table.game.tableau import Facts, Sides

BANK = "bank"


def settle(rules: Rules, facts: Facts | Sides, stakes: Sequence[Stake]) -> list[Line]:
    """Settle a coup whose bank covers all that it may lose: the bank's line first, then the others in their order."""
    (banker, _, stake), *others = stakes
    lines = settled_against_the_bank(rules, facts, others)
    return [bank_line(rules, banker, stake, lines), *lines]


def settled_against_the_bank(rules: Rules, facts: Facts | Sides, stakes: Iterable[Stake]) -> list[Line]:
    """Settle what was staked against the bank, each line by its ladder; nobody but the banker pays the house."""
    table = paytable(rules)
    paid = table.paid(facts)
    return [line(table, patron, bet, stake, paid[bet]) for patron, bet, stake in stakes]


def bank_line(rules: Rules, banker: str, stake: int, others: Sequence[Line]) -> Line:
    """Give the bank's line, once all the others are known."""
    took = sum(other.stake for other in others if not other.returned)
    paid = sum(other.won for other in others)
    levied = 0 if rules.levy is UNSET else levy_due(rules.levy, took=took, paid=paid)
    return Line(
        patron=banker, bet=BANK, stake=stake, won=took, commission=levied, returned=stake + took - paid - levied
    )


def levy_due(levy: Levy, *, took: int, paid: int) -> int:
    """Give what the house takes: of the stakes that the bank won, or of those less what it paid, if that is a win."""
    base = took if levy.on == "gross" else max(took - paid, 0)
    return round_to(ratio(levy.rate) * base, levy.mode, levy.unit)
