"""Witnesses under the house's own roof, so that cosignatures are seen on the first day.

They are processes like any other witness, each with its own key, memory and port; but who trusts the house's people
need not ask them, and who does not will not believe them: a regulator runs his own.
"""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from schemas import policy
from schemas.note import Verifier, parse_vkey
from schemas.policy import Group, Log, Policy, Witness

MAJORITY = "majority"
POLICY = "policy"


class Chair(Struct, frozen=True, kw_only=True):
    """A witness of the house: what it is called in the policy, and where it listens."""

    name: str
    port: int
    environment: dict[str, str]


def seat(directory: Path, *, log: Verifier, host: str, ports: Sequence[int]) -> list[Chair]:
    """Give a key to each witness that has none, and write the policy that names the log and all of them.

    Raises ValueError, OSError.
    """
    from services.witness import app

    chairs, witnesses = [], []
    for number, port in enumerate(ports, 1):
        name = f"witness-{number}"
        environment = {
            "SHOELOG_WITNESS_DIRECTORY": str(directory / name),
            "SHOELOG_WITNESS_NAME": f"shoelog.localhost/{name}",
            "SHOELOG_WITNESS_LOG_KEYS": "",
            "SHOELOG_WITNESS_POLICY_FILE": str(directory / POLICY),
            "SHOELOG_WITNESS_HOST": host,
            "SHOELOG_WITNESS_PORT": str(port),
        }
        vkey = app.init({key: text for key, text in environment.items() if not key.endswith("POLICY_FILE")})
        witnesses.append(Witness(name=name, key=parse_vkey(vkey), url=f"http://{host}:{port}"))
        chairs.append(Chair(name=name, port=port, environment=environment))
    (directory / POLICY).write_bytes(policy.encode(asking(log, witnesses)))
    return chairs


def asking(log: Verifier, witnesses: Sequence[Witness]) -> Policy:
    """The policy by which more than half of the witnesses must agree."""
    members = tuple(witness.name for witness in witnesses)
    majority = Group(name=MAJORITY, threshold=len(members) // 2 + 1, members=members)
    return Policy(logs=(Log(key=log),), witnesses=tuple(witnesses), groups=(majority,), quorum=MAJORITY)
