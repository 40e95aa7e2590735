"""A coup of chemin de fer until its last call, as a state machine: the bank, banco, the stakes, what is over. Pure.

A stage is what can be true, and knows who is asked. `begin` gives the first stage, `evolve` the one after an event,
`settled` and `voided` what the coup leaves to the next. Nothing is refused here: whether a deed may be done is for
`chemin` to say.
"""

from collections.abc import Sequence
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from schemas.events import BetPlaced, BetWithdrawn, Line, RoundSettled
from schemas.seats import TurnPassed
from services.table.game.impossible import ImpossibleError, Said, out_of_stage
from services.table.game.seats import Standing, Terms, in_turn_after, next_seat, round_from
from services.table.game.stakes import Stakes


class Bank(Struct, frozen=True, kw_only=True):
    """A bank that has been named: whose, how much, and the seat that the rotation goes on from when it is lost."""

    seat: int
    amount: int
    turn: int


class Keeping(Struct, frozen=True, kw_only=True):
    """The standing banker is asked: name it again, or pass."""

    seat: int
    standing: int


class Taking(Struct, frozen=True, kw_only=True):
    """A bank was given up; in turn each may take it, at exactly its amount."""

    giver: int
    standing: int
    order: tuple[int, ...]


class Naming(Struct, frozen=True, kw_only=True):
    """In turn each may name a new bank."""

    order: tuple[int, ...]


class Calling(Struct, frozen=True, kw_only=True):
    """In turn each may call banco, first of all who has just lost one to this banker."""

    bank: Bank
    order: tuple[int, ...]


class Covering(Struct, frozen=True, kw_only=True):
    """In turn each may stake against the bank, once; who sits may still call banco, where it may come late."""

    bank: Bank
    order: tuple[int, ...]


class Completing(Struct, frozen=True, kw_only=True):
    """Bystanders may stake, once each, until the bank is covered or the dealer ends it."""

    bank: Bank


class Over(Struct, frozen=True, kw_only=True):
    """More is staked than the bank: the banker may add as much as is over, or pass."""

    bank: Bank


class Ready(Struct, frozen=True, kw_only=True):
    """All is said: the dealer closes the bets. What is still over the bank is trimmed by closing."""

    bank: Bank


class Unbanked(Struct, frozen=True):
    """Nobody wants the bank: the coup is void."""


CheminStage = Keeping | Taking | Naming | Calling | Covering | Completing | Over | Ready | Unbanked


def begin(terms: Terms) -> CheminStage:
    """Give the stage that a coup begins in."""
    before = terms.before
    if before.banker is None:
        return Naming(order=round_from(terms.seats, turn_of(terms)))
    if before.tied:
        return Ready(bank=Bank(seat=before.banker, amount=0, turn=turn_of(terms)))
    return Keeping(seat=before.banker, standing=before.standing or 0)


def turn_of(terms: Terms) -> int:
    """Give the seat whose turn it is; the lowest when none is said."""
    return min(terms.seats) if terms.before.turn is None else terms.before.turn


def asked(stage: CheminStage) -> int | None:
    """Give the seat that is asked; None when it is for bystanders or for the dealer to go on."""
    match stage:
        case Keeping():
            return stage.seat
        case Taking() | Naming() | Calling() | Covering():
            return stage.order[0]
        case Over():
            return stage.bank.seat
        case Completing() | Ready() | Unbanked():
            return None
        case _:
            assert_never(stage)


def bank_of(stage: CheminStage) -> Bank | None:
    """Give the bank, once it is named."""
    match stage:
        case Calling() | Covering() | Completing() | Over() | Ready():
            return stage.bank
        case Keeping() | Taking() | Naming() | Unbanked():
            return None
        case _:
            assert_never(stage)


def evolve(terms: Terms, stage: CheminStage, event: Said, stakes: Stakes) -> CheminStage:
    """Give the stage after an event; `stakes` are all that lie on the table with it."""
    match event:
        case BetPlaced(bet="bank"):
            return _banked(terms, stage, event)
        case BetPlaced(bet="banco"):
            return _called(stage, event)
        case BetPlaced():
            return _staked(terms, stage, event, stakes)
        case TurnPassed():
            return _passed(terms, stage, event, stakes)
        case BetWithdrawn():
            return stage  # displaced by a late banco, or trimmed by closing
        case _:
            raise out_of_stage(stage, event)


def _banked(terms: Terms, stage: CheminStage, event: BetPlaced) -> CheminStage:
    """Name a bank, take or keep one; or add to it what is over."""
    seat = _seat(terms, event.patron)
    match stage:
        case Keeping() | Taking():
            return _offered(terms, Bank(seat=seat, amount=event.amount, turn=turn_of(terms)))
        case Naming():
            return _offered(terms, Bank(seat=seat, amount=event.amount, turn=seat))
        case Over() | Ready():  # what is over is added; the bank of a tied coup is placed anew
            return Ready(bank=replace(stage.bank, amount=stage.bank.amount + event.amount))
        case _:
            raise out_of_stage(stage, event)


