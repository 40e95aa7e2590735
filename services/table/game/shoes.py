"""Shoes: what is decided from the commitment to the reveal. Pure: seed and cards come in as arguments.

Each function takes the table as it is and gives the events of one command, or refuses; none of them changes the table.
"""

from base64 import b64encode
from collections.abc import Sequence
from typing import Literal

from msgspec import UNSET, UnsetType

from schemas.events import (
    CardsBurned,
    ChipsCarried,
    CommissionCollected,
    DealerChanged,
    EntropyContributed,
    RoundVoided,
    ShoeClosed,
    ShoeCommitted,
    ShoeFrozen,
    ShoeShuffled,
    ShoeVoided,
    TableEvent,
)
from schemas.rules import Procedure
from schemas.words import ITEMS_PER_ENTRY, Carried
from services.table.game import dining_game, entropy
from services.table.game.approval import ONE_PERSON, approved
from services.table.game.cards import burn_value
from services.table.game.phases import be, out_of_phase, play_on
from services.table.game.refusal import RefusedError
from services.table.game.shoe import Shoe
from services.table.game.state import (
    Betting,
    Between,
    Closed,
    Committed,
    Dealing,
    Frozen,
    Idle,
    Table,
    open_coup,
)


def commit(table: Table, *, seed_commitment: bytes, final_source: str = "none") -> list[TableEvent]:
    """Commit to the next shoe's seed, and carry every stack and debt into its chapter."""
    _insist_on_no_shoe(table)
    entropy.insist_on_a_last_source(final_source)
    return _chapter(table, source="committed", seed_commitment=seed_commitment.hex(), final_source=final_source)


def commit_scanned(table: Table) -> list[TableEvent]:
    """Take a shoe of real cards, which a reader will tell: there is no seed, and nothing to shuffle here."""
    _insist_on_no_shoe(table)
    return _chapter(table, source="scanned")


def _insist_on_no_shoe(table: Table) -> None:
    be(table, Idle, to="commit to a shoe")
    play_on(table)


def _chapter(
    table: Table,
    *,
    source: Literal["committed", "scanned"],
    seed_commitment: str | UnsetType = UNSET,
    final_source: str | UnsetType = UNSET,
) -> list[TableEvent]:
    """Begin a chapter, which stands alone."""
    carried = [
        Carried(patron=patron, chips=table.stack(patron), owed=table.debt(patron))
        for patron in sorted({*table.stacks, *table.owed})
        if table.stack(patron) or table.debt(patron)
    ]
    committed = ShoeCommitted(
        shoe=table.shoes + 1,
        decks=table.rules.procedure.decks,
        source=source,
        currency=table.currency,
        rules=table.rules,
        limits=table.next_limits,
        carried=tuple(carried[:ITEMS_PER_ENTRY]),
        seed_commitment=seed_commitment,
        final_source=final_source,
    )
    more = [
        ChipsCarried(carried=tuple(carried[start : start + ITEMS_PER_ENTRY]))
        for start in range(ITEMS_PER_ENTRY, len(carried), ITEMS_PER_ENTRY)
    ]
    # So it says again who deals, too.
    dealer = [] if table.dealer is None else [DealerChanged(dealer=table.dealer)]
    return [committed, *more, *dealer]


def contribute(table: Table, *, source: str, value: bytes) -> list[EntropyContributed]:
    """Add somebody's ingredient to the shuffle; the one that was named last at the commitment closes it."""
    shoe = be(table, Committed, to="add to the shuffle").shoe
    entropy.insist_on_an_ingredient(table, shoe, source, value)
    return [EntropyContributed(shoe=shoe.number, source=source, value=value.hex())]


def shuffle(table: Table, cards: Shoe, *, mix: bytes, last: Sequence[EntropyContributed] = ()) -> list[TableEvent]:
    """Publish every card sealed, then burn as the procedure says; `last` comes with it, if it is still to be added."""
    shoe = be(table, Committed, to="shuffle").shoe
    play_on(table)
    if not last:
        entropy.insist_on_the_last(shoe)
    return [*last, *sealed(shoe.number, table.rules.procedure, cards, mix=mix)]


