"""Check 4, the shoe: sealed before the first bet, opened card by card in order, and derived again from its seed."""

from collections import Counter
from collections.abc import Sequence

from msgspec import UNSET, UnsetType

from schemas.events import (
    CardDealt,
    CardsBurned,
    EntropyContributed,
    RoundOpened,
    ShoeClosed,
    ShoeCommitted,
    ShoeShuffled,
    ShoeVoided,
)
from schemas.note import Verifier, from_base64
from schemas.seats import CardDrawn
from schemas.tree import root
from services.audit.findings import Page
from services.audit.procedure import CARDS_PER_DECK
from services.audit.watchers import Kind, Watcher
from services.table.game.cards import code_of
from services.table.game.grade import Entropy, Ingredients
from services.table.game.shoe import Shoe, derive, leaf, seed_commitment

LEAF_BYTES = 32
# A hostile file must not keep the auditor for hours: each signature is over everything that went before it.
MOST_CONTRIBUTIONS = 10_000
OPEN = "the shoe is still open: its seed is not revealed"
A_ROUND_ALONE = "a round alone: its cards open the leaves that were published; the shoe's bundle shows the seed"
REAL_CARDS = "real cards, read by a scanner"
NOT_IN_A_ROUND = "a round's bundle does not show what was contributed to the shuffle"


