"""A broken bank: dining-room baccarat's settlement, where side bets need no cover and the dealer may not have enough.

Main bets are settled first and the stakes of lost side bets come in; winning side bets are paid out of what is there.
When it is too little it is shared among their patrons, one unit each, clockwise from the dealer's left.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from schemas.events import Line
from schemas.rules import Rules
from services.table.game.bank import Stake
from services.table.game.banker import bank_line, settled_against_the_bank
from services.table.game.seats import clockwise_after
from services.table.game.tableau import Facts

MAIN = ("player", "banker")


class Broken(Struct, frozen=True, kw_only=True):
    """A bank that could not pay what its side bets won: who held it, what was due, and what came."""

    patron: str
    due: int
    paid: int


def settle_from_what_is_there(
    rules: Rules, facts: Facts, stakes: Sequence[Stake], seats: dict[int, str]
) -> tuple[list[Line], Broken | None]:
    """Settle a coup, the bank's line first; when the bank breaks, say by how much."""
    (banker, _, stake), *others = stakes
    lines = settled_against_the_bank(rules, facts, others)
    purse = stake + sum(line.stake for line in lines if not line.returned)
    purse -= sum(line.won for line in lines if line.bet in MAIN)
    due = sum(line.won for line in lines if line.bet not in MAIN)
    if due <= purse:
        return [bank_line(rules, banker, stake, lines), *lines], None
    shares = shared(purse, dues_of(lines), order=patrons_clockwise(seats, banker), unit=rules.stakes.unit or 1)  # type: ignore[union-attr]  # scrutiny insists
    lines = filled(lines, shares)
    return [bank_line(rules, banker, stake, lines), *lines], Broken(patron=banker, due=due, paid=purse)


def dues_of(lines: Sequence[Line]) -> dict[str, int]:
    """Give what each patron's side bets won."""
    dues: dict[str, int] = {}
    for line in lines:
        if line.bet not in MAIN and line.won:
            dues[line.patron] = dues.get(line.patron, 0) + line.won
    return dues


def patrons_clockwise(seats: dict[int, str], banker: str) -> list[str]:
    """Give those who sit, clockwise from the dealer's left."""
    seat = next(seat for seat, patron in seats.items() if patron == banker)
    return [seats[other] for other in clockwise_after(seats, seat)]


def shared(purse: int, dues: dict[str, int], *, order: Sequence[str], unit: int) -> dict[str, int]:
    """Share a purse that is too small: whole rounds of a unit each, passing over whoever has his due."""
    had = dict.fromkeys(dues, 0)
    waiting = [patron for patron in order if patron in dues]
    while purse and waiting:
        # So many whole rounds as the purse has, at once; what is left of it, one by one.
        rounds = purse // (unit * len(waiting))
        for patron in waiting:
            came = min(max(rounds, 1) * unit, dues[patron] - had[patron], purse)
            had[patron] += came
            purse -= came
        waiting = [patron for patron in waiting if had[patron] < dues[patron]]
    return had


def filled(lines: Sequence[Line], shares: dict[str, int]) -> list[Line]:
    """Give the lines with what came: each patron's winning side bets fill in the order placed."""
    left, paid = dict(shares), []
    for line in lines:
        if line.bet in MAIN or not line.won:
            paid.append(line)
            continue
        came = min(line.won, left[line.patron])
        left[line.patron] -= came
        paid.append(replace(line, won=came, returned=line.stake + came))
    return paid
