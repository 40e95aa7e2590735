"""A coup of baccarat banque until its last call, as a state machine: the bank, banco, the stakes. Pure.

A stage is what can be true, and knows who is asked. `begin` gives the first stage, `evolve` the one after an event,
`settled` and `voided` what the coup leaves to the next. Nothing is refused here: whether a deed may be done is for
`banque` to say.
"""

from collections.abc import Mapping, Sequence
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from schemas.events import BetPlaced, BetWithdrawn, Line, RoundSettled
from schemas.rules import Rules
from schemas.seats import BetAsked, TurnPassed
from schemas.words import Winner
from services.table.game.banker import BANK
from services.table.game.banque_sides import (
    BANCO,
    LEFT,
    RIGHT,
    SIDES,
    STAKES,
    Side,
    active_in,
    in_turn_of_banco,
    next_outward,
    outward,
    player_of,
)
from services.table.game.impossible import ImpossibleError, Said, out_of_stage
from services.table.game.seats import Standing, Terms
from services.table.game.stakes import Stakes


class Bank(Struct, frozen=True, kw_only=True):
    """A bank, bid for or placed: whose, and how much."""

    seat: int
    amount: int


class Holding(Struct, frozen=True, kw_only=True):
    """The standing banker is asked: name the bank again, or give it up."""

    seat: int
    standing: int


class Bidding(Struct, frozen=True, kw_only=True):
    """The bank is auctioned: `bidders` have not passed, and all but the highest of them are asked, in any order."""

    bidders: tuple[int, ...]
    highest: Bank | None = None


class Won(Struct, frozen=True, kw_only=True):
    """The auction is over; the system places the highest bid, in the same command."""

    bank: Bank


class Offering(Struct, frozen=True, kw_only=True):
    """In turn each may call banco on his own side."""

    bank: Bank
    order: tuple[int, ...]


class Punting(Struct, frozen=True, kw_only=True):
    """Stakes are made and withdrawn, by whoever likes, until the dealer closes."""

    bank: Bank


class Faced(Struct, frozen=True, kw_only=True):
    """Banco was called: one faces the whole bank alone, and the dealer closes."""

    bank: Bank


class Unbidden(Struct, frozen=True):
    """Nobody has bid: the coup is void."""


BanqueStage = Holding | Bidding | Won | Offering | Punting | Faced | Unbidden


def begin(terms: Terms) -> BanqueStage:
    """Give the stage that a coup begins in; a bank below the minimum is auctioned without its banker, unasked."""
    before = terms.before
    if before.banker is None:
        return Bidding(bidders=tuple(sorted(terms.seats)))
    standing = before.standing or 0
    if standing < terms.limits.bets[BANK].min:
        return _auctioned_without(terms, before.banker)
    return Holding(seat=before.banker, standing=standing)


def asked(stage: BanqueStage) -> tuple[int, ...]:
    """Give the seats that are asked, each of which may pass; at an auction there are several at once."""
    match stage:
        case Holding():
            return (stage.seat,)
        case Bidding():
            highest = None if stage.highest is None else stage.highest.seat
            return tuple(seat for seat in stage.bidders if seat != highest)
        case Offering():
            return stage.order[:1]
        case Won() | Punting() | Faced() | Unbidden():
            return ()
        case _:
            assert_never(stage)


def bank_of(stage: BanqueStage) -> Bank | None:
    """Give the bank, once it is placed."""
    match stage:
        case Offering() | Punting() | Faced():
            return stage.bank
        case Holding() | Bidding() | Won() | Unbidden():
            return None
        case _:
            assert_never(stage)


def against(*, stake_of: Stakes, bank: Bank) -> int:
    """Give all that is staked against a bank, on either side and à cheval."""
    return stake_of.table - bank.amount


def evolve(terms: Terms, stage: BanqueStage, event: Said, stakes: Stakes) -> BanqueStage:  # noqa: ARG001 (nothing here depends on how much is staked)
    """Give the stage after an event."""
    match event:
        case BetAsked(bet="bank"):
            return _bid(terms, stage, event)
        case BetPlaced(bet="bank"):
            return _banked(terms, stage, event)
        case TurnPassed():
            return _passed(terms, stage, event)
        case BetPlaced() if event.bet in BANCO.values() and isinstance(stage, Offering):
            return Faced(bank=stage.bank)
        case BetPlaced() | BetWithdrawn() if event.bet in STAKES and isinstance(stage, Punting):
            return stage
        case _:
            raise out_of_stage(stage, event)


def _bid(terms: Terms, stage: BanqueStage, event: BetAsked) -> BanqueStage:
    if not isinstance(stage, Bidding):
        raise out_of_stage(stage, event)
    return _auctioned(stage.bidders, Bank(seat=_seat(terms, event.patron), amount=event.amount))


