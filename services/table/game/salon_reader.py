"""The reader where a player banks: real cards go where the coup, or the draw for the deal, wants the next one. Pure.

A choice is free until it is made: a card that comes before is irregular, as any other that cannot have come.
"""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from schemas.events import CardDealt, RoundVoided
from schemas.seats import CardDrawn
from schemas.words import Card
from services.table.game import dining_game
from services.table.game.awaited import awaits_reader
from services.table.game.deeds import BySystem, Choose, Deeds, Draw
from services.table.game.dining_coup import draws_next
from services.table.game.phases import be, play_on
from services.table.game.play import insist_on_sealed_cards
from services.table.game.reader import (
    Due,
    Reader,
    burn,
    in_order,
    insist_on_the_next,
    irregular,
    is_agreed,
    leaves,
    real_shoe,
    untimely,
)
from services.table.game.salon import game_of
from services.table.game.state import Between, Drawing, Hands, Playing, Settled, ShoeInPlay, Shuffled, Staking, Table


def due(table: Table) -> Due:
    """Say where the next card of a real shoe goes, or what is waited for before one may come."""
    match table.phase:
        case Shuffled():
            return "burn"
        case Drawing():
            return "draw"
        case Between() if dining_game.may_draw(table):
            return "draw"
        case Playing() as phase:
            return _due_in_a_coup(table, phase)
        case _:
            return "no-card"


def _due_in_a_coup(table: Table, phase: Playing) -> Due:
    game = game_of(table)
    step = game.step(phase)
    if isinstance(step, Choose):
        return "decision"
    if not awaits_reader(game.step, phase):
        return "no-card"  # the dealer settles the coup, or voids it for want of cards
    return step.hand if isinstance(step, Draw) else "second-reader"  # type: ignore[return-value]  # one of its hands


def tell(table: Table, cards: Sequence[Card], *, reader: Reader | None = None, position: int | None = None) -> Deeds:
    """Take cards as they left the shoe, as the house's reader does. Raises IrregularError."""
    shoe = real_shoe(table)
    if reader == "b":
        return _agree(table, shoe, cards, position)
    insist_on_the_next(shoe, cards, position)
    match table.phase:
        case Shuffled():
            return [*burn(table, shoe, cards)]
        case Playing() as phase:
            deeds = _fall(table, phase, cards, is_settled=reader is None)
            play_on(table)
            return deeds
        case Drawing() as phase:
            return _draw(table, shoe, phase.drawn, cards)
        case Between() if dining_game.may_draw(table):
            return _draw(table, shoe, (), cards)
        case _:
            raise untimely(table, shoe, cards, Playing)


def insist_on_who_deals(table: Table) -> None:
    """Refuse to deal what a reader tells. When a choice was a coup's last, the dealer goes on to its end."""
    phase = table.phase
    if isinstance(phase, Staking):
        insist_on_sealed_cards(phase.shoe)
    if isinstance(phase, Playing) and awaits_reader(game_of(table).step, phase):
        insist_on_sealed_cards(phase.shoe)


def _fall(table: Table, phase: Playing, cards: Sequence[Card], *, is_settled: bool) -> Deeds:
    """Give each card to its hand, the cut card where it lies; settle a whole coup, or void it for want of cards."""
    game, shoe, deeds = game_of(table), phase.shoe, Deeds()
    seen = Counter(shoe.seen) + Counter(phase.hands.cards)
    playing = replace(phase, hands=phase.hands.copy())
    for place, card in enumerate(cards):
        match game.step(playing):
            case Draw(hand):
                deeds += leaves(shoe, seen, cards, place, to=hand)
                deeds.append(CardDealt(round=phase.round, hand=hand, card=card))  # type: ignore[arg-type]  # a hand
                playing.hands.of(hand).append(card)
            case Choose(hand):
                who = game.decider(phase.banked, phase.stakes, hand)
                detail = f"{who} has not decided for {hand} yet, and {card} is out"
                raise irregular("card-before-decision", detail, shoe, cards, place)
            case None:
                raise irregular("card-after-coup", f"the coup was complete before {card}", shoe, cards, place)
    match game.step(playing):
        case None if is_settled:
            return [*deeds, *_settled(table, playing)]
        case Draw() if shoe.position + len(cards) == shoe.cards:
            return [*deeds, BySystem(RoundVoided(round=phase.round, reason="out-of-cards", approved_by=()))]
        case _:
            return deeds


def _settled(table: Table, phase: Playing) -> Deeds:
    """Settle a whole coup; whoever has no chip left loses his seat."""
    settled = game_of(table).settlement(phase.round, phase.banked, phase.hands, phase.stakes)
    return [*settled, *dining_game.eliminated(table, settled)]


def _draw(table: Table, shoe: ShoeInPlay, before: Sequence[tuple[int, Card]], cards: Sequence[Card]) -> Deeds:
    """Let each seat draw its card for the first deal, in turn, until one of them is the highest."""
    play_on(table)
    drawn, seen, deeds = list(before), Counter(shoe.seen), Deeds()
    for place, card in enumerate(cards):
        seat = draws_next(table.rules, table.seats, drawn)
        if seat is None:
            raise irregular("card-between-coups", f"the deal was drawn for before {card}", shoe, cards, place)
        deeds += leaves(shoe, seen, cards, place, to="draw")
        deeds.append(CardDrawn(shoe=shoe.number, seat=seat, card=card))
        drawn.append((seat, card))
    return deeds


def _agree(table: Table, shoe: ShoeInPlay, cards: Sequence[Card], position: int | None) -> Deeds:
    """Compare a coup's cards, from its first, as the second reader saw them; agreed on, a whole coup is settled."""
    phase = table.phase
    if isinstance(phase, Between) and phase.last and tuple(cards) == _in_order(phase.last):
        return []  # settled already: the answer to the first telling was lost
    phase = be(table, Playing, to="compare a coup's cards")
    is_whole = game_of(table).step(phase) is None
    if not is_agreed(shoe, cards, _in_order(phase.hands), position=position, is_whole=is_whole):
        return []
    play_on(table)
    return _settled(table, phase)


def _in_order(hands: Hands | Settled) -> tuple[Card, ...]:
    """Give a coup's cards in the order they fell: Player's or both sides' first, Banker's last."""
    return in_order(hands.player, hands.right, hands.left, hands.banker)
