"""Chemin de fer: who may do what until the last call, who plays which hand, and how the coup is settled. Pure.

The stages of a coup are in `chemin_coup`, its hands in `chemin_hands`; `salon` asks both games and this one alike.
"""

from collections.abc import Iterator

from schemas.events import BetPlaced, BetWithdrawn
from schemas.seats import TurnPassed
from schemas.words import Choice
from services.table.game import chemin_coup, chemin_hands
from services.table.game.banker import BANK, settle
from services.table.game.chemin_coup import (
    Calling,
    CheminStage,
    Completing,
    Covering,
    Keeping,
    Naming,
    Over,
    Ready,
    Taking,
    Unbanked,
    against,
)
from services.table.game.deeds import BySystem, Deeds, May, Step
from services.table.game.seats import Standing, Terms, in_turn_after, next_seat
from services.table.game.settlement import settled_at_one
from services.table.game.stakes import Stakes
from services.table.game.state import Banked, Hands, Playing, Staking, Table


def standing(table: Table) -> Standing:
    """Give what the next coup starts from: the turn is always somebody's who sits."""
    before, seats = table.standing, table.seats
    turn = min(seats) if before.turn is None else before.turn
    return Standing(
        turn=turn if turn in seats else next_seat(seats, turn),
        banker=before.banker,
        standing=before.standing,
        suivi=before.suivi,
        tied=before.tied,
    )


def opening(table: Table, number: int, before: Standing) -> Deeds:
    """Place the bank and the stakes of a tied coup anew, of those who are still able."""
    last = getattr(table.phase, "last", None)
    if not before.tied or last is None:
        return []
    return [
        BySystem(BetPlaced(round=number, patron=patron, bet=bet, amount=amount))
        for (patron, bet), amount in last.stakes.by_bet.items()
        if table.stack(patron) >= amount  # one bet each
    ]


def mays(table: Table, phase: Staking) -> list[May]:
    """List what each may do before the last call."""
    return [*_of_who_is_asked(table, phase), *_of_late_banco(table, phase), *_of_bystanders(table, phase)]


def _stage(banked: Banked) -> CheminStage:
    stage = banked.stage
    assert isinstance(stage, CheminStage), "a coup of chemin de fer"
    return stage


def _of_who_is_asked(table: Table, phase: Staking) -> Iterator[May]:
    """Tell what the seat that is asked may do: always to pass, and what it is asked for within its bounds."""
    terms, stage = phase.banked.terms, _stage(phase.banked)
    seat = chemin_coup.asked(stage)
    if seat is None:
        return
    patron = terms.patron(seat)
    stack, limits = table.stack(patron), terms.limits.bets
    match stage:
        case Keeping():
            may = terms.rules.bank
            least = limits[BANK].min if may and may.withdraw is True else max(stage.standing, limits[BANK].min)
            most = limits[BANK].max if may and may.add is True else min(stage.standing, limits[BANK].max)
            yield from _within("bank", patron, BANK, least, min(most, stack))
        case Taking():
            if limits[BANK].min <= stage.standing <= limits[BANK].max:
                yield from _within("bank", patron, BANK, stage.standing, min(stack, stage.standing))
        case Naming():
            yield from _within("bank", patron, BANK, limits[BANK].min, min(limits[BANK].max, stack))
        case Calling():
            yield from _banco(table, phase, patron, stage.bank.amount)
        case Covering():
            yield from _stake(table, phase, patron)
        case Over():
            excess = against(stake_of=phase.stakes, bank=stage.bank) - stage.bank.amount
            yield from _within("bank", patron, BANK, 1, min(excess, stack, limits[BANK].max - stage.bank.amount))
        case _:
            pass
    yield May(does="pass", patron=patron)


def _of_late_banco(table: Table, phase: Staking) -> Iterator[May]:
    """Tell who may still call banco while stakes are made: whoever sits, but for the banker."""
    terms, stage = phase.banked.terms, _stage(phase.banked)
    is_late = terms.rules.stakes and terms.rules.stakes.late_banco is True
    if not is_late or not isinstance(stage, Covering | Completing):
        return
    for seat in in_turn_after(terms.seats, stage.bank.seat):
        yield from _banco(table, phase, terms.patron(seat), stage.bank.amount)


def _of_bystanders(table: Table, phase: Staking) -> Iterator[May]:
    """Tell which bystanders may complete the stakes: each once."""
    terms, stage = phase.banked.terms, _stage(phase.banked)
    if isinstance(stage, Completing):
        for patron in table.stacks:
            if terms.seat(patron) is None and not phase.stakes.on(patron, "player"):
                yield from _stake(table, phase, patron)


def _banco(table: Table, phase: Staking, patron: str, bank: int) -> Iterator[May]:
    """Offer the whole bank, when the patron has as much, his own stake on the table included."""
    limits = phase.banked.terms.limits
    if "banco" not in limits.bets:
        return
    span = limits.bets["banco"]
    most = min(table.stack(patron) + phase.stakes.on(patron, "player"), span.max, limits.patron or bank)
    if span.min <= bank <= min(most, limits.table or bank):
        yield May(does="banco", patron=patron, bet="banco", least=bank, most=bank)


