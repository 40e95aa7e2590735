"""Who had a part in the shuffle: the grade of a shoe's entropy, and what of it was shown to be false."""

from collections.abc import Sequence
from typing import Literal, get_args

from msgspec import Struct

from schemas.ingredient import final_message
from schemas.note import ED25519, NoteError, Verifier, is_signed_bytes, parse_vkey
from services.table.game.shoe import mix
from services.table.game.state import ShoeInPlay

# From the least to the most: `beacon` is never given here, since no beacon's signature can be checked.
Grade = Literal["operator-only", "patron", "independent", "beacon"]
GRADES: tuple[Grade, ...] = get_args(Grade)

SIGNATURE_BYTES = 64
Contribution = tuple[str, bytes]
"""Source and value, as in the log."""


class Entropy(Struct, frozen=True, kw_only=True):
    """A grade with its reason, and findings: numbers of contributions (None: of the list) and what is wrong."""

    grade: Grade
    reason: str
    findings: tuple[tuple[int | None, str], ...] = ()


class Ingredients:
    """The contributions to one shoe, and the last one that was named beforehand."""

    def __init__(self, *, shoe_id: str, commitment: bytes, final_source: str, signers: Sequence[Verifier]) -> None:
        self.contributions: list[Contribution] = []
        self._shoe_id = shoe_id
        self._commitment = commitment
        self._final_source = final_source
        self._signers = signers

    def add(self, source: str, value: bytes) -> None:
        """Take one contribution, in the order of the log."""
        self.contributions.append((source, value))

    def mix(self) -> bytes:
        """Give M over the contributions so far."""
        return mix(self.contributions)

    def judge(self) -> Entropy:
        """Grade what went into the shuffle, once nothing more can be added."""
        findings = self._false_signatures()
        kind = self._final_source.partition(":")[0]
        if kind == "none":
            return self._lower("no last ingredient was named", findings)
        last = self.contributions[-1][0] if self.contributions else None
        if last != self._final_name():
            findings.append((None, f"the last ingredient is to be {self._final_source}, and it is {last or 'missing'}"))
            return self._lower("the last ingredient named is not the last", findings)
        if kind == "drand":
            return self._lower("the beacon's signature cannot be checked by this verifier", findings)
        return self._signed(findings)

    def _signed(self, findings: list[tuple[int | None, str]]) -> Entropy:
        """Grade a shoe whose last ingredient is a signature by a key named beforehand."""
        try:
            key = parse_vkey(self._final_source.removeprefix("signer:"))
        except NoteError as error:
            findings.append((None, f"the last ingredient's key cannot be read: {error}"))
            return self._lower("the signer's key cannot be read", findings)
        number = len(self.contributions) - 1
        if key.algorithm != ED25519 or not self._is_signed(number, key):
            if not any(found == number for found, _ in findings):
                findings.append((number, "the last ingredient is not the signature of the signer named"))
            return self._lower("the last ingredient is not the signer's", findings)
        if key not in self._signers:
            return self._lower(f"the key of the signer {key.name} was not given to compare with", findings)
        reason = f"{key.name}, whose key was given, signed last"
        return Entropy(grade="independent", reason=reason, findings=tuple(findings))

    def _final_name(self) -> str:
        """Give the source that the last contribution must have; of a signer's key the name alone."""
        return self._final_source.partition("+")[0] if self._final_source.startswith("signer:") else self._final_source

    def _false_signatures(self) -> list[tuple[int | None, str]]:
        """Find values of signers that are no signatures, or not by a key that was given and not named otherwise."""
        keys = {f"signer:{key.name}": key for key in self._signers}
        named = len(self.contributions) - 1 if self._final_source.startswith("signer:") else None
        findings: list[tuple[int | None, str]] = []
        for number, (source, value) in enumerate(self.contributions):
            if source.startswith("signer:") and len(value) != SIGNATURE_BYTES:
                findings.append((number, f"the value of {source} has {len(value)} bytes, where a signature has 64"))
            elif source in keys and number != named and not self._is_signed(number, keys[source]):
                findings.append((number, f"the ingredient of {source} is not its signature"))
        return findings

    def _is_signed(self, number: int, key: Verifier) -> bool:
        message = final_message(self._shoe_id, self._commitment, mix(self.contributions[:number]))
        return is_signed_bytes(key.public_key, self.contributions[number][1], message)

    def _lower(self, why: str, findings: list[tuple[int | None, str]]) -> Entropy:
        """Give the next lower grade that holds."""
        if any(source.startswith("patron:") for source, _ in self.contributions):
            reason = f"{why}; a patron contributed, but the operator may have been the last to do so"
            return Entropy(grade="patron", reason=reason, findings=tuple(findings))
        return Entropy(grade="operator-only", reason=f"{why}; no patron contributed", findings=tuple(findings))


def of_shoe(table: str, shoe: ShoeInPlay) -> Entropy | None:
    """Grade a shoe as its own house may: knowing no signer's key, since whoever names a signer proves nothing by it.

    None before the shuffle, and for real cards.
    """
    if not shoe.root or not shoe.commitment:
        return None
    ingredients = Ingredients(
        shoe_id=f"{table}/{shoe.number}",
        commitment=bytes.fromhex(shoe.commitment),
        final_source=shoe.final_source,
        signers=(),
    )
    ingredients.contributions = shoe.contributions
    return ingredients.judge()
