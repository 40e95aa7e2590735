"""The bench of the odds: a fresh shoe by every rule set, and a shoe in progress after each of its coups.

Where players bank, a coup is dealt as the tableau has it; so it is counted.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from schemas.rules import Bet, Rules

if TYPE_CHECKING:
    from services.table.game.state import Hands

FRESH_RUNS = 21
SHOES = 3


class Pace(Struct, frozen=True, kw_only=True):
    """The odds of all bets of one rule set out of a fresh shoe: the first time, ladders read anew, and again."""

    rules: str
    bets: int
    first_seconds: float
    again_seconds: float


class Progress(Struct, frozen=True, kw_only=True):
    """The odds of all bets after each coup of a shoe."""

    what: str
    median_seconds: float
    worst_seconds: float


def fresh() -> Iterator[Pace]:
    """Count a fresh shoe by every rule set of the house, warm, nothing remembered of it."""
    from services.table.game.prices import forget, fresh_prices
    from services.table.game.rules import builtin, names

    for warm in ("punto-banco", "banque"):
        fresh_prices(builtin(warm).rules)
    for name in names():
        rules = builtin(name).rules
        count = partial(fresh_prices, rules)
        again, first = [], []
        for _ in range(FRESH_RUNS):
            forget()
            first.append(timed(count))
            forget(ladders=False)
            again.append(timed(count))
        yield Pace(
            rules=name,
            bets=len(rules.bets),
            first_seconds=statistics.median(first),
            again_seconds=statistics.median(again),
        )


def progress() -> Iterator[Progress]:
    """Count by the bets of punto banco, all side bets, and one that joins pairs and totals; where players bank."""
    from services.table.game.rules import builtin, with_side_bets

    main = builtin("punto-banco").rules
    joined = Bet(ladder=({"winner": "player", "player_pair": ["mixed", "suited"], "pays": "20/1"},))
    yield after_coups(main, f"{len(main.bets)} bets")
    every = with_side_bets(main)
    yield after_coups(every, f"{len(every.bets)} bets")
    yield after_coups(replace(main, bets={**main.bets, "joined": joined}), "one joins pairs and totals")
    for name in ("dining-room", "chemin-de-fer", "banque"):
        yield after_coups(builtin(name).rules, name)


def after_coups(rules: Rules, what: str) -> Progress:
    """Deal shoes, and count what is unseen after every coup."""
    from services.table.game.cards import CARDS
    from services.table.game.deals import unseen_after
    from services.table.game.prices import prices

    decks = rules.procedure.decks
    dice, taken = random.Random(1), []
    for _ in range(SHOES):
        cards = list(CARDS) * decks
        dice.shuffle(cards)
        seen: list[str] = []
        while len(cards) > rules.procedure.cut:
            seen += coup(rules, cards)
            taken.append(timed(partial(prices, rules, unseen_after(decks, seen), left=len(cards))))
    return Progress(what=what, median_seconds=statistics.median(taken), worst_seconds=max(taken))


def coup(rules: Rules, cards: list[str]) -> tuple[str, ...]:
    """Deal a coup off the end of the cards as the tableau has it, as far as there are any, and give its cards."""
    from services.table.game.state import Hands

    hands, next_hand = Hands(), next_at_two if rules.game == "banque" else next_at_one
    while cards and (hand := next_hand(hands)) is not None:
        hands.of(hand).append(cards.pop())
    return hands.cards


def next_at_one(hands: "Hands") -> str | None:
    """The hand that the next card goes to at one tableau; None when the coup is complete."""
    from services.table.game.tableau import next_hand

    return next_hand(hands.player, hands.banker)


def next_at_two(hands: "Hands") -> str | None:
    """The hand that the next card goes to at two, everybody silent."""
    from services.table.game.banque_hands import advice, next_step
    from services.table.game.deeds import Choose

    while isinstance(step := next_step(hands, played=()), Choose):
        hands.choices[step.hand] = advice(step.hand, hands)
    return step.hand if step else None


def timed(deed: Callable[[], object]) -> float:
    """Seconds that it takes."""
    began = time.perf_counter()
    deed()
    return time.perf_counter() - began
