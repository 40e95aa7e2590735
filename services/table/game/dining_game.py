"""A game of dining-room baccarat, from the draw for the first deal to the last player: what holds between its coups.

A game is on from the draw until its shoe is closed because one player is left, or nobody can deal. As long as it is on
nobody sits down, and who sits neither buys nor cashes; who leaves his seat may take his chips. Pure.

Where the text is silent:
- A stack of less than one unit can neither stake nor deal: its player is out, as with an empty one, and keeps the rest.
- A game of which fewer than two are left between two shoes is over without an entry of its own.
- Of a game that all have left, nobody is the last player: it ends for want of a dealer.
- The cut card, when the draw reaches it, ends the shoe; the game goes on with the next one.
"""

from collections.abc import Iterator

from schemas.events import CutCardReached, LinesSettled, RoundSettled
from schemas.rules import Rules
from schemas.seats import CardDrawn, SeatLeft
from schemas.words import Card
from services.table.game.deeds import BySystem, Deeds, event_of
from services.table.game.dining_coup import draws_next
from services.table.game.phases import be, play_on
from services.table.game.play import insist_on_sealed_cards
from services.table.game.refusal import RefusedError
from services.table.game.seats import FEWEST_SEATED, Standing, next_seat, round_from
from services.table.game.shoe import Shoe
from services.table.game.state import Between, Drawing, Table

LAST_PLAYER, NO_DEALER = "last-player", "no-dealer"


def is_on(table: Table) -> bool:
    """Whether a game is being played: its first dealer is drawn, and its end is not yet in the log."""
    return table.rules.game == "dining-room" and table.standing.turn is not None


def unit_of(rules: Rules) -> int:
    """Give what a chip is worth."""
    return rules.stakes.unit or 1 if rules.stakes else 1


def standing(table: Table) -> Standing:
    """Give what the next coup starts from: the turn is always somebody's who sits, and a tie's dealer deals again."""
    turn, seats = table.standing.turn, table.seats
    if turn is None or turn in seats or not seats:
        return Standing(turn=turn, tied=table.standing.tied)
    return Standing(turn=next_seat(seats, turn))


def able(table: Table) -> list[int]:
    """Give the seats that can match a unit of each other player, in the order in which the deal is offered.

    There is always one, the players having begun with enough, unless somebody has left with his chips.
    """
    turn = standing(table).turn
    needed = unit_of(table.rules) * (len(table.seats) - 1)
    seats = round_from(table.seats, turn) if turn is not None else ()
    return [seat for seat in seats if table.stack(table.seats[seat]) >= needed]


def richest(table: Table) -> int:
    """Give the seat with the largest stack, the first in turn of equals."""
    seats = round_from(table.seats, standing(table).turn or 1)
    return max(seats, key=lambda seat: table.stack(table.seats[seat]))


def over(table: Table) -> str | None:
    """Say why the game is over and its shoe to be closed, when it is."""
    if not is_on(table):
        return None
    if len(table.seats) == 1:
        return LAST_PLAYER
    closes = table.rules.bank and table.rules.bank.unable == "close"
    return NO_DEALER if not table.seats or (closes and not able(table)) else None


def insist_on_the_end(table: Table, reason: str) -> None:
    """Refuse to end a shoe as if its game were over, when it is not."""
    if table.rules.game == "dining-room" and reason in (LAST_PLAYER, NO_DEALER) and reason != over(table):
        right = "a word of your own; no reason at all when the game is over"
        raise RefusedError("wrong-phase", f"the game has not ended with {reason}", where="reason", right=right)


def no_game_on(table: Table, *, to: str, patron: str | None = None) -> None:
    """Refuse what is not done during a game: by anybody, or by a patron who plays it."""
    if not is_on(table) or (patron is not None and patron not in table.seats.values()):
        return
    who = "nobody" if patron is None else "nobody who plays it"
    right = "after the game" if patron is None else "after the game, or leave the seat first"
    raise RefusedError("game-on", f"a game is on: {who} may {to}", where="table", right=right)


