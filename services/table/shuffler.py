"""The shuffler: commits to a seed, and makes of it, and of what patrons added, the sealed cards of a shoe."""

from schemas.events import TableEvent
from services.table.croupier import At
from services.table.game import shoe, shoes
from services.table.game.phases import be
from services.table.game.state import Committed


def commit(at: At, *, final_source: str) -> list[TableEvent]:
    """Commit to a fresh seed; patrons and staff may then add to the shuffle."""
    assert at.fresh is not None, "a shoe is committed to by a fresh seed"
    at.derived = (at.fresh.seed, None)
    return shoes.commit(at.table.here, seed_commitment=at.fresh.commitment, final_source=final_source)


def start(at: At) -> list[TableEvent]:
    """Commit, shuffle and burn in one command, with nobody's ingredient but the house's."""
    table = at.table.here
    committed = commit(at, final_source="none")
    assert at.fresh is not None, "as above"
    mix = shoe.mix(())
    cards = shoe.derive(seed=at.fresh.seed, shoe_id=at.fresh.shoe_id, decks=table.rules.procedure.decks, mix=mix)
    at.derived = (at.fresh.seed, cards)
    return [*committed, *shoes.sealed(table.shoes + 1, table.rules.procedure, cards, mix=mix)]


def shuffle(at: At) -> list[TableEvent]:
    """Shuffle the shoe that is committed to with all that was added, and burn."""
    table = at.table.here
    contributions = be(table, Committed, to="shuffle").shoe.contributions
    mix = shoe.mix(contributions)
    cards = shoe.derive(seed=at.seed, shoe_id=at.table.shoe_id, decks=table.rules.procedure.decks, mix=mix)
    at.derived = (at.seed, cards)
    return shoes.shuffle(table, cards, mix=mix)
