"""Baccarat banque: who may do what until the last call, who plays which hand, and how the coup is settled. Pure.

The stages of a coup are in `banque_coup`, its hands in `banque_hands`, who is active on which side in `banque_sides`;
`salon` asks every game alike.
"""

from collections.abc import Iterator

from schemas.events import BetPlaced
from schemas.seats import TurnPassed
from schemas.words import Choice
from services.table.game import banque_coup, banque_hands
from services.table.game.banker import BANK, settle
from services.table.game.banque_coup import (
    BanqueStage,
    Bidding,
    Faced,
    Holding,
    Offering,
    Punting,
    Unbidden,
    Won,
    against,
)
from services.table.game.banque_sides import BANCO, LEFT, RIGHT, SIDES, STAKES, active, outward, player_of, side_of
from services.table.game.deeds import BySystem, Deeds, Doing, May, Step
from services.table.game.seats import Standing, Terms
from services.table.game.settlement import settled_at_two
from services.table.game.stakes import Stakes
from services.table.game.state import Banked, Hands, Playing, Staking, Table


def standing(table: Table) -> Standing:
    """Give what the next coup starts from: the active seats are always somebody's who sits, and does not bank."""
    before, rules, seats = table.standing, table.rules, table.seats
    return Standing(
        banker=before.banker,
        standing=before.standing,
        right=active(outward(rules, seats, RIGHT, aside=before.banker), RIGHT, before.right),
        left=active(outward(rules, seats, LEFT, aside=before.banker), LEFT, before.left),
    )


def opening(table: Table, number: int, before: Standing) -> Deeds:  # noqa: ARG001 (as every game's)
    """Place nothing as a coup is opened: nothing but the bank stays, and its banker is asked."""
    return []


def mays(table: Table, phase: Staking) -> list[May]:
    """List what each may do before the last call."""
    stage = _stage(phase.banked)
    if isinstance(stage, Punting):
        return [*_of_punters(table, phase, stage), *_of_stakes_to_withdraw(phase)]
    return list(_of_who_is_asked(table, phase))


def _stage(banked: Banked) -> BanqueStage:
    stage = banked.stage
    assert isinstance(stage, BanqueStage), "a coup of baccarat banque"
    return stage


def _of_who_is_asked(table: Table, phase: Staking) -> Iterator[May]:
    """Tell what each seat that is asked may do: always to pass, and what it is asked for within its bounds."""
    terms, stage = phase.banked.terms, _stage(phase.banked)
    for seat in banque_coup.asked(stage):
        patron = terms.patron(seat)
        stack = table.stack(patron)
        match stage:
            case Holding():
                yield from _held(terms, stage, patron, stack)
            case Bidding():
                span = terms.limits.bets[BANK]
                above = span.min if stage.highest is None else stage.highest.amount + 1
                yield from _within("ask", patron, BANK, above, min(span.max, stack))
            case Offering():
                yield from _banco(terms, seat, stage.bank.amount, stack)
            case _:
                pass
        yield May(does="pass", patron=patron)


def _held(terms: Terms, stage: Holding, patron: str, stack: int) -> Iterator[May]:
    """Offer to name the standing bank again: less of it, or more, as the rules let.

    A bank that has grown above the table's most is named at that.
    """
    span, may = terms.limits.bets[BANK], terms.rules.bank
    standing = min(stage.standing, span.max)
    least = span.min if may and may.withdraw is True else standing
    most = span.max if may and may.add is True else standing
    yield from _within("bank", patron, BANK, least, min(most, stack))


def _banco(terms: Terms, seat: int, bank: int, stack: int) -> Iterator[May]:
    """Offer the whole bank, on the seat's own side, when its patron has as much."""
    limits, bet = terms.limits, BANCO[side_of(terms.rules, seat)]
    span = limits.bets[bet]
    most = min(stack, span.max, limits.patron or bank, limits.table or bank)
    if span.min <= bank <= most:
        yield May(does="banco", patron=terms.patron(seat), bet=bet, least=bank, most=bank)


def _of_punters(table: Table, phase: Staking, stage: Punting) -> Iterator[May]:
    """Tell what each may stake: whoever sits, but for the banker, on either side or both; and bystanders."""
    terms = phase.banked.terms
    seated = [terms.patron(seat) for seat in sorted(terms.seats) if seat != stage.bank.seat]
    stakes = terms.rules.stakes
    has_bystanders = stakes and stakes.bystanders is True
    bystanders = [patron for patron in table.stacks if terms.seat(patron) is None] if has_bystanders else []
    for patron in (*seated, *bystanders):
        for bet in STAKES:
            if terms.offers(bet):
                yield from _stake(table, phase, stage, patron, bet)


