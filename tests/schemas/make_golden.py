"""Make the golden example of an event that has none yet: `python -m tests.schemas.make_golden`, by hand.

What stands in schemas/golden is never edited and never made again: a file that is there stays as it is. A new event, or
a new schema of an old one, gets its example here and one run.
"""

import base64
from hashlib import sha256
from pathlib import Path
from typing import Any

from schemas import accounts, entry, events, note, seats, tree
from schemas.checkpoint import Checkpoint, sign
from schemas.rules import Bet, BetLimits, Commission, Limits, Procedure, Rounding, Rules
from schemas.words import Carried, Seated, Winners
from services.table.game.rules import builtin

GOLDEN = Path("schemas/golden")
RULES = Rules(
    name="punto-banco",
    version=1,
    game="house",
    seats=7,
    procedure=Procedure(decks=1, burn="one", cut=7, after_cut="finish"),
    winnings=Rounding(mode="floor", unit=1),
    commission=Commission(collect="marked", mode="half-up", unit=25),
    bets={
        "player": Bet(ladder=({"winner": "player", "pays": "1/1"}, {"winner": "tie", "pays": "0/1"})),
        "banker": Bet(
            commission="1/20", ladder=({"winner": "banker", "pays": "1/1"}, {"winner": "tie", "pays": "0/1"})
        ),
        "tie": Bet(ladder=({"winner": "tie", "pays": "8/1"},)),
        "dragon-7": Bet(
            needs=("player", "banker"), ladder=({"winner": "banker", "banker": 7, "banker_cards": 3, "pays": "40/1"},)
        ),
    },
)
LIMITS = Limits(
    bets={
        "player": BetLimits(min=500, max=500000),
        "banker": BetLimits(min=500, max=500000),
        "tie": BetLimits(min=500, max=50000),
        "dragon-7": BetLimits(min=100, max=10000),
    },
    patron=600000,
    table=2000000,
    differential=1000000,
)
FLOAT = ((100000, 20), (10000, 100), (2500, 200), (500, 400))
SHOE_ID = b"\x00\x04b1/1"  # with its length before it
SEED = sha256(b"a golden seed").digest()
COMMITMENT = sha256(b"shoe-seed/v1\n" + SHOE_ID + SEED).hexdigest()
CONTRIBUTION = b"blow on the dice"
SALTS = [sha256(b"a golden salt %d" % position).digest()[:16] for position in range(52)]
LEAVES = [
    sha256(b"\x00shoe-card/v1\n" + SHOE_ID + i.to_bytes(2, "big") + bytes([i]) + SALTS[i]).digest() for i in range(52)
]
SOURCE = b"patron:56778cb8"
MIX = sha256(
    b"shoe-mix/v1\n"
    + (1).to_bytes(4, "big")
    + len(SOURCE).to_bytes(2, "big")
    + SOURCE
    + len(CONTRIBUTION).to_bytes(2, "big")
    + CONTRIBUTION
).hexdigest()
DEALER, INSPECTOR, MANAGER, CAGE = "dealer:anna", "inspector:joao", "pit-boss:mei", "cage:ines"
OLD_LOG = note.Signer("casino.example/log/1", sha256(b"a golden key").digest())
OLD_CHECKPOINT = sign(Checkpoint(origin="casino.example/log/1", size=3, root=tree.root(LEAVES[:3])), OLD_LOG)
LINES = (
    events.Line(patron="56778cb8", bet="banker", stake=500, won=500, commission=0, returned=1000, marked=25),
    events.Line(patron="9d0f3a11", bet="player", stake=2500, won=0, commission=0, returned=0, marked=0),
)


