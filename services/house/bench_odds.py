"""The bench of the odds: a fresh shoe by every rule set, and a shoe in progress after each of its coups."""

import random
import statistics
import time
from collections.abc import Callable, Iterator
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from schemas.rules import Bet, Rules

FRESH_RUNS = 21
FRESH_RUNS_AT_TWO = 3  # two tableaux take a second
SHOES = 3
CUT = 14


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
    from services.table.game import banque_odds, odds
    from services.table.game.rules import builtin, names

    odds.fresh_odds(builtin("punto-banco").rules)
    for name in names():
        rules = builtin(name).rules
        at_two = rules.game == "banque"
        count = partial(banque_odds.bets if at_two else odds.fresh_odds, rules)
        again, first = [], []
        for _ in range(FRESH_RUNS_AT_TWO if at_two else FRESH_RUNS):
            odds.forget()
            banque_odds.outcomes.cache_clear()
            first.append(timed(count))
            odds.forget(ladders=False)
            banque_odds.outcomes.cache_clear()
            again.append(timed(count))
        yield Pace(
            rules=name,
            bets=len(rules.bets),
            first_seconds=statistics.median(first),
            again_seconds=statistics.median(again),
        )


def progress() -> Iterator[Progress]:
    """Count by the bets of punto banco, with every side bet, and with a bet that joins pairs and totals."""
    from services.table.game.rules import builtin, with_side_bets

    main = builtin("punto-banco").rules
    joined = Bet(ladder=({"winner": "player", "player_pair": ["mixed", "suited"], "pays": "20/1"},))
    yield after_coups(main, f"{len(main.bets)} bets")
    every = with_side_bets(main)
    yield after_coups(every, f"{len(every.bets)} bets")
    yield after_coups(replace(main, bets={**main.bets, "joined": joined}), "one joins pairs and totals")


def after_coups(rules: Rules, what: str) -> Progress:
    """Deal shoes of eight decks, and count what is unseen after every coup."""
    from services.table.game import odds
    from services.table.game.cards import CARDS
    from services.table.game.deals import unseen_after
    from services.table.game.tableau import next_hand

    dice, taken = random.Random(1), []
    for _ in range(SHOES):
        cards = list(CARDS) * 8
        dice.shuffle(cards)
        seen: list[str] = []
        while len(cards) > CUT:
            hands: dict[str, list[str]] = {"player": [], "banker": []}
            while cards and (hand := next_hand(hands["player"], hands["banker"])) is not None:
                hands[hand].append(cards.pop())
            seen += hands["player"] + hands["banker"]
            taken.append(timed(partial(odds.odds_of, rules, unseen_after(8, seen), left=len(cards))))
    return Progress(what=what, median_seconds=statistics.median(taken), worst_seconds=max(taken))


def timed(deed: Callable[[], object]) -> float:
    """Seconds that it takes."""
    began = time.perf_counter()
    deed()
    return time.perf_counter() - began
