"""The sitting: what an auditor asks of a table where a player banks, a little otherwise than who plays there does."""

from schemas.events import AnyEvent, CardsBurned, ChipsBought, ChipsCashed, RoundOpened, ShoeClosed
from schemas.rules import Rules
from schemas.seats import CardDrawn, SeatsSet
from services.table.game import dining_game, floor, salon
from services.table.game.deeds import Deeds
from services.table.game.dining_coup import draws_next
from services.table.game.refusal import RefusedError
from services.table.game.seats import stood
from services.table.game.state import Between, Committed, Drawing, Playing, Reversed, Shuffled, Table


def settled_again(table: Table) -> Deeds:
    """Settle the coup on the table, or once more the one whose settlement was reversed."""
    match table.phase:
        case Playing() as phase:
            game = salon.game_of(table)
            if game.step(phase) is not None:
                raise ValueError("its hands are not complete")
            deeds = game.settlement(phase.round, phase.banked, phase.hands, phase.stakes)
        case Reversed() as phase:
            deeds = salon.settle_again(table, phase.undone)
        case _:
            return []
    return [*deeds, *dining_game.eliminated(table, deeds)]


def make_ready(table: Table, event: AnyEvent) -> None:
    """Let a scanned shoe, which is never shuffled, be ready for its burn or its first coup."""
    if not isinstance(table.phase, Committed) or table.phase.shoe.source != "scanned":
        return
    if isinstance(event, CardsBurned):
        table.phase = Shuffled(table.phase.shoe)
    elif isinstance(event, RoundOpened | CardDrawn | ShoeClosed):
        table.phase = Between(table.phase.shoe)


def opened(table: Table) -> Deeds:
    """Open a round; whether the shoe has had its last coup is judged elsewhere."""
    if isinstance(table.phase, Between):
        table.phase.shoe.coups_left = None
    return salon.open_round(table)


def buy(table: Table, bought: ChipsBought) -> Deeds:
    """Buy chips, where no game forbids it."""
    dining_game.no_game_on(table, to="buy chips", patron=bought.patron)
    return [bought]


def keep_the_bank(table: Table, cashed: ChipsCashed) -> Deeds:
    """Cash chips, but for a bank that stands; whether there are so many is judged elsewhere."""
    dining_game.no_game_on(table, to="cash chips", patron=cashed.patron)
    held = floor.held_back(table, cashed.patron)
    if held and cashed.amount > table.stack(cashed.patron) - held:
        raise RefusedError("bank-standing", f"{held} stand as his bank", where="amount", right="what does not stand")
    return [cashed]


def stated_complaint(event: SeatsSet, rules: Rules, *, is_first_of_shoe: bool) -> str | None:  # noqa: PLR0911
    """Say what makes no sense in seats as they are stated, and in what the round is said to start from."""
    seats, before = [seated.seat for seated in event.seats], stood(event)
    if seats != sorted(set(seats)):
        return "the seats do not rise"
    if seats[-1] > (rules.seats or 0):
        return f"the table has {rules.seats} seats"
    if len({seated.patron for seated in event.seats}) < len(seats):
        return "a patron has two seats"
    named = (before.turn, before.banker, before.suivi, before.right, before.left)
    if stranger := next((seat for seat in named if seat is not None and seat not in seats), None):
        return f"nobody sits on seat {stranger}, which is named"
    if before.banker is None and (before.standing is not None or before.suivi is not None):
        return "a bank stands without its banker"
    if before.tied and before.turn is None:
        return "a tie without a turn"
    stands = (before.banker, before.standing, before.suivi, before.tied or None)
    if is_first_of_shoe and any(part is not None for part in stands):
        return "no bank stands when a shoe begins"
    return None


def drawn(table: Table, event: CardDrawn) -> str | None:
    """Say what is wrong with a card that is drawn for the first deal at a table whose seats are known."""
    phase = table.phase
    if not isinstance(phase, Between | Drawing) or (isinstance(phase, Between) and not dining_game.may_draw(table)):
        return "nobody draws for the deal now"
    due = draws_next(table.rules, table.seats, phase.drawn if isinstance(phase, Drawing) else ())
    return None if event.seat == due else f"seat {event.seat} draws, where seat {due} is next"
