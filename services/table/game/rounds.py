"""Rounds: the commands that a coup has whoever banks it; each is answered by `play` or by the `salon`."""

from collections.abc import Sequence

from schemas.events import RoundVoided
from schemas.words import Card
from services.table.game import banked, play, salon, salon_reader, wagers
from services.table.game import reader as readers
from services.table.game.deeds import Deeds, event_of
from services.table.game.evolve import evolve
from services.table.game.reader import Due, Reader
from services.table.game.refusal import RefusedError
from services.table.game.shoe import Shoe
from services.table.game.state import Playing, Table
from services.table.game.wagers import Wager

HOUSE = "house"


def open_round(table: Table, *, free: bool = False) -> Deeds:
    """Open the next coup of the shoe; `free`: without bets, where the house banks."""
    if table.rules.game == HOUSE:
        return [*play.open_round(table, free=free)]
    if free:
        raise RefusedError("wrong-game", "a coup without bets has no banker", where="free", right="false")
    return salon.open_round(table)


def place_bets(table: Table, placed: Sequence[Wager]) -> Deeds:
    """Place bets in the order given, all of them or none; each must be its patron's to place when it comes."""
    if table.rules.game == HOUSE:
        return [*wagers.place_bets(table, placed)]
    if len(placed) > 1:
        return _placed_in_turn(table, placed)
    patron, bet, amount = placed[0]
    return salon.place(table, patron=patron, bet=bet, amount=amount)


def _placed_in_turn(table: Table, placed: Sequence[Wager]) -> Deeds:
    """Place a list of bets where a player banks; a refusal says which of them it is about, from 0."""
    then, deeds = banked.supposed(table), Deeds()
    for number, (patron, bet, amount) in enumerate(placed):
        try:
            said = salon.place(then, patron=patron, bet=bet, amount=amount)
        except RefusedError as no:
            raise RefusedError(no.code, no.detail, where=f"[{number}].{no.where}", right=no.right) from None
        for event in map(event_of, said):
            evolve(then, event)
        deeds += said
    return deeds


def withdraw_bet(table: Table, *, patron: str, bet: str) -> Deeds:
    """Take back the whole of a bet."""
    if table.rules.game == HOUSE:
        return [*wagers.withdraw_bet(table, patron=patron, bet=bet)]
    return salon.withdraw(table, patron=patron, bet=bet)


def close_bets(table: Table, *, count: int, digest: str) -> Deeds:
    """Close the bets; `count` and `digest` are of the round's bet entries so far."""
    if table.rules.game == HOUSE:
        return [*play.close_bets(table, count=count, digest=digest)]
    return salon.close_bets(table)


def deal(table: Table, cards: Shoe, *, whole: bool = True) -> Deeds:
    """Deal the rest of the coup, as far as no choice is free, or one card of it; settle when it is complete."""
    if table.rules.game == HOUSE:
        return [*play.deal(table, cards, whole=whole)]
    salon_reader.insist_on_who_deals(table)
    return salon.deal(table, cards, whole=whole)


def play_coup(table: Table, cards: Shoe, *, count: int, digest: str) -> Deeds:
    """Close the bets if they are open, and deal as far as no choice is free."""
    if table.rules.game == HOUSE:
        return [*play.play_coup(table, cards, count=count, digest=digest)]
    salon_reader.insist_on_who_deals(table)
    if isinstance(table.phase, Playing):
        return salon.deal(table, cards)
    return salon.close_and_deal(table, cards)


def tell_cards(table: Table, cards: Sequence[Card], *, reader: Reader | None, position: int | None) -> Deeds:
    """Take real cards as they left the shoe. Raises IrregularError."""
    if table.rules.game == HOUSE:
        return [*readers.tell(table, cards, reader=reader, position=position)]
    return salon_reader.tell(table, cards, reader=reader, position=position)


def due(table: Table) -> Due:
    """Say where the next card of a real shoe goes."""
    return readers.due(table) if table.rules.game == HOUSE else salon_reader.due(table)


def reverse_settlement(table: Table, *, reason: str, approved_by: Sequence[str], settle_again: bool) -> Deeds:
    """Undo the last settlement, then settle the coup again, or void it."""
    if table.rules.game == HOUSE:
        return [*play.reverse_settlement(table, reason=reason, approved_by=approved_by, settle_again=settle_again)]
    undone, last = play.undo_settlement(table, reason=reason, approved_by=approved_by)
    if settle_again:
        return [undone, *salon.settle_again(table, last)]
    return [undone, RoundVoided(round=last.round, reason=reason, approved_by=undone.approved_by)]
