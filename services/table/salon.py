"""The salon: how a table where a player banks looks: its seats, its turns, and its cards that lie face up."""

from collections.abc import Sequence

from msgspec import UNSET

from schemas.words import Seated, Winners
from services.table.game import faces, phases, salon
from services.table.game.cards import total
from services.table.game.deeds import May
from services.table.game.settlement import winner_of
from services.table.game.stakes import Stakes
from services.table.game.state import Banked, Between, Playing, Reversed, Settled, Staking, Table, open_coup
from services.table.game.tableau import facts_of
from services.table.stream import TableStream
from services.table.told import RoundState, RoundView, Staked, Totals
from services.table.turns import Action, ActionsView, HandView


def round_view(held: TableStream) -> RoundView | None:
    """Show the coup that is open, or the last one as long as its settlement may be reversed; None when none is."""
    match held.here.phase:
        case Staking() as phase:
            return RoundView(
                table=held.name,
                shoe=held.shoe.number,
                round=phase.round,
                state="betting",
                stakes=_staked(phase.stakes),
            )
        case Playing() as phase:
            return _played(held, phase)
        case Reversed(_, Settled(banked=Banked()) as undone):
            return _whole(held, undone, "dealing")
        case Between(_, Settled(banked=Banked()) as last):
            return _whole(held, last, "settled")
        case _:
            return None


def _played(held: TableStream, phase: Playing) -> RoundView:
    """Show a coup while its hands are played: what lies face up."""
    hands, down = faces.shown(held.here, phase)
    return RoundView(
        table=held.name,
        shoe=held.shoe.number,
        round=phase.round,
        state="dealing",
        stakes=_staked(phase.stakes),
        player=tuple(hands.player),
        banker=tuple(hands.banker),
        right=tuple(hands.right) or UNSET,
        left=tuple(hands.left) or UNSET,
        face_down=down or UNSET,
    )


def _whole(held: TableStream, coup: Settled, state: RoundState) -> RoundView:
    """Show a coup all of whose cards are known."""
    return RoundView(
        table=held.name,
        shoe=held.shoe.number,
        round=coup.round,
        state=state,
        stakes=_staked(coup.stakes),
        player=coup.player,
        banker=coup.banker,
        right=coup.right or UNSET,
        left=coup.left or UNSET,
        totals=_totals(coup) if state == "settled" else UNSET,
        lines=coup.lines if state == "settled" else (),
    )


def _staked(stakes: Stakes) -> tuple[Staked, ...]:
    return tuple(Staked(patron=patron, bet=bet, amount=amount) for patron, bet, amount in stakes.all)


def _totals(coup: Settled) -> Totals:
    if not coup.right:
        facts = facts_of(coup.player, coup.banker)
        return Totals(player=facts.player, banker=facts.banker, winner=facts.winner)
    winners = Winners(left=winner_of(coup.left, coup.banker), right=winner_of(coup.right, coup.banker))
    return Totals(left=total(coup.left), right=total(coup.right), banker=total(coup.banker), winners=winners)


def seats_told(table: Table) -> tuple[Seated, ...]:
    """Show who sits where."""
    return tuple(Seated(seat=seat, patron=table.seats[seat]) for seat in sorted(table.seats))


def actions_told(table: Table) -> tuple[Action, ...]:
    """Show what each may do now, with the seconds after which the system answers for who is asked."""
    mays = salon.mays(table)
    clocks = {may.patron: seconds for may in mays if (seconds := _seconds(table, may, mays))}
    return tuple(
        Action(
            does=may.does,
            patron=may.patron,
            bet=may.bet,
            least=may.least,
            most=may.most,
            by=may.by,
            of=may.of,
            hand=may.hand,  # type: ignore[arg-type]  # one of the four
            choices=may.choices,
            seconds=clocks.get(may.patron, UNSET),
        )
        for may in mays
    )


def _seconds(table: Table, may: May, mays: Sequence[May]) -> int:
    """Give how long somebody who is asked has: to decide, to name a bank, or for his turn; 0 for ever, or not asked."""
    clocks = table.rules.clocks
    if not clocks or may.does not in ("pass", "decide"):
        return 0
    if may.does == "decide":
        return clocks.decide
    # The bank is a coup's first bet: until it is placed all are asked about that, whether or not they have the chips.
    is_first = isinstance(table.phase, Staking) and not table.phase.stakes.by_bet
    is_to_bank = is_first or any(other.does == "bank" and other.patron == may.patron for other in mays)
    return clocks.bank if is_to_bank else clocks.turn


def actions_view(held: TableStream) -> ActionsView:
    """Show what each may do now."""
    table = held.here
    coup = open_coup(table.phase)
    return ActionsView(
        table=table.name,
        phase=phases.word(table.phase),  # type: ignore[arg-type]  # a test holds the two lists of words together
        version=held.tip.version,
        since=held.tip.at,
        round=UNSET if coup is None else coup.round,
        seats=seats_told(table),
        actions=actions_told(table),
    )


def hands_view(held: TableStream, patron: str) -> HandView | None:
    """Show a patron the hands that he plays; None when he plays none."""
    phase = held.here.phase
    if not isinstance(phase, Playing):
        return None
    hands = faces.played_by(held.here, phase, patron)
    if not hands:
        return None
    advice = salon.advice(held.here, phase, hands)
    return HandView(table=held.name, round=phase.round, hands=hands, advice=advice or UNSET)  # type: ignore[arg-type]  # by name
