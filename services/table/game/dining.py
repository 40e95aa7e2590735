"""Dining-room baccarat: who may do what until the last call, who plays which hand, and how the coup is settled. Pure.

The stages of a coup are in `dining_coup`, what holds between coups in `dining_game`.

Where the text is silent:
- Who bets plays one side a coup. He may ask for more units on it, or at once for several; what he stakes without
  asking replaces a request of his that is still open. Who has passed asks for nothing.
- All stakes are whole units, side bets too. Nothing is withdrawn.
- A request is open until it is answered, one for each of a patron's bets; whether it may be agreed to is tried anew
  when it is answered.
- The bets may be closed when everybody has staked or passed, or when the bank is covered. When all have passed the
  coup is void, `no-stakes`.
- Silence is everybody's at once: the system answers for all who have said nothing, in turn after the dealer; where
  `absent` names a side and the bank is covered, it passes.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from schemas.events import BetPlaced
from schemas.seats import BankBroken, TurnPassed
from schemas.words import Choice
from services.table.game import dining_game
from services.table.game.banker import BANK
from services.table.game.broken import MAIN, settle_from_what_is_there
from services.table.game.deeds import BySystem, Deeds, Draw, May, Step
from services.table.game.dining_coup import Asked, DiningStage, Matching, Offering
from services.table.game.impossible import ImpossibleError
from services.table.game.seats import Standing, Terms
from services.table.game.settlement import settled_at_one
from services.table.game.stakes import Stakes
from services.table.game.state import Banked, Hands, Playing, Staking, Table
from services.table.game.tableau import facts_of, next_hand


def standing(table: Table) -> Standing:
    """Give what the next coup starts from."""
    return dining_game.standing(table)


def opening(table: Table, number: int, before: Standing) -> Deeds:
    """Place the bank of who deals unasked: the same dealer after a tie, a sole one who is able, or the richest."""
    able = dining_game.able(table)
    if before.tied and before.turn in able:
        return [_bank(table, number, before.turn)]
    if not able:
        return [_bank(table, number, dining_game.richest(table))]
    return [_bank(table, number, able[0])] if len(able) == 1 else []


def _bank(table: Table, number: int, seat: int) -> BySystem:
    """Let somebody deal: all that he has is the bank."""
    patron = table.seats[seat]
    return BySystem(BetPlaced(round=number, patron=patron, bet=BANK, amount=table.stack(patron)))


def mays(table: Table, phase: Staking) -> list[May]:
    """List what each may do before the last call."""
    stage = _stage(phase.banked)
    if isinstance(stage, Offering):
        return _of_who_is_offered_the_deal(table, stage)
    return [*_of_the_waiting(table, phase, stage), *_of_the_asking(table, phase, stage), *_of_the_dealer(table, phase)]


def _stage(banked: Banked) -> DiningStage:
    stage = banked.stage
    assert isinstance(stage, DiningStage), "a coup of the dining-room"
    return stage


def _of_who_is_offered_the_deal(table: Table, stage: Offering) -> list[May]:
    patron = table.seats[_offered(table, stage)[0]]
    stack = table.stack(patron)
    return [May(does="bank", patron=patron, bet=BANK, least=stack, most=stack), May(does="pass", patron=patron)]


def _offered(table: Table, stage: Offering) -> list[int]:
    """Give the able who have not passed, in turn."""
    return [seat for seat in dining_game.able(table) if seat not in stage.passed]


def _of_the_waiting(table: Table, phase: Staking, stage: Matching) -> Iterator[May]:
    """Tell what they may do who have said nothing yet: stake a unit on either side, while it is covered, or pass."""
    terms, unit = phase.banked.terms, dining_game.unit_of(table.rules)
    for seat in stage.waiting:
        patron = terms.patron(seat)
        for side in MAIN:
            if _is_covered(phase, stage, unit) and _fits(table, phase, Asked(patron=patron, bet=side, amount=unit)):
                yield May(does="stake", patron=patron, bet=side, least=unit, most=unit, by=unit)
        yield May(does="pass", patron=patron)


def _of_the_asking(table: Table, phase: Staking, stage: Matching) -> Iterator[May]:
    """Tell who may ask the dealer for what: more units on a side, and side bets to who has staked on one."""
    terms, unit = phase.banked.terms, dining_game.unit_of(table.rules)
    asked = {(ask.patron, ask.bet) for ask in stage.asks}
    for seat, patron in sorted(terms.seats.items()):
        for bet in terms.rules.bets:
            if seat == stage.dealer or (patron, bet) in asked or not _may_ask(phase, stage, seat, bet):
                continue
            # A unit that nobody need consent to is no request.
            fewest = 2 * unit if seat in stage.waiting else unit
            least = max(fewest, _up(terms.limits.bets[bet].min - phase.stakes.on(patron, bet), unit))
            most = _down(_consentable(table, phase, stage, patron, bet), unit)
            if least <= most:
                yield May(does="ask", patron=patron, bet=bet, least=least, most=most, by=unit)


def _may_ask(phase: Staking, stage: Matching, seat: int, bet: str) -> bool:
    """Whether a bet is one that this seat may ask for, whatever its amount."""
    terms, stakes = phase.banked.terms, phase.stakes
    patron = terms.patron(seat)
    if not terms.offers(bet):
        return False
    if bet in MAIN:
        return seat in stage.waiting or stakes.on(patron, bet) > 0
    return any(stakes.on(patron, need) for need in terms.rules.bets[bet].needs or ())


def _of_the_dealer(table: Table, phase: Staking) -> Iterator[May]:
    """Tell what the dealer may answer: to each request no, and yes as long as it can be."""
    terms, stage = phase.banked.terms, _stage(phase.banked)
    assert isinstance(stage, Matching), "there is a dealer"
    dealer = terms.patron(stage.dealer)
    for ask in stage.asks:
        refuse = May(does="refuse", patron=dealer, bet=ask.bet, of=ask.patron, least=ask.amount, most=ask.amount)
        if ask.amount <= _consentable(table, phase, stage, ask.patron, ask.bet):
            yield replace(refuse, does="agree")
        yield refuse


def _is_covered(phase: Staking, stage: Matching, amount: int) -> bool:
    """Whether the bank can still match so much of a main bet: a poor dealer covers first comers."""
    return phase.stakes.player + phase.stakes.banker + amount <= stage.bank


def _consentable(table: Table, phase: Staking, stage: Matching, patron: str, bet: str) -> int:
    """Give how much of a bet the dealer can consent to: of a main one what leaves a unit for each other who waits."""
    room = _rooms(table, phase, patron, bet)
    if bet not in MAIN:
        return room  # a side bet needs no cover
    others = sum(1 for seat in stage.waiting if phase.banked.terms.patron(seat) != patron)
    unmatched = stage.bank - phase.stakes.player - phase.stakes.banker
    return min(room, unmatched - dining_game.unit_of(table.rules) * others)


def _fits(table: Table, phase: Staking, ask: Asked) -> bool:
    """Whether a first bet is offered and its amount within the patron's stack and every limit."""
    terms = phase.banked.terms
    if not terms.offers(ask.bet):
        return False
    return terms.limits.bets[ask.bet].min <= ask.amount <= _rooms(table, phase, ask.patron, ask.bet)