def _table() -> list[events.TableEvent]:
    """What happens to a table, its float and its stacks."""
    slip = {"requested_by": INSPECTOR, "issued_by": CAGE, "received_by": DEALER}
    return [
        events.TableOpened(
            table="b1",
            name="Salão «Ásia» — mesa 1",
            currency="EUR",
            rules=RULES,
            limits=LIMITS,
            float=FLOAT,
            counted_by=DEALER,
            verified_by=INSPECTOR,
        ),
        events.TableSuspended(reason="fire-alarm"),
        events.TableResumed(),
        events.TableClosed(float=FLOAT, counted_by=DEALER, verified_by=INSPECTOR),
        events.DealerChanged(dealer="dealer:bruno"),
        events.LimitsChanged(limits=Limits(bets={"player": BetLimits(min=1000, max=500000)})),
        events.ChipsFilled(slip="f-2041", amount=210000, chips=((100000, 2), (2500, 4)), **slip),
        events.ChipsCredited(slip="c-0077", amount=100000, chips=((100000, 1),), **slip),
        events.ChipsBought(patron="56778cb8", amount=20000, means="cash"),
        events.ChipsCashed(patron="56778cb8", amount=20975, means="account"),
        events.CommissionCollected(patron="56778cb8", amount=25),
        events.CommissionWaived(patron="9d0f3a11", amount=75, reason="goodwill", approved_by=(INSPECTOR, MANAGER)),
    ]


def _shoe() -> list[events.TableEvent]:
    """What happens to a shoe."""
    return [
        events.ShoeCommitted(
            shoe=1,
            decks=1,
            source="committed",
            currency="EUR",
            rules=RULES,
            limits=LIMITS,
            carried=(Carried(patron="56778cb8", chips=20000, owed=25),),
            seed_commitment=COMMITMENT,
            final_source="none",
        ),
        events.ChipsCarried(carried=(Carried(patron="9d0f3a11", chips=0, owed=75),)),
        events.EntropyContributed(shoe=1, source=SOURCE.decode(), value=CONTRIBUTION.hex()),
        events.ShoeShuffled(
            shoe=1, mix=MIX, root=tree.root(LEAVES).hex(), leaves=base64.b64encode(b"".join(LEAVES)).decode()
        ),
        events.CardsBurned(shoe=1, count=1, position=0, card="Ac", salt=SALTS[0].hex()),
        events.CutCardReached(shoe=1, position=45),
        events.ShoeFrozen(shoe=1, reason="root-mismatch"),
        events.ShoeClosed(shoe=1, reason="cut-card", seed=SEED.hex(), dealt=46, burned=1, remaining=5),
        events.ShoeVoided(shoe=1, reason="log-lost", seed=SEED.hex(), dealt=46, burned=1, remaining=5),
    ]


def _coup() -> list[events.TableEvent]:
    """What happens in a coup."""
    return [
        events.RoundOpened(shoe=1, round=1, free=True),
        events.BetPlaced(round=1, patron="56778cb8", bet="banker", amount=500),
        events.BetWithdrawn(round=1, patron="56778cb8", bet="banker"),
        events.BetsClosed(round=1, count=0, digest=sha256(b"").hexdigest()),
        events.CardDealt(round=1, hand="player", card="2c", position=1, salt=SALTS[1].hex()),
        events.DecisionMade(round=1, hand="player", choice="draw"),
        events.LinesSettled(round=1, lines=LINES[:1]),
        events.RoundSettled(round=1, player=3, banker=7, winner="banker", lines=LINES),
        events.RoundVoided(round=1, reason="out-of-cards", approved_by=()),
        events.SettlementReversed(round=1, reason="misread-card", approved_by=(INSPECTOR, MANAGER)),
    ]


def _banked() -> list[events.TableEvent]:
    """What happens where a player banks, and what looks different there: an example's name may say which."""
    place: dict[str, Any] = {"round": 1, "patron": "56778cb8", "bet": "winning-8", "amount": 500}
    return [
        seats.SeatTaken(seat=4, patron="56778cb8"),
        seats.SeatLeft(seat=4, patron="56778cb8", reason="eliminated"),
        seats.CardDrawn(shoe=1, seat=4, card="Kd", position=1, salt=SALTS[1].hex()),
        seats.SeatsSet(
            round=1,
            seats=(Seated(seat=1, patron="9d0f3a11"), Seated(seat=4, patron="56778cb8")),
            turn=4,
            banker=1,
            standing=19500,
            suivi=4,
        ),
        seats.TurnPassed(round=1, patron="56778cb8"),
        seats.BetAsked(**place),
        seats.BetAgreed(**place),
        seats.BetRefused(**place),
        seats.BankBroken(round=1, patron="9d0f3a11", due=4500, paid=3500),
    ]


