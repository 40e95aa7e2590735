"""Temper: what somebody at a table where a player banks does of all that he may, by chance."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

LIKING = {
    "bank": 6.0,
    "stake": 8.0,
    "ask": 2.0,
    "banco": 0.05,
    "withdraw": 2.0,
    "agree": 6.0,
    "refuse": 2.0,
    "pass": 3.0,
}
NOTHING = 3.0  # how much he likes to do nothing, when nobody asks him
ASKED = frozenset({"pass", "refuse", "decide"})  # who may do one of these is waited for
MOST_WHIMS = 3  # what he may do in a coup without being asked
LARGEST_STAKE = 12  # in steps above the least
ALL_OF_IT = 0.15  # how often it is the most that he may, unless that is a great deal
PRUDENCE = 0.8  # how often he plays his hand as the system would

Action = Mapping[str, Any]
"""What somebody may do, as `GET …/actions` lists it."""


class Temper:
    """How somebody chooses; his luck is his own."""

    def __init__(self, luck: Random) -> None:
        self._luck = luck
        self._whims = 0

    def begin_coup(self) -> None:
        """Think of what he may like to do in the next coup."""
        self._whims = self._luck.randint(0, MOST_WHIMS)

    def choose(self, actions: Sequence[Action], steps: Mapping[str, int]) -> Action | None:
        """One of the actions that are his, with its amount; None when he is not asked, and likes none.

        `steps` says of each bet in what steps its stakes are made.
        """
        chosen = self._liked(actions)
        if chosen is None or "most" not in chosen:
            return chosen
        step = chosen.get("by") or steps.get(chosen["bet"], 1)
        return {**chosen, "amount": self._amount(chosen["least"], chosen["most"], step)}

    def decide(self, choices: Sequence[str], *, advice: str) -> str:
        """Whether he draws or stands."""
        return advice if self._luck.random() < PRUDENCE else self._luck.choice(choices)

    def _liked(self, actions: Sequence[Action]) -> Action | None:
        liked: list[tuple[Action | None, float]] = [(action, LIKING.get(action["does"], 1.0)) for action in actions]
        if not any(action["does"] in ASKED for action in actions):
            if not self._whims:
                return None
            self._whims -= 1
            liked.append((None, NOTHING))
        [chosen] = self._luck.choices([action for action, _ in liked], [weight for _, weight in liked])
        return chosen

    def _amount(self, least: int, most: int, step: int) -> int:
        """How much: a few steps above the least, in whole ones; now and then all of it."""
        if most <= least + 2 * LARGEST_STAKE * step and self._luck.random() < ALL_OF_IT:
            return most
        first = -(-least // step)
        return min(most, step * (first + self._luck.randrange(LARGEST_STAKE)))
