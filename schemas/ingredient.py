"""The last ingredient of a shuffle: what a signer who is not the house is asked, what it signs, and what it answers."""

import struct
from typing import Annotated

from msgspec import Meta, Struct

from schemas.words import Hash, Source

ShoeId = Annotated[str, Meta(pattern=r"^[a-z0-9-]{1,64}/[1-9][0-9]{0,15}$(?!\n)")]
Signature = Annotated[str, Meta(pattern=r"^[0-9a-f]{128}$(?!\n)")]


class Mixed(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A shuffle that lacks its last ingredient: the house's commitment, and the mix of all that was contributed."""

    shoe_id: ShoeId
    seed_commitment: Hash
    mix: Hash

    @property
    def message(self) -> bytes:
        """What is signed."""
        return final_message(self.shoe_id, bytes.fromhex(self.seed_commitment), bytes.fromhex(self.mix))


class LastIngredient(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A signer's contribution, in the words of `entropy-contributed`."""

    source: Source
    value: Signature


def final_message(shoe_id: str, commitment: bytes, mix_so_far: bytes) -> bytes:
    """Give the message that a signer of the last ingredient signs."""
    return b"shoe-final/v1\n" + prefixed(shoe_id.encode("ascii")) + commitment + mix_so_far


def prefixed(value: bytes) -> bytes:
    """Put the length before a value, in two bytes."""
    return struct.pack(">H", len(value)) + value
