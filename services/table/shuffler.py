"""The shuffler: commits to a seed, and makes of it, and of what patrons added, the sealed cards of a shoe."""

from collections.abc import Sequence
from typing import Literal

from schemas.events import EntropyContributed, TableEvent
from services.table.croupier import At
from services.table.game import grade, shoe, shoes
from services.table.game.entropy import NOBODY, last_source
from services.table.game.phases import be
from services.table.game.refusal import RefusedError
from services.table.game.state import Committed

Source = Literal["committed", "scanned"]


def commit(at: At, *, source: Source = "committed", final_source: str) -> list[TableEvent]:
    """Commit to a fresh seed; patrons and staff may then add to the shuffle. Or take a shoe of real cards."""
    if source == "scanned":
        return _take_real_cards(at, final_source)
    assert at.fresh is not None, "a shoe is committed to by a fresh seed"
    at.derived = (at.fresh.seed, None)
    return shoes.commit(at.table.here, seed_commitment=at.fresh.commitment, final_source=final_source)


def _take_real_cards(at: At, final_source: str) -> list[TableEvent]:
    """Take a shoe that was shuffled by hand or by a machine, to which nobody here can add."""
    if final_source != NOBODY:
        raise RefusedError("entropy", "real cards take no ingredient", where="final_source", right=NOBODY)
    return shoes.commit_scanned(at.table.here)


def start(at: At, *, source: Source = "committed") -> list[TableEvent]:
    """Commit, shuffle and burn in one command, with nobody's ingredient but the house's; real cards are only taken."""
    table = at.table.here
    committed = commit(at, source=source, final_source=NOBODY)
    if source == "scanned":
        return committed
    assert at.fresh is not None, "as above"
    mix = shoe.mix(())
    cards = shoe.derive(seed=at.fresh.seed, shoe_id=at.fresh.shoe_id, decks=table.rules.procedure.decks, mix=mix)
    at.derived = (at.fresh.seed, cards)
    return [*committed, *shoes.sealed(table.shoes + 1, table.rules.procedure, cards, mix=mix)]


def contribute(at: At, *, actor: str, source: str, value: bytes) -> list[EntropyContributed]:
    """Add somebody's ingredient. Who speaks for a patron contributes as that patron."""
    if actor.startswith("patron:") and source != actor:
        raise RefusedError("entropy", f"{actor} does not contribute as {source}", where="source", right=actor)
    shoe_now = be(at.table.here, Committed, to="add to the shuffle").shoe
    if at.is_mixed and source != last_source(shoe_now):
        raise RefusedError(
            "entropy",
            "the signer of the last ingredient has been asked, and signs one mix alone",
            where="source",
            right="shuffle",
        )
    return shoes.contribute(at.table.here, source=source, value=value)


def shuffle(at: At) -> list[TableEvent]:
    """Shuffle the shoe that is committed to with all that was added, last by somebody outside, and burn."""
    table = at.table.here
    contributions = list(be(table, Committed, to="shuffle").shoe.contributions)
    if isinstance(at.last, RefusedError):
        raise at.last
    last: list[EntropyContributed] = []
    if at.last is not None:
        last = shoes.contribute(table, source=at.last.source, value=at.last.value)
        contributions.append((at.last.source, at.last.value))
    mix = shoe.mix(contributions)
    cards = shoe.derive(seed=at.seed, shoe_id=at.table.shoe_id, decks=table.rules.procedure.decks, mix=mix)
    at.derived = (at.seed, cards)
    return shoes.shuffle(table, cards, mix=mix, last=last)


def close(at: At, *, reason: str | None) -> list[TableEvent]:
    """End the shoe and reveal its seed, if it has one."""
    events = shoes.close(at.table.here, seed=at.table.seed, reason=reason)
    at.entropy = grade.of_shoe(at.table.name, at.table.shoe)
    return events


def void(at: At, *, reason: str, approved_by: Sequence[str]) -> list[TableEvent]:
    """Give the shoe up; its seed is revealed all the same, unless it is lost."""
    events = shoes.void(at.table.here, seed=at.table.seed, reason=reason, approved_by=approved_by)
    at.entropy = grade.of_shoe(at.table.name, at.table.shoe)
    return events