class ShoeCheck:
    """The cards that have left a shoe, each against its leaf; at the end all of them against the seed."""

    def __init__(self, page: Page, shoe_id: str, committed: ShoeCommitted, signers: Sequence[Verifier]) -> None:
        self.page = page
        self.entropy: Entropy | None = None
        self.is_over = False
        # The seed revealed at the end, with the entry that reveals it.
        self.seed: tuple[int, str] | None = None
        self.shoe_id = shoe_id
        self._committed = committed
        self._size = committed.decks * CARDS_PER_DECK
        self._is_scanned = committed.source == "scanned"
        commitment = committed.seed_commitment
        self._ingredients = Ingredients(
            shoe_id=shoe_id,
            commitment=b"" if commitment is UNSET else bytes.fromhex(commitment),
            final_source="none" if committed.final_source is UNSET else committed.final_source,
            signers=signers,
        )
        self._contributed_at: list[int] = []
        self._has_too_many = False
        self._shuffled: ShoeShuffled | None = None
        self._mix = b""
        self._leaves: tuple[bytes, ...] = ()
        self._opened: dict[int, tuple[int, str]] = {}
        self._seen: Counter[str] = Counter()
        self._next = self._dealt = self._burned = 0
        self._in_play = False

    @property
    def entropy_reason(self) -> str:
        """Say why the entropy has its grade, or has none."""
        if self.entropy is not None:
            return self.entropy.reason
        return REAL_CARDS if self._is_scanned else ""

    def watchers(self) -> dict[Kind, Watcher]:
        """Give what looks at each kind of entry."""
        return {
            ShoeCommitted: self._commit,
            EntropyContributed: self._contribute,
            ShoeShuffled: self._shuffle,
            CardsBurned: self._burn,
            RoundOpened: self._open_round,
            CardDealt: self._deal,
            CardDrawn: self._deal,
            ShoeClosed: self._end,
            ShoeVoided: self._end,
        }

    def publish_alone(self, version: int, event: ShoeShuffled, _: str) -> None:
        """Take the leaves of a shuffle of which the contributions are not known."""
        if self._publish(version, event):
            self._read_leaves(version, event)

    def take_up(self, position: int | None) -> None:
        """Go on within the shoe, before the card of this position, if it is known; nothing is known of the rest."""
        self._next = position or 0
        self.page.leave(A_ROUND_ALONE)
        if not self._is_scanned:
            self.entropy = Entropy(grade="operator-only", reason=NOT_IN_A_ROUND)

    def finish(self) -> None:
        """Say that an open shoe cannot be checked, and grade what went into it."""
        if not self.is_over:
            self.page.leave(OPEN)
        if self.entropy is None and not self._is_scanned:
            self._judge_ingredients(0)

    def _commit(self, version: int, event: ShoeCommitted, _: str) -> None:
        for name, value in (("seed_commitment", event.seed_commitment), ("final_source", event.final_source)):
            if self._is_scanned and value is not UNSET:
                self.page.note(version, f"a scanned shoe has no {name}")
            if not self._is_scanned and value is UNSET:
                self.page.note(version, f"a committed shoe is committed with a {name}")

    def _contribute(self, version: int, event: EntropyContributed, _: str) -> None:
        if self._is_scanned:
            self.page.note(version, "a scanned shoe takes no contributions")
        if self._shuffled is not None:
            self.page.note(version, "a contribution comes after the shuffle")
            return
        if not event.source.isascii():
            self.page.note(version, "a contribution's source is not ASCII, so no mix can hold it")
            return
        if len(self._contributed_at) == MOST_CONTRIBUTIONS:
            self._has_too_many = True
            self.page.leave(f"more than {MOST_CONTRIBUTIONS} contributions: the mix was not computed")
            return
        self._ingredients.add(event.source, bytes.fromhex(event.value))
        self._contributed_at.append(version)

    def _shuffle(self, version: int, event: ShoeShuffled, _: str) -> None:
        if not self._publish(version, event):
            return
        self._mix = self._ingredients.mix()
        if event.mix != self._mix.hex() and not self._has_too_many:
            self.page.note(version, "the mix is not that of the contributions")
        self._read_leaves(version, event)
        self._judge_ingredients(version)

    def _publish(self, version: int, event: ShoeShuffled) -> bool:
        """Take the first shuffle for what it is; tell whether it is the first."""
        if self._shuffled is not None:
            self.page.note(version, "the shoe is shuffled a second time")
            return False
        self._shuffled = event
        if self._is_scanned:
            self.page.note(version, "a scanned shoe has no leaves")
        if self._in_play:
            self.page.note(version, "the shuffle is published after play began")
        return True

    def _read_leaves(self, version: int, event: ShoeShuffled) -> None:
        self._leaves = self._leaves_of(version, event)
        if self._leaves and root(self._leaves).hex() != event.root:
            self.page.note(version, "the root is not that of the leaves")

    def _leaves_of(self, version: int, event: ShoeShuffled) -> tuple[bytes, ...]:
        try:
            blob = from_base64(event.leaves)
        except ValueError as error:
            self.page.note(version, f"the leaves are {error}")
            return ()
        if len(blob) != self._size * LEAF_BYTES:
            self.page.note(version, f"the leaves are {len(blob)} bytes; {self._size} cards have 32 each")
            return ()
        return tuple(blob[start : start + LEAF_BYTES] for start in range(0, len(blob), LEAF_BYTES))

    def _judge_ingredients(self, version: int) -> None:
        """Grade the entropy, when the shuffle is made; a shoe that never came so far lacks nothing yet."""
        self.entropy = self._ingredients.judge()
        for number, what in self.entropy.findings:
            if number is not None:
                self.page.note(self._contributed_at[number], what)
            elif version:
                self.page.note(version, what)

    def _open_round(self, version: int, _: RoundOpened, __: str) -> None:
        if not self._in_play and not self._is_scanned and self._shuffled is None:
            self.page.note(version, "bets are taken before every card is sealed")
        self._in_play = True

    def _burn(self, version: int, event: CardsBurned, _: str) -> None:
        if event.position:
            self.page.note(version, f"the first card burned is at position {event.position}, not 0")
        self._leave(version, event.card, event.position, event.salt)
        self._next += event.count - 1
        self._burned += event.count
        if self._next > self._size:
            self.page.note(version, f"{event.count} cards are burned, and the shoe does not have as many")

    def _deal(self, version: int, event: CardDealt | CardDrawn, _: str) -> None:
        self._dealt += 1
        if self._is_scanned and event.position is not UNSET:
            self.page.note(version, "a card of a scanned shoe has no position")
        self._leave(version, event.card, event.position, event.salt)

    def _leave(self, version: int, card: str, position: int | UnsetType, salt: str | UnsetType) -> None:
        """Let one card out of the shoe, opened."""
        if self._is_scanned:
            self._scan(version, card, salted=salt is not UNSET)
            return
        if position is UNSET or salt is UNSET:
            self.page.note(version, f"{card} leaves a committed shoe without its position and salt")
            self._next += 1
            return
        if position != self._next:
            self.page.note(version, f"{card} is opened at position {position}, where {self._next} is next")
        self._next = position + 1
        if position >= self._size:
            self.page.note(version, f"a shoe of {self._committed.decks} decks has no position {position}")
            return
        if self._leaves and leaf(self.shoe_id, position, code_of(card), bytes.fromhex(salt)) != self._leaves[position]:
            self.page.note(version, f"{card} at position {position} does not open the leaf that was published")
        self._opened[position] = version, card

    def _scan(self, version: int, card: str, *, salted: bool) -> None:
        """Take a real card that a scanner read."""
        self._next += 1
        self._seen[card] += 1
        if self._seen[card] > self._committed.decks:
            self.page.note(version, f"{card} comes out {self._seen[card]} times of {self._committed.decks} decks")
        if salted:
            self.page.note(version, "a card of a scanned shoe has no salt")
        if self._next > self._size:
            self.page.note(version, f"more cards than a shoe of {self._committed.decks} decks has")

    def _end(self, version: int, event: ShoeClosed | ShoeVoided, _: str) -> None:
        if self.is_over:
            self.page.note(version, "the shoe ends a second time")
            return
        self.is_over = True
        counted = {
            "dealt": self._dealt,
            "burned": self._burned,
            "remaining": max(0, self._size - self._dealt - self._burned),
        }
        for name, count in counted.items():
            if (said := getattr(event, name)) != count:
                self.page.note(version, f"{name} is {said}; the entries say {count}")
        if self._is_scanned:
            if event.seed is not UNSET:
                self.page.note(version, "a scanned shoe has no seed")
        elif event.seed is UNSET:
            self.page.note(version, "the seed is not revealed")
        else:
            self.seed = version, event.seed
            self._derive(version, bytes.fromhex(event.seed))

    def _derive(self, version: int, seed: bytes) -> None:
        """Derive the whole shoe again from its seed, and compare it with all that was published."""
        if seed_commitment(self.shoe_id, seed).hex() != self._committed.seed_commitment:
            self.page.note(version, "the seed is not the one that was committed to")
        if self._shuffled is None or self._has_too_many:
            return
        shoe = derive(seed=seed, shoe_id=self.shoe_id, decks=self._committed.decks, mix=self._mix)
        if shoe.root.hex() != self._shuffled.root:
            self.page.note(version, "the shoe derived from the seed has another root than the one published")
        wrong = [position for position, leaf_ in enumerate(self._leaves) if leaf_ != shoe.leaves[position]]
        if wrong:
            self.page.note(version, f"{len(wrong)} leaves are not those of the seed's shoe, the first at {wrong[0]}")
        self._compare_cards(shoe)

    def _compare_cards(self, shoe: Shoe) -> None:
        for position, (version, card) in self._opened.items():
            if card != shoe.cards[position]:
                self.page.note(version, f"{card} at position {position}; the seed's shoe has {shoe.cards[position]}")
