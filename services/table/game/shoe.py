"""The committed shoe, version 1: every card is sealed before the first bet, and opened one by one.

The bytes of every hash here are fixed for ever, so that a stranger derives the same shoe from the same seed.
"""

import hmac
import struct
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256

from msgspec import Struct

from schemas.ingredient import prefixed
from schemas.tree import root
from services.table.game.cards import CARDS, Card

SEED_BYTES = 32
SALT_BYTES = 16
DECKS = range(1, 13)
WORDS = 2**32


class HmacDrbg:
    """HMAC_DRBG with SHA-256 after NIST SP 800-90A; its output depends on the sizes asked for, too."""

    __slots__ = ("_key", "_value")

    def __init__(self, *, entropy: bytes, nonce: bytes, personalization: bytes = b"") -> None:
        self._key = bytes(32)
        self._value = b"\x01" * 32
        self._update(entropy + nonce + personalization)

    def generate(self, size: int, additional: bytes = b"") -> bytes:
        """Give the next `size` bytes, 65,536 at most."""
        if not 0 <= size <= 2**16:
            raise ValueError(f"{size} bytes in one request; the standard allows 0 to 65536")
        if additional:
            self._update(additional)
        key, value, blocks = self._key, self._value, []
        for _ in range(0, size, 32):
            value = hmac.digest(key, value, "sha256")
            blocks.append(value)
        self._value = value
        self._update(additional)
        return b"".join(blocks)[:size]

    def _update(self, provided: bytes) -> None:
        for round_byte in (b"\x00", b"\x01") if provided else (b"\x00",):
            self._key = hmac.digest(self._key, self._value + round_byte + provided, "sha256")
            self._value = hmac.digest(self._key, self._value, "sha256")

    def __repr__(self) -> str:
        return "HmacDrbg(…)"


class Shoe(Struct, frozen=True, kw_only=True):
    """All cards of a shoe in the order they leave it, from position 0, each with its salt and leaf.

    Leaves and root are published before the first bet; cards and salts are secret, and never show when printed.
    """

    shoe_id: str
    decks: int
    cards: tuple[Card, ...]
    salts: tuple[bytes, ...]
    leaves: tuple[bytes, ...]
    root: bytes

    def __repr__(self) -> str:
        return f"Shoe({self.shoe_id!r}, decks={self.decks}, root={self.root.hex()})"


def seed_commitment(shoe_id: str, seed: bytes) -> bytes:
    """Give C, which is published before anybody contributes: it binds the house to its seed."""
    return sha256(b"shoe-seed/v1\n" + prefixed(shoe_id.encode("ascii")) + seed).digest()


def mix(contributions: Sequence[tuple[str, bytes]]) -> bytes:
    """Give M, in which every contribution (source, value) has its part, in the order of the log."""
    parts = [part for source, value in contributions for part in (prefixed(source.encode("ascii")), prefixed(value))]
    return sha256(b"shoe-mix/v1\n" + struct.pack(">I", len(contributions)) + b"".join(parts)).digest()


def derive(*, seed: bytes, shoe_id: str, decks: int, mix: bytes) -> Shoe:
    """Shuffle a shoe of 1 to 12 decks out of the house's seed (32 bytes) and the mixed contributions."""
    drbg = generator(seed=seed, shoe_id=shoe_id, decks=decks, mix=mix)
    codes = shuffled(len(CARDS) * decks, words(drbg, request_bytes(decks)))
    blob = drbg.generate(SALT_BYTES * len(codes))
    salts = tuple(blob[start : start + SALT_BYTES] for start in range(0, len(blob), SALT_BYTES))
    leaves = sealed(shoe_id, codes, salts)
    return Shoe(
        shoe_id=shoe_id,
        decks=decks,
        cards=tuple(CARDS[code] for code in codes),
        salts=salts,
        leaves=leaves,
        root=root(leaves),
    )


def generator(*, seed: bytes, shoe_id: str, decks: int, mix: bytes) -> HmacDrbg:
    """Give the generator of one shoe, fresh."""
    if len(seed) != SEED_BYTES:
        raise ValueError(f"a seed has {SEED_BYTES} bytes, not {len(seed)}")
    if decks not in DECKS:
        raise ValueError(f"a shoe has 1 to 12 decks, not {decks}")
    personalization = b"shoe-shuffle/v1\n" + prefixed(shoe_id.encode("ascii")) + bytes([decks])
    return HmacDrbg(entropy=seed, nonce=mix, personalization=personalization)


def request_bytes(decks: int) -> int:
    """Give how many bytes a shuffle asks for at once: fixed sizes, on which the generator's output depends."""
    return 2048 if decks <= 8 else 4096  # noqa: PLR2004


def leaf(shoe_id: str, position: int, code: int, salt: bytes) -> bytes:
    """Seal one card at its position, 0 upwards."""
    return sha256(
        b"\x00shoe-card/v1\n" + prefixed(shoe_id.encode("ascii")) + struct.pack(">HB", position, code) + salt
    ).digest()


def sealed(shoe_id: str, codes: Iterable[int], salts: Iterable[bytes]) -> tuple[bytes, ...]:
    """Seal all cards of a shoe."""
    return tuple(
        leaf(shoe_id, position, code, salt) for position, (code, salt) in enumerate(zip(codes, salts, strict=True))
    )


def shuffled(size: int, random_words: Iterator[int]) -> list[int]:
    """Shuffle the codes of `size` cards, from the last down (Fisher and Yates), passing over words that would bias."""
    codes = [position % len(CARDS) for position in range(size)]
    for last in range(size - 1, 0, -1):
        places = last + 1
        fair = WORDS - WORDS % places
        while (word := next(random_words)) >= fair:
            pass
        chosen = word % places
        codes[last], codes[chosen] = codes[chosen], codes[last]
    return codes


def words(drbg: HmacDrbg, size: int) -> Iterator[int]:
    """Give big-endian 32-bit words, asking for `size` bytes whenever they are exhausted."""
    while True:
        yield from struct.unpack(f">{size // 4}I", drbg.generate(size))