def _stake(table: Table, phase: Staking, stage: Punting, patron: str, bet: str) -> Iterator[May]:
    """Offer a stake within every limit; all stakes together are never above the bank."""
    limits, stakes = phase.banked.terms.limits, phase.stakes
    span, on, staked = limits.bets[bet], stakes.on(patron, bet), against(stake_of=stakes, bank=stage.bank)
    most = min(
        span.max - on,
        table.stack(patron),
        limits.patron - stakes.of(patron) if limits.patron else span.max,
        (limits.table or stage.bank.amount) - staked,
        stage.bank.amount - staked,
    )
    yield from _within("stake", patron, bet, max(span.min - on, 1), most)


def _of_stakes_to_withdraw(phase: Staking) -> Iterator[May]:
    """Tell which stakes may be taken back: all but the bank."""
    for patron, bet in phase.stakes.by_bet:
        if bet != BANK:
            yield May(does="withdraw", patron=patron, bet=bet)


def _within(does: Doing, patron: str, bet: str, least: int, most: int) -> Iterator[May]:
    if least <= most:
        yield May(does=does, patron=patron, bet=bet, least=least, most=most)


def placing(table: Table, phase: Staking, *, patron: str, bet: str, amount: int) -> Deeds:  # noqa: ARG001
    """Place a bet that may be placed."""
    return [BetPlaced(round=phase.round, patron=patron, bet=bet, amount=amount)]


def passing(table: Table, phase: Staking, *, patron: str) -> Deeds:  # noqa: ARG001
    """Pass; the last pass of an auction places the highest bid."""
    return _passing(phase, [patron])


def _passing(phase: Staking, patrons: list[str]) -> Deeds:
    terms, stage = phase.banked.terms, _stage(phase.banked)
    deeds: Deeds = []
    for patron in patrons:
        passed = TurnPassed(round=phase.round, patron=patron)
        stage = banque_coup.evolve(terms, stage, passed, phase.stakes)
        deeds.append(passed)
    return [*deeds, *bank_won(phase.round, Banked(terms, stage))]


def bank_won(number: int, banked: Banked) -> Deeds:
    """Give the winner's bank, when an auction has just been won: the system places it."""
    if not isinstance(banked.stage, Won):
        return []
    bank = banked.stage.bank
    patron = banked.terms.patron(bank.seat)
    return [BySystem(BetPlaced(round=number, patron=patron, bet=BANK, amount=bank.amount))]


def may_close(phase: Staking) -> bool:
    """Whether the dealer may close the bets: nobody is asked any more."""
    return isinstance(_stage(phase.banked), Punting | Faced)


def closing(phase: Staking) -> Deeds:  # noqa: ARG001 (as every game's)
    """Do nothing just before the bets are closed: no stake was ever above the bank."""
    return []


def void_reason(banked: Banked, stakes: Stakes, *, closing: bool) -> str | None:
    """Say why the rules void the coup, if they do: nobody bids, or nobody has staked when the bets would close."""
    stage = _stage(banked)
    if isinstance(stage, Unbidden):
        return "no-bank"
    is_empty = isinstance(stage, Punting) and not against(stake_of=stakes, bank=stage.bank)
    return "no-stakes" if closing and is_empty else None


def silent(table: Table, phase: Staking) -> Deeds:  # noqa: ARG001
    """Give what the system does for whoever is asked and silent: pass; at an auction for all who are asked."""
    patrons = [phase.banked.terms.patron(seat) for seat in banque_coup.asked(_stage(phase.banked))]
    return _passing(phase, patrons)


def step(phase: Playing) -> Step:
    """Give what comes next: a card, a choice, or nothing."""
    played = [side for side in SIDES if decider(phase.banked, phase.stakes, side) is not None]
    return banque_hands.next_step(phase.hands, played)


def advice(hand: str, hands: Hands) -> Choice:
    """Give what the system decides for who is silent."""
    return banque_hands.advice(hand, hands)


def decider(banked: Banked, stakes: Stakes, hand: str) -> str | None:
    """Give who plays a hand; None when the tableau does."""
    bank = banque_coup.bank_of(_stage(banked))
    assert bank is not None, "cards fall against a bank"
    for side in SIDES:
        if hand == side:
            return player_of(banked.terms, side, banker=bank.seat, staked=stakes.by_bet)
    return banked.terms.patron(bank.seat)


def settlement(number: int, banked: Banked, hands: Hands, stakes: Stakes) -> Deeds:
    """Settle a complete coup, each side by itself."""
    rules = banked.terms.rules
    return settled_at_two(number, hands.right, hands.left, hands.banker, lambda sides: settle(rules, sides, stakes.all))
