"""Moments: a table in each of its phases."""

from typing import Any

from services.table.game import play, shoes
from services.table.game.shoe import mix
from tests.table.game.sitting import ANNA, BANKER_WINS, BOTH, DIGEST, MARKING, SEED, Sitting, stacked

CARDS = stacked(("As", "4c", *BANKER_WINS))
VOID: dict[str, Any] = {"reason": "misdeal", "approved_by": (ANNA,)}
REVERSE: dict[str, Any] = {"reason": "misread", "approved_by": BOTH, "settle_again": False}

PHASES = (
    "closed",
    "idle",
    "committed",
    "shuffled",
    "between",
    "betting",
    "dealing",
    "reversed",
    "frozen",
    "frozen-in-coup",
)


def in_phase(phase: str) -> Sitting:
    """Bring a table into a phase; unless it is closed, p2 owes commission, and in an open coup p1 has staked."""
    sitting = Sitting(MARKING)
    if phase == "closed":
        return sitting.closed()
    sitting.buy(p1=5_000, p2=1_000, p3=1_000).shoe((*BANKER_WINS, *BANKER_WINS))
    sitting.coup(("p2", "banker", 500))
    sitting.coup(("p1", "player", 500))
    match phase:
        case "idle" | "committed" | "shuffled":
            sitting.do(shoes.void(sitting.table, seed=SEED, **VOID))
            if phase != "idle":
                sitting.do(shoes.commit(sitting.table, seed_commitment=SEED))
            if phase == "shuffled":
                sitting.do(shoes.shuffle(sitting.table, CARDS, mix=mix([]))[:1])
        case "betting" | "dealing" | "frozen-in-coup":
            sitting.round(("p1", "banker", 500))
            if phase == "dealing":
                sitting.do(play.close_bets(sitting.table, count=1, digest=DIGEST))
        case "reversed":
            sitting.do(play.reverse_settlement(sitting.table, **REVERSE)[:1])
    if phase.startswith("frozen"):
        sitting.do(shoes.freeze(sitting.table, reason="seed-lost"))
    return sitting
