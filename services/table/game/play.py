"""Play: what is decided in a coup, from `round-opened` to its settlement. Pure: the shoe's cards are an argument.

Each function takes the table as it is and gives the events of one command, or refuses; none of them changes the table.
"""

from collections.abc import Iterator, Sequence

from msgspec import UNSET

from schemas.events import (
    BetsClosed,
    CardDealt,
    CutCardReached,
    Line,
    LinesSettled,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SettlementReversed,
    TableEvent,
)
from schemas.words import ITEMS_PER_ENTRY, Card
from services.table.game.approval import ONE_PERSON, TWO_PEOPLE, approved
from services.table.game.bank import settle
from services.table.game.paytable import paytable
from services.table.game.phases import be, out_of_phase, play_on
from services.table.game.refusal import RefusedError
from services.table.game.shoe import Shoe
from services.table.game.stakes import Stakes
from services.table.game.state import Betting, Between, Dealing, Settled, ShoeInPlay, Table, open_coup
from services.table.game.tableau import facts_of, next_hand


def open_round(table: Table, *, free: bool = False) -> list[RoundOpened]:
    """Open the next coup of the shoe; `free`: without bets."""
    shoe = be(table, Between, to="open a round").shoe
    play_on(table)
    if shoe.coups_left == 0:
        raise RefusedError("shoe-over", "this shoe has had its last coup", where="shoe", right="close the shoe")
    return [RoundOpened(shoe=shoe.number, round=shoe.rounds + 1, free=True if free else UNSET)]


def close_bets(table: Table, *, count: int, digest: str) -> list[BetsClosed]:
    """Close the bets; `count` and `digest` are of the round's bet entries."""
    phase = be(table, Betting, to="close the bets")
    play_on(table)
    return [BetsClosed(round=phase.round, count=count, digest=digest)]


def deal(table: Table, cards: Shoe, *, whole: bool = True) -> list[TableEvent]:
    """Deal the rest of the coup, or one card of it, and settle when it is complete."""
    phase = be(table, Dealing, to="deal")
    insist_on_sealed_cards(phase.shoe)
    play_on(table)
    return list(_fall(table, phase.shoe, phase, cards, whole=whole))


def play_coup(table: Table, cards: Shoe, *, count: int, digest: str) -> list[TableEvent]:
    """Close the bets if they are open, deal the rest of the coup, settle it."""
    if isinstance(table.phase, Dealing):
        return deal(table, cards)
    closed = close_bets(table, count=count, digest=digest)
    betting = be(table, Betting, to="play the coup")
    insist_on_sealed_cards(betting.shoe)
    dealing = Dealing(betting.shoe, betting.round, betting.stakes)
    return [*closed, *_fall(table, betting.shoe, dealing, cards, whole=True)]


def void_round(table: Table, *, reason: str, approved_by: Sequence[str]) -> list[RoundVoided]:
    """Give up the open coup, or one whose settlement is undone; every stake returns."""
    coup = open_coup(table.phase)
    if coup is None:
        raise out_of_phase(table, Betting, Dealing, to="void a round")
    names = approved(approved_by, needed=ONE_PERSON, to="void a coup")
    return [RoundVoided(round=coup.round, reason=reason, approved_by=names)]


def reverse_settlement(
    table: Table, *, reason: str, approved_by: Sequence[str], settle_again: bool
) -> list[TableEvent]:
    """Undo the last settlement, then settle the coup again, or void it."""
    undone, last = undo_settlement(table, reason=reason, approved_by=approved_by)
    if settle_again:
        return [undone, *settlement(table, last.round, last.player, last.banker, last.stakes)]
    return [undone, RoundVoided(round=last.round, reason=reason, approved_by=undone.approved_by)]


def undo_settlement(table: Table, *, reason: str, approved_by: Sequence[str]) -> tuple[SettlementReversed, Settled]:
    """Undo the last settlement, by the word of two people, as long as what it paid is still on the table."""
    last = be(table, Between, to="reverse a settlement").last
    if last is None:
        raise RefusedError("wrong-phase", "no settlement is left to reverse", where="round", right="the last coup")
    names = approved(approved_by, needed=TWO_PEOPLE, to="reverse a settlement")
    _still_there(table, last)
    return SettlementReversed(round=last.round, reason=reason, approved_by=names), last


def insist_on_sealed_cards(shoe: ShoeInPlay) -> None:
    """Refuse to deal from a shoe of which nobody here knows the next card."""
    if shoe.is_scanned:
        raise RefusedError(
            "shoe-source",
            "the cards of this shoe are real: nobody here knows the next one",
            where="shoe",
            right="the cards as a reader tells them: POST /v1/tables/{table}/shoes/current/cards",
        )


def _fall(table: Table, shoe: ShoeInPlay, phase: Dealing, cards: Shoe, *, whole: bool) -> Iterator[TableEvent]:
    """Let the cards fall, the cut card where it lies; settle when both hands are complete."""
    hands: dict[str, list[Card]] = {"player": list(phase.player), "banker": list(phase.banker)}
    position = shoe.position
    while (hand := next_hand(hands["player"], hands["banker"])) is not None:
        if position == shoe.cards:
            yield RoundVoided(round=phase.round, reason="out-of-cards", approved_by=())
            return
        if position == shoe.cut_at:
            yield CutCardReached(shoe=shoe.number, position=position)
        card = cards.cards[position]
        yield CardDealt(round=phase.round, hand=hand, card=card, position=position, salt=cards.salts[position].hex())
        hands[hand].append(card)
        position += 1
        if not whole:
            break
    if next_hand(hands["player"], hands["banker"]) is None:
        yield from settlement(table, phase.round, hands["player"], hands["banker"], phase.stakes)


def settlement(
    table: Table, number: int, player: Sequence[Card], banker: Sequence[Card], stakes: Stakes
) -> Iterator[LinesSettled | RoundSettled]:
    """Settle a complete coup: as many `lines-settled` as it takes, and `round-settled` with the last lines."""
    facts = facts_of(player, banker)
    lines = settle(
        paytable(table.rules), facts, ((patron, bet, amount) for (patron, bet), amount in stakes.by_bet.items())
    )
    rest: list[Line] = lines
    while len(rest) > ITEMS_PER_ENTRY:
        yield LinesSettled(round=number, lines=tuple(rest[:ITEMS_PER_ENTRY]))
        rest = rest[ITEMS_PER_ENTRY:]
    yield RoundSettled(round=number, player=facts.player, banker=facts.banker, winner=facts.winner, lines=tuple(rest))


def _still_there(table: Table, last: Settled) -> None:
    """Refuse a reversal when what was paid has left the table, or what was marked has been collected."""
    paid: dict[str, int] = {}
    marked: dict[str, int] = {}
    for line in last.lines:
        paid[line.patron] = paid.get(line.patron, 0) + line.returned
        marked[line.patron] = marked.get(line.patron, 0) + (0 if line.marked is UNSET else line.marked)
    for patron, amount in paid.items():
        if table.stack(patron) < amount:
            raise RefusedError(
                "stack-too-small",
                f"patron {patron} was paid {amount} and has {table.stack(patron)} left",
                where="round",
                right="the chips back on the table first",
            )
        if table.debt(patron) < marked[patron]:
            raise RefusedError(
                "not-owed",
                f"commission of {marked[patron]} that patron {patron} owed has been collected or waived",
                where="round",
                right="a settlement whose commission is still owed",
            )
