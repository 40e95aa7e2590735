"""Patrons who play by the REST API: they buy in, bet at random, take bets back, and count every chip themselves."""

import asyncio
import random
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from services.house.runner import Refused, Runner

MAIN_BETS = ("player", "banker")
STAY_AWAY = 0.1  # how often a patron sits a coup out
SIDE_BET = 0.12  # and takes each of the side bets
SECOND_THOUGHTS = 0.08  # and takes a bet back
LARGEST_STAKE = 12  # in minimum stakes
BUY_IN = 400  # in minimum stakes: seldom gone in one shoe

Wager = tuple[str, int]


class Tally(Struct):
    """What the patrons of a table counted from the answers; amounts in minor units."""

    rounds: int = 0
    voided: int = 0
    bets: int = 0
    withdrawn: int = 0
    refused: int = 0
    handle: int = 0
    returned: int = 0
    commission: int = 0
    bought: int = 0
    cashed: int = 0

    @property
    def net(self) -> int:
        """What the house keeps of the stakes, commission included."""
        return self.handle - self.returned

    @property
    def win(self) -> int:
        """What the house wins of the stakes at full odds, before commission."""
        return self.net - self.commission


class Patron:
    """Somebody at a table; his luck is his own, so that he bets the same whatever the others do."""

    def __init__(self, name: str, *, luck: random.Random, has_account: bool) -> None:
        self.name = name
        self.luck = luck
        self.has_account = has_account
        self.stack = 0
        self.staked = 0
        self.account = 0

    def choose(self, limits: Mapping[str, Mapping[str, int]]) -> list[Wager]:
        """The bets he likes in this coup, within the limits of each."""
        if self.luck.random() < STAY_AWAY:
            return []
        mains = [bet for bet in MAIN_BETS if bet in limits]
        sides = [bet for bet in limits if bet not in MAIN_BETS and self.luck.random() < SIDE_BET]
        chosen = [self.luck.choice(mains), *sides] if mains else sides
        return [(bet, self.stake(limits[bet])) for bet in chosen]

    def stake(self, limits: Mapping[str, int]) -> int:
        """How much: a few times the minimum."""
        return min(limits["min"] * self.luck.randint(1, LARGEST_STAKE), limits["max"])