def _variants() -> dict[str, events.TableEvent]:
    """Other forms of events that have their example already, by the name that their file has."""
    opened: dict[str, Any] = {"currency": "EUR", "float": FLOAT, "counted_by": DEALER, "verified_by": INSPECTOR}
    books = {name: builtin(name) for name in ("dining-room", "chemin-de-fer", "banque")}
    return {
        **{
            f"table-opened-{name}": events.TableOpened(
                table="p1", name=name, rules=book.rules, limits=book.limits, **opened
            )
            for name, book in books.items()
        },
        "seats-set-banque": seats.SeatsSet(
            round=1, seats=(Seated(seat=1, patron="9d0f3a11"), Seated(seat=6, patron="56778cb8")), right=1, left=6
        ),
        "seats-set-tied": seats.SeatsSet(
            round=2,
            seats=(Seated(seat=1, patron="9d0f3a11"), Seated(seat=4, patron="56778cb8")),
            turn=4,
            banker=4,
            standing=10000,
            tied=True,
        ),
        "card-dealt-left": events.CardDealt(round=1, hand="left", card="2c", position=1, salt=SALTS[1].hex()),
        "round-settled-two-tableaux": events.RoundSettled(
            round=1,
            left=7,
            right=3,
            banker=5,
            winners=Winners(left="player", right="banker"),
            lines=(
                events.Line(patron="9d0f3a11", bet="bank", stake=100000, won=30000, commission=1500, returned=103500),
                events.Line(patron="56778cb8", bet="right", stake=30000, won=0, commission=0, returned=0),
                events.Line(patron="a04c55de", bet="left", stake=25000, won=25000, commission=0, returned=50000),
                events.Line(patron="0b6e1f92", bet="cheval", stake=20000, won=0, commission=0, returned=20000),
            ),
        ),
    }


def _away() -> list[events.PatronEvent | events.LogEvent]:
    """What happens away from the tables."""
    return [
        accounts.AccountOpened(currency="EUR"),
        accounts.FundsDeposited(amount=100000, means="cash", balance=100000),
        accounts.FundsWithdrawn(amount=30000, means="voucher", balance=70000),
        accounts.FundsToTable(table="b1", amount=20000, balance=50000),
        accounts.FundsFromTable(table="b1", amount=20975, balance=70975),
        accounts.LogSucceeded(
            origin="casino.example/log/1", checkpoint=OLD_CHECKPOINT.decode(), reason="restored-from-backup"
        ),
    ]


def example(event: events.AnyEvent, name: str) -> entry.Entry:
    """Put an event in a place that is made up, but always the same."""
    if isinstance(event, accounts.LogSucceeded):
        stream, actor = "log", "system:table"
    elif isinstance(event, events.PatronEvent):
        stream, actor = "patron/56778cb8", CAGE
    else:
        stream, actor = "table/b1", DEALER
    begins = isinstance(event, events.TableOpened | accounts.AccountOpened | accounts.LogSucceeded)
    digest = sha256(name.encode()).hexdigest()
    return entry.Entry(
        id=digest[:32],
        stream=stream,
        version=1 if begins else 2 + int(digest[:2], 16),
        at="2026-11-30T10:00:00.000000Z",
        actor=actor,
        command=f"golden.{name}~1",
        schema=1,
        prev=entry.NO_PREV if begins else sha256(digest.encode()).hexdigest(),
        event=event,
    )


def main() -> None:
    """Write what is missing, and the leaf hashes of all."""
    named = {str(event.__struct_config__.tag): event for event in (*_table(), *_shoe(), *_coup(), *_banked(), *_away())}
    for name, event in {**named, **_variants()}.items():
        made = example(event, name)
        path = GOLDEN / f"{name}-{made.schema}.json"
        if not path.exists():
            path.write_bytes(entry.encode(made))
    lines = [f"{entry.leaf(path.read_bytes()).hex()}  {path.name}\n" for path in sorted(GOLDEN.glob("*.json"))]
    (GOLDEN / "leaves.txt").write_text("".join(lines), encoding="ascii")


if __name__ == "__main__":
    main()
