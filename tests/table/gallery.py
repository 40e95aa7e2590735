"""Three witnesses in processes of their own that know many logs, so that each test may have a log of its own."""

import itertools
from collections.abc import Sequence
from pathlib import Path

from schemas.note import Signer
from schemas.policy import Policy, parse
from tests.witness.standing import Standing

LOGS = [Signer(f"casino.example/log/{number}", bytes([number]) * 32) for number in range(1, 65)]


class Gallery:
    """The witnesses a, b and c; and the logs that nobody has used yet."""

    def __init__(self, directory: Path) -> None:
        known = directory / "logs"
        known.write_text("".join(f"log {log.verifier.vkey}\n" for log in LOGS) + "quorum none\n")
        self.witnesses = [
            Standing(directory / name, "--policy", str(known), name=f"{name}.example/w").start() for name in "abc"
        ]
        self._logs = iter(LOGS)

    def log(self) -> Signer:
        """A log that nothing was signed of yet."""
        return next(self._logs)

    def policy(self, log: Signer, *rules: str, urls: Sequence[str] = ()) -> Policy:
        """The policy of a log with these witnesses; `urls` in place of theirs, where one is given."""
        return parse(self.policy_text(log, *rules, urls=urls).encode())

    def policy_text(self, log: Signer, *rules: str, urls: Sequence[str] = ()) -> str:
        """As `policy`, in its file's words."""
        addresses = itertools.zip_longest(self.witnesses, urls, fillvalue="")
        lines = [f"log {log.verifier.vkey}"]
        for name, (witness, url) in zip("abc", addresses, strict=True):
            assert isinstance(witness, Standing)
            lines.append(f"witness {name} {witness.key.vkey} {url or witness.url}")
        return "\n".join([*lines, *(rules or ("group two 2 a b c", "quorum two"))]) + "\n"

    def close(self) -> None:
        """Send them home."""
        for witness in self.witnesses:
            witness.kill()
