"""The vault: fresh seeds, their sealing, and the only place where a shoe is opened again from its sealed seed."""

import os

from msgspec import Struct

from services.table.game import shoe
from services.table.game.state import Committed
from services.table.seal import SealedSeedError, SeedKey, seal, unseal
from services.table.stream import TableStream

SEED_BYTES = 32


def draw_seed() -> bytes:
    """Draw a seed from the operating system's generator."""
    return os.urandom(SEED_BYTES)


class FreshSeed(Struct, frozen=True):
    """A seed that nobody has seen yet."""

    shoe_id: str
    seed: bytes
    commitment: bytes

    def __repr__(self) -> str:
        """Show no seed."""
        return f"FreshSeed({self.shoe_id!r})"


class SeedLostError(Exception):
    """A shoe cannot be resumed as it was committed; `reason` is a word for the log."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Vault:
    """Seals and unseals seeds with the key that is kept outside the database."""

    def __init__(self, key: SeedKey) -> None:
        self._key = key

    def fresh(self, held: TableStream) -> FreshSeed:
        """Draw the seed of a table's next shoe from the operating system's generator."""
        shoe_id = f"{held.name}/{held.here.shoes + 1}"
        seed = draw_seed()
        return FreshSeed(shoe_id, seed, shoe.seed_commitment(shoe_id, seed))

    def seal(self, fresh: FreshSeed) -> bytes:
        """Encrypt a seed, bound to its shoe and its commitment."""
        return seal(self._key, shoe_id=fresh.shoe_id, commitment=fresh.commitment, seed=fresh.seed)

    def open(self, held: TableStream, sealed: bytes | None) -> None:
        """Put seed and cards at the croupier's hand, once they agree with all that is published.

        Raises SeedLostError when the seed is gone, or the shoe does not come out with its root and its opened cards. A
        seed that is the one committed to is kept even so: it is to be revealed.
        """
        committed = bytes.fromhex(held.shoe.commitment)
        if sealed is None:
            raise SeedLostError("seed-lost")
        try:
            seed = unseal(self._key, shoe_id=held.shoe_id, commitment=committed, sealed=sealed)
        except SealedSeedError:
            raise SeedLostError("seed-unreadable") from None
        if shoe.seed_commitment(held.shoe_id, seed) != committed:
            raise SeedLostError("commitment-mismatch")
        held.seed = seed
        held.cards = None if isinstance(held.here.phase, Committed) else _derived(held, seed)


def _derived(held: TableStream, seed: bytes) -> shoe.Shoe:
    """Derive the shoe again and compare it with its root and every card opened so far."""
    cards = shoe.derive(
        seed=seed,
        shoe_id=held.shoe_id,
        decks=held.here.rules.procedure.decks,
        mix=shoe.mix(held.shoe.contributions),
    )
    if cards.root.hex() != held.shoe.root:
        raise SeedLostError("root-mismatch")
    for opening in held.opened:
        at = opening.position
        if (cards.cards[at], cards.salts[at].hex()) != (opening.card, opening.salt):
            raise SeedLostError("card-mismatch")
    return cards
