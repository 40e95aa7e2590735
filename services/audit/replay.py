"""`shoelog replay`: the coups of a bundle as a dealer would tell them. It verifies nothing; `verify` does."""

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec
from msgspec import UNSET

from schemas.bundle import UnreadableBundleError, open_bundle
from schemas.events import Line
from schemas.words import Winners
from services.audit.coups import Bet, Coup, Ending, Seats, coups, hand_of, is_real, shuffle_of
from services.audit.currency import written
from services.audit.shoe import REAL_CARDS
from services.audit.usage import StrictCommand
from services.audit.verdict import FAILED, UNREAD
from services.table.game.banker import BANK
from services.table.game.cards import total

PATRON_WIDTH, BET_WIDTH, AMOUNT_WIDTH = 16, 20, 18
FIRST_CARDS = 4


@click.command("replay", cls=StrictCommand)
@click.option("--round", "number", type=click.IntRange(min=1), metavar="N", help="Tell this coup only.")
@click.option("--json", "as_json", is_flag=True, help="Print the coups as JSON; amounts in minor units.")
@click.argument("file", metavar="FILE")
def replay_command(file: str, number: int | None, *, as_json: bool) -> None:
    """Tell the coups of a bundle: cards as they fell, what the rules demanded, who won, what each bet got.

    Nothing is verified here: verify does that. Exit status: 0; 1 there is no such round; 3 the file could not be read;
    64 wrong usage.
    """
    try:
        count = 0
        bundle = open_bundle(Path(file))
        for coup in coups(bundle):
            if number in (None, coup.round):
                _print(coup, count, as_json=as_json)
                count += 1
        if count and not as_json and (entropy := shuffle_of(bundle)) is not None:
            click.echo(f"\nEntropy  {entropy.grade}: {entropy.reason}")
        if count and not as_json and is_real(bundle):
            click.echo(f"\nEntropy  no grade: {REAL_CARDS}")
    except UnreadableBundleError as error:
        click.echo(f"{file}: could not be read: {error}", err=True)
        raise SystemExit(UNREAD) from None
    if as_json:
        click.echo("]" if count else "[]")
    if number is not None and not count:
        click.echo(f"{file}: there is no round {number}", err=True)
        raise SystemExit(FAILED)


def _print(coup: Coup, count: int, *, as_json: bool) -> None:
    """Print one coup, and forget it: a bundle may be larger than the memory."""
    if as_json:
        click.echo("," if count else "[", nl=False)
        click.echo(msgspec.json.encode(coup))
    else:
        click.echo("\n".join(["", *told(coup)] if count else told(coup)))


def told(coup: Coup) -> Iterator[str]:
    """Tell one coup in lines of text."""
    free = ", a free coup" if coup.free else ""
    yield f"Table {coup.table}, shoe {coup.shoe}, round {coup.round}{free} ({coup.at}, version {coup.version})"
    if coup.seats is not UNSET:
        yield from _told_seats(coup.seats, coup.currency)
    if coup.bets:
        yield "  Bets" if coup.seats is UNSET else "  At the table"
        yield from (_told_bet(bet, coup.currency) for bet in coup.bets)
    if coup.cards:
        yield "  Cards"
        yield from _told_cards(coup)
    for ending in coup.endings:
        yield from _told_ending(ending, coup)
    if not coup.endings:
        yield "  The coup is still open"


def _told_seats(stated: Seats, currency: str) -> Iterator[str]:
    """Tell who sits where, and what the coup starts from."""
    yield "  Seats"
    yield f"    {', '.join(f'{seated.seat} {seated.patron}' for seated in stated.seats)}"
    if stated.turn is not UNSET:
        yield f"    it is the turn of seat {stated.turn}"
    if stated.banker is not UNSET:
        standing = "lost" if stated.standing is UNSET else f"standing at {written(stated.standing, currency)}"
        yield f"    seat {stated.banker} has the bank, {standing}"
    if stated.suivi is not UNSET:
        yield f"    seat {stated.suivi} may follow its banco"
    for side, seat in (("right", stated.right), ("left", stated.left)):
        if seat is not UNSET:
            yield f"    seat {seat} has the hand on the {side}"
    if stated.tied is True:
        yield "    the coup before was not decided"


