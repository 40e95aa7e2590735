"""`shoelog surveil`: coups of a bundle on which a bet was in the patron's favour, and who staked on such coups."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import NoReturn

import click
import msgspec

from schemas.bundle import Bundle, UnreadableBundleError, open_bundle
from schemas.entry import decode
from services.audit.currency import written
from services.audit.log import Trust
from services.audit.usage import StrictCommand
from services.audit.verdict import FAILED, UNREAD, judge
from services.table.game.odds import decimal
from services.table.game.surveillance import FavourableCoup, PatronWatched, Tally, Watch, Watched

PATRON_WIDTH, BET_WIDTH, AMOUNT_WIDTH = 16, 20, 18
PERCENT_PLACES = 4


@click.command("surveil", cls=StrictCommand)
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON; amounts in minor units.")
@click.argument("file", metavar="FILE")
def surveil_command(file: str, *, as_json: bool) -> None:
    """List the coups of a shoe's bundle on which some bet was in the patron's favour, given the cards seen before.

    Each patron's stakes in such coups and in all others are told apart: who counts cards stakes in them, and little
    else. Where a player banks, such a coup is in favour of who stakes against him, and banks stand apart.

    The bundle is verified first, by its own key; without a whole shoe nothing can be said.

    Exit status: 0; 1 the bundle does not verify; 3 it could not be read, or is no shoe's; 64 wrong usage.
    """
    judgement = judge(Path(file), Trust())
    if judgement.exit_code == UNREAD:
        _give_up(f"{file}: could not be read", UNREAD)
    if judgement.exit_code == FAILED:
        _give_up(f"{file}: does not verify; see what shoelog verify says", FAILED)
    try:
        found = watched(open_bundle(Path(file)))
    except UnreadableBundleError as error:
        _give_up(f"{file}: could not be read: {error}", UNREAD)
    click.echo(msgspec.json.encode(found) if as_json else "\n".join(told(found)))


def watched(bundle: Bundle) -> Watched:
    """Watch the shoe of a bundle that verifies. Raises UnreadableBundleError when it holds rounds alone."""
    if bundle.is_rounds:
        raise UnreadableBundleError("it holds one round; what was seen before it is not there")
    watch = Watch(bundle.manifest.table)
    watch.hear(decode(line).event for line in bundle.lines())
    return watch.told()


def told(found: Watched) -> Iterator[str]:
    """Tell it in lines of text."""
    yield f"Table {found.table}, shoe {found.shoe}, {found.rules}: {found.coups} coups settled"
    if found.choices:
        yield "  where a choice is free, counted as the tableau has it"
    yield f"  {len(found.favourable)} of them with a bet in the patron's favour"
    for coup in found.favourable:
        yield from _told_coup(coup, found.currency)
    if found.patrons:
        yield "Stakes"
        head = f"  {'':<{PATRON_WIDTH + BET_WIDTH + 1}}"
        yield f"{head}{'in the favour':>{AMOUNT_WIDTH + 7}} {'otherwise':>{AMOUNT_WIDTH + 7}}"
    for patron in found.patrons:
        yield from _told_patron(patron, found.currency)


def _told_coup(coup: FavourableCoup, currency: str) -> Iterator[str]:
    bets = ", ".join(f"{one.bet} {decimal(-100 * Fraction(one.edge_fraction), PERCENT_PLACES)} %" for one in coup.bets)
    staked = f"{written(coup.staked_in_favour, currency)} of {written(coup.staked, currency)} staked on them"
    yield f"  round {coup.round:>3}  {bets}  ({staked})"


def _told_patron(patron: PatronWatched, currency: str) -> Iterator[str]:
    yield f"  {patron.patron:<{PATRON_WIDTH}} {'coups':<{BET_WIDTH}} {_both(patron, currency)}"
    banked = {"(banked)": patron.banked} if patron.banked else {}
    for bet, one in (patron.bets | banked).items():
        yield f"  {'':<{PATRON_WIDTH}} {bet:<{BET_WIDTH}} {_tallied(one.in_favour, currency)} " + _tallied(
            one.otherwise, currency
        )


def _both(patron: PatronWatched, currency: str) -> str:
    return f"{_tallied(patron.in_favour, currency)} {_tallied(patron.otherwise, currency)}"


def _tallied(tally: Tally, currency: str) -> str:
    return f"{tally.coups:>4} x {written(tally.staked, currency):>{AMOUNT_WIDTH}}"


def _give_up(why: str, status: int) -> NoReturn:
    click.echo(why, err=True)
    raise SystemExit(status)
