"""Lies about shoes in which players bank, each made by who owns the log, who links and signs again."""

from collections.abc import Callable
from copy import deepcopy
from hashlib import sha256
from typing import Any

from tests.audit.lies import CARDS, STRAYS, Entry, Operator

OF_SEATS: tuple[Entry, ...] = (
    {"type": "seat-taken", "seat": 9, "patron": "p9"},
    {"type": "seat-taken", "seat": 1, "patron": "p9"},
    {"type": "seat-left", "seat": 1, "patron": "p1", "reason": "left"},
    {"type": "seat-left", "seat": 1, "patron": "p1", "reason": "eliminated"},
    {"type": "seats-set", "round": 1, "seats": [{"seat": 1, "patron": "p1"}, {"seat": 2, "patron": "p2"}], "turn": 1},
    {"type": "card-drawn", "shoe": 1, "seat": 1, "card": "As", "position": 5, "salt": "0" * 32},
    {"type": "turn-passed", "round": 1, "patron": "p1"},
    {"type": "turn-passed", "round": 1, "patron": "p2"},
    {"type": "turn-passed", "round": 1, "patron": "zz"},
    {"type": "bet-placed", "round": 1, "patron": "p1", "bet": "bank", "amount": 500},
    {"type": "bet-placed", "round": 1, "patron": "p2", "bet": "player", "amount": 700},
    {"type": "bet-placed", "round": 1, "patron": "p3", "bet": "right", "amount": 700},
    {"type": "bet-placed", "round": 1, "patron": "p3", "bet": "banco", "amount": 5000},
    {"type": "bet-asked", "round": 1, "patron": "p2", "bet": "bank", "amount": 900},
    {"type": "bet-asked", "round": 1, "patron": "p2", "bet": "player", "amount": 900},
    {"type": "bet-agreed", "round": 1, "patron": "p2", "bet": "player", "amount": 900},
    {"type": "bet-refused", "round": 1, "patron": "p2", "bet": "player", "amount": 900},
    {"type": "bank-broken", "round": 1, "patron": "p1", "due": 10, "paid": 5},
    {"type": "decision-made", "round": 1, "hand": "banker", "choice": "draw"},
    {"type": "round-voided", "round": 1, "reason": "no-bank", "approved_by": []},
    {"type": "round-voided", "round": 1, "reason": "no-stakes", "approved_by": []},
    {"type": "round-voided", "round": 1, "reason": "out-of-cards", "approved_by": []},
    {
        "type": "shoe-closed",
        "shoe": 1,
        "reason": "no-dealer",
        "seed": "00" * 32,
        "dealt": 0,
        "burned": 0,
        "remaining": 52,
    },
)


