"""The circle at a table where a player banks: who is asked answers, each for himself, as the dealer goes on."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from services.house.party import Party, Patron
from services.house.runner import Refused, Runner
from services.house.temper import Action, Temper

FEWEST = 2  # who play against each other
COMPANY = 4  # so many, and one of them may as well stand by
POOR = 8  # who has less than this part of what he bought buys again
LEAVES, SITS = 0.04, 0.2  # how often somebody gives up his seat, and one who stands by takes one
LOOK_AGAIN_SECONDS = 0.2  # when somebody is asked who is none of them

# How each action is done: by which command, and what of it is said there, beside the patron.
WAYS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bank": ("bank", ("amount",)),
    "banco": ("banco", ("bet",)),
    "stake": ("bets", ("bet", "amount")),
    "withdraw": ("bets/withdraw", ("bet",)),
    "pass": ("pass", ()),
    "ask": ("ask", ("bet", "amount")),
    "agree": ("agree", ("of", "bet")),
    "refuse": ("refuse", ("of", "bet")),
    "decide": ("decide", ("hand", "choice")),
}


def gather(runner: Runner, table: str, *, rules: str, patrons: int, seed: str) -> Party:
    """The patrons of a table, as its game needs them."""
    from services.table.game.rules import house_banked, names

    is_players = rules in names() and rules not in house_banked()
    kind = Circle if is_players else Party
    return kind(runner, table, rules=rules, patrons=patrons, seed=seed)


class Circle(Party):
    """The patrons at a table where one of them banks; one stands by, where that is a part to play."""

    def __init__(self, runner: Runner, table: str, *, rules: str, patrons: int, seed: str) -> None:
        super().__init__(runner, table, rules=rules, patrons=patrons, seed=seed)
        self._tempers = {patron.name: Temper(patron.luck) for patron in self.patrons}
        self._places: dict[str, int] = {}
        self._chip, self._start = 0, 0  # where a game begins with so many chips for each other player
        self.turn_seconds = 0.0  # how long each thinks before he does something

    async def open(self) -> None:
        """Have the table opened, unless it is; what lies on it counts to the stacks until the coup is over."""
        await super().open()
        rules = (await self._runner.ask(f"/v1/rules/{self._rules}"))["rules"]
        stakes = rules.get("stakes", {})
        self._chip, self._start = stakes.get("unit", 0), stakes.get("start", 0)
        self._places = places(self.patrons, seats=rules["seats"], has_bystander=not self._start)
        coup = (await self._runner.ask(self._at)).get("round", {})
        if coup.get("state") in ("betting", "dealing"):
            for patron in self.patrons:
                patron.stack += sum(stake["amount"] for stake in coup["stakes"] if stake["patron"] == patron.name)

    async def leave(self) -> None:
        """Everybody stands up, and takes his chips away."""
        for seated in (await self._look())["seats"]:
            if seated["patron"] in self._tempers:
                await self._stand_up(seated["patron"])
        await super().leave()

    async def _new_shoe(self) -> None:
        """Who lacks chips buys them, and who stands sits down first; but a game that is on is for its players."""
        taken = {seated["seat"]: seated["patron"] for seated in (await self._look())["seats"]}
        if not self._start or len(taken) < FEWEST:
            for patron in self.patrons:
                if patron.stack < (self._least_to_begin() or self._buy_in(patron) // POOR):
                    await self._buy(patron)
            for name, place in self._places.items():
                if name not in taken.values() and place not in taken:
                    await self._sit_down(name, place)
        await super()._new_shoe()

    async def _play_coup(self, view: Any) -> bool:
        seen = await self._look()
        may = {action["does"] for action in seen["actions"]}
        if "draw" in may:
            await self._runner.tell(f"{self._at}/shoes/current/draw")
            return True
        if "open" not in may:
            await self._close_shoe(view)
            return False
        if not self._start:
            await self._stir(seen["seats"])
        for temper in self._tempers.values():
            temper.begin_coup()
        await self._runner.tell(f"{self._at}/rounds")
        await self._finish_coup()
        return True

    async def _finish_coup(self) -> None:
        """Somebody does what he may, again and again, until the coup is over."""
        answer: Any = {}
        while (seen := await self._look())["phase"] in ("staking", "playing"):
            answer = await self._go_on(seen)
            await asyncio.sleep(self.turn_seconds)
        is_settled = answer.get("state") == "settled"
        self._count(answer if is_settled else {"state": "voided", "lines": ()})

    def _count(self, answer: Any) -> None:
        """What lay on the table leaves the stacks, for what returns is counted whole."""
        for patron in self.patrons:
            patron.stack -= sum(line["stake"] for line in answer["lines"] if line["patron"] == patron.name)
        super()._count(answer)

    async def _look(self) -> Any:
        return await self._runner.ask(f"{self._at}/actions")

    async def _go_on(self, seen: Any) -> Any:
        """The first who does anything does it; if nobody does, the dealer goes on.

        Whatever is listed is taken, unless somebody else, or a clock, has been faster.
        """
        try:
            return await self._act(seen["actions"])
        except Refused:
            if (await self._look())["version"] == seen["version"]:
                raise
            self.tally.refused += 1
            return {}

    async def _act(self, actions: list[Action]) -> Any:
        steps = {bet: limits["min"] for bet, limits in self._limits.items()}
        for name in dict.fromkeys(action["patron"] for action in actions if "patron" in action):
            if temper := self._tempers.get(name):
                his = [action for action in actions if action.get("patron") == name]
                if chosen := temper.choose(his, steps):
                    return await self._do(name, temper, chosen)
        for action in actions:
            if "patron" not in action:
                return await self._runner.tell(f"{self._at}/rounds/current/{action['does']}")
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
        return {}

    async def _do(self, name: str, temper: Temper, chosen: Action) -> Any:
        """Do what a patron has chosen; who is to decide looks at his own cards first."""
        current = f"{self._at}/rounds/current"
        if chosen["does"] == "decide":
            advice = (await self._runner.ask(f"{current}/hands/{name}"))["advice"][chosen["hand"]]
            chosen = {**chosen, "choice": temper.decide(chosen["choices"], advice=advice)}
        way, parts = WAYS[chosen["does"]]
        body = {"patron": name, **{part: chosen[part] for part in parts}}
        answer = await self._runner.tell(f"{current}/{way}", body, actor=f"patron:{name}")
        self.tally.bets += chosen["does"] in ("bank", "banco", "stake", "agree")
        self.tally.withdrawn += chosen["does"] == "withdraw"
        return answer

    async def _stir(self, seats: Iterable[Any]) -> None:
        """Between two coups who has lost most of his chips buys again; somebody stands up, or sits down."""
        for patron in self.patrons:
            if patron.stack < self._buy_in(patron) // POOR:
                await self._buy(patron)
        taken = {seated["seat"]: seated["patron"] for seated in seats}
        standing = [patron.name for patron in self.patrons if patron.name not in taken.values()]
        ours = [name for name in taken.values() if name in self._tempers]
        if standing and self._luck.random() < SITS:
            free = [place for place in self._places.values() if place not in taken]
            if free:
                await self._sit_down(self._luck.choice(standing), self._luck.choice(free))
        elif len(ours) >= COMPANY and self._luck.random() < LEAVES:
            await self._stand_up(self._luck.choice(ours))

    async def _sit_down(self, name: str, seat: int) -> None:
        await self._runner.tell(f"{self._at}/seats", {"seat": seat, "patron": name})

    async def _stand_up(self, name: str) -> None:
        await self._runner.tell(f"{self._at}/seats/leave", {"patron": name}, actor=f"patron:{name}")

    def _least_to_begin(self) -> int:
        return self._start * self._chip * (len(self._places) - 1)

    def _buy_in(self, patron: Patron) -> int:
        """What somebody buys: where a game begins with so many chips, as many or a few more."""
        least = self._least_to_begin()
        return least + self._chip * patron.luck.randint(0, len(self._places)) if least else super()._buy_in(patron)


def places(patrons: Sequence[Patron], *, seats: int, has_bystander: bool) -> dict[str, int]:
    """Who is to sit where, all round the table; the last one stands by, where there is company."""
    sitting = patrons[:-1] if has_bystander and len(patrons) >= COMPANY else patrons
    sitting = sitting[:seats]
    return {patron.name: 1 + place * seats // len(sitting) for place, patron in enumerate(sitting)}