def _offered(terms: Terms, bank: Bank) -> CheminStage:
    """Offer banco, if there is one; else the stakes begin."""
    order = in_turn_after(terms.seats, bank.seat)
    if not terms.offers("banco"):
        return Covering(bank=bank, order=order)
    suivi = terms.before.suivi
    if suivi in order and terms.before.banker == bank.seat:
        order = (suivi, *(seat for seat in order if seat != suivi))
    return Calling(bank=bank, order=order)


def _called(stage: CheminStage, event: BetPlaced) -> CheminStage:
    """Let one face the whole bank alone."""
    match stage:
        case Calling() | Covering() | Completing() | Ready():
            return Ready(bank=stage.bank)
        case _:
            raise out_of_stage(stage, event)


def _staked(terms: Terms, stage: CheminStage, event: BetPlaced, stakes: Stakes) -> CheminStage:
    """Go on to who is asked next; in a tied coup, or while trimming, nobody is."""
    match stage:
        case Covering():
            return _covered(terms, stage, stakes)
        case Completing():
            return _completed(stage, stakes)
        case Ready():
            return stage
        case _:
            raise out_of_stage(stage, event)


def _passed(  # noqa: PLR0911 (one way on for each stage)
    terms: Terms, stage: CheminStage, event: TurnPassed, stakes: Stakes
) -> CheminStage:
    match stage:
        case Keeping():
            order = in_turn_after(terms.seats, stage.seat)
            return Taking(giver=stage.seat, standing=stage.standing, order=order)
        case Taking(order=(_, *rest)):
            if rest:
                return replace(stage, order=tuple(rest))
            others = in_turn_after(terms.seats, turn_of(terms))
            return _named_by(tuple(seat for seat in others if seat != stage.giver))
        case Naming(order=(_, *rest)):
            return _named_by(tuple(rest))
        case Calling(order=(_, *rest)):
            if rest:
                return replace(stage, order=tuple(rest))
            return Covering(bank=stage.bank, order=in_turn_after(terms.seats, stage.bank.seat))
        case Covering():
            return _covered(terms, stage, stakes)
        case Over():
            return Ready(bank=stage.bank)
        case _:
            raise out_of_stage(stage, event)


def _named_by(order: tuple[int, ...]) -> CheminStage:
    return Naming(order=order) if order else Unbanked()


def _covered(terms: Terms, stage: Covering, stakes: Stakes) -> CheminStage:
    """Ask the next seat, unless the bank is covered; after the last one bystanders, if they may stake."""
    if against(stake_of=stakes, bank=stage.bank) < stage.bank.amount:
        if rest := stage.order[1:]:
            return replace(stage, order=rest)
        if terms.rules.stakes and terms.rules.stakes.bystanders is True:
            return Completing(bank=stage.bank)
    return _completed(stage, stakes)


def _completed(stage: Covering | Completing, stakes: Stakes) -> CheminStage:
    covered = against(stake_of=stakes, bank=stage.bank)
    if covered > stage.bank.amount:
        return Over(bank=stage.bank)
    if covered < stage.bank.amount and isinstance(stage, Completing):
        return stage
    return Ready(bank=stage.bank)


def against(*, stake_of: Stakes, bank: Bank) -> int:
    """Give all that is staked against a bank."""
    return stake_of.table - bank.amount


def settled(terms: Terms, stage: CheminStage, event: RoundSettled, lines: Sequence[Line]) -> Standing:
    """Give what a settled coup leaves to the next: a bank that won or tied stands, one that lost has passed."""
    bank = bank_of(stage)
    if bank is None:
        raise ImpossibleError("a coup is settled, and nobody banked it")
    if event.winner == "player":
        return Standing(turn=next_seat(terms.seats, bank.turn))
    stays = event.winner == "tie" and terms.rules.stakes and terms.rules.stakes.tie == "stay"
    return Standing(
        turn=bank.turn,
        banker=bank.seat,
        standing=lines[0].returned,
        suivi=_lost_banco(terms, lines) if event.winner == "banker" else None,
        tied=bool(stays),
    )


def voided(terms: Terms, stage: CheminStage) -> Standing:
    """Give what a void coup leaves to the next: the bank that was named, or the one nobody was asked about yet."""
    bank = bank_of(stage)
    if bank is not None and bank.amount:
        return Standing(turn=bank.turn, banker=bank.seat, standing=bank.amount)
    if isinstance(stage, Keeping | Ready):
        return replace(terms.before, suivi=None, tied=False)
    return Standing(turn=turn_of(terms))


def _lost_banco(terms: Terms, lines: Sequence[Line]) -> int | None:
    """Give the seat that has just lost a banco, where it may call another first."""
    may_follow = terms.rules.stakes and terms.rules.stakes.suivi is True
    if not may_follow:
        return None
    return next((terms.seat(line.patron) for line in lines if line.bet == "banco"), None)


def _seat(terms: Terms, patron: str) -> int:
    seat = terms.seat(patron)
    if seat is None:
        raise ImpossibleError(f"{patron} has no seat, and banks")
    return seat
