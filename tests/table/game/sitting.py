"""A sitting: a table, and all that has happened at it, with shoes whose cards the test chooses."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Self

import msgspec
import pytest
from msgspec import UNSET

from schemas.events import ShoeCommitted, TableClosed, TableEvent, TableOpened
from schemas.rules import Limits, Procedure, Rules
from services.table.game import floor, play, shoes, wagers
from services.table.game.evolve import evolve
from services.table.game.refusal import RefusedError
from services.table.game.rules import builtin
from services.table.game.shoe import Shoe, leaf, mix
from services.table.game.shoe import derive as derive_shoe
from services.table.game.stakes import Stakes
from services.table.game.state import Between, Closed, Idle, ShoeInPlay, Table, open_coup

ANNA, BERT = "pit:anna", "pit:bert"
BOTH = (ANNA, BERT)
DIGEST = "0" * 64
SEED = bytes(range(32))
# Four of these are a coup: each hand is a natural 8, so it ends in a tie, and nothing more is drawn.
FILLER = "4c"
PLAYER_WINS = ("9d", "Kd", "Kh", "Ac")
BANKER_WINS = ("Kd", "9d", "Ac", "Kh")
SIX_CARDS = ("Kd", "Kh", "Qd", "3h", "2c", "5h")


def ruled(name: str = "punto-banco", **changes: dict[str, Any]) -> Rules:
    """Give a built-in rule set, some of its parts changed; a part that it lacks is added."""
    tree: dict[str, Any] = msgspec.to_builtins(builtin(name).rules)
    for part, change in changes.items():
        tree[part] = tree.get(part, {}) | change
    return msgspec.convert(tree, Rules)


def limited(bets: dict[str, tuple[int, int]], **bounds: int) -> Limits:
    """Give limits: the smallest and largest stake on each bet offered, and the bounds of a coup."""
    spans = {bet: {"min": low, "max": high} for bet, (low, high) in bets.items()}
    return msgspec.convert({"bets": spans, **bounds}, Limits)


CLOSING = TableClosed(float=((100_000, 20),), counted_by=ANNA, verified_by=BERT)
MARKING = ruled("punto-banco", commission={"collect": "marked"})


def opening(rules: Rules | None = None, limits: Limits | None = None, **changes: Any) -> TableOpened:
    """Describe a table as it opens."""
    described: dict[str, Any] = {
        "table": "b1",
        "name": "Baccarat 1",
        "currency": "EUR",
        "rules": rules or builtin("punto-banco").rules,
        "limits": limits or builtin("punto-banco").limits,
        "float": ((100_000, 20), (2_500, 40)),
        "counted_by": ANNA,
        "verified_by": BERT,
    }
    return TableOpened(**described | changes)


def stacked(front: Sequence[str] = (), back: Sequence[str] = (), *, decks: int = 8) -> Shoe:
    """Stack a shoe: chosen cards from position 0 on, chosen cards at its end, fillers between."""
    cards = (*front, *[FILLER] * (52 * decks - len(front) - len(back)), *back)
    salts = tuple(bytes([position % 256]) * 16 for position in range(len(cards)))
    leaves = tuple(leaf("b1/1", position, 0, salt) for position, salt in enumerate(salts))
    return Shoe(shoe_id="b1/1", decks=decks, cards=cards, salts=salts, leaves=leaves, root=sha256(b"").digest())


def to_burn(procedure: Procedure) -> list[str]:
    """Give the fewest cards that a procedure burns: two by the first card, an ace."""
    return {"none": [], "one": [FILLER], "first-card": ["As", FILLER], "decks": [FILLER] * procedure.decks}[
        procedure.burn
    ]


def derived(table: Table) -> Shoe:
    """Derive a table's current shoe as the house does."""
    shoe = in_play(table)
    name = f"{table.name}/{shoe.number}"
    return derive_shoe(seed=SEED, shoe_id=name, decks=shoe.cards // 52, mix=mix(shoe.contributions))


def in_play(table: Table) -> ShoeInPlay:
    """Give the shoe in play."""
    assert not isinstance(table.phase, Closed | Idle)
    return table.phase.shoe


def stakes_of(table: Table) -> Stakes:
    """Give the stakes in escrow."""
    coup = open_coup(table.phase)
    return coup.stakes if coup else Stakes()


def chips_on(table: Table) -> int:
    """Count every chip of the patrons on a table, staked or not."""
    return sum(table.stacks.values()) + stakes_of(table).table


def seen(table: Table) -> str:
    """Show all that is true at a table, orders included, to be compared with what is true later."""
    return repr(table)


class Sitting:
    """A table and its log: what a command decides happens at once."""

    def __init__(self, rules: Rules | None = None, limits: Limits | None = None) -> None:
        self.log: list[TableEvent] = [*floor.open_table(None, opening(rules, limits))]
        self.table: Table = evolve(None, self.log[0])
        self.cards = stacked(decks=self.table.rules.procedure.decks)

    def do(self, events: Sequence[TableEvent]) -> list[TableEvent]:
        """Let the events of a command happen."""
        for event in events:
            self.table = evolve(self.table, event)
            self.log.append(event)
        return list(events)

    def buy(self, **amounts: int) -> Self:
        """Put chips before patrons."""
        for patron, amount in amounts.items():
            self.do(floor.buy_chips(self.table, patron=patron, amount=amount, means="cash"))
        return self

    def shoe(self, front: Sequence[str] = (), back: Sequence[str] = ()) -> Self:
        """Commit to a shoe, shuffle and burn it; its coups begin with `front`, and it ends with `back`."""
        procedure = self.table.rules.procedure
        self.cards = stacked((*to_burn(procedure), *front), back, decks=procedure.decks)
        self.do(shoes.commit(self.table, seed_commitment=SEED))
        self.do(shoes.shuffle(self.table, self.cards, mix=mix([])))
        return self

    def round(self, *bets: tuple[str, str, int]) -> "Sitting":
        """Open a round and place bets."""
        self.do(play.open_round(self.table))
        for bet in bets:
            self.do(wagers.place_bets(self.table, [bet]))
        return self

    def coup(self, *bets: tuple[str, str, int]) -> list[TableEvent]:
        """Play a whole coup and give its events from `bets-closed` on."""
        self.round(*bets)
        return self.do(play.play_coup(self.table, self.cards, count=len(bets), digest=DIGEST))

    def end_shoe(self, reason: str | None = "end-of-day") -> list[TableEvent]:
        """Close the shoe."""
        return self.do(shoes.close(self.table, seed=SEED, reason=reason))

    def closed(self) -> "Sitting":
        """Close the table."""
        self.do(floor.close_table(self.table, CLOSING))
        return self

    @property
    def is_between(self) -> bool:
        """Whether the table is between coups."""
        return isinstance(self.table.phase, Between)

    @property
    def chapter(self) -> list[TableEvent]:
        """The log from the last `shoe-committed` on."""
        begins = [number for number, event in enumerate(self.log) if isinstance(event, ShoeCommitted)]
        return self.log[begins[-1] :] if begins else self.log


def fold(events: Sequence[TableEvent]) -> Table | None:
    """Fold a log from nothing."""
    table: Table | None = None
    for event in events:
        table = evolve(table, event)
    return table


def refusal(table: Table, *command: Any, **order: Any) -> RefusedError:
    """Give the no that a command gets; nothing may have changed by it."""
    decide, *rest = command
    before = seen(table)
    with pytest.raises(RefusedError) as refused:
        decide(table, *rest, **order)
    no = refused.value
    assert seen(table) == before
    assert no.detail
    assert no.where
    assert no.right
    return no


def leaves_text(cards: Shoe) -> str:
    """Write a shoe's leaves as the log does."""
    return b64encode(b"".join(cards.leaves)).decode()


def kinds(events: Sequence[TableEvent]) -> list[str]:
    """Name the events, as the log does."""
    return [str(type(event).__struct_config__.tag) for event in events]


def said(event: TableEvent) -> dict[str, Any]:
    """Give what an event says, without its type, absent fields left out."""
    fields = {name: getattr(event, name) for name in event.__struct_fields__}
    return {name: value for name, value in fields.items() if value is not UNSET}
