"""Sight: what surveillance sees of a shoe. Only cards that were opened count; those in the shoe stay secret."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from schemas.entry import decode
from schemas.rules import Rules
from schemas.words import Count, Name, Ordinal
from services.table.croupier import About, At
from services.table.game import faces
from services.table.game.deals import Unseen, unseen_after
from services.table.game.odds import BetTold, bet_told
from services.table.game.prices import Choices, OutcomesTold, choices, outcomes_told, prices
from services.table.game.state import Closed, Frozen, Idle, Playing
from services.table.game.surveillance import Watch, Watched
from services.table.pit import Pit
from services.table.recall import slices, span


class OddsView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every bet of a shoe's next coup costs, given the cards seen up to now, the open coup's among them.

    `round` is the last that was opened; of the `unseen` cards so many are `left` in the shoe, the others were burned or
    lie face down. `choices`: how free ones are counted, where hands have any.
    """

    table: Name
    shoe: Ordinal
    round: Count
    rules: str
    decks: Ordinal
    seen: Count
    unseen: Count
    left: Count
    choices: Choices | UnsetType = UNSET
    bets: dict[str, BetTold]
    outcomes: OutcomesTold


class Seen(Struct, frozen=True, kw_only=True):
    """A shoe in play as everybody sees it."""

    table: str
    shoe: int
    round: int
    rules: Rules
    decks: int
    unseen: Unseen
    seen: int
    left: int


async def current_odds(pit: Pit, table: str) -> OddsView | None:
    """Give what every bet of the next coup costs, given the cards already seen; None when no shoe is in play."""
    seen = await pit.croupier.view(About(table=table), seen_now)
    return None if seen is None else await asyncio.to_thread(odds_view, seen)


def seen_now(at: At) -> Seen | None:
    """Look at the shoe in play, and at cards of the open coup that lie face up."""
    here = at.table.here
    if isinstance(here.phase, Closed | Idle | Frozen):
        return None
    shoe = here.phase.shoe
    seen = Counter(shoe.seen)
    if isinstance(here.phase, Playing):
        face_up, _ = faces.shown(here, here.phase)
        seen.update(face_up.cards)
    return Seen(
        table=here.name,
        shoe=shoe.number,
        round=shoe.rounds,
        rules=here.rules,
        decks=shoe.decks,
        unseen=unseen_after(shoe.decks, seen.elements()),
        seen=seen.total(),
        left=shoe.cards - shoe.position,
    )


def odds_view(seen: Seen) -> OddsView:
    """Count what can still fall. Cards that nobody saw are as likely where they lie as in the shoe."""
    found = prices(seen.rules, seen.unseen, left=seen.left)
    return OddsView(
        table=seen.table,
        shoe=seen.shoe,
        round=seen.round,
        rules=seen.rules.name,
        decks=seen.decks,
        seen=seen.seen,
        unseen=sum(seen.unseen),
        left=seen.left,
        choices=choices(seen.rules),
        bets={name: bet_told(bet) for name, bet in found.bets.items()},
        outcomes=outcomes_told(found),
    )


async def surveillance(pit: Pit, table: str, shoe: int) -> Watched | None:
    """Watch a shoe as far as it has gone; None when the table never had it."""
    whole = await span(pit, table, shoe)
    if whole is None:
        return None
    watch = Watch(table)
    async for lines in slices(pit.journal, f"table/{table}", whole):
        await asyncio.to_thread(_show, watch, lines)
    return watch.told()


def _show(watch: Watch, lines: Sequence[bytes]) -> None:
    watch.hear(decode(line).event for line in lines)
