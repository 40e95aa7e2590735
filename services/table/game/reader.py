"""The reader: real cards, told as they leave their shoe; which hand each goes to follows from what went before.

A card that is out cannot be put back and told otherwise. So what the tableau does not allow is no error to retype: it
is irregular, and people decide. Each function gives the events of one command and changes nothing.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Literal

from schemas.events import CardDealt, CardsBurned, CutCardReached, RoundVoided, TableEvent, TableSuspended
from schemas.words import Card
from services.table.game.phases import be, out_of_phase, play_on
from services.table.game.play import settlement
from services.table.game.refusal import RefusedError
from services.table.game.shoes import burn_count
from services.table.game.state import (
    Betting,
    Between,
    Closed,
    Dealing,
    Frozen,
    Idle,
    ShoeInPlay,
    Shuffled,
    Staking,
    Table,
)
from services.table.game.tableau import next_hand

Reader = Literal["a", "b"]
Due = Literal["burn", "draw", "player", "right", "left", "banker", "decision", "second-reader", "no-card"]
Irregularity = Literal[
    "card-between-coups",
    "card-before-last-call",
    "card-before-decision",
    "card-after-coup",
    "card-too-often",
    "card-missed",
    "shoe-empty",
    "burn-count",
    "readers-disagree",
]
# What a suspension's reason begins with when a card is its cause.
IRREGULAR = "irregular-"


class IrregularError(Exception):
    """A card came that cannot have come; `facts` are what came, at which place of the shoe, and what was expected."""

    def __init__(self, what: Irregularity, detail: str, **facts: Any) -> None:
        super().__init__(detail)
        self.what = what
        self.detail = detail
        self.facts = facts


def due(table: Table) -> Due:
    """Say where the next card of a real shoe goes; `second-reader`: the coup is whole, and waits to be agreed on."""
    match table.phase:
        case Shuffled():
            return "burn"
        case Dealing() as phase:
            return next_hand(phase.player, phase.banker) or "second-reader"
        case _:
            return "no-card"


def tell(
    table: Table, cards: Sequence[Card], *, reader: Reader | None = None, position: int | None = None
) -> list[TableEvent]:
    """Take cards as they left the shoe, `position` being the first one's place in it.

    The only reader says none; of two, `a` deals, and a coup of his is settled when `b` agrees. Raises IrregularError.
    """
    shoe = real_shoe(table)
    if reader == "b":
        return _agree(table, shoe, cards, position)
    insist_on_the_next(shoe, cards, position)
    match table.phase:
        case Shuffled():
            return burn(table, shoe, cards)
        case Dealing() as phase:
            dealt = list(_fall(table, phase, cards, is_settled=reader is None))
            play_on(table)
            return dealt
        case _:
            raise untimely(table, shoe, cards, Dealing)


def untimely(table: Table, shoe: ShoeInPlay, cards: Sequence[Card], dealing: type[Any]) -> Exception:
    """Say what is wrong with cards that come while nothing is dealt; `dealing` is the phase in which they fall."""
    match table.phase:
        case Betting() | Staking():
            return irregular("card-before-last-call", "a card is out before the bets are closed", shoe, cards, 0)
        case Between():
            return irregular("card-between-coups", "a card is out, and no coup is being dealt", shoe, cards, 0)
        case _:
            return out_of_phase(table, Shuffled, dealing, to="take cards")


def stop(table: Table, irregular: IrregularError) -> list[TableSuspended]:
    """Hold all play until people have decided: they void the coup, or resume and go on."""
    return [] if table.suspended is not None else [TableSuspended(reason=IRREGULAR + irregular.what)]


def real_shoe(table: Table) -> ShoeInPlay:
    """Give the shoe, whose cards a reader tells."""
    if isinstance(table.phase, Closed | Idle | Frozen):
        raise out_of_phase(table, Shuffled, Dealing, to="take cards")
    if not table.phase.shoe.is_scanned:
        raise RefusedError(
            "shoe-source",
            "the cards of this shoe were sealed before its first bet; no reader tells them",
            where="shoe",
            right="a shoe committed to with source scanned",
        )
    return table.phase.shoe


def insist_on_the_next(shoe: ShoeInPlay, cards: Sequence[Card], position: int | None) -> None:
    """See that a reader who counts has told every card before this one, and this one not yet."""
    if position is None or position == shoe.position:
        return
    if position < shoe.position:
        raise RefusedError(
            "cards-known",
            f"the cards before position {shoe.position} have been told",
            where="position",
            right=f"{shoe.position}",
        )
    detail = f"{position - shoe.position} cards have left the shoe untold before {cards[0]}"
    raise IrregularError(
        "card-missed", detail, came=cards[0], expected="no-card", position=position, expected_position=shoe.position
    )


def burn(table: Table, shoe: ShoeInPlay, cards: Sequence[Card]) -> list[TableEvent]:
    """Burn by the first card: it alone, or it with all that leave unopened with it."""
    count = burn_count(table.rules.procedure, cards[0])
    if len(cards) not in (1, count):
        detail = f"{len(cards)} cards for the burn; by its first card, {count} leave"
        raise irregular("burn-count", detail, shoe, cards, min(count, len(cards) - 1), count=count)
    play_on(table)
    return [CardsBurned(shoe=shoe.number, count=count, position=0, card=cards[0])]


def _fall(table: Table, phase: Dealing, cards: Sequence[Card], *, is_settled: bool) -> Iterator[TableEvent]:
    """Give each card to its hand, the cut card where it lies; settle a whole coup, or void it for want of cards."""
    shoe, seen = phase.shoe, Counter(phase.shoe.seen)
    hands: dict[str, list[Card]] = {"player": list(phase.player), "banker": list(phase.banker)}
    for place, card in enumerate(cards):
        hand = next_hand(hands["player"], hands["banker"])
        if hand is None:
            raise irregular("card-after-coup", f"the coup was complete before {card}", shoe, cards, place)
        yield from leaves(shoe, seen, cards, place, to=hand)
        yield CardDealt(round=phase.round, hand=hand, card=card)
        hands[hand].append(card)
    if next_hand(hands["player"], hands["banker"]) is None:
        if is_settled:
            yield from settlement(table, phase.round, hands["player"], hands["banker"], phase.stakes)
    elif shoe.position + len(cards) == shoe.cards:
        yield RoundVoided(round=phase.round, reason="out-of-cards", approved_by=())


def leaves(
    shoe: ShoeInPlay, seen: Counter[Card], cards: Sequence[Card], place: int, *, to: str
) -> list[CutCardReached]:
    """Count a card that leaves the shoe, and give the cut card when it lies before it. Raises IrregularError."""
    card, position = cards[place], shoe.position + place
    if position == shoe.cards:
        raise irregular("shoe-empty", f"all {shoe.cards} cards were out before {card}", shoe, cards, place)
    seen[card] += 1
    if seen[card] > shoe.decks:
        detail = f"{card} comes out {seen[card]} times of {shoe.decks} decks"
        raise irregular("card-too-often", detail, shoe, cards, place, expected=to)
    return [CutCardReached(shoe=shoe.number, position=position)] if position == shoe.cut_at else []


def _agree(table: Table, shoe: ShoeInPlay, cards: Sequence[Card], position: int | None) -> list[TableEvent]:
    """Compare a coup's cards, from its first, as the second reader saw them; agreed on, a whole coup is settled."""
    phase = table.phase
    if isinstance(phase, Between) and phase.last and tuple(cards) == in_order(phase.last.player, phase.last.banker):
        return []  # settled already: the answer to the first telling was lost
    phase = be(table, Dealing, to="compare a coup's cards")
    told, is_whole = in_order(phase.player, phase.banker), next_hand(phase.player, phase.banker) is None
    if not is_agreed(shoe, cards, told, position=position, is_whole=is_whole):
        return []
    play_on(table)
    return list(settlement(table, phase.round, phase.player, phase.banker, phase.stakes))