def _stake(table: Table, phase: Staking, patron: str) -> Iterator[May]:
    """Offer a stake within every limit. It may be above what is left to cover: that is trimmed."""
    limits = phase.banked.terms.limits
    stage = _stage(phase.banked)
    assert isinstance(stage, Covering | Completing), "stakes are made"
    if "player" not in limits.bets:
        return
    span = limits.bets["player"]
    most = min(span.max, table.stack(patron), limits.patron or span.max)
    if limits.table:
        most = min(most, limits.table - against(stake_of=phase.stakes, bank=stage.bank))
    yield from _within("stake", patron, "player", span.min, most)


def _within(does: str, patron: str, bet: str, least: int, most: int) -> Iterator[May]:
    if least <= most:
        yield May(does=does, patron=patron, bet=bet, least=least, most=most)  # type: ignore[arg-type]  # said above


def placing(table: Table, phase: Staking, *, patron: str, bet: str, amount: int) -> Deeds:  # noqa: ARG001
    """Place a bet that may be placed; a late banco displaces all stakes."""
    placed = BetPlaced(round=phase.round, patron=patron, bet=bet, amount=amount)
    if bet != "banco":
        return [placed]
    displaced = [key for key in phase.stakes.by_bet if key[1] != BANK]
    return [*(BySystem(BetWithdrawn(round=phase.round, patron=of, bet=on)) for of, on in displaced), placed]


def passing(table: Table, phase: Staking, *, patron: str) -> Deeds:  # noqa: ARG001
    """Pass."""
    return [TurnPassed(round=phase.round, patron=patron)]


def may_close(phase: Staking) -> bool:
    """Whether the dealer may close the bets: nobody who sits is asked any more."""
    return isinstance(_stage(phase.banked), Completing | Ready)


def closing(phase: Staking) -> Deeds:
    """Trim the last stake by what is over the bank; `bets-closed` follows."""
    stage = _stage(phase.banked)
    assert isinstance(stage, Completing | Ready), "the dealer may close"
    excess = against(stake_of=phase.stakes, bank=stage.bank) - stage.bank.amount
    if excess <= 0:
        return []
    (patron, bet), staked = list(phase.stakes.by_bet.items())[-1]
    return [
        BySystem(BetWithdrawn(round=phase.round, patron=patron, bet=bet)),
        BySystem(BetPlaced(round=phase.round, patron=patron, bet=bet, amount=staked - excess)),
    ]


def void_reason(banked: Banked, stakes: Stakes, *, closing: bool) -> str | None:
    """Say why the rules void the coup, if they do: nobody banks, or nobody has staked when the bets would close."""
    stage = _stage(banked)
    if isinstance(stage, Unbanked):
        return "no-bank"
    is_over = closing or (isinstance(stage, Ready) and not banked.terms.before.tied)
    if is_over and isinstance(stage, Completing | Ready) and not against(stake_of=stakes, bank=stage.bank):
        return "no-stakes"
    return None


def silent(table: Table, phase: Staking) -> Deeds:
    """Give what the system does for whoever is asked and silent: pass."""
    seat = chemin_coup.asked(_stage(phase.banked))
    return [] if seat is None else passing(table, phase, patron=phase.banked.terms.patron(seat))


def step(phase: Playing) -> Step:
    """Give what comes next: a card, a choice, or nothing."""
    return chemin_hands.next_step(phase.banked.terms.rules, phase.hands)


def advice(hand: str, hands: Hands) -> Choice:
    """Give what the system decides for who is silent."""
    return chemin_hands.advice(hand, hands)


def decider(banked: Banked, stakes: Stakes, hand: str) -> str | None:
    """Give who plays a hand: the banker; banco's caller, else the largest stake that sits, else the first bystander."""
    terms, stage = banked.terms, _stage(banked)
    bank = chemin_coup.bank_of(stage)
    assert bank is not None, "cards fall against a bank"
    if hand == "banker":
        return terms.patron(bank.seat)
    return _player_of(terms, bank.seat, stakes)


def _player_of(terms: Terms, banker: int, stakes: Stakes) -> str:
    staked = {patron: amount for (patron, bet), amount in stakes.by_bet.items() if bet != BANK}
    if caller := next((patron for patron, bet in stakes.by_bet if bet == "banco"), None):
        return caller
    seated = [terms.patron(seat) for seat in in_turn_after(terms.seats, banker) if terms.patron(seat) in staked]
    # `max` gives the first of equals: the first in turn after the banker.
    return max(seated, key=lambda patron: staked[patron]) if seated else next(iter(staked))


def settlement(number: int, banked: Banked, hands: Hands, stakes: Stakes) -> Deeds:
    """Settle a complete coup."""
    return settled_at_one(
        number, hands.player, hands.banker, lambda facts: settle(banked.terms.rules, facts, stakes.all)
    )
