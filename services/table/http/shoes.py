"""Shoes: committed to, added to, shuffled, closed, voided; listed, shown, and given away as bundles."""

from typing import Any, Literal

import msgspec
from litestar.response import Stream

from services.table import answers, export, recall, scanner, shuffler, sight
from services.table.croupier import About
from services.table.done import CardsDone, ShoeDone
from services.table.game.entropy import NOBODY
from services.table.game.surveillance import Watched
from services.table.http.asked import CardsRead, Commitment, Ingredient, MaybeWhy, Voiding
from services.table.http.lost import found
from services.table.http.route import AUDITORS, Asked, Deed, Place, command, view
from services.table.pit import Pit
from services.table.sight import OddsView
from services.table.told import ShoeLine, ShoeList, ShoeView

NEEDS: dict[str, Literal["", "fresh"]] = {"committed": "fresh", "scanned": ""}
ANOTHER_SHOE = "one of those that GET /v1/tables/{table}/shoes lists"


@command("/tables/{table}/shoes", takes=Commitment, tells=ShoeDone, status=201)
def commit_shoe(asked: Asked[Commitment]) -> Deed:
    """Commit to the next shoe; patrons and staff may then add to its shuffle. Or take a shoe of real cards."""
    said = asked.body
    return Deed(
        About(table=asked.table, shoe=NEEDS[said.source]),
        lambda at: shuffler.commit(at, source=said.source, final_source=said.final_source),
        answers.shoe_done,
    )


@command("/tables/{table}/shoes/start", takes=Commitment, tells=ShoeDone, status=201)
def start_shoe(asked: Asked[Commitment]) -> Deed:
    """Commit to the next shoe, shuffle it and burn, in one command; a last ingredient that is named is asked for."""
    if asked.body.final_source == NOBODY:
        source = asked.body.source
        about = About(table=asked.table, shoe=NEEDS[source])
        return Deed(about, lambda at: shuffler.start(at, source=source), answers.shoe_done)
    # Who gives the last ingredient is asked when the commitment is durable, and cannot be taken back.
    return msgspec.structs.replace(shuffle_shoe.translate(asked), before=commit_shoe.translate(asked))


@command("/tables/{table}/shoes/current/entropy", takes=Ingredient, tells=ShoeDone)
def contribute_entropy(asked: Asked[Ingredient]) -> Deed:
    """Add somebody's ingredient to the shuffle, before it is made."""
    said = asked.body
    return Deed(
        About(table=asked.table, shoe="mix"),
        lambda at: shuffler.contribute(at, actor=asked.actor, source=said.source, value=bytes.fromhex(said.value)),
        answers.shoe_done,
    )


@command("/tables/{table}/shoes/current/shuffle", tells=ShoeDone)
def shuffle_shoe(asked: Asked[Any]) -> Deed:
    """Shuffle with everything that was added, publish every card sealed, and burn."""
    return Deed(About(table=asked.table, shoe="last"), shuffler.shuffle, answers.shoe_done)


@command("/tables/{table}/shoes/current/cards", takes=CardsRead, tells=CardsDone)
def tell_cards(asked: Asked[CardsRead]) -> Deed:
    """Tell real cards as they leave the shoe: to the burn, or each to its hand; the last one settles the coup."""
    said = asked.body
    return Deed(
        About(table=asked.table, shoe="cards"),
        lambda at: scanner.tell(at, said.cards, reader=said.reader or None, position=scanner.place(said.position)),
        scanner.told,
    )


@command("/tables/{table}/shoes/current/close", takes=MaybeWhy, tells=ShoeDone)
def close_shoe(asked: Asked[MaybeWhy]) -> Deed:
    """End the shoe and reveal its seed; marked commission is collected as far as stacks go."""
    return Deed(
        About(table=asked.table, shoe="cards"),
        lambda at: shuffler.close(at, reason=asked.body.reason or None),
        answers.shoe_done,
    )


@command("/tables/{table}/shoes/current/void", takes=Voiding, tells=ShoeDone)
def void_shoe(asked: Asked[Voiding]) -> Deed:
    """Give the shoe up, its open coup first; its seed is revealed all the same, unless it is lost."""
    said = asked.body
    return Deed(
        About(table=asked.table, shoe="cards"),
        lambda at: shuffler.void(at, reason=said.reason, approved_by=said.approved_by or (asked.actor,)),
        answers.shoe_done,
    )


@view("/tables/{table}/shoes", tells=ShoeList)
async def list_shoes(pit: Pit, place: Place) -> ShoeList:
    """List a table's shoes."""
    await pit.croupier.view(About(table=place.table), lambda at: at.table.tip.version)
    listed = await pit.journal.shoes(f"table/{place.table}")
    lines = (ShoeLine(shoe=s.shoe, first_version=s.first_version, last_version=s.last_version) for s in listed)
    return ShoeList(table=place.table, shoes=tuple(lines))


@view("/tables/{table}/shoes/{shoe}", tells=ShoeView)
async def show_shoe(pit: Pit, place: Place) -> ShoeView:
    """Show a shoe: what was published of it, what has left it, how it ended."""
    return found(await recall.shoe(pit, place.table, place.shoe), "shoe", right=ANOTHER_SHOE)


@view("/tables/{table}/shoes/current/odds", tells=OddsView)
async def show_odds(pit: Pit, place: Place) -> OddsView:
    """Show what every bet of the next coup costs, given the cards already seen: exactly, and none that is undealt."""
    return found(await sight.current_odds(pit, place.table), "shoe", right="a table with a shoe in play")


@view("/tables/{table}/shoes/{shoe}/surveillance", tells=Watched, roles=AUDITORS)
async def watch_shoe(pit: Pit, place: Place) -> Watched:
    """List the coups on which a bet was in the patron's favour, and each patron's stakes in and out of such coups."""
    return found(await sight.surveillance(pit, place.table, place.shoe), "shoe", right=ANOTHER_SHOE)


@view("/tables/{table}/shoes/{shoe}/bundle", tells=bytes, media_type="application/zip", roles=AUDITORS)
async def export_shoe(pit: Pit, place: Place) -> Stream:
    """Give a shoe's bundle, as far as it has gone: its entries, and the proof that they are in the log."""
    return _zip(found(await export.bundle(pit, place.table, place.shoe), "shoe", right=ANOTHER_SHOE))


@view("/tables/{table}/shoes/{shoe}/rounds/{round}/bundle", tells=bytes, media_type="application/zip", roles=AUDITORS)
async def export_round(pit: Pit, place: Place) -> Stream:
    """Give the bundle of one round that is over, though its shoe be open: its entries, and what is in force, proved."""
    bundle = await export.round_bundle(pit, place.table, place.shoe, place.round)
    return _zip(found(bundle, "round", right="a round that was opened in this shoe"))


def _zip(bundle: export.Bundle) -> Stream:
    return Stream(
        bundle.chunks(),
        media_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{bundle.name}"', "Content-Length": str(bundle.size)},
    )


ROUTES = (
    commit_shoe,
    start_shoe,
    contribute_entropy,
    shuffle_shoe,
    tell_cards,
    close_shoe,
    void_shoe,
    list_shoes,
    show_shoe,
    show_odds,
    watch_shoe,
    export_shoe,
    export_round,
)
