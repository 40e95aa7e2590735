"""A coup of dining-room baccarat until its last call, as a state machine: the deal is offered, then stakes are matched.

Pure. A stage is what can be true; `begin` gives the first stage, `evolve` the one after an event, `settled` and
`voided` what the coup leaves to the next. Nothing is refused here: whether a deed may be done is for `dining` to say.
"""

from collections.abc import Sequence
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from schemas.events import BetPlaced, BetWithdrawn, Line, RoundSettled
from schemas.rules import Rules
from schemas.seats import BetAgreed, BetAsked, BetRefused, TurnPassed
from schemas.words import Card
from services.table.game.banker import BANK
from services.table.game.broken import MAIN
from services.table.game.cards import RANKS
from services.table.game.impossible import ImpossibleError, Said, out_of_stage
from services.table.game.seats import Standing, Terms, in_turn_after, next_seat
from services.table.game.stakes import Stakes


class Asked(Struct, frozen=True, kw_only=True):
    """A bet that needs the dealer's consent and has not got it yet."""

    patron: str
    bet: str
    amount: int


class Offering(Struct, frozen=True, kw_only=True):
    """The deal is offered, in turn, to those who are able to match all the others; `passed` are who said no."""

    passed: tuple[int, ...]


class Matching(Struct, frozen=True, kw_only=True):
    """The dealer matches what the others stake, in any order: `waiting` are the seats that have said nothing yet."""

    dealer: int
    bank: int
    waiting: tuple[int, ...]
    asks: tuple[Asked, ...] = ()


DiningStage = Offering | Matching


def begin(terms: Terms) -> DiningStage:  # noqa: ARG001 (whether the same dealer deals again, who opens the round says)
    """Give the stage that a coup begins in."""
    return Offering(passed=())


def evolve(terms: Terms, stage: DiningStage, event: Said, stakes: Stakes) -> DiningStage:  # noqa: ARG001
    """Give the stage after an event; `stakes` are all that lie on the table with it."""
    match event:
        case BetPlaced():
            return _placed(terms, stage, event)
        case TurnPassed():
            return _passed(terms, stage, event)
        case BetAsked():
            matching = _matching(stage, event)
            asked = Asked(patron=event.patron, bet=event.bet, amount=event.amount)
            return replace(matching, asks=(*matching.asks, asked))
        case BetAgreed() | BetRefused():
            return _answered(_matching(stage, event), event)
        case BetWithdrawn():
            raise out_of_stage(stage, event)
        case _:
            assert_never(event)


def _placed(terms: Terms, stage: DiningStage, event: BetPlaced) -> DiningStage:
    """Name the dealer; or hear what somebody stakes, which is his answer and replaces what else he asked for it."""
    seat = seat_of(terms, event.patron)
    if event.bet == BANK:
        if not isinstance(stage, Offering):
            raise out_of_stage(stage, event)
        return Matching(dealer=seat, bank=event.amount, waiting=in_turn_after(terms.seats, seat))
    matching = _matching(stage, event)
    if event.bet not in MAIN:
        return matching
    return _heard(matching, seat, [ask for ask in matching.asks if ask.patron != event.patron or ask.bet not in MAIN])


def _passed(terms: Terms, stage: DiningStage, event: TurnPassed) -> DiningStage:
    seat = seat_of(terms, event.patron)
    if isinstance(stage, Offering):
        return Offering(passed=(*stage.passed, seat))
    return _heard(stage, seat, [ask for ask in stage.asks if ask.patron != event.patron])


def _heard(stage: Matching, seat: int, asks: Sequence[Asked]) -> Matching:
    waiting = tuple(other for other in stage.waiting if other != seat)
    return replace(stage, waiting=waiting, asks=tuple(asks))


def _answered(stage: Matching, event: BetAgreed | BetRefused) -> Matching:
    """Strike out what the dealer has answered."""
    asked = Asked(patron=event.patron, bet=event.bet, amount=event.amount)
    if asked not in stage.asks:
        raise ImpossibleError(f"{event.patron} is answered, and has not asked for {event.amount} on {event.bet}")
    return replace(stage, asks=tuple(ask for ask in stage.asks if ask != asked))


def _matching(stage: DiningStage, event: Said) -> Matching:
    if isinstance(stage, Matching):
        return stage
    raise out_of_stage(stage, event)


def seat_of(terms: Terms, patron: str) -> int:
    """Give the seat of somebody who plays; who has none plays no part."""
    seat = terms.seat(patron)
    if seat is None:
        raise ImpossibleError(f"{patron} has no seat, and plays")
    return seat


def settled(terms: Terms, stage: DiningStage, event: RoundSettled, lines: Sequence[Line]) -> Standing:  # noqa: ARG001
    """Give what a settled coup leaves to the next: after a tie the same dealer, else the deal passes on."""
    if not isinstance(stage, Matching):
        raise ImpossibleError("a coup is settled, and nobody dealt it")
    if event.winner == "tie":
        return Standing(turn=stage.dealer, tied=True)
    return Standing(turn=next_seat(terms.seats, stage.dealer))


def voided(terms: Terms, stage: DiningStage) -> Standing:
    """Give what a void coup leaves to the next: the same dealer; without one, what it began with."""
    return Standing(turn=stage.dealer, tied=True) if isinstance(stage, Matching) else terms.before


def first_dealer(rules: Rules, seats: dict[int, str], drawn: Sequence[tuple[int, Card]]) -> int | None:
    """Give the seat that the draw has made the first dealer; None as long as a card is still to be drawn.

    None, too, when these cards are not the draw of these seats: who reads a chapter alone may not know who sits.
    """
    drawing, due, is_in_turn = _contest(rules, seats, drawn)
    return drawing[0] if drawn and is_in_turn and not due and len(drawing) == 1 else None


def draws_next(rules: Rules, seats: dict[int, str], drawn: Sequence[tuple[int, Card]]) -> int | None:
    """Give the seat that draws the next card: all in turn, then those tied highest, again and again."""
    _, due, _ = _contest(rules, seats, drawn)
    return due[0] if due else None


def _contest(
    rules: Rules, seats: dict[int, str], drawn: Sequence[tuple[int, Card]]
) -> tuple[tuple[int, ...], tuple[int, ...], bool]:
    """Give who may still win the draw, who of them is still to draw in this go, and whether all drew in turn."""
    drawing, left, is_in_turn = tuple(sorted(seats)), tuple(drawn), True
    while len(drawing) > 1:
        go, left = left[: len(drawing)], left[len(drawing) :]
        is_in_turn = is_in_turn and all(seat == due for due, (seat, _) in zip(drawing, go, strict=False))
        if len(go) < len(drawing):
            return drawing, drawing[len(go) :], is_in_turn
        heights = [height(rules, card) for _, card in go]
        drawing = tuple(seat for seat, high in zip(drawing, heights, strict=True) if high == max(heights))
    return drawing, (), is_in_turn and not left


def height(rules: Rules, card: Card) -> int:
    """Give how high a card is in the draw: the king highest, or the ace; suits are alike."""
    rank = RANKS.index(card[0])
    is_high_ace = rules.bank and rules.bank.high == "ace" and rank == 0
    return len(RANKS) if is_high_ace else rank
