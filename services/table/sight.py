"""Sight: what surveillance sees of a shoe. Only cards that were opened count; those in the shoe stay secret."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from schemas.entry import decode
from schemas.words import Count, Name, Ordinal
from services.table.croupier import About, At
from services.table.game import odds
from services.table.game.deals import unseen_after
from services.table.game.odds import BetTold, OutcomesTold, bet_told, outcomes_told
from services.table.game.state import Closed, Idle
from services.table.game.surveillance import Watch, Watched
from services.table.pit import Pit
from services.table.recall import slices, span


class OddsView(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every bet of a shoe's next coup costs, given the cards seen up to now, the open coup's among them.

    `round` is the last that was opened; of the `unseen` cards so many are `left` in the shoe, the others were burned.
    """

    table: Name
    shoe: Ordinal
    round: Count
    rules: str
    decks: Ordinal
    seen: Count
    unseen: Count
    left: Count
    bets: dict[str, BetTold]
    outcomes: OutcomesTold


async def current_odds(pit: Pit, table: str) -> OddsView | None:
    """Give what every bet of the next coup costs, given the cards already seen; None when no shoe is in play.

    None where a player banks, too: what a bet costs there hangs on choices, and cards lie face down.
    """
    return await pit.croupier.view(About(table=table), odds_view)


def odds_view(at: At) -> OddsView | None:
    """Count what can still fall. Burned cards that nobody saw are as likely anywhere as those in the shoe."""
    here = at.table.here
    if isinstance(here.phase, Closed | Idle) or here.rules.game != "house":
        return None
    shoe = here.phase.shoe
    unseen = unseen_after(shoe.decks, Counter(shoe.seen).elements())
    left = shoe.cards - shoe.position
    found = odds.odds_of(here.rules, unseen, left=left)
    return OddsView(
        table=here.name,
        shoe=shoe.number,
        round=shoe.rounds,
        rules=here.rules.name,
        decks=shoe.decks,
        seen=sum(shoe.seen.values()),
        unseen=sum(unseen),
        left=left,
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
    return watch.told() if watch.is_of_the_house else None


def _show(watch: Watch, lines: Sequence[bytes]) -> None:
    watch.hear(decode(line).event for line in lines)