def _banked(terms: Terms, stage: BanqueStage, event: BetPlaced) -> BanqueStage:
    """Name a standing bank again, or place the highest bid; then banco is offered, if it is."""
    if not isinstance(stage, Holding | Won):
        raise out_of_stage(stage, event)
    bank = Bank(seat=_seat(terms, event.patron), amount=event.amount)
    offered = [side for side in SIDES if terms.offers(BANCO[side])]
    return _offered_to(bank, in_turn_of_banco(terms.rules, terms.seats, banker=bank.seat, offered=offered))


def _passed(terms: Terms, stage: BanqueStage, event: TurnPassed) -> BanqueStage:
    match stage:
        case Holding():
            return _auctioned_without(terms, stage.seat)
        case Bidding():
            passed = _seat(terms, event.patron)
            return _auctioned(tuple(seat for seat in stage.bidders if seat != passed), stage.highest)
        case Offering():
            return _offered_to(stage.bank, stage.order[1:])
        case _:
            raise out_of_stage(stage, event)


def _auctioned_without(terms: Terms, banker: int) -> Bidding:
    return Bidding(bidders=tuple(seat for seat in sorted(terms.seats) if seat != banker))


def _auctioned(bidders: tuple[int, ...], highest: Bank | None) -> BanqueStage:
    """Go on with the auction; the bank is won when nobody else is left to bid above it."""
    if not bidders:
        return Unbidden()
    if highest is not None and bidders == (highest.seat,):
        return Won(bank=highest)
    return Bidding(bidders=bidders, highest=highest)


def _offered_to(bank: Bank, order: Sequence[int]) -> BanqueStage:
    return Offering(bank=bank, order=tuple(order)) if order else Punting(bank=bank)


def settled(terms: Terms, stage: BanqueStage, event: RoundSettled, lines: Sequence[Line]) -> Standing:
    """Give what a settled coup leaves to the next: the bank stands with what is left of it, won or lost.

    A bank that is lost whole leaves its banker stated, with nothing standing: the auction that follows is without him.
    """
    bank = bank_of(stage)
    if bank is None or not event.winners:
        raise ImpossibleError("a coup of two tableaux is settled, and nobody banked it")
    staked = [(line.patron, line.bet) for line in lines]
    return Standing(
        banker=bank.seat,
        standing=lines[0].returned or None,
        right=_active_after(terms, RIGHT, bank, staked, event.winners.right),
        left=_active_after(terms, LEFT, bank, staked, event.winners.left),
    )


def voided(terms: Terms, stage: BanqueStage) -> Standing:
    """Give what a void coup leaves to the next: the bank that was placed, or the one its banker was still asked about.

    Once an auction has begun there is no banker any more, and the next one is open to all who sit.
    """
    if isinstance(stage, Holding):
        return terms.before
    bank = bank_of(stage)
    if bank is None:
        return Standing(right=terms.before.right, left=terms.before.left)
    return Standing(
        banker=bank.seat,
        standing=bank.amount,
        right=active_in(terms, RIGHT, banker=bank.seat),
        left=active_in(terms, LEFT, banker=bank.seat),
    )


def vacated(rules: Rules, standing: Standing, seats: Mapping[int, str], seat: int) -> Standing:
    """Give what stands when a seat is left: if it was active on its side, the next outward is."""
    if seat == standing.right:
        order = outward(rules, seats, RIGHT, aside=standing.banker)
        return replace(standing, right=next_outward(order, RIGHT, seat))
    if seat == standing.left:
        order = outward(rules, seats, LEFT, aside=standing.banker)
        return replace(standing, left=next_outward(order, LEFT, seat))
    return standing


def _active_after(
    terms: Terms, side: Side, bank: Bank, staked: Sequence[tuple[str, str]], winner: Winner
) -> int | None:
    """Give a side's active seat after a coup: one outward when it played the hand and lost.

    It does not move when somebody else played for it, nor in a coup of banco, even when it called that itself.
    """
    seat = active_in(terms, side, banker=bank.seat)
    is_banco = any(bet in BANCO.values() for _, bet in staked)
    if seat is None or is_banco or winner != "banker":
        return seat
    if player_of(terms, side, banker=bank.seat, staked=staked) != terms.patron(seat):
        return seat
    return next_outward(outward(terms.rules, terms.seats, side, aside=bank.seat), side, seat)


def _seat(terms: Terms, patron: str) -> int:
    seat = terms.seat(patron)
    if seat is None:
        raise ImpossibleError(f"{patron} has no seat, and bids or banks")
    return seat