def _told_bet(bet: Bet, currency: str) -> str:
    if bet.said == "passes":
        return f"    {bet.patron:<{PATRON_WIDTH}} passes"
    said = "" if bet.said is UNSET else f"   {bet.said}"
    amount = "taken back" if bet.amount is UNSET else written(bet.amount, currency)
    return f"    {bet.patron:<{PATRON_WIDTH}} {bet.bet or '':<{BET_WIDTH}} {amount:>{AMOUNT_WIDTH}}{said}"


def _told_cards(coup: Coup) -> Iterator[str]:
    """Tell the cards one by one with the total each makes; before a third card, and at the end, the ruling."""
    hands: dict[str, list[str]] = {}
    rulings = list(coup.rulings)
    for count, card in enumerate(coup.cards):
        yield from _told_decisions(coup, count)
        if count >= FIRST_CARDS:
            yield from _told_rulings(rulings, until=card.hand)
        if card.after_cut_card is True:
            yield "    the cut card comes out"
        hand = hands.setdefault(card.hand, [])
        hand.append(card.card)
        yield f"    {card.hand.title():<8} {card.card}   makes {total(hand)}"
    yield from _told_decisions(coup, len(coup.cards))
    yield from _told_rulings(rulings, until=None)


def _told_decisions(coup: Coup, count: int) -> Iterator[str]:
    """Tell what was chosen after so many cards."""
    for decision in () if coup.decisions is UNSET else coup.decisions:
        if decision.after == count:
            yield f"    {decision.hand.title()} chooses to {decision.choice}"


def _told_rulings(rulings: list[str], *, until: str | None) -> Iterator[str]:
    """Tell what the rules demanded, as far as the hand that draws next."""
    while rulings:
        ruling = rulings.pop(0)
        yield f"    {ruling}"
        if until is not None and ruling.startswith(until.title()):
            return


def _told_ending(ending: Ending, coup: Coup) -> Iterator[str]:
    if ending.deed != "settled":
        approved = "" if ending.approved_by is UNSET else " and ".join(ending.approved_by)
        deed = "The coup is void, every stake returns" if ending.deed == "voided" else "The settlement is reversed"
        yield f"  {deed}: {ending.reason}{f', approved by {approved}' if approved else ''}"
        return
    yield f"  {_told_winner(ending, coup)}"
    yield from (_told_line(line, coup.currency) for line in ending.lines)


def _told_winner(ending: Ending, coup: Coup) -> str:
    """Say who won, with the totals that the log states, and the cards' own where they differ."""
    if ending.winners is not UNSET:
        return _told_winners(ending, ending.winners)
    said = ending.player, ending.banker
    cards = total(hand_of(coup, "player")), total(hand_of(coup, "banker"))
    doubt = "" if said == cards else f" (the cards make {cards[0]} and {cards[1]})"
    if ending.winner == "tie":
        return f"Tie at {ending.player}{doubt}"
    high, low = said if ending.winner == "player" else said[::-1]
    return f"{str(ending.winner).title()} wins, {high} over {low}{doubt}"


def _told_winners(ending: Ending, winners: Winners) -> str:
    """Say who won on either side."""
    sides = (("Right", ending.right, winners.right), ("left", ending.left, winners.left))
    words = {"player": "beats", "banker": "loses to", "tie": "ties with"}
    return ", ".join(f"{side} with {said} {words[winner]} the bank's {ending.banker}" for side, said, winner in sides)


def _told_line(line: Line, currency: str) -> str:
    """Tell what became of one bet."""
    name = f"    {line.patron:<{PATRON_WIDTH}} {line.bet:<{BET_WIDTH}} {written(line.stake, currency):>{AMOUNT_WIDTH}}"
    if line.bet == BANK:
        less = f", less {written(line.commission, currency)} levy" if line.commission else ""
        return f"{name}   takes {written(line.won, currency)}, has {written(line.returned, currency)}{less}"
    if not line.won:
        return f"{name}   {'pushes, stake back' if line.returned else 'loses'}"
    owed = "" if line.marked is UNSET or not line.marked else f", owes {written(line.marked, currency)} commission"
    less = f" less {written(line.commission, currency)} commission" if line.commission else ""
    return f"{name}   wins {written(line.won, currency)}{less}, gets back {written(line.returned, currency)}{owed}"
