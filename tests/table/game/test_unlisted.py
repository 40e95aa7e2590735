"""What nobody may do is refused: in games by chance, every deed that is not listed, and amounts just out of bounds."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from services.table.game import salon
from services.table.game.deeds import Doing, May
from services.table.game.state import Idle
from tests.table.game import test_dining_games as dining
from tests.table.game.dinner import Dinner, limits_of, rules_of
from tests.table.game.party import PATRONS, Party, next_command
from tests.table.game.sitting import limited, refusal, ruled

SEEDS = st.integers(0, 2**32)
COMMANDS = 120
TRIED = 4
Attempt = tuple[Any, ...]
Order = dict[str, Any]


@given(st.sampled_from(["chemin-de-fer", "banque"]), SEEDS)
@settings(max_examples=30, deadline=None)
def test_what_nobody_may_do_is_refused_and_changes_nothing(game: str, seed: int) -> None:
    rules = ruled(game, procedure={"decks": 1})
    party = Party(rules, limited({"bank": (500, 40_000)} | dict.fromkeys(rules.bets, (500, 30_000))))
    chance = Random(seed)

    for _ in range(COMMANDS):
        are_refused(party, chance)
        party.does(next_command(party, chance))


@given(SEEDS)
@settings(max_examples=15, deadline=None)
def test_what_nobody_may_do_at_dinner_is_refused_and_changes_nothing(seed: int) -> None:
    rules, chance = rules_of(unit=5), Random(seed)
    dinner = Dinner(rules, limits_of(rules), **dict.fromkeys(PATRONS[:4], 60))

    for _ in range(COMMANDS):
        are_refused(dinner, chance)
        dinner.does(dining.next_command(dinner, chance))
        if dining.is_over(dinner):
            break


def are_refused(party: Party, chance: Random) -> None:
    """Try some things that nobody may do now."""
    if isinstance(party.table.phase, Idle):
        return
    tried = list(attempts(party, salon.mays(party.table), chance))
    for (command, *more), order in chance.sample(tried, min(TRIED, len(tried))):
        refusal(party.table, command, *more, **order)


def attempts(party: Party, mays: list[May], chance: Random) -> Iterator[tuple[Attempt, Order]]:
    """Think of commands, by anybody and of any amount, that are not among what each may do."""
    patron, of = (chance.choice((*PATRONS, "stranger")) for _ in range(2))
    bet = chance.choice(("bank", *party.table.rules.bets))
    dealers: dict[Doing, Attempt] = {
        "open": (salon.open_round,),
        "draw": (salon.draw, party.cards),
        "close": (salon.close_bets,),
        "deal": (salon.deal, party.cards),
    }
    yield from ((command, {}) for does, command in dealers.items() if not listed(mays, does))
    if not listed(mays, "pass", patron=patron):
        yield (salon.pass_turn,), {"patron": patron}
    if not listed(mays, "withdraw", patron=patron, bet=bet):
        yield (salon.withdraw,), {"patron": patron, "bet": bet}
    for agrees in (True, False):
        if not listed(mays, "agree" if agrees else "refuse", patron=patron, bet=bet, of=of):
            yield (salon.answer,), {"patron": patron, "of": of, "bet": bet, "agrees": agrees}
    hand = chance.choice(("player", "banker", "right", "left"))
    if not listed(mays, "decide", patron=patron, hand=hand):
        yield (salon.decide,), {"patron": patron, "hand": hand, "choice": chance.choice(("draw", "stand"))}
    yield from out_of_bounds(mays, patron=patron, bet=bet)


def out_of_bounds(mays: list[May], *, patron: str, bet: str) -> Iterator[tuple[Attempt, Order]]:
    """Think of amounts that are too small or too large, of whatever is listed and of one bet beside."""
    bounded = [(may.patron or "", may.bet or "", may) for may in mays if may.most]
    amounts = {(patron, bet, amount) for amount in (1, 500, 10**9)}
    for somebody, something, may in bounded:
        least, most, step = may.least or 1, may.most or 1, may.by or 1
        amounts |= {(somebody, something, amount) for amount in (least - 1, least - step, most + 1, most + step)}
    ways: list[tuple[Callable[..., Any], tuple[Doing, ...]]] = [
        (salon.place, ("bank", "banco", "stake")),
        (salon.ask, ("ask",)),
    ]
    for command, doings in ways:
        for somebody, something, amount in sorted(amounts):
            his = [may for name, what, may in bounded if (name, what) == (somebody, something) and may.does in doings]
            if amount > 0 and not any(fits(may, amount) for may in his):
                yield (command,), {"patron": somebody, "bet": something, "amount": amount}


def fits(may: May, amount: int) -> bool:
    """Whether an amount is one that is listed."""
    return (may.least or 0) <= amount <= (may.most or 0) and amount % (may.by or 1) == 0


def listed(mays: list[May], does: Doing, **named: str) -> bool:
    """Whether somebody may do this."""
    return any(may.does == does and all(getattr(may, name) == value for name, value in named.items()) for may in mays)