def is_agreed(
    shoe: ShoeInPlay, cards: Sequence[Card], told: Sequence[Card], *, position: int | None, is_whole: bool
) -> bool:
    """Whether both readers saw the same of a whole coup. Raises IrregularError when they did not."""
    if position not in (None, first := shoe.position - len(told)):
        raise RefusedError(
            "whole-coup", "the second reader tells a coup from its first card", where="position", right=f"{first}"
        )
    for place, (saw, dealt) in enumerate(zip(cards, told, strict=False)):
        if saw != dealt:
            raise _irregular_to_b("readers-disagree", shoe, cards, told, place)
    if is_whole and len(cards) > len(told):
        raise _irregular_to_b("card-after-coup", shoe, cards, told, len(told))
    return is_whole and len(cards) == len(told)


def in_order(*hands: Sequence[Card]) -> tuple[Card, ...]:
    """Give a coup's cards in the order they fell, its hands being named as they are dealt."""
    in_turn = (card for each in zip_longest(*(hand[:2] for hand in hands)) for card in each if card is not None)
    return (*in_turn, *(card for hand in hands for card in hand[2:]))


def _irregular_to_b(
    what: Irregularity, shoe: ShoeInPlay, cards: Sequence[Card], told: Sequence[Card], place: int
) -> IrregularError:
    expected = told[place] if place < len(told) else "no-card"
    detail = f"card {place + 1} of the coup: the first reader told {expected}, the second saw {cards[place]}"
    return IrregularError(
        what,
        detail if place < len(told) else f"the second reader saw {cards[place]} after the coup was complete",
        came=cards[place],
        expected=expected,
        position=shoe.position - len(told) + place,
    )


def irregular(  # noqa: PLR0913 - the facts
    what: Irregularity,
    detail: str,
    shoe: ShoeInPlay,
    cards: Sequence[Card],
    place: int,
    *,
    expected: str = "no-card",
    **more: Any,
) -> IrregularError:
    """Say that the card at a place among those told cannot have come."""
    return IrregularError(what, detail, came=cards[place], expected=expected, position=shoe.position + place, **more)
