"""How long an entry waits until witnesses vouch for it: signed at once, then cosigned by more than half of three."""

import time
from statistics import median, quantiles

from msgspec import Struct

from schemas import policy
from services.house.gallery import POLICY
from services.house.house import House
from services.house.party import Party
from services.house.runner import Runner

TIMES = 200
WARM_UP = 20


class Waited(Struct, frozen=True, kw_only=True):
    """Seconds from a durable entry to its checkpoint, and from there to the checkpoint with its quorum."""

    signed_seconds: float
    cosigned_seconds: float
    cosigned_p99_seconds: float


async def waits(house: House, *, times: int = TIMES) -> Waited:
    """Write an entry, have it signed, and fetch its checkpoint with the cosignatures, again and again."""
    asked = policy.parse((house.premises.directory / POLICY).read_bytes())
    signed, cosigned = [], []
    async with Runner(house.table_url, house.keys["operator"]) as runner:
        party = Party(runner, "b1", rules="mini", patrons=0, seed="bench")
        await party.open()
        for _ in range(WARM_UP + times):
            await runner.tell("/v1/tables/b1/chips/buy", {"patron": "p1", "amount": 100, "means": "cash"})
            began = time.perf_counter()
            note = await runner.post("/v1/log/checkpoint")
            signed.append(time.perf_counter() - began)
            began = time.perf_counter()
            shown = b""
            while size_of(shown) < size_of(note.encode()) or not policy.is_met(
                asked, policy.judge(asked, shown).cosigned
            ):
                shown = await runner.fetch("/v1/log/checkpoint")
            cosigned.append(time.perf_counter() - began)
    return Waited(
        signed_seconds=median(signed[WARM_UP:]),
        cosigned_seconds=median(cosigned[WARM_UP:]),
        cosigned_p99_seconds=quantiles(cosigned[WARM_UP:], n=100)[98],
    )


def size_of(note: bytes) -> int:
    """How many entries a checkpoint covers; -1 for no note."""
    return int(note.split(b"\n")[1]) if note else -1
