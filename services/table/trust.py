"""Whom the log asks for cosignatures: a policy file (C2SP tlog-policy), held to what this log can do with it."""

from pathlib import Path
from urllib.parse import urlsplit

from msgspec.structs import replace

from schemas.note import Verifier
from schemas.policy import MAX_BYTES, Log, Policy, UnreadablePolicyError, Witness, is_met, of_log, parse


def read(path: Path) -> Policy:
    """Read a policy whose witnesses can be asked. Raises ValueError, OSError."""
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    try:
        policy = parse(content)
    except UnreadablePolicyError as error:
        raise ValueError(f"{path} is no policy: {error}") from None
    for witness in policy.witnesses:
        _check_address(path, witness)
    if not is_met(policy, [witness.name for witness in policy.witnesses if witness.url is not None]):
        raise ValueError(f"{path} asks for the quorum {policy.quorum}, and too few of its witnesses have an address")
    return policy


def of(log: Verifier, policy: Policy | None) -> Policy:
    """Give the policy of this log alone. Raises ValueError when it is not one of those that the policy names."""
    if policy is None:
        return of_log(log)
    named = [each for each in policy.logs if each.key == log]
    if policy.logs and not named:
        names = ", ".join(each.key.vkey for each in policy.logs)
        raise ValueError(f"the policy file names {names}, and this log's key is {log.vkey}")
    return replace(policy, logs=(named[0] if named else Log(key=log),))


def _check_address(path: Path, witness: Witness) -> None:
    if witness.url is None:
        return
    parts = urlsplit(witness.url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{path}: the witness {witness.name} has no address such as https://witness.example/w1")
