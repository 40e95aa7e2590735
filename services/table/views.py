"""Views: how a table, its shoe and its coup look, from what is true at the table."""

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from schemas.events import Line, RoundSettled, ShoeClosed, ShoeVoided
from schemas.words import Card
from services.table import salon
from services.table.game import grade, phases, rounds, scoreboard
from services.table.game.roads import Roads
from services.table.game.stakes import Stakes
from services.table.game.state import (
    Betting,
    Between,
    Closed,
    Committed,
    Dealing,
    Frozen,
    Idle,
    Reversed,
    Settled,
    ShoeInPlay,
    Shuffled,
    Table,
)
from services.table.game.tableau import facts_of
from services.table.scorecard import Scorecard
from services.table.stream import AccountStream, TableStream
from services.table.told import (
    AccountView,
    Addition,
    EntropyTold,
    Phase,
    RoadsView,
    RoundState,
    RoundView,
    ShoeState,
    ShoeView,
    Staked,
    TableLine,
    TableView,
    Totals,
)


def phase_of(table: Table) -> Phase:
    """Give a table's phase in one word."""
    return phases.word(table.phase)  # type: ignore[return-value]  # a test holds the two lists of words together


def table_line(held: TableStream) -> TableLine:
    """Show a table in one line."""
    table = held.here
    return TableLine(
        table=table.name,
        name=table.title,
        phase=phase_of(table),
        currency=table.currency,
        rules=table.rules.name,
        shoes=table.shoes,
        version=held.tip.version,
    )


def table_view(held: TableStream) -> TableView:
    """Show a table."""
    table = held.here
    coup = round_view(held)
    return TableView(
        table=table.name,
        name=table.title,
        phase=phase_of(table),
        currency=table.currency,
        suspended=UNSET if table.suspended is None else table.suspended,
        dealer=UNSET if table.dealer is None else table.dealer,
        shoe=UNSET if isinstance(table.phase, Closed | Idle) else shoe_view(held),
        round=UNSET if coup is None else coup,
        seats=salon.seats_told(table) or UNSET,
        stacks={patron: chips for patron, chips in table.stacks.items() if chips},
        owed={patron: owed for patron, owed in table.owed.items() if owed},
        limits=table.limits,
        next_limits=UNSET if table.next_limits == table.limits else table.next_limits,
        rules=table.rules,
        shoes=table.shoes,
        version=held.tip.version,
    )


def shoe_view(held: TableStream) -> ShoeView:
    """Show the shoe in play."""
    states: dict[type[Any], ShoeState] = {Committed: "committed", Shuffled: "shuffled", Frozen: "frozen"}
    shown = shoe_told(
        held.name,
        held.shoe,
        state=states.get(type(held.here.phase), "in-play"),
        versions=(held.tip.chapter, held.tip.version),
    )
    return replace(shown, expects=rounds.due(held.here)) if held.shoe.is_scanned else shown


def shoe_told(
    table: str,
    shoe: ShoeInPlay,
    *,
    state: ShoeState,
    versions: tuple[int, int],
    end: ShoeClosed | ShoeVoided | None = None,
) -> ShoeView:
    """Show a shoe as far as it has gone, and how it ended."""
    entropy = grade.of_shoe(table, shoe)
    return ShoeView(
        table=table,
        shoe=shoe.number,
        state=state,
        source=shoe.source,  # type: ignore[arg-type]  # as it stands in `shoe-committed`
        cards=shoe.cards,
        cut_at=shoe.cut_at,
        seed_commitment=shoe.commitment or UNSET,
        final_source=UNSET if shoe.is_scanned else shoe.final_source,
        contributions=tuple(Addition(source=source, value=value.hex()) for source, value in shoe.contributions),
        root=shoe.root or UNSET,
        entropy=UNSET if entropy is None else EntropyTold(grade=entropy.grade, reason=entropy.reason),
        position=shoe.position,
        dealt=shoe.dealt,
        burned=shoe.burned,
        rounds=shoe.rounds,
        coups_left=UNSET if shoe.coups_left is None else shoe.coups_left,
        reason=UNSET if end is None else end.reason,
        seed=UNSET if end is None else end.seed,
        first_version=versions[0],
        last_version=versions[1],
    )


def roads_view(held: TableStream) -> RoadsView:
    """Show the roads of the shoe in play; between two shoes those of the last one."""
    card = held.scorecard
    return roads_told(held.name, card.shoe, card)


def roads_told(table: str, shoe: int, card: Scorecard) -> RoadsView:
    """Show the roads of a shoe."""
    told = scoreboard.told(Roads(card.outcomes()))
    parts = {name: getattr(told, name) for name in told.__struct_fields__}
    return RoadsView(table=table, shoe=shoe or UNSET, version=card.version, **parts)


def round_view(held: TableStream) -> RoundView | None:
    """Show the open coup, else the last one of the shoe as long as its settlement may be reversed, else nothing."""
    match held.here.phase:
        case Betting() as phase:
            return _coup(held, phase.round, "betting", phase.stakes, free=phase.free)
        case Dealing() as phase:
            return _coup(held, phase.round, "dealing", phase.stakes, player=phase.player, banker=phase.banker)
        case Frozen(_, int(number), Stakes() as stakes):
            return _coup(held, number, "dealing", stakes)
        case Reversed(_, Settled(banked=None)) as phase:
            undone = phase.undone
            return _coup(held, undone.round, "dealing", undone.stakes, player=undone.player, banker=undone.banker)
        case Between(_, Settled(banked=None) as last):
            return _coup(
                held, last.round, "settled", last.stakes, player=last.player, banker=last.banker, lines=last.lines
            )
        case _:
            return salon.round_view(held)


def _coup(  # noqa: PLR0913  # what a coup is made of
    held: TableStream,
    number: int,
    state: RoundState,
    stakes: Stakes,
    *,
    free: bool = False,
    player: Sequence[Card] = (),
    banker: Sequence[Card] = (),
    lines: tuple[Line, ...] = (),
) -> RoundView:
    facts = facts_of(player, banker) if state == "settled" else None
    return RoundView(
        table=held.name,
        shoe=held.shoe.number,
        round=number,
        state=state,
        free=free,
        stakes=wagers_told(stakes),
        player=tuple(player),
        banker=tuple(banker),
        totals=Totals(player=facts.player, banker=facts.banker, winner=facts.winner) if facts else UNSET,
        lines=lines,
    )


def totals_told(event: RoundSettled) -> Totals:
    """Show how a coup came out, as its settlement says."""
    return Totals(
        player=event.player,
        left=event.left,
        right=event.right,
        banker=event.banker,
        winner=event.winner,
        winners=event.winners,
    )


def wagers_told(stakes: Stakes) -> tuple[Staked, ...]:
    """Show a coup's stakes, in the order first placed."""
    return tuple(Staked(patron=patron, bet=bet, amount=amount) for (patron, bet), amount in stakes.by_bet.items())


def account_view(held: AccountStream) -> AccountView | None:
    """Show a patron's account, if there is one."""
    account = held.account
    if account is None:
        return None
    return AccountView(patron=held.name, currency=account.currency, balance=account.balance, version=held.tip.version)