def no_draw_on(table: Table, *, to: str, patron: str) -> None:
    """Refuse what who sits may not do any more once a draw for the deal has begun that is told card by card."""
    if isinstance(table.phase, Drawing) and patron in table.seats.values():
        detail = f"the deal is being drawn for: nobody who sits may {to}"
        raise RefusedError("game-on", detail, where="table", right="after the game, or leave the seat first")


def may_open(table: Table) -> bool:
    """Whether a coup may be opened, as far as the game goes: its dealer is drawn, and it is not over."""
    return table.rules.game != "dining-room" or (is_on(table) and over(table) is None)


def insist_on_a_game(table: Table) -> None:
    """Refuse a coup after the game, or, once enough sit for one, before the draw."""
    if reason := over(table):
        raise RefusedError("shoe-over", f"the game is over: {reason}", where="shoe", right="close the shoe")
    if len(table.seats) >= FEWEST_SEATED and not may_open(table):
        raise RefusedError("wrong-phase", "nobody has been drawn to deal", where="phase", right="a draw for the deal")


def may_draw(table: Table) -> bool:
    """Whether a game may begin: nobody has been drawn yet, and all who sit have what it takes."""
    is_new = table.rules.game == "dining-room" and not is_on(table)
    return is_new and len(table.seats) >= FEWEST_SEATED and not list(_too_poor(table))


def draw(table: Table, cards: Shoe) -> Deeds:
    """Draw for the first deal: a card each, the highest deals; those tied highest draw again."""
    shoe = be(table, Between, to="draw for the deal").shoe
    play_on(table)
    no_game_on(table, to="draw for the deal")
    _may_begin(table)
    insist_on_sealed_cards(shoe)
    drawn: list[tuple[int, Card]] = []
    deeds: Deeds = []
    while (seat := draws_next(table.rules, table.seats, drawn)) is not None:
        position = shoe.position + len(drawn)
        if position == shoe.cards:
            raise RefusedError("shoe-over", "too few cards to draw for the deal", where="shoe", right="close the shoe")
        if position == shoe.cut_at:
            deeds.append(CutCardReached(shoe=shoe.number, position=position))
        card, salt = cards.cards[position], cards.salts[position].hex()
        deeds.append(CardDrawn(shoe=shoe.number, seat=seat, card=card, position=position, salt=salt))
        drawn.append((seat, card))
    return deeds


def eliminated(table: Table, deeds: Deeds) -> Deeds:
    """Give the seats that a settlement leaves empty: their players have not a chip left."""
    returned: dict[str, int] = {}
    settling = [event for event in map(event_of, deeds) if isinstance(event, LinesSettled | RoundSettled)]
    if table.rules.game != "dining-room" or not settling:
        return []
    for line in (line for event in settling for line in event.lines):
        returned[line.patron] = returned.get(line.patron, 0) + line.returned
    stacks = {patron: table.stack(patron) + returned.get(patron, 0) for patron in table.seats.values()}
    return leaving({seat: patron for seat, patron in table.seats.items() if stacks[patron] < unit_of(table.rules)})


def leaving(seats: dict[int, str]) -> Deeds:
    """Let the system take the seats of those who are out."""
    return [BySystem(SeatLeft(seat=seat, patron=seats[seat], reason="eliminated")) for seat in sorted(seats)]


def _may_begin(table: Table) -> None:
    """Refuse a game of fewer than two, or with somebody who has too few chips to begin with."""
    count = len(table.seats)
    if count < FEWEST_SEATED:
        raise RefusedError("too-few-seated", f"{count} at the table", where="seats", right=f"{FEWEST_SEATED} or more")
    for patron, needed in _too_poor(table):
        detail = f"patron {patron} has {table.stack(patron)}; of {count} players each begins with {needed} or more"
        raise RefusedError("stack-too-small", detail, where="seats", right="buy chips first, or leave the seat")


def _too_poor(table: Table) -> Iterator[tuple[str, int]]:
    """Give who has too few chips to begin with, and how many it takes."""
    start = table.rules.stakes.start or 1 if table.rules.stakes else 1
    needed = start * unit_of(table.rules) * (len(table.seats) - 1)
    yield from ((patron, needed) for _, patron in sorted(table.seats.items()) if table.stack(patron) < needed)