class Party:
    """The patrons at one table, and whoever asks the dealer to deal."""

    def __init__(self, runner: Runner, table: str, *, rules: str, patrons: int, seed: str) -> None:
        self.table = table
        self.tally = Tally()
        self.patrons = [
            Patron(f"{table}-{seat}", luck=random.Random(f"{seed} {table} {seat}"), has_account=seat % 3 == 0)
            for seat in range(1, patrons + 1)
        ]
        self.closed_shoes: list[int] = []
        self._runner = runner
        self._rules = rules
        self._at = f"/v1/tables/{table}"
        self._limits: dict[str, dict[str, int]] = {}
        self._luck = random.Random(f"{seed} {table}")

    async def open(self) -> None:
        """Have the table opened, unless it is, and sit down."""
        try:
            view = await self._runner.ask(self._at)
        except Refused as refusal:
            if refusal.status != 404:  # noqa: PLR2004 - not found
                raise
            view = {"phase": "closed"}
        if view["phase"] == "closed":
            view = await self._open()
        self._limits = view["limits"]["bets"]
        stacks = view["stacks"]
        for patron in self.patrons:
            patron.stack = stacks.get(patron.name, 0)
            if patron.has_account:
                await self._open_account(patron, view["currency"])

    async def play(self) -> bool:
        """Whatever the table waits for: one coup, or what leads to one. False when a shoe has just been closed."""
        view = await self._runner.ask(self._at)
        match view["phase"]:
            case "closed":
                await self._open()
            case "idle":
                await self._new_shoe()
            case "committed" | "shuffled":
                await self._runner.tell(f"{self._at}/shoes/current/shuffle")
            case "between":
                return await self._play_coup(view)
            case "betting" | "staking" | "playing":
                await self._finish_coup()
            case "dealing":
                self._count(await self._runner.tell(f"{self._at}/rounds/current/deal"))
            case _:
                raise RuntimeError(f"table {self.table} is {view['phase']}: that is for people to decide")
        return True

    async def leave(self) -> None:
        """Everybody takes his chips away; who has an account puts half of them there, and draws the rest."""
        await asyncio.gather(*(self._cash(patron) for patron in self.patrons if patron.stack))

    async def _open(self) -> Any:
        rules = await self._runner.ask(f"/v1/rules/{self._rules}")
        smallest = min(limit["min"] for limit in rules["limits"]["bets"].values())
        opening = {
            "table": self.table,
            "name": f"Table {self.table}",
            "currency": "EUR",
            "rules": self._rules,
            "float": [[smallest * 1000, 100], [smallest * 100, 200], [smallest, 1000]],
            "counted_by": "staff:cashier",
            "verified_by": "staff:pit-boss",
        }
        await self._runner.tell("/v1/tables", opening)
        await self._runner.tell(f"{self._at}/dealer", {"dealer": "dealer:anna"})
        return await self._runner.ask(self._at)

    async def _new_shoe(self) -> None:
        """Two patrons have a word in the shuffle."""
        await self._runner.tell(f"{self._at}/shoes", {})
        for patron in self.patrons[:2]:
            word = self._luck.randbytes(16).hex()
            ingredient = {"source": f"patron:{patron.name}", "value": word}
            await self._runner.tell(f"{self._at}/shoes/current/entropy", ingredient)
        await self._runner.tell(f"{self._at}/shoes/current/shuffle")

    async def _play_coup(self, view: Any) -> bool:
        try:
            await self._runner.tell(f"{self._at}/rounds")
        except Refused as refusal:
            if refusal.code != "shoe-over":
                raise
            await self._close_shoe(view)
            return False
        await asyncio.gather(*(self._bet(patron) for patron in self.patrons))
        await self._finish_coup()
        return True

    async def _close_shoe(self, view: Any) -> None:
        await self._runner.tell(f"{self._at}/shoes/current/close")
        self.closed_shoes.append(view["shoe"]["shoe"])

    async def _bet(self, patron: Patron) -> None:
        wagers = patron.choose(self._limits)
        if not wagers:
            return
        staked = sum(amount for _, amount in wagers)
        if staked > patron.stack:
            await self._buy(patron)
        bets = [{"patron": patron.name, "bet": bet, "amount": amount} for bet, amount in wagers]
        bets_at = f"{self._at}/rounds/current/bets"
        actor = f"patron:{patron.name}"
        try:
            await self._runner.tell(bets_at, bets[0] if len(bets) == 1 else bets, actor=actor)
        except Refused as refusal:
            if refusal.status != 422:  # noqa: PLR2004 - the rules say no: a limit that all stakes share
                raise
            self.tally.refused += 1
            return
        self._stake(patron, staked)
        self.tally.bets += len(bets)
        if patron.luck.random() < SECOND_THOUGHTS:
            bet, amount = wagers[-1]
            await self._runner.tell(f"{bets_at}/withdraw", {"patron": patron.name, "bet": bet}, actor=actor)
            self._stake(patron, -amount)
            self.tally.withdrawn += 1

    def _stake(self, patron: Patron, amount: int) -> None:
        patron.stack -= amount
        patron.staked += amount

    async def _finish_coup(self) -> None:
        self._count(await self._runner.tell(f"{self._at}/rounds/current/coup"))

    def _count(self, answer: Any) -> None:
        """Count the chips that come back, line by line."""
        if answer["state"] == "voided":
            self.tally.voided += 1
        else:
            self.tally.rounds += 1
        for line in answer["lines"]:
            self.tally.handle += line["stake"]
            self.tally.returned += line["returned"]
            self.tally.commission += line["commission"]
        for patron in self.patrons:
            returned = sum(line["returned"] for line in answer["lines"] if line["patron"] == patron.name)
            patron.stack += patron.staked if answer["state"] == "voided" else returned
            patron.staked = 0

    async def _buy(self, patron: Patron) -> None:
        amount = self._buy_in(patron)
        if patron.has_account:
            await self._runner.tell(f"/v1/patrons/{patron.name}/deposit", {"amount": 2 * amount, "means": "cash"})
            await self._runner.tell(f"/v1/patrons/{patron.name}/to-table", {"table": self.table, "amount": amount})
            patron.account += amount
        else:
            purchase = {"patron": patron.name, "amount": amount, "means": "cash"}
            await self._runner.tell(f"{self._at}/chips/buy", purchase)
        patron.stack += amount
        self.tally.bought += amount

    def _buy_in(self, patron: Patron) -> int:  # noqa: ARG002 (in a circle not all buy alike)
        """How much a patron buys."""
        return BUY_IN * max(limit["min"] for limit in self._limits.values())

    async def _cash(self, patron: Patron) -> None:
        amount, patron.stack = patron.stack, 0
        self.tally.cashed += amount
        if not patron.has_account:
            await self._runner.tell(
                f"{self._at}/chips/cash", {"patron": patron.name, "amount": amount, "means": "cash"}
            )
            return
        await self._runner.tell(f"/v1/patrons/{patron.name}/from-table", {"table": self.table, "amount": amount})
        patron.account += amount
        if drawn := patron.account // 2:
            await self._runner.tell(f"/v1/patrons/{patron.name}/withdraw", {"amount": drawn, "means": "cash"})
            patron.account -= drawn

    async def _open_account(self, patron: Patron, currency: str) -> None:
        try:
            await self._runner.tell(f"/v1/patrons/{patron.name}/account", {"currency": currency})
        except Refused as refusal:
            if refusal.code != "account":
                raise
