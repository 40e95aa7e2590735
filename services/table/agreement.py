"""The last checkpoint on which a quorum of witnesses agreed, kept for the hour in which they are away.

It is kept for convenience: it is believed for its signatures, and they are judged again when it is read.
"""

from schemas.checkpoint import parse as parse_checkpoint
from schemas.note import parse as parse_note
from schemas.policy import Policy, judge
from services.table.database import Pool, fetch
from services.table.notary import PATIENCE_SECONDS
from services.table.scribe import Signed

_KEPT = "select note from journal.agreement where origin = $1"
_KEEP = "select journal.keep_agreement($1, $2, $3)"


async def keep(pool: Pool, agreed: Signed) -> None:
    """Keep a cosigned checkpoint as its log's last. Raises UnavailableError."""
    origin = parse_checkpoint(parse_note(agreed.note).text).origin
    await fetch(pool, _KEEP, origin, agreed.size, agreed.note.decode(), patience_seconds=PATIENCE_SECONDS)


async def read(pool: Pool, policy: Policy) -> Signed | None:
    """Read the last checkpoint that the policy's witnesses agreed on; None when there is none that holds today.

    Raises UnavailableError.
    """
    for row in await fetch(pool, _KEPT, policy.logs[0].key.name, patience_seconds=PATIENCE_SECONDS):
        verdict = judge(policy, row["note"].encode())
        if verdict.checkpoint is not None and not verdict.findings:
            return Signed(verdict.checkpoint.size, verdict.checkpoint.root, row["note"].encode())
    return None