class Banker(Operator):
    """An operator at a table where players bank: he knows what would pay."""

    def lies(self) -> list[Callable[[], str]]:
        """Give all there are, those of his table more than once."""
        his = [self.stake_otherwise, self.shift_a_line, self.insert_of_seats, self.leave_a_command_out]
        his += [self.let_another, self.deal_otherwise, self.trade_two_commands, self.by_another, self.choose_otherwise]
        return [*super().lies(), *his * 2]

    def of(self, *kinds: str) -> list[int]:
        """Give the places of entries of some kinds; of all, when there are none."""
        found = [at for at, entry in enumerate(self.entries) if entry["event"].get("type") in kinds]
        return found or list(range(len(self.entries)))

    def stake_otherwise(self) -> str:
        """A bet, a bank or a bid of another amount, or on something else."""
        event = self.entries[at := self.chance.choice(self.of("bet-placed", "bet-asked"))]["event"]
        if "amount" not in event or self.chance.random() < 0.3:
            event["bet"] = self.chance.choice(["player", "banker", "bank", "banco", "right", "left", "cheval"])
        else:
            event["amount"] = max(1, event["amount"] + self.chance.choice([-1, 1, -500, 500, 10**6]))
        return f"at {at}: {event.get('amount')} on {event.get('bet')}"

    def shift_a_line(self) -> str:
        """A line of a settlement that pays a little more, or less, and maybe another that makes up for it."""
        with_lines = [at for at, entry in enumerate(self.entries) if entry["event"].get("lines")]
        if not with_lines:
            return self.stake_otherwise()
        lines = self.entries[at := self.chance.choice(with_lines)]["event"]["lines"]
        one, key, by = self.chance.choice(lines), self.chance.choice(["won", "commission", "returned"]), 1
        one[key] = max(0, one.get(key, 0) + self.chance.choice([-by, by]))
        if self.chance.random() < 0.3:
            other = self.chance.choice(lines)
            other["returned"] = max(0, other.get("returned", 0) + self.chance.choice([-by, by]))
        return f"{key} at {at}"

    def let_another(self) -> str:
        """Somebody else it was, who bet, passed, sat or was asked."""
        kinds = ("bet-placed", "turn-passed", "bet-asked", "bet-agreed", "seat-taken", "seat-left")
        event = self.entries[at := self.chance.choice(self.of(*kinds))]["event"]
        event["patron"] = self.chance.choice(["p1", "p2", "p3", "p4", "p5"])
        return f"{event['patron']} at {at}"

    def deal_otherwise(self) -> str:
        """A card to another hand, or another card."""
        event = self.entries[at := self.chance.choice(self.of("card-dealt", "card-drawn"))]["event"]
        if self.chance.random() < 0.5:
            event["hand"] = self.chance.choice(["player", "banker", "right", "left"])
        else:
            event["card"] = self.chance.choice(CARDS)
        return f"at {at}: {event.get('hand')} {event.get('card')}"

    def choose_otherwise(self) -> str:
        """The other choice, or the other hand's."""
        event = self.entries[at := self.chance.choice(self.of("decision-made"))]["event"]
        if self.chance.random() < 0.5:
            event["choice"] = "stand" if event.get("choice") == "draw" else "draw"
        else:
            event["hand"] = self.chance.choice(["player", "banker", "right", "left"])
        return f"at {at}"

    def leave_a_command_out(self) -> str:
        """All that one command wrote is missing."""
        command = self.entries[self.pick()]["command"]
        kept = [entry for entry in self.entries if entry["command"] != command]
        if kept:
            self.entries[:] = kept
        return str(command)

    def trade_two_commands(self) -> str:
        """Two commands that follow one another, the other way round."""
        commands = list(dict.fromkeys(entry["command"] for entry in self.entries))
        at = self.chance.randrange(max(len(commands) - 1, 1))
        order = [*commands[:at], *commands[at : at + 2][::-1], *commands[at + 2 :]]
        self.entries.sort(key=lambda entry: order.index(entry["command"]))
        return f"{commands[at : at + 2]}"

    def by_another(self) -> str:
        """The dealer's doing is said to be the system's, or the other way round."""
        entry: dict[str, Any] = self.entries[at := self.pick()]
        entry["actor"] = "dealer:anna" if entry["actor"].startswith("system:") else "system:table"
        return f"{entry['actor']} at {at}"

    def insert_of_seats(self) -> str:
        """Something of this game that did not happen."""
        at = self.chance.randrange(1, len(self.entries) + 1)
        event = deepcopy(self.chance.choice([*OF_SEATS, *STRAYS]))
        for key in ("shoe", "round"):
            said = [entry["event"] for entry in self.entries[:at]]
            if key in event:
                event[key] = next((each[key] for each in reversed(said) if key in each), 1)
        before = self.entries[at - 1]
        actor = self.chance.choice([before["actor"], "system:table"])
        command = self.chance.choice([before["command"], "stray"])
        stray = {"id": sha256(b"s%d" % at).hexdigest()[:32], "actor": actor, "command": command, "event": event}
        self.entries.insert(at, before | stray)
        return f"{event['type']} at {at}, by {actor}, {command}"