def sealed(number: int, procedure: Procedure, cards: Shoe, *, mix: bytes) -> list[TableEvent]:
    """Give the events that seal and burn a shoe, whoever committed to it."""
    shuffled = ShoeShuffled(
        shoe=number, mix=mix.hex(), root=cards.root.hex(), leaves=b64encode(b"".join(cards.leaves)).decode()
    )
    count = burn_count(procedure, cards.cards[0])
    if not count:
        return [shuffled]
    burned = CardsBurned(shoe=number, count=count, position=0, card=cards.cards[0], salt=cards.salts[0].hex())
    return [shuffled, burned]


def burn_count(procedure: Procedure, first: str) -> int:
    """Give how many cards leave before the first coup, the opened one included."""
    match procedure.burn:
        case "none":
            return 0
        case "one":
            return 1
        case "first-card":
            return 1 + burn_value(first)
        case "decks":
            return procedure.decks


def close(table: Table, *, seed: bytes | None, reason: str | None = None) -> list[TableEvent]:
    """End the shoe and reveal its seed, if it has one; marked commission is collected as far as stacks go."""
    phase = be(table, Between, to="close the shoe")
    shoe = phase.shoe
    assert shoe.is_scanned == (seed is None), "real cards have no seed; all others come from one"
    why = _why(table, phase, reason)
    collected = [
        CommissionCollected(patron=patron, amount=min(owed, table.stack(patron)))
        for patron, owed in sorted(table.owed.items())
        if owed and table.stack(patron)
    ]
    closed = ShoeClosed(
        shoe=shoe.number,
        reason=why,
        seed=UNSET if seed is None else seed.hex(),
        dealt=shoe.dealt,
        burned=shoe.burned,
        remaining=shoe.cards - shoe.position,
    )
    return [*collected, closed]


def _why(table: Table, phase: Between, reason: str | None) -> str:
    """Say in a word why the shoe ends: as told, or because its game or its cards are over."""
    shoe, ending = phase.shoe, dining_game.over(table)
    if reason is not None:
        dining_game.insist_on_the_end(table, reason)
        return reason
    if ending is not None:
        return ending
    if shoe.coups_left != 0:
        raise RefusedError(
            "wrong-phase",
            "the cut card is not out, or coups are left",
            where="reason",
            right="play on, or say in a word why the shoe ends early",
        )
    return "out-of-cards" if shoe.position == shoe.cards and phase.last is None else "cut-card"


def void(table: Table, *, seed: bytes | None, reason: str, approved_by: Sequence[str]) -> list[TableEvent]:
    """Give the shoe up, its open coup first; its seed is revealed all the same, unless it is lost."""
    phase = table.phase
    if isinstance(phase, Closed | Idle):
        raise out_of_phase(table, Committed, Between, Betting, Dealing, Frozen, to="void the shoe")
    names = approved(approved_by, needed=ONE_PERSON, to="void a shoe")
    shoe, coup = phase.shoe, open_coup(phase)
    voided = [] if coup is None else [RoundVoided(round=coup.round, reason=reason, approved_by=names)]
    return [
        *voided,
        ShoeVoided(
            shoe=shoe.number,
            reason=reason,
            seed=UNSET if seed is None else seed.hex(),
            dealt=shoe.dealt,
            burned=shoe.burned,
            remaining=shoe.cards - shoe.position,
        ),
    ]


def freeze(table: Table, *, reason: str) -> list[ShoeFrozen]:
    """Stop a shoe that cannot be resumed as committed."""
    if isinstance(table.phase, Closed | Idle | Frozen):
        raise out_of_phase(table, Committed, Between, Betting, Dealing, to="freeze the shoe")
    return [ShoeFrozen(shoe=table.phase.shoe.number, reason=reason)]