def _rooms(table: Table, phase: Staking, patron: str, bet: str) -> int:
    """Give how much more a patron may stake on a bet, by his stack and every limit; the bank counts in none."""
    limits, stakes, stack = phase.banked.terms.limits, phase.stakes, table.stack(patron)
    of_the_table = stakes.table - sum(amount for _, on, amount in stakes.all if on == BANK)
    return min(
        stack,
        limits.bets[bet].max - stakes.on(patron, bet),
        limits.patron - stakes.of(patron) if limits.patron else stack,
        limits.table - of_the_table if limits.table else stack,
    )


def _up(amount: int, unit: int) -> int:
    return -(-amount // unit) * unit


def _down(amount: int, unit: int) -> int:
    return amount // unit * unit


def placing(table: Table, phase: Staking, *, patron: str, bet: str, amount: int) -> Deeds:  # noqa: ARG001
    """Place a bet that may be placed."""
    return [BetPlaced(round=phase.round, patron=patron, bet=bet, amount=amount)]


def passing(table: Table, phase: Staking, *, patron: str) -> Deeds:
    """Pass; when all who are able have passed the deal, the first of them deals."""
    passed = TurnPassed(round=phase.round, patron=patron)
    stage = _stage(phase.banked)
    if isinstance(stage, Offering) and len(_offered(table, stage)) == 1:
        return [passed, _bank(table, phase.round, dining_game.able(table)[0])]
    return [passed]


def may_close(phase: Staking) -> bool:
    """Whether the bets may be closed: everybody has staked or passed, or the bank is covered."""
    stage = _stage(phase.banked)
    unit = dining_game.unit_of(phase.banked.terms.rules)
    return isinstance(stage, Matching) and (not stage.waiting or not _is_covered(phase, stage, unit))


def closing(phase: Staking) -> Deeds:  # noqa: ARG001
    """Give what is done just before the bets are closed: nothing; what is asked lapses."""
    return []


def void_reason(banked: Banked, stakes: Stakes, *, closing: bool) -> str | None:
    """Say why the rules void the coup, if they do: all have passed."""
    stage = _stage(banked)
    is_over = isinstance(stage, Matching) and (closing or not stage.waiting)
    return "no-stakes" if is_over and not stakes.player + stakes.banker else None


def silent(table: Table, phase: Staking) -> Deeds:
    """Pass the deal for who is silent; or do for each who has not staked what the rules say of the absent."""
    stage, terms = _stage(phase.banked), phase.banked.terms
    if isinstance(stage, Offering):
        return passing(table, phase, patron=table.seats[_offered(table, stage)[0]])
    deeds, stakes = Deeds(), phase.stakes.copy()
    for seat in stage.waiting:
        event = _absent(table, Staking(phase.shoe, phase.round, stakes, phase.banked), stage, terms.patron(seat))
        stakes.follow(event)
        deeds.append(event)
    return deeds


def _absent(table: Table, phase: Staking, stage: Matching, patron: str) -> BetPlaced | TurnPassed:
    """Say what the rules have an absent player do: pass, or stake a unit on a side while it is covered."""
    rules = phase.banked.terms.rules
    unit, side = dining_game.unit_of(rules), rules.stakes.absent if rules.stakes else "out"
    if side in MAIN and _is_covered(phase, stage, unit):
        staked = Asked(patron=patron, bet=side, amount=unit)
        if _fits(table, phase, staked):
            return BetPlaced(round=phase.round, patron=patron, bet=side, amount=unit)
    return TurnPassed(round=phase.round, patron=patron)


def step(phase: Playing) -> Step:
    """Give what comes next: the hand that the tableau gives a card, or nothing."""
    hand = next_hand(phase.hands.player, phase.hands.banker)
    return None if hand is None else Draw(hand)


def advice(hand: str, hands: Hands) -> Choice:  # noqa: ARG001
    """No choice is ever free here."""
    raise ImpossibleError(f"the tableau leaves {hand} no choice")


def decider(banked: Banked, stakes: Stakes, hand: str) -> str | None:  # noqa: ARG001
    """Give who plays a hand: the tableau does."""
    return None


def settlement(number: int, banked: Banked, hands: Hands, stakes: Stakes) -> Deeds:
    """Settle a complete coup; a dealer who cannot pay all that the side bets won is broken."""
    terms: Terms = banked.terms
    facts = facts_of(hands.player, hands.banker)
    lines, broken = settle_from_what_is_there(terms.rules, facts, stakes.all, terms.seats)
    deeds = settled_at_one(number, hands.player, hands.banker, lambda _: lines)
    if broken is None:
        return deeds
    return [*deeds, BankBroken(round=number, patron=broken.patron, due=broken.due, paid=broken.paid)]
